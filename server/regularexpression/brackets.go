package regularexpression

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// Word boundaries of MySQL 5.7 and MariaDB, which ICU lacks.
const (
	wordStartBracket = "[[:<:]]"
	wordEndBracket   = "[[:>:]]"
)

// bracket reads a class whose [ at start has been read.
func (p *parser) bracket(start int) (*syntax.Regexp, error) {
	for text, kind := range map[string]rune{wordStartBracket: atWordStart, wordEndBracket: atWordEnd} {
		if strings.HasPrefix(p.text[start:], text) {
			p.at = start + len(text)
			return assertion(kind), nil
		}
	}
	s, err := p.set(start)
	if err != nil {
		return nil, err
	}
	return class(s), nil
}

// count adds the ranges of a class, and refuses patterns with too many.
func (p *parser) count(s set) error {
	if p.ranges += len(s) / 2; p.ranges > maxRanges {
		return wrong(TooBig, "its character classes have more than %d ranges; use fewer of \\w, \\p{...} and their like", maxRanges)
	}
	return nil
}

// set reads members, nested sets and the operators && and -- up to the ]. As in ICU, the left operand of an operator
// is everything before it.
func (p *parser) set(start int) (set, error) {
	if p.depth++; p.depth > MaxNesting {
		return nil, wrong(TooBig, "brackets are nested in more than %d levels", MaxNesting)
	}
	defer func() { p.depth-- }()
	if strings.HasPrefix(p.text[start:], "[:") {
		if s, ok, err := p.posix(start); ok || err != nil {
			return s, err
		}
	}
	inverted := p.take("^")
	r := &setReader{parser: p, start: start, operator: union}
	for first := true; ; first = false {
		done, err := r.member(first)
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	out := r.left
	if inverted {
		out = out.not()
	}
	return out, p.count(out)
}

// posix reads [:name:] after its first [, as a set of its own or inside brackets.
func (p *parser) posix(start int) (set, bool, error) {
	name, _, closed := strings.Cut(p.text[start+len("[:"):], ":]")
	if !closed || strings.ContainsAny(name, "[]\\") {
		return nil, false, nil
	}
	plain, inverted := strings.CutPrefix(name, "^")
	s, ok := p.property(plain)
	if !ok {
		return nil, false, p.wrongAt(start, IllegalArgument, "there is no character class [:"+name+
			":]; there are alpha, alnum, blank, cntrl, digit, graph, lower, print, punct, space, upper, xdigit;")
	}
	if inverted {
		s = s.not()
	}
	p.at = start + len("[:") + len(name) + len(":]")
	return s, true, p.count(s)
}

type setOperator int

const (
	union setOperator = iota
	intersection
	difference
)

// A setReader reads the text between two brackets.
type setReader struct {
	*parser
	start    int
	left     set         // the left operand of operator, tidy
	operator setOperator // the pending operator
	now      set         // its right operand so far, not tidy
}

// add adds characters of the pattern, and their other cases if case does not matter.
func (r *setReader) add(s set) {
	if r.flags.ignoreCase {
		s = s.tidy().folded()
	}
	r.now = append(r.now, s...)
}

// orEmpty returns an empty set instead of nil: nil means that nothing has been read.
func orEmpty(s set) set {
	if s == nil {
		return set{}
	}
	return s
}

// operate applies the pending operator, and makes next the pending one.
func (r *setReader) operate(at int, next setOperator) error {
	if r.now == nil {
		return r.wrongAt(at, MissingBracket, "&& and -- must have characters on both sides; write \\& and \\- for the characters; nothing is")
	}
	right := r.now.tidy()
	switch r.operator {
	case intersection:
		right = r.left.and(right)
	case difference:
		right = r.left.and(right.not())
	}
	r.left, r.operator, r.now = right, next, nil
	return nil
}

// member reads one member; done is true at the closing bracket. A ] at the beginning is a character.
func (r *setReader) member(first bool) (done bool, _ error) {
	start := r.at
	switch {
	case r.peek() == noCharacter:
		return false, r.wrongAt(r.start, MissingBracket, "a [ that nothing closes, write \\[ for the character,")
	case !first && r.take("]"):
		return true, r.operate(start, union)
	case r.take("&&"):
		return false, r.operate(start, intersection)
	case r.take("--"):
		return false, r.operate(start, difference)
	case r.take("["):
		nested, err := r.set(start)
		r.now = append(orEmpty(r.now), nested...)
		return false, err
	case r.take(`\`):
		if r.peek() == 'Q' {
			return false, r.unimplemented(start, `\Q in brackets`, `write \ before every character instead`)
		}
		s, ok, err := r.escapedClass(start)
		if err != nil {
			return false, err
		}
		if ok {
			r.now = append(orEmpty(r.now), s...)
			return false, nil
		}
		r.at = start
	}
	return false, r.span(start)
}

// span reads a character or a range x-y.
func (r *setReader) span(start int) error {
	low, err := r.character()
	if err != nil {
		return err
	}
	high := low
	if rest := r.text[r.at:]; strings.HasPrefix(rest, "-") && !strings.HasPrefix(rest, "-]") && !strings.HasPrefix(rest, "--") &&
		!strings.HasPrefix(rest, "-[") && len(rest) > 1 {
		r.next()
		if high, err = r.character(); err != nil {
			return err
		}
	}
	if high < low {
		return r.wrongAt(start, InvalidRange, r.text[start:r.at])
	}
	r.add(set{low, high})
	return nil
}

// character reads one character, which may be escaped.
func (r *setReader) character() (rune, error) {
	start := r.at
	c := r.next()
	if c != '\\' {
		return c, nil
	}
	if r.take("b") {
		return '\b', nil
	}
	if letter := r.peek(); classEscapes[unicode.ToLower(letter)] != nil || letter == 'p' || letter == 'P' {
		return 0, r.wrongAt(start, InvalidRange, "a range ends in a class; put the - first or last for the character,")
	}
	return r.escapedCharacter(start)
}
