package dialect

import "github.com/anonsql/anonsql/server/gate"

// Bracket replaces INTERVAL(x, a, b), how many of a, b are at most x, which the grammar takes for an interval with a unit.
const Bracket = "__anon_interval"

// functions rewrites SUBSTRING(x FROM 2 FOR 3), also SUBSTR and MID, with commas, ROW(x, y) as (x, y), and INTERVAL(x, a, b) as a call of Bracket.
func (s *statement) functions() {
	for i := range s.tokens {
		if s.isRow(i) {
			s.replace(s.tokens[i].From, s.tokens[i].To, "")
		}
		if !s.isCalled(i) {
			continue
		}
		if !s.isWord(i, "interval") {
			s.eachWithin(i+1, func(j int) {
				if s.isWord(j, "from", "for") {
					s.replace(s.tokens[j].From, s.tokens[j].To, ",")
				}
			})
			continue
		}
		commas := 0
		s.eachWithin(i+1, func(j int) {
			if s.tokens[j].Kind == gate.Comma {
				commas++
			}
		})
		if commas > 0 {
			s.replace(s.tokens[i].From, s.tokens[i].To, Bracket)
		}
	}
}

// isCalled matches the name of a call that functions may rewrite.
func (s *statement) isCalled(i int) bool {
	return s.isWord(i, "substring", "substr", "mid", "interval") && s.textOf(i+1) == "("
}

// eachWithin visits the tokens between a parenthesis and its partner, except those in nested parentheses.
func (s *statement) eachWithin(open int, give func(i int)) {
	for i := open + 1; i < s.partner[open]; i++ {
		if s.tokens[i].Kind == gate.Open {
			if s.partner[i] < 0 {
				return
			}
			i = s.partner[i]
			continue
		}
		give(i)
	}
}

// isRow matches the ROW of ROW(x, y), but not those of VALUES ROW(x, y), ROW(z, w).
func (s *statement) isRow(i int) bool {
	if !s.isWord(i, "row") || s.textOf(i+1) != "(" {
		return false
	}
	for s.textOf(i-1) == "," && s.textOf(i-2) == ")" && s.partner[i-2] > 0 && s.isWord(s.partner[i-2]-1, "row") {
		i = s.partner[i-2] - 1
	}
	return !s.isWord(i-1, "values")
}
