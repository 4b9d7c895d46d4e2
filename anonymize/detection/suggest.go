package detection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A Role is a suggested role of a column, named as in set_attributes.
type Role string

// The roles. Other columns need no protection.
const (
	ExplicitIdentifier Role = "ei"
	Unit               Role = "unit"
	QuasiIdentifier    Role = "qi"
	Sensitive          Role = "sa"
	Weight             Role = "weight"
	Other              Role = "other"
)

// A Suggestion describes one column.
type Suggestion struct {
	Column string
	Role   Role
	// Reasons explain the role, the decisive one first: all fit on a terminal beside column and role.
	Reasons []string
	// Distinct is the number of occurring values, with NULL; Unique the number of rows with a unique value, Top that with the most frequent value.
	Distinct, Unique, Top int
	// SafeHarbor names the column's identifier of 45 CFR 164.514(b)(2)(i) and what the rule
	// permits instead; "" for none.
	SafeHarbor string
	// Between is the time from an earlier column; the zero value for none.
	Between Span
}

// Suggest judges every column of a table; keys are declared unique columns.
func Suggest(t *anonymize.Microdata, keys ...string) []Suggestion {
	suggestions, all := make([]Suggestion, len(t.Columns)), make([]*evidence, len(t.Columns))
	for i, c := range t.Columns {
		e := newEvidence(c)
		all[i] = e
		e.declared = slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, c.Name) })
		e.suggestion = judge(e)
		e.suggestion.SafeHarbor = describe(safeHarbor(e))
		suggestions[i] = e.suggestion
	}
	for i, c := range t.Columns {
		if blanks := Blanks(c.Name, c.Dictionary); blanks != "" {
			suggestions[i].Reasons = append(suggestions[i].Reasons, blanks)
		}
	}
	for i, c := range t.Columns {
		if separator := Separator(c.Dictionary); separator != "" {
			suggestions[i].Reasons = append(suggestions[i].Reasons, fmt.Sprintf("its cells hold several codes: 'sa_sets=%s' counts those that share one as one value", separator))
		}
	}
	for i, span := range spans(t) {
		if suggestions[i].Between = span; span.Expression != "" {
			suggestions[i].Reasons = append(suggestions[i].Reasons, span.What+": "+span.Expression)
		}
	}
	suggestUnit(all, suggestions)
	suggestOneWeight(suggestions)
	for i, by := range determined(t, suggestions) {
		if by >= 0 {
			suggestions[i].Reasons = append(suggestions[i].Reasons, fmt.Sprintf("%s tells it", t.Columns[by].Name))
		}
	}
	return suggestions
}

// suggestUnit finds the column of persons with several rows, if any, and notes which columns vary within a unit.
func suggestUnit(all []*evidence, suggestions []Suggestion) {
	var candidates []*evidence
	var others []*anonymize.Column
	for i, e := range all {
		if suggestions[i].Role == ExplicitIdentifier || namingOf(e.column.Name) != noUnits {
			candidates = append(candidates, e)
		} else {
			others = append(others, e.column)
		}
	}
	unit := repeatedUnit(candidates, func(*evidence) bool { return false }, others)
	if unit == nil {
		return
	}
	rows, ends := byUnit(unit.column)
	for i, e := range all {
		s := &suggestions[i]
		switch {
		case e == unit:
			reason := fmt.Sprintf("several rows are one unit's: %v", e.repetition())
			if s.Role != ExplicitIdentifier { // earlier reasons were about single rows
				s.Reasons = nil
			}
			s.Role, s.Reasons = Unit, slices.Insert(s.Reasons, 0, reason)
		case s.Role != ExplicitIdentifier && s.Distinct > 1:
			s.Reasons = append(s.Reasons, constancy(e.column, unit.column.Name, rows, ends))
		}
	}
}

// An evidence is what is known about a column.
type evidence struct {
	column     *anonymize.Column
	suggestion Suggestion
	rows       int
	known      int // rows that are not NULL
	values     values
	words      verdict
	declared   bool // as a key
}

func newEvidence(c *anonymize.Column) *evidence {
	e := &evidence{column: c, rows: c.Rows(), words: ofName(c.Name)}
	s := &e.suggestion
	s.Column = c.Name
	counts := c.Histogram()
	for code, n := range counts {
		if n == 0 {
			continue
		}
		s.Distinct++
		s.Top = max(s.Top, n)
		if n == 1 {
			s.Unique++
		}
		if !c.Dictionary[code].IsNull() {
			e.known += n
		}
	}
	e.values = valuesOf(c, counts)
	return e
}

// judge returns the role and its reasons.
func judge(e *evidence) Suggestion {
	s := e.suggestion
	for _, rule := range rules {
		if role, reason := rule(e); role != "" {
			s.Role = role
			s.Reasons = append(s.Reasons, reason)
			return s
		}
	}
	s.Role, s.Reasons = QuasiIdentifier, []string{"nothing says that others cannot know it"}
	return s
}

// rules are tried in order; the first that returns a role decides.
var rules = []func(e *evidence) (Role, string){
	empty, key, identifyingRole, freeText, surveyWeights, unitNumbers, namedDirectly, namedSensitive,
	sensitiveCodes, postalCodes, ownValues, namedKnown, manyTexts, moments, measurements,
}

// empty: a column of one value reveals nothing.
func empty(e *evidence) (Role, string) {
	switch {
	case e.suggestion.Distinct == 0:
		return Other, "it has no rows"
	case e.suggestion.Distinct == 1:
		return Other, "all rows have the same value"
	}
	return "", ""
}

// identifyingRole: the values are of a kind that identifies one person.
func identifyingRole(e *evidence) (Role, string) {
	if e.values.personal != "" {
		return ExplicitIdentifier, "its values are " + e.values.personal
	}
	return "", ""
}

// maxShared is the greatest average number of rows per value of a direct identifier: a column called name with three names has something else.
const maxShared = 20

// namedDirectly: the name means a name or number of a person, and the values do not contradict. Many
// people share family names; a column called just name, with many name-like texts, has names of people.
func namedDirectly(e *evidence) (Role, string) {
	if e.words.role != ExplicitIdentifier || e.values.fractional {
		return "", ""
	}
	names := e.words.whole && e.words.strength == usualEvidence && e.values.words && e.suggestion.Distinct >= fewestNames
	if e.words.strength < strongEvidence && !names && e.known > maxShared*e.suggestion.Distinct {
		return "", ""
	}
	return ExplicitIdentifier, fmt.Sprintf("named %q, with %d values in %d rows", e.words.word, e.suggestion.Distinct, e.known)
}

// fewestNames is the least number of distinct texts that may be people's names: there are fewer departments.
const fewestNames = 15

// namedSensitive: the name means something that nobody should learn.
func namedSensitive(e *evidence) (Role, string) {
	if e.words.role != Sensitive || e.words.strength == weakEvidence && !e.values.answers {
		return "", ""
	}
	return Sensitive, fmt.Sprintf("named %q: %s", e.words.word, e.words.why)
}

// sensitiveCodes: diagnoses.
func sensitiveCodes(e *evidence) (Role, string) {
	if e.values.diagnoses {
		return Sensitive, "its values look like codes of diagnoses (ICD-10)"
	}
	return "", ""
}

// ownValues: most rows have a unique value that is neither a measurement nor a shareable day.
// Numbers of persons are unique: integers of which some are shared are amounts.
func ownValues(e *evidence) (Role, string) {
	if 2*e.suggestion.Unique <= e.rows || e.values.fractional || e.values.dates {
		return "", ""
	}
	if e.words.role == QuasiIdentifier && e.words.strength >= strongEvidence {
		return "", ""
	}
	if e.values.whole && float64(e.suggestion.Distinct) < fewShare*float64(e.known) {
		return Sensitive, fmt.Sprintf("%d rows have %d whole numbers, some shared: they may be amounts", e.known, e.suggestion.Distinct)
	}
	return ExplicitIdentifier, fmt.Sprintf("%d of %d rows have a value of their own", e.suggestion.Unique, e.rows)
}

// fewShare is the least share of unique numbers if numbers identify persons: a few occur twice in a table.
const fewShare = 0.95

// namedKnown: the name means something that others see or know.
func namedKnown(e *evidence) (Role, string) {
	if e.words.role != QuasiIdentifier {
		return "", ""
	}
	return QuasiIdentifier, fmt.Sprintf("named %q: %s", e.words.word, e.words.why)
}

// manyTexts: nearly as many texts as rows: names of persons or streets.
func manyTexts(e *evidence) (Role, string) {
	if e.values.words && 3*e.suggestion.Distinct >= e.known && e.known >= maxShared {
		return ExplicitIdentifier, fmt.Sprintf("%d rows have %d texts: they may be names", e.known, e.suggestion.Distinct)
	}
	return "", ""
}

// freeText: free-form text may name people.
func freeText(e *evidence) (Role, string) {
	if e.values.sentences {
		return ExplicitIdentifier, "its values are sentences: what people write may name people"
	}
	return "", ""
}

func postalCodes(e *evidence) (Role, string) {
	if e.values.postal {
		return QuasiIdentifier, "its values look like postal codes"
	}
	return "", ""
}

func moments(e *evidence) (Role, string) {
	if e.values.dates {
		return QuasiIdentifier, "its values are days, which others remember"
	}
	return "", ""
}

// manyValues is the number of distinct fractional values from which on they are a measurement.
const manyValues = 20

// measurements: acquaintances of a person do not know such a number.
func measurements(e *evidence) (Role, string) {
	if e.values.fractional && e.suggestion.Distinct >= manyValues {
		return Sensitive, "its values are measurements, which others seldom know"
	}
	return "", ""
}
