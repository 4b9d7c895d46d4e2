package asking

import (
	"slices"
	"strings"
)

// A token is a name, a literal or a sign. Parentheses have the depth of their surroundings.
type token struct {
	text              string
	start, end, depth int
	name              bool // a word, or a name in backticks
}

func (t token) is(keyword string) bool { return strings.EqualFold(t.text, keyword) }

func (t token) isAmong(keywords []string) bool {
	return slices.ContainsFunc(keywords, t.is)
}

// tokensOf returns a statement's tokens without comments and blanks.
func tokensOf(statement string) (tokens []token) {
	depth := 0
	for at := 0; at < len(statement); {
		if skipped := blankAt(statement[at:]); skipped > 0 {
			at += skipped
			continue
		}
		length, name := lengthAt(statement[at:])
		text := statement[at : at+length]
		if text == ")" {
			depth--
		}
		tokens = append(tokens, token{text, at, at + length, depth, name})
		if text == "(" {
			depth++
		}
		at += length
	}
	return tokens
}

// blankAt returns the length of a leading blank or comment. As in the server, two slashes also begin a comment.
func blankAt(text string) int {
	switch {
	case strings.ContainsRune(" \t\r\n", rune(text[0])):
		return 1
	case text[0] == '#', strings.HasPrefix(text, "//"), strings.HasPrefix(text, "--") && (len(text) == 2 || text[2] <= ' '):
		return until(text, "\n")
	case strings.HasPrefix(text, "/*"):
		return 2 + until(text[2:], "*/")
	}
	return 0
}

// until returns the length up to the end of a mark.
func until(text, mark string) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}

// lengthAt returns the length of the first token.
func lengthAt(text string) (length int, name bool) {
	if quote := text[0]; quote == '\'' || quote == '"' || quote == '`' {
		for i := 1; i < len(text); i++ {
			switch {
			case text[i] == '\\' && quote != '`':
				i++
			case text[i] == quote && i+1 < len(text) && text[i+1] == quote:
				i++
			case text[i] == quote:
				return i + 1, quote == '`'
			}
		}
		return len(text), false
	}
	for length < len(text) && inWord(text[length]) {
		length++
	}
	return max(length, 1), length > 0 && (text[0] < '0' || text[0] > '9')
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '@' || c >= 0x80
}
