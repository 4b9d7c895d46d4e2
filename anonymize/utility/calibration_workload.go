package utility

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A surveyor draws the workload of a calibration and knows the actual answers. Half of the
// queries have one to three quasi-identifiers and half any number. Three eighths are the
// workload of COUNT (see Workload): some record satisfies all conditions, which are equalities
// and ranges of 10 percent of the domain on either side, and the sensitive attributes are
// included; these are the hardest. A quarter are the workload of SUM (see predicates). Three
// eighths imitate analysts, about whom nothing is known: with or without the sensitive
// attributes; with the values of one record or, like the cells of a GROUP BY, of several, so
// that no record may match; and with ranges and sets of any selectivity.
type surveyor struct {
	*asker
	prepared   *estimate.Prepared
	attributes *attributes
	rows       int
	// arguments are the possible columns of SUM and AVG.
	arguments []*anonymize.Column
}

func newSurveyor(r *anonymize.Release, table *anonymize.Microdata) (*surveyor, error) {
	a, err := attributesOf(r, table)
	if err != nil {
		return nil, err
	}
	return &surveyor{asker: newAsker(r, a), prepared: estimate.Prepare(r), attributes: a, rows: table.Rows,
		arguments: slices.DeleteFunc(a.allColumns(), func(c *anonymize.Column) bool { return !summable(c) })}, nil
}

// summable reports whether a column has numbers that are not points in time.
func summable(c *anonymize.Column) bool {
	return c.IsNumeric() && !slices.ContainsFunc(c.Dictionary, func(v anonymize.Value) bool { return v.Kind == anonymize.Instant })
}

func (s *surveyor) draw(random *rand.Rand) query {
	most := len(s.attributes.quasi)
	if random.IntN(2) == 0 {
		most = min(most, 3)
	}
	n := 1 + random.IntN(most)
	var argument *anonymize.Column
	if len(s.arguments) > 0 {
		argument = s.arguments[random.IntN(len(s.arguments))]
	}
	var q query
	switch random.IntN(8) {
	case 0, 1, 2:
		q = conjunction(s.attributes.draw(random, n, n, s.rows))
	case 3, 4:
		q = s.attributes.predicates(random, 1, n, argument)
	default:
		q = s.analysts(random, n)
	}
	q.argument = argument
	return q
}

// analysts draws a query that imitates analysts.
func (s *surveyor) analysts(random *rand.Rand, n int) query {
	anchored, record := random.IntN(2) == 0, random.IntN(s.rows)
	var q query
	add := func(c *anonymize.Column) {
		if !anchored {
			record = random.IntN(s.rows)
		}
		q.where = append(q.where, s.selection(random, c, record))
	}
	for _, i := range random.Perm(len(s.attributes.quasi))[:n] {
		add(s.attributes.quasi[i])
	}
	if random.IntN(2) == 0 {
		for _, c := range s.attributes.sensitive {
			add(c)
		}
	}
	return q
}

// selection draws a condition that the record's value satisfies.
func (s *surveyor) selection(random *rand.Rand, c *anonymize.Column, record int) selection {
	code := c.Codes[record]
	keep := make([]bool, len(c.Dictionary))
	value, numeric := c.Dictionary[code].Number()
	numeric = numeric && s.attributes.span[c] > 0
	switch form := random.IntN(4); {
	case form < 2 && !numeric, form == 0:
		keep[code] = true
	case numeric && form == 1:
		reach := width * s.attributes.span[c]
		s.keepRange(c, keep, value-reach, value+reach)
	case numeric:
		// From the value to that of a random record, or everything on one side of it.
		low, high := value, value
		if other, ok := c.Value(random.IntN(s.rows)).Number(); ok {
			low, high = min(value, other), max(value, other)
		}
		switch random.IntN(4) {
		case 0:
			low = math.Inf(-1)
		case 1:
			high = math.Inf(1)
		}
		s.keepRange(c, keep, low, high)
	default:
		share := random.Float64()
		for other := range keep {
			keep[other] = random.Float64() < share
		}
		keep[code] = true
	}
	return selection{column: c, keep: keep}
}

func (s *surveyor) keepRange(c *anonymize.Column, keep []bool, low, high float64) {
	for code, v := range c.Dictionary {
		number, ok := v.Number()
		keep[code] = ok && low <= number && number <= high
	}
}

// question returns the question for the release: COUNT(*), then SUM and AVG of the argument.
func (s *surveyor) question(q query) *estimate.Question {
	if q.argument == nil {
		return s.asker.question(q, estimate.Count)
	}
	return s.asker.question(q, estimate.Count, estimate.Sum, estimate.Average)
}
