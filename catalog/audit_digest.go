package catalog

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// digestRead is how much of a statement is looked at, and digestKept the
	// length of the digest, in bytes. The latter is MySQL's max_digest_length.
	digestRead = 16384
	digestKept = 1024
	// auditNameKept is more than MySQL lets a name have.
	auditNameKept = 255
)

var (
	digestList = regexp.MustCompile(`\?(?: ?, ?\?)+`)
	digestRows = regexp.MustCompile(`\((\?(?:, \.\.\.)?)\)(?: ?, ?\(\?(?:, \.\.\.)?\))+`)
)

// statementDigest is a statement without its values: literals are ?, lists of
// them one, comments and line breaks are gone. As in MySQL two statements that
// differ in their values only have the same digest.
func statementDigest(statement string) string {
	d := digester{text: statement[:min(len(statement), digestRead)]}
	for d.at < len(d.text) {
		d.step()
	}
	text := digestRows.ReplaceAllString(digestList.ReplaceAllString(strings.TrimSpace(d.out.String()), "?, ..."), "($1), ...")
	return shortText(text, digestKept)
}

func auditName(name string) string { return shortText(name, auditNameKept) }

// shortText cuts a text to so many bytes of valid UTF-8.
func shortText(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= limit {
		return text
	}
	cut := limit - len("...")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

type digester struct {
	text  string
	at    int
	out   strings.Builder
	space bool // a blank is due before the next token
}

func (d *digester) emit(token string) {
	if d.space && d.out.Len() > 0 {
		d.out.WriteByte(' ')
	}
	d.space = false
	d.out.WriteString(token)
}

// step takes one token.
func (d *digester) step() {
	rest := d.text[d.at:]
	switch c := rest[0]; {
	case c <= ' ':
		d.at++
		d.space = true
	case c == '#' || strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
		d.skip(rest, "\n")
	case strings.HasPrefix(rest, "/*!"): // what is in it runs
		d.at += len("/*!")
		for d.at < len(d.text) && isDigit(d.text[d.at]) {
			d.at++
		}
		d.space = true
	case strings.HasPrefix(rest, "/*"):
		d.skip(rest[2:], "*/")
		d.at = min(d.at+2, len(d.text))
	case strings.HasPrefix(rest, "*/"):
		d.at += 2
		d.space = true
	case c == '\'' || c == '"':
		d.at += quotedLength(rest, true)
		d.emit("?")
	case c == '`':
		n := quotedLength(rest, false)
		d.at += n
		d.emit(rest[:n])
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		d.at += numberLength(rest)
		d.emit("?")
	case isWord(c):
		d.word(rest)
	default:
		d.at++
		d.emit(rest[:1])
	}
}

func (d *digester) skip(rest, to string) {
	d.space = true
	if n := strings.Index(rest, to); n >= 0 {
		d.at += n + len(to)
		return
	}
	d.at = len(d.text)
}

// word takes a name, or the introducer of a literal: x'4F', _utf8mb4'a', n'a'.
func (d *digester) word(rest string) {
	n := 0
	for n < len(rest) && isWord(rest[n]) {
		n++
	}
	name := strings.ToLower(rest[:n])
	if n < len(rest) && (rest[n] == '\'' || rest[n] == '"') && (name == "x" || name == "b" || name == "n" || name[0] == '_') {
		n += quotedLength(rest[n:], true)
		d.at += n
		d.emit("?")
		return
	}
	d.at += n
	d.emit(rest[:n])
}

// quotedLength is the length of a quoted text with its quotes, all of the rest
// when it does not end.
func quotedLength(text string, escapes bool) int {
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return len(text)
}

func numberLength(text string) int {
	i := 0
	for i < len(text) && (isWord(text[i]) || text[i] == '.' ||
		(text[i] == '+' || text[i] == '-') && i > 0 && (text[i-1] == 'e' || text[i-1] == 'E')) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= 0x80 || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}
