package dialect

import "github.com/anonsql/anonsql/server/gate"

// definitions rewrites unsupported parts of statements about tables and views. It drops PARTITION BY, which has no effect
// here.
func (s *statement) definitions() {
	switch {
	case s.isWord(0, "alter") && s.isWord(1, "view"):
		s.replace(s.tokens[0].From, s.tokens[0].To, "CREATE OR REPLACE")
		return
	case s.isWord(0, "insert", "replace"):
		s.targets()
		return
	case !s.defines():
		return
	}
	depth := 0
	for i, t := range s.tokens {
		switch t.Kind {
		case gate.Open:
			depth++
		case gate.Close:
			depth--
		case gate.Word:
			if s.isWord(0, "create") && depth == 0 && s.isWord(i, "partition") && s.isWord(i+1, "by") {
				s.replace(t.From, s.tokens[s.partitionsEnd(i)].To, "")
				return
			}
			if s.isWord(0, "create") && depth == 0 && s.isWord(i, "as", "select", "with") {
				return
			}
			s.definition(i)
			if depth == 0 {
				s.engine(i)
			}
		}
	}
}

// partitionsEnd is the last token of the PARTITION BY at i, which a query may follow.
func (s *statement) partitionsEnd(i int) int {
	depth := 0
	for j := i; j < len(s.tokens); j++ {
		switch kind := s.tokens[j].Kind; {
		case depth == 0 && (s.isWord(j, "as", "ignore", "replace") || s.selects(j) || kind == gate.Open && s.selects(j+1)):
			return j - 1
		case kind == gate.Open:
			depth++
		case kind == gate.Close:
			depth--
		}
	}
	return len(s.tokens) - 1
}

// definition rewrites CONSTRAINT without a name, YEAR(4), AS (a > 1), which needs a second pair of parentheses, and CHANGE with names
// that are words of the grammar.
func (s *statement) definition(i int) {
	t := s.tokens[i]
	switch {
	case s.isWord(i, "constraint") && s.isWord(i+1, "primary", "unique", "foreign", "check"):
		s.replace(t.From, t.To, "")
	case s.isWord(i, "as", "default") && s.textOf(i+1) == "(" && s.partner[i+1] > i+2 && !s.selects(i+2) && s.partner[i+2] != s.partner[i+1]-1:
		s.replace(s.tokens[i+1].To, s.tokens[i+1].To, "(")
		behind := s.tokens[s.partner[i+1]].From
		s.replace(behind, behind, ")")
	case s.isWord(i, "year") && s.textOf(i+1) == "(" && s.textOf(i+2) == "4" && s.textOf(i+3) == ")":
		s.replace(s.tokens[i+1].From, s.tokens[i+3].To, "")
	case s.isWord(i, "change") && s.isWord(i+1, "name"):
		s.quote(i+1, i+1)
		if s.isWord(i+2, "name") {
			s.quote(i+2, i+2)
		}
	}
}

// engine rewrites ENGINE = 'x'. Within parentheses engine is a column's name.
func (s *statement) engine(i int) {
	if !s.isWord(i, "engine") {
		return
	}
	if s.textOf(i+1) == "=" {
		i++
	}
	if s.isText(i + 1) {
		s.replace(s.tokens[i+1].From, s.tokens[i+1].To, unquoted(s.textOf(i+1)))
	}
}

// targets removes the qualifiers from the columns of an INSERT.
func (s *statement) targets() {
	open := 1
	for open < len(s.tokens) && s.textOf(open) != "(" && !s.isWord(open, "select", "values", "value", "set", "with", "table") {
		open++
	}
	if s.textOf(open) != "(" || s.partner[open] < 0 || !s.isWord(s.partner[open]+1, "select", "values", "value", "with", "table") {
		return
	}
	for i := open + 1; i < s.partner[open]; i++ {
		if s.tokens[i].Kind != gate.Dot && s.textOf(i+1) != "." {
			continue
		}
		if s.tokens[i].Kind == gate.Open {
			return
		}
		s.replace(s.tokens[i].From, s.tokens[i].To, "")
	}
}
