package dialect

import "github.com/anonsql/anonsql/server/gate"

// Any and All are the functions for quantified comparisons: x > ALL (SELECT ...)
// becomes x > __anon_all((SELECT ...)).
const (
	Any = "__anon_any"
	All = "__anon_all"
)

// quantifiers rewrites comparisons with all or any rows of a query: = ANY as IN, <> ALL
// as NOT IN, the others with functions.
func (s *statement) quantifiers() {
	for i := 1; i+2 < len(s.tokens); i++ {
		if s.tokens[i-1].Kind != gate.Sign || !s.isWord(i, "any", "some", "all") || s.textOf(i+1) != "(" || s.partner[i+1] < 0 {
			continue
		}
		if inner := s.inner(i + 1); !s.selects(inner) {
			continue
		}
		all := s.isWord(i, "all")
		switch operator := s.textOf(i - 1); {
		case operator == "=" && !all:
			s.replace(s.tokens[i-1].From, s.tokens[i].To, " IN ")
		case (operator == "<>" || operator == "!=") && all:
			s.replace(s.tokens[i-1].From, s.tokens[i].To, " NOT IN ")
		case operator == "=" || operator == "<>" || operator == "!=" || operator == "<" || operator == "<=" || operator == ">" || operator == ">=":
			name := Any
			if all {
				name = All
			}
			s.replace(s.tokens[i].From, s.tokens[i].To, name+"(")
			s.replace(s.tokens[s.partner[i+1]].To, s.tokens[s.partner[i+1]].To, ")")
		}
	}
}

// doubled removes further parentheses around a query that may have many rows: IN ((SELECT ...)).
func (s *statement) doubled() {
	for i := range s.tokens {
		if !s.isWord(i, "in", "any", "some", "all", "exists") || !s.selects(s.inner(i+1)) {
			continue
		}
		for j := i + 1; s.textOf(j+1) == "(" && s.partner[j] >= 0 && s.partner[j+1] == s.partner[j]-1; j++ {
			for _, t := range []gate.Token{s.tokens[j+1], s.tokens[s.partner[j+1]]} {
				s.replace(t.From, t.To, " ")
			}
		}
	}
}

// maxParentheses bounds the parentheses around a recognised query.
const maxParentheses = 8

// inner is the first token within parentheses that begin at a token.
func (s *statement) inner(i int) int {
	for n := 0; n < maxParentheses && s.textOf(i) == "("; n++ {
		i++
	}
	return i
}
