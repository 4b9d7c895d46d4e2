package utility

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A surveyor draws the workload of a calibration and knows the actual answers.
// Half of the queries have one to three quasi-identifiers and half any number.
// Half are the papers' workload (see Workload): some record satisfies all
// conditions, which are equalities and ranges of 10 percent of the domain on
// either side, and the sensitive attributes are asked for: the hardest queries.
// The others are meant to be like those of analysts, of whom nothing is known:
// with or without the sensitive attributes; of the values of one record or, as
// the cells of a GROUP BY, of several, so that there may be no such record; and
// also with ranges and sets of any selectivity.
type surveyor struct {
	release    *anonymize.Release
	attributes *attributes
	rows       int
	// index finds the code of a value, per column.
	index map[*anonymize.Column]map[anonymize.Value]uint32
	// arguments are the columns that SUM and AVG can take.
	arguments []*anonymize.Column
}

// A query asks COUNT(*), and SUM and AVG of the argument if there is one.
type query struct {
	where    []selection
	argument *anonymize.Column
}

// A selection keeps some codes of one column.
type selection struct {
	column *anonymize.Column
	keep   []bool
}

func newSurveyor(r *anonymize.Release, table *anonymize.Microdata) (*surveyor, error) {
	a, err := attributesOf(r, table)
	if err != nil {
		return nil, err
	}
	s := &surveyor{release: r, attributes: a, rows: table.Rows, index: make(map[*anonymize.Column]map[anonymize.Value]uint32)}
	for _, c := range slices.Concat(a.quasi, a.sensitive) {
		s.index[c] = make(map[anonymize.Value]uint32, len(c.Dictionary))
		for code, v := range c.Dictionary {
			s.index[c][v] = uint32(code)
		}
		if summable(c) {
			s.arguments = append(s.arguments, c)
		}
	}
	return s, nil
}

// summable: a number that is no point in time.
func summable(c *anonymize.Column) bool {
	return c.IsNumeric() && !slices.ContainsFunc(c.Dictionary, func(v anonymize.Value) bool { return v.Kind == anonymize.Instant })
}

func (s *surveyor) draw(random *rand.Rand) query {
	most := len(s.attributes.quasi)
	if random.IntN(2) == 0 {
		most = min(most, 3)
	}
	chosen := random.Perm(len(s.attributes.quasi))[:1+random.IntN(most)]
	papers := random.IntN(2) == 0
	anchored, record := papers || random.IntN(2) == 0, random.IntN(s.rows)
	var q query
	add := func(c *anonymize.Column) {
		if papers {
			q.where = append(q.where, selection{c, s.attributes.condition(c, record).keep})
			return
		}
		if !anchored {
			record = random.IntN(s.rows)
		}
		q.where = append(q.where, s.selection(random, c, record))
	}
	for _, i := range chosen {
		add(s.attributes.quasi[i])
	}
	if papers || random.IntN(2) == 0 {
		for _, c := range s.attributes.sensitive {
			add(c)
		}
	}
	if len(s.arguments) > 0 {
		q.argument = s.arguments[random.IntN(len(s.arguments))]
	}
	return q
}

// selection draws a condition that holds for the record's value.
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
		// From the value to a random record's, or all on one side of it.
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
	return selection{c, keep}
}

func (s *surveyor) keepRange(c *anonymize.Column, keep []bool, low, high float64) {
	for code, v := range c.Dictionary {
		number, ok := v.Number()
		keep[code] = ok && low <= number && number <= high
	}
}

// question is what the release is asked: COUNT(*), then SUM and AVG of the
// argument.
func (s *surveyor) question(q query) *estimate.Question {
	asked := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	for _, w := range q.where {
		fragment, column, _ := s.release.Locate(w.column.Name)
		index := s.index[w.column]
		asked.Where = append(asked.Where, estimate.Expression{Leaves: []int{len(asked.Leaves)}})
		asked.Leaves = append(asked.Leaves, estimate.Where(fragment, column, func(v anonymize.Value) bool {
			code, ok := index[v]
			return ok && w.keep[code]
		}))
	}
	if q.argument != nil {
		fragment, column, _ := s.release.Locate(q.argument.Name)
		argument := &estimate.Expression{Leaves: []int{len(asked.Leaves)}}
		asked.Leaves = append(asked.Leaves, estimate.ValueOf(fragment, column))
		asked.Aggregates = append(asked.Aggregates,
			estimate.Aggregate{Kind: estimate.Sum, Argument: argument}, estimate.Aggregate{Kind: estimate.Average, Argument: argument})
	}
	return asked
}

// actual returns the figures of the raw table in the order of the question's
// aggregates; AVG over no record is NaN, SUM over none 0. One pass.
func (s *surveyor) actual(q query) []float64 {
	count, known, sum := 0, 0, 0.0
	var numbers []float64 // of the argument's codes; NaN for NULL
	if q.argument != nil {
		for _, v := range q.argument.Dictionary {
			number, ok := v.Number()
			if !ok {
				number = math.NaN()
			}
			numbers = append(numbers, number)
		}
	}
records:
	for row := range s.rows {
		for _, w := range q.where {
			if !w.keep[w.column.Codes[row]] {
				continue records
			}
		}
		count++
		if numbers == nil {
			continue
		}
		if number := numbers[q.argument.Codes[row]]; !math.IsNaN(number) {
			known++
			sum += number
		}
	}
	return []float64{float64(count), sum, sum / float64(known)}
}
