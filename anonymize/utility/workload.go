package utility

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Workload is a set of random queries from one of three papers.
//
// COUNT as in Yao et al. 2021, section 6.2: each query is a conjunction of conditions on some
// quasi-identifiers and on the sensitive attribute. The paper does not say how it draws the
// conditions. Here, a query asks for the values of a random record in every chosen attribute;
// for a numeric quasi-identifier, within 10 percent of its domain's width on either side. So
// the actual answer is at least 1 and the relative error is defined.
//
// COUNT over ranges of values, see ranges.
//
// SUM (or AVG) of a numeric attribute over random predicates, see predicates.
type Workload struct {
	Queries int // at least 1
	// Low and High bound the number of quasi-identifiers of a query. High is clipped to their
	// number in the release.
	Low, High int
	// Of is the attribute to add up. By default there is none, and queries count.
	Of string
	// Average asks for AVG of the attribute instead of SUM.
	Average bool
	// AndSensitive adds a predicate on a random sensitive attribute to every query that adds up
	// a quasi-identifier. Without it, as in the paper, such a query uses only
	// quasi-identifiers, and many releases answer it exactly.
	AndSensitive bool
	// Selectivity, above 0 and below 1, makes counting queries ask for ranges: a query selects
	// that share of the records if attributes are independent and values evenly distributed.
	// The default 0 means no ranges: a record is drawn. It must be 0 for SUM.
	Selectivity float64
	// Least, above 0 and below 1, is the least share of the records in a query's actual answer
	// for its error to count: errors of rare combinations are large whatever is published. The
	// default 0 means any answer except 0. It must be 0 for SUM.
	Least float64
	// Seed determines the workload: the same seed gives the same queries for every release of
	// the same attributes of a table.
	Seed uint64
}

// width is the share of a numeric domain on either side of the drawn value.
const width = 0.1

// A condition selects values of one attribute.
type condition struct {
	selection
	// low and high bound a numeric condition; otherwise value is required.
	numeric   bool
	low, high float64
	value     anonymize.Value
}

func (c *condition) matches(v anonymize.Value) bool {
	if !c.numeric {
		return v == c.value
	}
	number, ok := v.Number()
	return ok && c.low <= number && number <= c.high
}

// attributes are the raw columns that a release publishes.
type attributes struct {
	quasi, sensitive []*anonymize.Column
	span             map[*anonymize.Column]float64 // of numeric quasi-identifiers
	domains          map[*anonymize.Column][]uint32
}

// allColumns returns the quasi-identifiers, then the sensitive attributes.
func (a *attributes) allColumns() []*anonymize.Column { return slices.Concat(a.quasi, a.sensitive) }

func attributesOf(r *anonymize.Release, table *anonymize.Microdata) (*attributes, error) {
	a := &attributes{span: make(map[*anonymize.Column]float64), domains: make(map[*anonymize.Column][]uint32)}
	for _, f := range r.Fragments {
		for i, c := range f.Columns {
			column := table.Column(c.Name)
			if column == nil {
				return nil, fmt.Errorf("the raw table has no column %q any more", c.Name)
			}
			if f.Role == anonymize.Sensitive || f.Role == anonymize.Mixed && i == len(f.Columns)-1 {
				a.sensitive = append(a.sensitive, column)
				continue
			}
			a.quasi = append(a.quasi, column)
			if column.IsNumeric() {
				a.span[column] = span(column)
			}
		}
	}
	if len(a.quasi) == 0 {
		return nil, errors.New("the release has no quasi-identifier")
	}
	// In the table's order, whatever the fragments, so that a seed gives the same queries for
	// all releases of the same attributes.
	place := func(x, y *anonymize.Column) int {
		return cmp.Compare(slices.Index(table.Columns, x), slices.Index(table.Columns, y))
	}
	slices.SortFunc(a.quasi, place)
	slices.SortFunc(a.sensitive, place)
	return a, nil
}

// span returns the distance from the least to the greatest number of a column.
func span(c *anonymize.Column) float64 {
	low, high, seen := 0.0, 0.0, false
	for code, n := range c.Histogram() {
		number, ok := c.Dictionary[code].Number()
		if n == 0 || !ok {
			continue
		}
		if !seen {
			low, high, seen = number, number, true
		}
		low, high = min(low, number), max(high, number)
	}
	return high - low
}

// draw makes the conditions of one query from a random record's values.
func (a *attributes) draw(random *rand.Rand, low, high, rows int) []*condition {
	record := random.IntN(rows)
	chosen := random.Perm(len(a.quasi))[:low+random.IntN(high-low+1)]
	var conditions []*condition
	for _, i := range chosen {
		conditions = append(conditions, a.condition(a.quasi[i], record))
	}
	for _, c := range a.sensitive {
		conditions = append(conditions, a.condition(c, record))
	}
	return conditions
}

// conjunction returns the COUNT of the records that satisfy all conditions.
func conjunction(conditions []*condition) query {
	var q query
	for _, c := range conditions {
		q.where = append(q.where, c.selection)
	}
	return q
}

func (a *attributes) condition(column *anonymize.Column, record int) *condition {
	c := &condition{value: column.Value(record)}
	if number, ok := c.value.Number(); ok && a.span[column] > 0 {
		c.numeric = true
		c.low, c.high = number-width*a.span[column], number+width*a.span[column]
	}
	c.selection = selectionOf(column, c.matches)
	return c
}
