package dialect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/server/gate"
)

// maxTokens bounds the statements that are rewritten. Longer ones are long because of
// their data, and go to the parser unchanged.
const maxTokens = 100_000

// Rewrite returns a text with unsupported statements rewritten for the grammar. With
// first it reads only the first statement of the text, as the parser does with a batch.
// ansi is the SQL mode ANSI_QUOTES.
func Rewrite(query string, ansi, first bool) string {
	all := text{query: query}
	gate.Statements(query, ansi, maxTokens, func(tokens []gate.Token) bool {
		s := statement{text: &all, tokens: tokens}
		s.rewrite()
		return !first || s.isWord(0, "create") // the body of a routine has semicolons
	})
	return all.edited()
}

// A text is a text to rewrite, with its edits.
type text struct {
	query string
	edits []edit
}

// An edit replaces query[from:to] by with.
type edit struct {
	from, to int
	with     string
}

func (t *text) replace(from, to int, with string) {
	t.edits = append(t.edits, edit{from, to, with})
}

// edited applies the edits; at one offset those that only add come first, in the order in which they were added. Edits
// overlap only in invalid SQL: then the text stays unchanged, and the parser reports the error.
func (t *text) edited() string {
	if len(t.edits) == 0 {
		return t.query
	}
	slices.SortStableFunc(t.edits, func(a, b edit) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	var out strings.Builder
	copied := 0
	for _, e := range t.edits {
		if e.from < copied {
			return t.query
		}
		out.WriteString(t.query[copied:e.from])
		out.WriteString(e.with)
		copied = e.to
	}
	out.WriteString(t.query[copied:])
	return out.String()
}

// A statement is the tokens of one statement of a text.
type statement struct {
	*text
	tokens []gate.Token
	// partner is the closing token of an opening one, and the reverse; -1 for none.
	partner []int
}

func (s *statement) rewrite() {
	if len(s.tokens) == 0 {
		return
	}
	if s.rewriteWhole() {
		return
	}
	if !s.mayHave() {
		return
	}
	s.pair()
	before := len(s.edits)
	s.escapes()
	s.literals()
	s.functions()
	s.intervals()
	s.assignments()
	s.doubled()
	s.quantifiers()
	s.words()
	if len(s.edits) > before {
		s.names(before)
	}
	s.definitions()
	s.parentheses()
}

// mayHave reports whether a statement has a token that may need rewriting.
func (s *statement) mayHave() bool {
	if s.defines() || s.isWord(0, "alter", "insert", "replace") {
		return true
	}
	for i, t := range s.tokens {
		if s.hasWord(i) {
			return true
		}
		switch t.Kind {
		case gate.Open:
			if s.query[t.From] == '{' || s.query[t.From] == '(' && s.selects(i+1) {
				return true
			}
		case gate.Sign:
			if s.textOf(i) == ":=" {
				return true
			}
		case gate.Word:
			if s.isCalled(i) || s.isWord(i, "row") || s.isCollated(i) || s.isTyped(i) || s.isNational(i) || s.isUnknown(i) || s.trimsSpaces(i) ||
				single[strings.ToLower(s.textOf(i))] != "" {
				return true
			}
		}
	}
	return false
}

// pair finds the partners of parentheses and braces. Unbalanced ones have none.
func (s *statement) pair() {
	s.partner = make([]int, len(s.tokens))
	var opened []int
	for i, t := range s.tokens {
		s.partner[i] = -1
		switch t.Kind {
		case gate.Open:
			opened = append(opened, i)
		case gate.Close:
			if len(opened) > 0 {
				last := opened[len(opened)-1]
				opened = opened[:len(opened)-1]
				s.partner[i], s.partner[last] = last, i
			}
		}
	}
}

// textOf is the text of a token, "" if i is out of range.
func (s *statement) textOf(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.query[s.tokens[i].From:s.tokens[i].To]
}

// isWord reports whether a token is one of some words, which are in lower case.
func (s *statement) isWord(i int, words ...string) bool {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].Kind != gate.Word {
		return false
	}
	own := s.textOf(i)
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(own, w) })
}

// selects reports whether a query begins at a token.
func (s *statement) selects(i int) bool { return s.isWord(i, "select", "with", "values", "table") }
