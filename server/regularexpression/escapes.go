package regularexpression

import (
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// classEscapes are the classes with an escape letter. The capital letter means all other characters.
var classEscapes = map[rune]func() set{
	'd': digitSet,
	'w': wordSet,
	's': spaceSet,
	'h': blankSet,
	'v': func() set { return terminators },
}

// assertionEscapes match between characters.
var assertionEscapes = map[rune]rune{
	'A': atTextStart, 'z': atTextEnd, 'Z': atLastEnd, 'b': atWordEdge, 'B': insideWord,
}

// unimplementedEscapes by their letter.
var unimplementedEscapes = map[rune][2]string{
	'k': {"the back reference \\k", "compare the parts that REGEXP_REPLACE(x, ..., '$1') and '$2' give"},
	'X': {"\\X (a grapheme cluster)", "write \\P{M}\\p{M}*"},
	'G': {"\\G (the end of the last match)", "use the position argument of the function"},
	'N': {"\\N{name}", "write \\x{...} with the character's number, or the character"},
}

// escape reads what follows the backslash at start, outside brackets.
func (p *parser) escape(start int) (*syntax.Regexp, error) {
	r := p.peek()
	if kind, ok := assertionEscapes[r]; ok {
		p.next()
		return assertion(kind), nil
	}
	if what, ok := unimplementedEscapes[r]; ok {
		return nil, p.unimplemented(start, what[0], what[1])
	}
	switch {
	case r == 'R':
		p.next()
		return withPairs(terminators), nil
	case r >= '1' && r <= '9':
		return nil, p.reference(start)
	}
	s, ok, err := p.escapedClass(start)
	if err != nil {
		return nil, err
	}
	if ok {
		if err := p.count(s); err != nil {
			return nil, err
		}
		return class(s), nil
	}
	c, err := p.escapedCharacter(start)
	if err != nil {
		return nil, err
	}
	return p.literal(c), nil
}

// reference returns the error of \1: ICU's error if there is no such group, otherwise ours.
func (p *parser) reference(start int) error {
	number, _ := p.number()
	if opened := strings.Count(p.text, "("); number > opened {
		return p.wrongAt(start, InvalidReference, "there is no group "+strconv.Itoa(number)+" for the back reference")
	}
	return p.unimplemented(start, "the back reference "+p.text[start:p.at], "compare the parts that REGEXP_REPLACE(x, ..., '$1') and '$2' give")
}

// quoted reads the text between \Q, already read, and \E.
func (p *parser) quoted() []*syntax.Regexp {
	text, _, ended := strings.Cut(p.text[p.at:], `\E`)
	p.at += len(text)
	if ended {
		p.at += len(`\E`)
	}
	var list []*syntax.Regexp
	for _, r := range text {
		list = append(list, p.literal(r))
	}
	return list
}

// escapedClass reads d, W, p{L} and similar after a backslash. It returns false for an escaped character.
func (p *parser) escapedClass(start int) (set, bool, error) {
	r := p.peek()
	if make, ok := classEscapes[unicode.ToLower(r)]; ok {
		p.next()
		if unicode.IsUpper(r) {
			return make().not(), true, nil
		}
		return make(), true, nil
	}
	if r != 'p' && r != 'P' {
		return nil, false, nil
	}
	p.next()
	name, _, closed := strings.Cut(p.text[p.at:], "}")
	if !strings.HasPrefix(name, "{") || !closed {
		return nil, false, p.wrongAt(start, IllegalArgument, "write \\p{property}: the property has no braces")
	}
	p.at += len(name) + 1
	inverted := r == 'P'
	if name = name[1:]; strings.HasPrefix(name, "^") {
		name, inverted = name[1:], !inverted
	}
	s, ok := p.property(name)
	if !ok {
		return nil, false, p.wrongAt(
			start,
			IllegalArgument,
			"there is no property '"+name+"'; there are Unicode's categories (L, Nd), scripts (Greek) and POSIX classes (alpha);",
		)
	}
	if inverted {
		s = s.not()
	}
	return s, true, nil
}

// property returns the set of a property. If case does not matter, it adds the other cases, before callers invert the
// set.
func (p *parser) property(name string) (set, bool) {
	s, ok := property(name)
	if ok && p.flags.ignoreCase {
		s = s.folded()
	}
	return s, ok
}

// controls are the characters with an escape letter.
var controls = map[rune]rune{'a': 7, 'e': 27, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapedCharacter reads a character after a backslash. As in MySQL, a letter without a meaning is itself.
func (p *parser) escapedCharacter(start int) (rune, error) {
	bad := func(how string) (rune, error) { return 0, p.wrongAt(start, BadEscape, how) }
	r := p.next()
	if c, ok := controls[r]; ok {
		return c, nil
	}
	switch r {
	case noCharacter:
		return bad(`a \ with nothing behind it, write \\ for the character (in a string literal of SQL each twice),`)
	case 'c':
		if c := p.next(); c != noCharacter {
			return c & 31, nil
		}
		return bad(`write \c and a letter,`)
	case '0':
		return p.inBase(8, 1, 3, bad, `write \0 and one to three octal digits,`)
	case 'u':
		return p.inBase(16, 4, 4, bad, `write \u and four hexadecimal digits,`)
	case 'U':
		return p.inBase(16, 8, 8, bad, `write \U and eight hexadecimal digits up to 0010FFFF,`)
	case 'x':
		if !p.take("{") {
			return p.inBase(16, 1, 2, bad, `write \xhh or \x{hhhh} with hexadecimal digits,`)
		}
		c, err := p.inBase(16, 1, 6, bad, `write \x{h...} with one to six hexadecimal digits up to 10FFFF,`)
		if err == nil && !p.take("}") {
			return bad(`write \x{h...}: the } is missing,`)
		}
		return c, err
	}
	return r, nil
}

// inBase reads the digits of a character's code.
func (p *parser) inBase(base, least, most int, bad func(string) (rune, error), how string) (rune, error) {
	end := p.at
	for end < len(p.text) && end-p.at < most {
		if _, err := strconv.ParseUint(p.text[end:end+1], base, 8); err != nil {
			break
		}
		end++
	}
	n, err := strconv.ParseUint(p.text[p.at:end], base, 32)
	if err != nil || end-p.at < least || n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
		return bad(how)
	}
	p.at = end
	return rune(n), nil
}
