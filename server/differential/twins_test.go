package differential

import (
	"regexp"
	"strconv"
	"strings"
)

// small is a part of an expression that another can have otherwise: a digit, the unit of an INTERVAL, DISTINCT, an order, a text.
var small = regexp.MustCompile(`\b\d\b|\b(?:DAY|HOUR|MINUTE|WEEK|MONTH|QUARTER|YEAR)\)|DISTINCT |\b(?:v|w|p)\.(?:id|i|d|kids|income)\)|'[a-z]'|DESC\)| AND | OR | < | > |COLLATE utf8mb4_\w+`)

var otherwise = map[string]string{"DAY)": "HOUR)", "HOUR)": "MINUTE)", "MINUTE)": "DAY)", "WEEK)": "MONTH)", "MONTH)": "QUARTER)", "QUARTER)": "YEAR)", "YEAR)": "WEEK)",
	"DISTINCT ": "", "DESC)": "ASC)", " AND ": " OR ", " OR ": " AND ", " < ": " > ", " > ": " < ", "v.id)": "v.i)", "v.i)": "v.d)", "v.d)": "v.id)", "p.kids)": "p.age)", "p.income)": "p.kids)",
	"COLLATE utf8mb4_bin": "COLLATE utf8mb4_general_ci", "COLLATE utf8mb4_general_ci": "COLLATE utf8mb4_bin"}

// twin returns an expression that differs in one small part: a server that confuses the two answers the first one twice.
func (g grammar) twin(text string) string {
	if strings.Contains(text, "ORDER BY") { // with another column there are peers, in any order
		text = strings.ReplaceAll(text, "v.id)", "v.id )")
	}
	places := small.FindAllStringIndex(text, -1)
	if len(places) == 0 {
		return text
	}
	at := places[g.IntN(len(places))]
	part := text[at[0]:at[1]]
	to, known := otherwise[part]
	switch n, err := strconv.Atoi(part); {
	case known:
	case err == nil:
		to = strconv.Itoa((n + 1) % 10)
	case strings.HasPrefix(part, "'"):
		to = "'x'"
	default:
		to = part
	}
	return text[:at[0]] + to + text[at[1]:]
}

// beside sometimes adds the twin of one of its figures to a query.
func (g grammar) beside(q query) query {
	if len(q.columns) == 0 || g.IntN(3) > 0 {
		return q
	}
	figure, _, _ := strings.Cut(q.columns[len(q.columns)-1], " AS ")
	if strings.Count(figure, "(") == strings.Count(figure, ")") && !strings.HasPrefix(figure, "DISTINCT") {
		q.columns = append(q.columns[:len(q.columns):len(q.columns)], g.twin(figure)+" AS twin")
	}
	return q
}
