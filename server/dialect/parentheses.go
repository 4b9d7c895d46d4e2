package dialect

import "github.com/anonsql/anonsql/server/gate"

// parentheses removes unsupported parentheses around a query: before ORDER BY and LIMIT,
// which then belong to the query, and in CREATE VIEW and CREATE TABLE. A query with an
// order or a limit of its own becomes a derived table.
func (s *statement) parentheses() {
	created := s.created()
	for i := range s.tokens {
		if s.textOf(i) != "(" || s.partner[i] < 0 || !s.selects(s.inner(i+1)) {
			continue
		}
		end := s.partner[i]
		behind := s.isWord(end+1, "order", "limit")
		switch {
		case i == created && (end+1 == len(s.tokens) || behind || s.isWord(end+1, "with")):
		case behind && s.mayBegin(i):
		default:
			continue
		}
		first, last := s.tokens[i], s.tokens[end]
		if behind && s.ordered(i) {
			s.replace(first.From, first.To, "SELECT * FROM (")
			s.replace(last.From, last.To, ") AS __anon_query ")
			continue
		}
		s.replace(first.From, first.To, " ")
		s.replace(last.From, last.To, " ")
	}
}

// created is the opening parenthesis of the query of a CREATE VIEW or CREATE TABLE, -1
// for none.
func (s *statement) created() int {
	if !s.isWord(0, "create", "alter") {
		return -1
	}
	for i := 1; i < len(s.tokens); i++ {
		switch {
		case s.isWord(i, "procedure", "function", "trigger", "event", "select"):
			return -1 // a SELECT without parentheses: those within belong to it
		case s.textOf(i) == "(" && s.isWord(i-1, "as"), s.textOf(i) == "(" && s.selects(i+1):
			return i
		case s.tokens[i].Kind == gate.Open:
			if s.partner[i] < 0 {
				return -1
			}
			i = s.partner[i]
		}
	}
	return -1
}

// mayBegin reports whether a whole query may begin at a token.
func (s *statement) mayBegin(i int) bool {
	return i == 0 || s.textOf(i-1) == "(" || s.isWord(i-1, "as", "explain", "desc", "describe", "analyze", "begin", "then", "else", "do")
}

// ordered reports whether the query in parentheses has an order or a limit of its own.
func (s *statement) ordered(open int) bool {
	for i := open + 1; i < s.partner[open]; i++ {
		switch {
		case s.isWord(i, "order", "limit"):
			return true
		case s.tokens[i].Kind == gate.Open:
			i = max(i, s.partner[i])
		}
	}
	return false
}
