package proxy

import "strings"

// A token is a word, a quoted name, a literal, or one character of punctuation.
type token struct {
	kind tokenKind
	text string // without quotes if it is a name
	end  int    // offset in the statement after the token
}

type tokenKind int

const (
	word tokenKind = iota
	quotedName
	literal
	punctuation
)

// is compares the token with a word or a punctuation character.
func (t token) is(text string) bool {
	return (t.kind == word || t.kind == punctuation) && strings.EqualFold(t.text, text)
}

// A reading says how a session's server reads its statements.
type reading struct {
	noEscapes  bool // NO_BACKSLASH_ESCAPES
	ansiQuotes bool // ANSI_QUOTES: double quotes enclose names, in which a backslash is an ordinary character
	wide       wide // two-byte characters; nil for sets in which no byte of a character is a quote or a backslash
}

// A lexer reads MySQL's tokens. It skips comments but reads the content of /*! */.
type lexer struct {
	reading
	text       string
	at         int
	executable bool // in /*! */
}

// wide reports whether two bytes are one character.
type wide func(lead, trail byte) bool

// wideSets are the client character sets whose second byte of a character may be a backslash or a backquote.
var wideSets = map[string]wide{
	"big5":    func(lead, trail byte) bool { return lead >= 0xa1 && lead <= 0xf9 && second(trail) },
	"cp932":   japanese,
	"gb18030": chinese,
	"gbk":     chinese,
	"sjis":    japanese,
}

func chinese(lead, trail byte) bool { return lead >= 0x81 && lead <= 0xfe && second(trail) }

// japanese has one-byte letters between its lead bytes.
func japanese(lead, trail byte) bool {
	return (lead >= 0x81 && lead <= 0x9f || lead >= 0xe0 && lead <= 0xfc) && second(trail)
}

func second(trail byte) bool { return trail >= 0x40 && trail != 0x7f && trail != 0xff }

// size returns the size in bytes of the character at a place.
func (l *lexer) size(at int) int {
	if l.wide != nil && at+1 < len(l.text) && l.wide(l.text[at], l.text[at+1]) {
		return 2
	}
	return 1
}

// next returns false at the end.
func (l *lexer) next() (token, bool) {
	for l.skip() {
	}
	if l.at >= len(l.text) {
		return token{}, false
	}
	begun := l.at
	switch c := l.text[l.at]; {
	case isWord(c):
		for l.at < len(l.text) && isWord(l.text[l.at]) {
			l.at += l.size(l.at)
		}
		return token{word, l.text[begun:l.at], l.at}, true
	case l.quotesNames(c):
		return token{quotedName, l.quoted(c), l.at}, true
	case c == '\'' || c == '"':
		return token{literal, l.quoted(c), l.at}, true
	}
	l.at++
	return token{punctuation, l.text[begun:l.at], l.at}, true
}

// quotesNames reports whether a quote encloses names, in which a backslash does not escape.
func (l *lexer) quotesNames(quote byte) bool { return quote == '`' || quote == '"' && l.ansiQuotes }

// isWord reports whether a byte belongs to words; all non-ASCII bytes do.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// skip skips one space or comment.
func (l *lexer) skip() bool {
	rest := l.text[l.at:]
	switch {
	case rest == "":
		return false
	case strings.IndexByte(" \t\r\n\f\v\x00", rest[0]) >= 0:
		l.at++
	case rest[0] == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		l.skipPast("\n", 1)
	case l.executable && strings.HasPrefix(rest, "*/"):
		l.executable = false
		l.at += 2
	case strings.HasPrefix(rest, "/*!"), strings.HasPrefix(rest, "/*M!"):
		l.executable = true
		l.at += strings.IndexByte(rest, '!') + 1
		for l.at < len(l.text) && '0' <= l.text[l.at] && l.text[l.at] <= '9' {
			l.at++
		}
	case strings.HasPrefix(rest, "/*"):
		l.at += 2
		l.skipPast("*/", 2)
	default:
		return false
	}
	return true
}

// skipPast moves behind the next occurrence of end, or to the end of the text.
func (l *lexer) skipPast(end string, size int) {
	if n := strings.Index(l.text[l.at:], end); n >= 0 {
		l.at += n + size
		return
	}
	l.at = len(l.text)
}

// quoted reads up to the closing quote; a doubled quote stands for one.
func (l *lexer) quoted(quote byte) string {
	var inside strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		switch {
		case l.size(l.at) == 2:
			inside.WriteByte(c)
			l.at++
			inside.WriteByte(l.text[l.at])
		case c == '\\' && !l.quotesNames(quote) && !l.noEscapes:
			l.at++
		case c == quote && l.at+1 < len(l.text) && l.text[l.at+1] == quote:
			l.at++
			inside.WriteByte(c)
		case c == quote:
			l.at++
			return inside.String()
		default:
			inside.WriteByte(c)
		}
	}
	l.at = min(l.at, len(l.text)) // a trailing backslash leads beyond the end
	return inside.String()
}
