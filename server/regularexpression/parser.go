package regularexpression

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scope is the state that flags such as (?i) change, up to the end of their group.
type scope struct{ ignoreCase, multiline, dotAll, comments bool }

// A parser reads ICU's syntax into a tree of regexp/syntax. Assertions are literals beyond Unicode's characters,
// which the machine recognises (assertions.go).
type parser struct {
	text   string
	at     int // the next byte
	flags  scope
	unix   bool
	groups int
	names  map[string]int
	depth  int
	ranges int
}

const noCharacter = -1

// peek returns the next character, noCharacter at the end.
func (p *parser) peek() rune {
	if p.at >= len(p.text) {
		return noCharacter
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

func (p *parser) next() rune {
	r := p.peek()
	if r != noCharacter {
		p.at += utf8.RuneLen(r)
	}
	return r
}

// take skips a text if it is next.
func (p *parser) take(text string) bool {
	if !strings.HasPrefix(p.text[p.at:], text) {
		return false
	}
	p.at += len(text)
	return true
}

func (p *parser) wrongAt(at, number int, what string) *Error {
	return wrong(number, "%s %s", what, place(p.text, at))
}

func (p *parser) all() (*syntax.Regexp, error) {
	tree, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, p.wrongAt(p.at, MismatchedParen, "a ) that nothing opens, write \\) for the character,")
	}
	return tree, nil
}

// alternatives reads up to a closing parenthesis or the end.
func (p *parser) alternatives() (*syntax.Regexp, error) {
	if p.depth++; p.depth > MaxNesting {
		return nil, wrong(TooBig, "parentheses are nested in more than %d levels", MaxNesting)
	}
	defer func() { p.depth-- }()
	var list []*syntax.Regexp
	for {
		branch, err := p.sequence()
		if err != nil {
			return nil, err
		}
		list = append(list, branch)
		if !p.take("|") {
			break
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return &syntax.Regexp{Op: syntax.OpAlternate, Sub: list}, nil
}

func (p *parser) sequence() (*syntax.Regexp, error) {
	var list []*syntax.Regexp
	for {
		if p.flags.comments {
			p.skipComments()
		}
		start := p.at
		switch r := p.peek(); r {
		case noCharacter, '|', ')':
			return concatenation(list), nil
		case '*', '+', '?', '{':
			if r == '{' {
				if _, _, err := p.interval(); err != nil {
					return nil, err
				}
			}
			return nil, wrong(RuleSyntax, "%s: %q repeats nothing there; write \\%c for the character", place(p.text, start), string(r), r)
		}
		if p.take(`\Q`) {
			list = append(list, p.quoted()...)
			if n := len(list); n > 0 {
				last, err := p.repeated(list[n-1])
				if err != nil {
					return nil, err
				}
				list[n-1] = last
			}
			continue
		}
		part, err := p.part()
		if err != nil {
			return nil, err
		}
		if part == nil { // a comment or flags
			continue
		}
		if p.text[start] != '\\' || !isAssertion(part) { // in ICU, \b+ and similar are errors, ^+ is not
			if part, err = p.repeated(part); err != nil {
				return nil, err
			}
		}
		list = append(list, part)
	}
}

func concatenation(list []*syntax.Regexp) *syntax.Regexp {
	switch len(list) {
	case 0:
		return &syntax.Regexp{Op: syntax.OpEmptyMatch}
	case 1:
		return list[0]
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Sub: list}
}

// part reads one character, class, assertion or group.
func (p *parser) part() (*syntax.Regexp, error) {
	start := p.at
	switch r := p.next(); r {
	case '(':
		return p.group(start)
	case '[':
		return p.bracket(start)
	case '\\':
		return p.escape(start)
	case '.':
		return p.dot(), nil
	case '^':
		if p.flags.multiline {
			return assertion(atLineStart), nil
		}
		return assertion(atTextStart), nil
	case '$':
		if p.flags.multiline {
			return assertion(atLineEnd), nil
		}
		return assertion(atLastLineEnd), nil
	default:
		return p.literal(r), nil
	}
}

func (p *parser) literal(r rune) *syntax.Regexp {
	t := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{r}}
	if p.flags.ignoreCase {
		t.Flags = syntax.FoldCase
	}
	return t
}

func (p *parser) dot() *syntax.Regexp {
	switch {
	case p.flags.dotAll:
		return withPairs(set{0, unicode.MaxRune})
	case p.unix:
		return &syntax.Regexp{Op: syntax.OpAnyCharNotNL}
	}
	return class(terminators.not())
}

// withPairs returns a class in which \r\n is one character.
func withPairs(s set) *syntax.Regexp {
	literal := func(text ...rune) *syntax.Regexp { return &syntax.Regexp{Op: syntax.OpLiteral, Rune: text} }
	return &syntax.Regexp{Op: syntax.OpAlternate, Sub: []*syntax.Regexp{
		class(s.and(set{'\r', '\r'}.not())), literal('\r', '\n'), literal('\r', outsidePair)}}
}

func class(s set) *syntax.Regexp {
	if len(s) == 0 {
		return &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	return &syntax.Regexp{Op: syntax.OpCharClass, Rune: s}
}

// skipComments skips the blanks and comments that (?x) allows.
func (p *parser) skipComments() {
	for {
		switch r := p.peek(); {
		case r == '#':
			for r := p.next(); r != noCharacter && !terminators.has(r); r = p.next() {
			}
		case r != noCharacter && patternSpace.has(r):
			p.next()
		default:
			return
		}
	}
}

var patternSpace = set{'\t', '\r', ' ', ' ', 0x85, 0x85, 0x200e, 0x200f, 0x2028, 0x2029}

// repeated reads the quantifiers after a part.
func (p *parser) repeated(part *syntax.Regexp) (*syntax.Regexp, error) {
	for strings.HasPrefix(p.text[p.at:], "(?#") { // the quantifier belongs to the part before the comment
		if _, err := p.part(); err != nil {
			return nil, err
		}
	}
	if p.flags.comments {
		p.skipComments()
	}
	start := p.at
	t := &syntax.Regexp{Sub: []*syntax.Regexp{part}}
	switch p.peek() {
	case '*':
		t.Op = syntax.OpStar
	case '+':
		t.Op = syntax.OpPlus
	case '?':
		t.Op = syntax.OpQuest
	case '{':
		var err error
		t.Op = syntax.OpRepeat
		if t.Min, t.Max, err = p.interval(); err != nil {
			return nil, err
		}
		p.at-- // back to the closing brace
	default:
		return part, nil
	}
	p.next()
	switch {
	case p.take("+"):
		return nil, p.unimplemented(start, "the possessive quantifier "+p.text[start:p.at],
			"leave the last + out: matching takes linear time anyway")
	case p.take("?"):
		t.Flags |= syntax.NonGreedy
	}
	return t, nil
}

func (p *parser) unimplemented(at int, construct, wayOut string) *Error {
	return wrong(Unimplemented, "%s %s; %s", construct, place(p.text, at), wayOut)
}

// interval reads {min,max}, {min,} or {count}; most is -1 if there is no maximum.
func (p *parser) interval() (least, most int, _ error) {
	start := p.at
	p.next()
	bad := func() error {
		return p.wrongAt(start, BadInterval, "write {count}, {min,} or {min,max} with whole numbers, or \\{ for the character,")
	}
	least, ok := p.number()
	if !ok {
		return 0, 0, bad()
	}
	most = least
	if p.take(",") {
		if most, ok = p.number(); !ok {
			most = -1
		}
	}
	if !p.take("}") {
		return 0, 0, bad()
	}
	if most >= 0 && most < least {
		return 0, 0, p.wrongAt(start, MaxLessThanMin, p.text[start:p.at])
	}
	return least, most, nil
}

// number reads digits. It cuts numbers to MaxProgram + 1.
func (p *parser) number() (n int, ok bool) {
	for ; p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'; p.at++ {
		n, ok = min(n*10+int(p.text[p.at]-'0'), MaxProgram+1), true
	}
	return n, ok
}
