package regularexpression

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// Assertions are literals beyond Unicode's last character, so no text contains them: the machine calls holds for them
// instead of reading a character.
const (
	firstAssertion = unicode.MaxRune + 1 + iota
	atTextStart
	atTextEnd
	atLastLineEnd // the end, or before the terminator of the last line
	atLastEnd     // the same under every flag: \Z ignores UnixLines
	atLineStart
	atLineEnd
	atWordEdge
	insideWord
	atWordStart
	atWordEnd
	outsidePair // not between \r and \n
)

func assertion(kind rune) *syntax.Regexp {
	return &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{kind}}
}

func isAssertion(t *syntax.Regexp) bool {
	return t.Op == syntax.OpLiteral && t.Rune[0] > firstAssertion
}

// holds reports whether an assertion holds before byte at of the text.
func (m *machine) holds(kind rune, at int) bool {
	switch kind {
	case atTextStart:
		return at == 0
	case atTextEnd:
		return at == len(m.text)
	case atLastLineEnd:
		return m.endsLastLine(at, m.pattern.unix)
	case atLastEnd:
		return m.endsLastLine(at, false)
	case atLineStart:
		return m.startsLine(at)
	case atLineEnd:
		return m.endsLine(at)
	case atWordEdge:
		return m.wordEdge(at)
	case insideWord:
		return !m.wordEdge(at)
	case atWordStart:
		return m.wordEdge(at) && m.wordAt(at)
	case atWordEnd:
		return m.wordEdge(at) && !m.wordAt(at)
	case outsidePair:
		return !m.splits(at)
	}
	return false
}

func terminates(r rune, unix bool) bool {
	if unix {
		return r == '\n'
	}
	return terminators.has(r)
}

// runeAfter and runeBefore return the characters next to a position; width 0 means that there is none.
func (m *machine) runeAfter(at int) (rune, int)  { return utf8.DecodeRuneInString(m.text[at:]) }
func (m *machine) runeBefore(at int) (rune, int) { return utf8.DecodeLastRuneInString(m.text[:at]) }

// splits reports whether at is between \r and \n, which are one terminator.
func (m *machine) splits(at int) bool {
	return at > 0 && at < len(m.text) && m.text[at-1] == '\r' && m.text[at] == '\n'
}

func (m *machine) endsLastLine(at int, unix bool) bool {
	r, width := m.runeAfter(at)
	switch {
	case width == 0:
		return true
	case !unix && m.text[at:] == "\r\n":
		return true
	}
	return at+width == len(m.text) && terminates(r, unix) && (unix || !m.splits(at))
}

func (m *machine) endsLine(at int) bool {
	unix := m.pattern.unix
	r, width := m.runeAfter(at)
	return width == 0 || terminates(r, unix) && (unix || !m.splits(at))
}

// startsLine is false at the end of a text: no line starts after the last terminator.
func (m *machine) startsLine(at int) bool {
	if at == 0 {
		return true
	}
	unix := m.pattern.unix
	r, _ := m.runeBefore(at)
	return at < len(m.text) && terminates(r, unix) && (unix || !m.splits(at))
}

func (m *machine) wordAt(at int) bool {
	r, width := m.runeAfter(at)
	return width > 0 && isWord(r)
}

// wordEdge ignores characters that extend the previous one.
func (m *machine) wordEdge(at int) bool {
	if r, width := m.runeAfter(at); width > 0 && r >= utf8.RuneSelf && unicode.In(r, extending...) {
		return false
	}
	return m.wordAt(at) != m.wordBefore(at)
}

// maxExtending bounds the number of extending characters that wordBefore skips, so that a text of nothing else takes
// linear time.
const maxExtending = 64

func (m *machine) wordBefore(at int) bool {
	for range maxExtending {
		r, width := m.runeBefore(at)
		if width == 0 {
			return false
		}
		if r < utf8.RuneSelf || !unicode.In(r, extending...) {
			return isWord(r)
		}
		at -= width
	}
	return true
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, wordTables...)
}
