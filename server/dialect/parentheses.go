package dialect

import "github.com/anonsql/anonsql/server/gate"

// parentheses takes those off a query that the grammar does not have there: before ORDER
// BY and LIMIT, which are the query's then, and where a view or a table is made of it. A
// query with an order or a limit of its own becomes a derived table.
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
		open, close := s.tokens[i], s.tokens[end]
		if behind && s.ordered(i) {
			s.replace(open.From, open.To, "SELECT * FROM (")
			s.replace(close.From, close.To, ") AS __anon_query ")
			continue
		}
		s.replace(open.From, open.To, " ")
		s.replace(close.From, close.To, " ")
	}
}

// created is the token at which the query of a CREATE VIEW or CREATE TABLE begins with a
// parenthesis, -1 for none.
func (s *statement) created() int {
	if !s.isWord(0, "create", "alter") {
		return -1
	}
	for i := 1; i < len(s.tokens); i++ {
		switch {
		case s.isWord(i, "procedure", "function", "trigger", "event", "select"):
			return -1 // a SELECT begins without one: those in it are its own
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

// mayBegin tells whether a query, and not a part of one, may begin at a token.
func (s *statement) mayBegin(i int) bool {
	return i == 0 || s.textOf(i-1) == "(" || s.isWord(i-1, "as", "explain", "desc", "describe", "analyze", "begin", "then", "else", "do")
}

// ordered tells whether the query in parentheses has an order or a limit of its own.
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
