package dialect

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/anonsql/anonsql/server/gate"
)

// typed maps the words before literals of dates and times to the literals' types.
var typed = map[string]string{"date": "DATE", "time": "TIME", "timestamp": "DATETIME"}

// literals rewrites DATE '...', TIME '...' and TIMESTAMP '...' as casts, which have types, N'...' as '...', IS UNKNOWN as IS NULL,
// TRIM(LEADING FROM x) with the space that it trims, and SET NAMES x COLLATE y, whose y the parser drops, with the variable of the
// collation. It leaves to the parser invalid dates, and definitions of tables up to their SELECT, whose defaults must be literals.
func (s *statement) literals() {
	defaults := s.defines()
	for i := range s.tokens {
		defaults = defaults && !s.isWord(i, "select")
		switch {
		case s.isTyped(i) && !defaults:
			if as := castOf(s.textOf(i), s.textOf(i+1)); as != "" {
				s.replace(s.tokens[i].From, s.tokens[i].To, "CAST(")
				s.replace(s.tokens[i+1].To, s.tokens[i+1].To, " AS "+as+") ")
			}
		case s.isNational(i):
			s.replace(s.tokens[i].From, s.tokens[i].To, "")
		case s.isUnknown(i):
			s.replace(s.tokens[i].From, s.tokens[i].To, "NULL")
		case s.trimsSpaces(i):
			s.replace(s.tokens[i].To, s.tokens[i].To, " ' '")
		case s.isCollated(i):
			s.replace(s.tokens[i].From, s.tokens[i].To, ", collation_connection =")
		}
	}
}

// isTyped matches the word before the text of a date or time.
func (s *statement) isTyped(i int) bool {
	return s.isText(i+1) && !s.isText(i+2) && s.isWord(i, "date", "time", "timestamp") && s.textOf(i-1) != "."
}

func (s *statement) isText(i int) bool { return i < len(s.tokens) && s.tokens[i].Kind == gate.Text }

// isNational matches the N of N'...'.
func (s *statement) isNational(i int) bool {
	return s.isText(i+1) && s.tokens[i].To == s.tokens[i+1].From && s.isWord(i, "n")
}

func (s *statement) isUnknown(i int) bool {
	return s.isWord(i, "unknown") && (s.isWord(i-1, "is") || s.isWord(i-1, "not") && s.isWord(i-2, "is"))
}

func (s *statement) trimsSpaces(i int) bool {
	return s.isWord(i, "leading", "trailing", "both") && s.isWord(i+1, "from") && s.textOf(i-1) == "(" && s.isWord(i-2, "trim")
}

// isCollated matches the COLLATE of SET NAMES x COLLATE y.
func (s *statement) isCollated(i int) bool {
	return s.isWord(i, "collate") && s.isWord(i-2, "names") && s.isWord(i-3, "set")
}

// defines reports whether a statement creates or alters a table.
func (s *statement) defines() bool {
	return s.isWord(0, "alter") || s.isWord(0, "create") && (s.isWord(1, "table") || s.isWord(2, "table"))
}

var (
	dateText = regexp.MustCompile(`^['"]\d{4}-\d{1,2}-\d{1,2}['"]$`)
	timeText = regexp.MustCompile(`^['"]-?\d{1,3}:[0-5]\d:[0-5]\d(?:\.(\d{1,6}))?['"]$`)
	bothText = regexp.MustCompile(`^['"](\d{4}-\d{1,2}-\d{1,2})[ T](\d{1,2}:\d{1,2}:\d{1,2})(?:\.(\d{1,6}))?['"]$`)
)

// castOf is the type of a literal with its decimals, "" if the text is invalid.
func castOf(word, text string) string {
	fraction := ""
	word, text = strings.ToLower(word), strings.TrimSpace(text)
	switch word {
	case "date":
		if _, err := time.Parse("2006-1-2", strings.Trim(text, `'"`)); err != nil || !dateText.MatchString(text) {
			return ""
		}
	case "time":
		found := timeText.FindStringSubmatch(text)
		if found == nil {
			return ""
		}
		fraction = found[1]
	case "timestamp":
		found := bothText.FindStringSubmatch(text)
		if found == nil {
			return ""
		}
		if _, err := time.Parse("2006-1-2 15:4:5", found[1]+" "+found[2]); err != nil {
			return ""
		}
		fraction = found[3]
	}
	if fraction != "" {
		return typed[word] + "(" + strconv.Itoa(len(fraction)) + ")"
	}
	return typed[word]
}

// Units is the function for intervals of several units: INTERVAL '1:30' HOUR_MINUTE becomes INTERVAL
// __anon_units('HOUR_MINUTE', '1:30') SECOND.
const Units = "__anon_units"

// single maps compound units to the single units of the rewritten intervals.
var single = map[string]string{
	"second_microsecond": "MICROSECOND", "minute_microsecond": "MICROSECOND", "hour_microsecond": "MICROSECOND", "day_microsecond": "MICROSECOND",
	"minute_second": "SECOND", "hour_second": "SECOND", "hour_minute": "SECOND", "day_second": "SECOND", "day_minute": "SECOND", "day_hour": "SECOND",
	"year_month": "MONTH",
}

// intervals rewrites intervals of compound units to single units.
func (s *statement) intervals() {
	for i := range s.tokens {
		if begin := s.intervalBefore(i); begin >= 0 {
			unit := strings.ToLower(s.textOf(i))
			s.replace(s.tokens[begin+1].From, s.tokens[begin+1].From, Units+"('"+strings.ToUpper(unit)+"', ")
			s.replace(s.tokens[i].From, s.tokens[i].To, ") "+single[unit])
		}
	}
}

// intervalBefore is the word INTERVAL of a compound unit, -1 for none.
func (s *statement) intervalBefore(unit int) int {
	if s.tokens[unit].Kind != gate.Word || single[strings.ToLower(s.textOf(unit))] == "" {
		return -1
	}
	for i := unit - 1; i >= 0; i-- {
		switch s.tokens[i].Kind {
		case gate.Close:
			if s.partner[i] < 0 {
				return -1
			}
			i = s.partner[i]
		case gate.Open, gate.Comma, gate.Semicolon:
			return -1
		case gate.Word:
			if s.isWord(i, "interval") && i < unit-1 {
				return i
			}
		}
	}
	return -1
}
