package dialect

import (
	"strings"

	"github.com/anonsql/anonsql/server/gate"
)

// dated maps the escapes of dates and times to SQL's words for such literals.
var dated = map[string]string{"d": "DATE", "t": "TIME", "ts": "TIMESTAMP"}

// escapes removes the braces of {d '...'}, {t '...'}, {ts '...'}, {fn f(...)}, {oj ...}
// and {name ...}, as MySQL's grammar does, which interprets only the first three. Here an
// invalid date is an error. SQL_TSI_DAY, ODBC's name of a unit, becomes DAY.
func (s *statement) escapes() {
	for i := range s.tokens {
		text := s.textOf(i)
		if s.tokens[i].Kind == gate.Word && len(text) > len(unitPrefix) && strings.EqualFold(text[:len(unitPrefix)], unitPrefix) && s.textOf(i+1) == "," {
			s.replace(s.tokens[i].From, s.tokens[i].From+len(unitPrefix), "")
		}
		if text != "{" || s.tokens[i].Kind != gate.Open || s.partner[i] < 0 || i+1 >= len(s.tokens) || s.tokens[i+1].Kind != gate.Word {
			continue
		}
		with := ""
		switch name := strings.ToLower(s.textOf(i + 1)); {
		case name == "call", name == "escape": // JDBC's, in which the word is part of the statement
			with = s.textOf(i + 1)
		case i+2 < len(s.tokens) && s.tokens[i+2].Kind == gate.Text:
			with = dated[name]
			if as := castOf(with, s.textOf(i+2)); with != "" && as != "" && s.partner[i] == i+3 {
				s.replace(s.tokens[i].From, s.tokens[i+1].To, "CAST(")
				s.replace(s.tokens[s.partner[i]].From, s.tokens[s.partner[i]].To, " AS "+as+")")
				continue
			}
		}
		if i+2 < len(s.tokens) && s.tokens[i+2].From == s.tokens[i+1].To {
			with += " "
		}
		s.replace(s.tokens[i].From, s.tokens[i+1].To, with)
		s.replace(s.tokens[s.partner[i]].From, s.tokens[s.partner[i]].To, " ")
	}
}

const unitPrefix = "SQL_TSI_"
