package dialect

import (
	"slices"
	"strings"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/gate"
)

// longestAlias is MySQL's limit, here in bytes.
const longestAlias = 256

// names gives the columns of the outermost SELECT that have no alias, and were changed
// since edit number from, the client's text as an alias.
func (s *statement) names(from int) {
	if !s.isWord(0, "select") {
		return
	}
	changed := slices.Clone(s.edits[from:])
	slices.SortStableFunc(changed, func(a, b edit) int { return a.from - b.from })
	begin := 1
	for s.isWord(begin, "distinct", "all", "distinctrow", "sql_calc_found_rows", "sql_no_cache", "straight_join", "high_priority") {
		begin++
	}
	for begin < len(s.tokens) {
		stop := s.endOf(begin)
		if stop == begin {
			return
		}
		low, high := s.tokens[begin].From, s.tokens[stop-1].To
		for len(changed) > 0 && changed[0].from < low {
			changed = changed[1:]
		}
		last := stop >= len(s.tokens) || s.textOf(stop) == "," || s.ends(stop) && !s.isWord(stop, "as")
		if last && len(changed) > 0 && changed[0].from < high && high-low <= longestAlias {
			s.replace(high, high, " AS "+quoting.Name(strings.TrimSpace(s.query[low:high])))
		}
		for !last && stop < len(s.tokens) && s.textOf(stop) != "," && (s.isWord(stop, "as") || !s.ends(stop)) {
			stop++ // the alias
		}
		if s.textOf(stop) != "," {
			return
		}
		begin = stop + 1
	}
}

// clauses are words that, outside of parentheses and CASE, end an expression.
var clauses = set("as from where group having order limit union except intersect into for lock on window join inner cross natural straight_join " +
	"asc desc procedure separator using when then else end set values")

// connectives are operators that are words; prefixes may precede an operand.
var (
	connectives = set("and or xor div mod is not like in between regexp rlike collate escape sounds member of over")
	prefixes    = set("and or xor div mod is not like in between regexp rlike collate escape sounds of binary interval case exists distinct row " +
		"date time timestamp n when then else any some all select")
	units = set("microsecond second minute hour day week month quarter year second_microsecond minute_microsecond minute_second hour_microsecond " +
		"hour_second hour_minute day_microsecond day_second day_minute day_hour year_month")
)

func set(words string) map[string]bool {
	in := map[string]bool{}
	for _, w := range strings.Fields(words) {
		in[w] = true
	}
	return in
}

// isWordOf reports whether a token is a word of a set.
func (s *statement) isWordOf(i int, words map[string]bool) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].Kind == gate.Word && words[strings.ToLower(s.textOf(i))]
}

// ends reports whether a token is a word that ends an expression.
func (s *statement) ends(i int) bool { return s.isWordOf(i, clauses) }

// endOf is the token after the expression that begins at a token: a comma, a closing
// parenthesis, a word that begins a clause, an alias, or none.
func (s *statement) endOf(begin int) int {
	cases, intervals := 0, 0
	operand := false // the previous token ends an operand
	for i := begin; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; t.Kind {
		case gate.Comma, gate.Close:
			return i
		case gate.Open:
			if s.partner[i] < 0 {
				return len(s.tokens)
			}
			i = s.partner[i]
			operand = true
		case gate.Word, gate.Quoted:
			word := strings.ToLower(s.textOf(i))
			behindDot := i > begin && s.tokens[i-1].Kind == gate.Dot
			switch {
			case t.Kind == gate.Quoted || behindDot:
				if operand && !behindDot {
					return i
				}
				operand = true
			case word == "case":
				cases++
				operand = false
			case word == "end" && cases > 0:
				cases--
				operand = true
			case cases > 0 && (word == "when" || word == "then" || word == "else"):
				operand = false
			case clauses[word]:
				return i
			case intervals > 0 && operand && units[word]:
				intervals--
			case operand && !connectives[word]:
				return i
			default:
				if word == "interval" {
					intervals++
				}
				operand = !prefixes[word] && word[0] != '_'
			}
		case gate.Text:
			if operand && s.tokens[i-1].Kind != gate.Text {
				return i
			}
			operand = true
		case gate.Number, gate.Variable:
			operand = true
		default:
			operand = s.textOf(i) == "*" && !operand // COUNT(*), t.*
		}
	}
	return len(s.tokens)
}
