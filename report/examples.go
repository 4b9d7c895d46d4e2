package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/quoting"
)

// An Example is a complete statement for one release.
type Example struct{ About, SQL string }

// Examples writes statements for the release: for all its readers, and for accounts that may
// also read the raw table. They use frequent values of the release. A condition is omitted if
// no value can be shown unambiguously on a page.
func Examples(s *Subject) (everybody, owners []Example) {
	e := newExamples(s)
	about := "How many, with the model's standard error and bounds that always hold."
	if s.Estimator == imputed {
		about = "How many, with the standard error between completed tables and bounds that always hold."
	}
	everybody = append(everybody, Example{about,
		"SELECT COUNT(*) AS records,\n  ANON_STDERR(COUNT(*)) AS standard_error,\n  ANON_LOW(COUNT(*)) AS least,\n  ANON_HIGH(COUNT(*)) AS greatest\nFROM " + e.view + e.conditionText()})
	if e.sensitive != "" {
		everybody = append(everybody, e.bySensitive())
	}
	if e.number != "" && e.sensitive != "" {
		everybody = append(everybody, Example{"A mean by group of the sensitive attribute.",
			fmt.Sprintf("SELECT %s, AVG(%s) AS mean\nFROM %s\nGROUP BY %[1]s\nORDER BY mean DESC\nLIMIT 10", e.sensitive, e.number, e.view)})
	}
	if len(s.Relations) > 0 {
		everybody = append(everybody, Example{"The published relation itself: what the answers are computed from.",
			"SELECT * FROM " + s.published(s.Name+"_"+s.Relations[0]) + "\nORDER BY gid\nLIMIT 10"})
	}
	if s.Imputed {
		everybody = append(everybody, Example{"What each completed table says: their spread is the standard error.",
			"SELECT draw, COUNT(*) AS records\nFROM " + s.published(s.Name+"_imputed") + e.conditionText() + "\nGROUP BY draw"})
	}
	everybody = append(everybody,
		Example{"What is guaranteed, recomputed.", "SELECT * FROM ANON_PRIVACY(" + quoting.Text(s.Name) + ")"},
		Example{"What the release is worth.", "SELECT * FROM ANON_UTILITY(" + quoting.Text(s.Name) + ")"})
	if !s.Owner {
		return everybody, nil
	}
	return everybody, []Example{
		{"An account for an analyst: it reads the published releases and nothing else.", "CALL create_analyst('analyst', 'choose a password')"},
		{"How far an answer is from the truth.",
			"SELECT COUNT(*) AS estimate,\n  ANON_ACTUAL(COUNT(*)) AS actual,\n  ANON_RELATIVE_ERROR(COUNT(*)) AS relative_error\nFROM " + e.view + e.conditionText()},
		{"The error of random queries, measured and kept: it appears in this report.", EvaluateStatement(s)},
	}
}

// EvaluateStatement returns the statement that measures a release on the usual workload, with a
// band for each number of quasi-identifiers up to five.
func EvaluateStatement(s *Subject) string {
	var bands []string
	for n := 1; n <= min(5, len(s.QuasiIdentifiers)); n++ {
		bands = append(bands, strconv.Itoa(n))
	}
	return "CALL evaluate(" + quoting.Text(s.Name) + ",\n  'queries=1000', " + quoting.Text("qi="+strings.Join(bands, ",")) + ")"
}

// examples has the parts of the statements.
type examples struct {
	*Subject
	view       string
	sensitive  string // quoted; "" if it cannot be written
	number     string // a quasi-identifier to average
	conditions []string
}

func newExamples(s *Subject) *examples {
	e := &examples{Subject: s, view: s.published(s.Name)}
	for _, name := range s.QuasiIdentifiers {
		c := columnOf(s.Release, name)
		if c == nil {
			continue
		}
		value, ok := middleValue(c)
		if _, numeric := value.Number(); ok && numeric {
			if value.Kind != anonymize.Instant {
				e.number = s.quoted(name)
			}
			e.conditions = append(e.conditions, s.quoted(name)+" >= "+valueLiteral(value))
			break
		}
	}
	if len(s.Sensitive) > 0 {
		if c := columnOf(s.Release, s.Sensitive[0]); c != nil {
			e.sensitive = s.quoted(s.Sensitive[0])
			if value, ok := frequentValue(s.Release, s.Sensitive[0]); ok {
				e.conditions = append(e.conditions, e.sensitive+" = "+valueLiteral(value))
			}
		}
	}
	return e
}

func (e *examples) conditionText() string {
	if len(e.conditions) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(e.conditions, "\n  AND ")
}

func (e *examples) bySensitive() Example {
	condition := ""
	if len(e.conditions) > 0 && !strings.HasPrefix(e.conditions[0], e.sensitive) {
		condition = "\nWHERE " + e.conditions[0]
	}
	if e.Widths == nil && e.Estimator != imputed {
		return Example{"By group, with the bounds of each answer.",
			fmt.Sprintf(
				"SELECT %s, COUNT(*) AS records,\n  ANON_LOW(COUNT(*)) AS least,\n  ANON_HIGH(COUNT(*)) AS greatest\nFROM %s%s\nGROUP BY %[1]s\nORDER BY records DESC\nLIMIT 10",
				e.sensitive,
				e.view,
				condition,
			)}
	}
	return Example{"By group, with 95 percent intervals.",
		fmt.Sprintf(
			"SELECT %s, COUNT(*) AS records,\n  ANON_INTERVAL_LOW(COUNT(*), 0.95) AS low,\n  ANON_INTERVAL_HIGH(COUNT(*), 0.95) AS high\nFROM %s%s\nGROUP BY %[1]s\nORDER BY records DESC\nLIMIT 10",
			e.sensitive,
			e.view,
			condition,
		)}
}

func columnOf(r *anonymize.Release, name string) *anonymize.FragmentColumn {
	f, c, ok := r.Locate(name)
	if !ok {
		return nil
	}
	return r.Fragments[f].Columns[c]
}

// middleValue returns the middle one of a column's values.
func middleValue(c *anonymize.FragmentColumn) (anonymize.Value, bool) {
	values := slices.DeleteFunc(slices.Clone(c.Dictionary), anonymize.Value.IsNull)
	if len(values) < 2 {
		return anonymize.NullValue, false
	}
	return values[len(values)/2], true
}

// frequentValue returns the most frequent value that can be written; by expectation for
// generalized cells.
func frequentValue(r *anonymize.Release, name string) (value anonymize.Value, ok bool) {
	at, position, _ := r.Locate(name)
	f := r.Fragments[at]
	c := f.Columns[position]
	records := make([]float64, len(c.Dictionary))
	for t, code := range c.Codes {
		if c.IsPoint() {
			records[code] += float64(f.Count[t])
			continue
		}
		for i, member := range c.Cells[code].Members {
			records[member] += float64(f.Count[t]) * c.Cells[code].Weight(i)
		}
	}
	most := 0.0
	for code, n := range records {
		if v := c.Dictionary[code]; n > most && !v.IsNull() && plain(v) {
			value, ok, most = v, true, n
		}
	}
	return value, ok
}

// plain reports whether a value looks on a page as it is sent: no control characters, no
// direction marks.
func plain(v anonymize.Value) bool {
	return v.Kind != anonymize.Text || utf8.ValidString(v.Text) && len(v.Text) <= 100 && !strings.ContainsFunc(v.Text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError
	})
}

func valueLiteral(v anonymize.Value) string {
	switch v.Kind {
	case anonymize.Integer, anonymize.Real, anonymize.Decimal:
		return v.String()
	}
	return quoting.Text(v.String())
}

// quoted writes an identifier, with quotes if necessary.
func (s *Subject) quoted(name string) string {
	if s.Bare != nil && s.Bare(name) {
		return name
	}
	return quoting.Name(name)
}

func (s *Subject) published(relation string) string { return "published." + s.quoted(relation) }
