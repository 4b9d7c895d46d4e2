package utility

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Real questions are not random: people group a table, and every row of the answer asks for the
// same two attributes. If these depend on each other within cells, most rows are missed, which
// no pool of random queries shows. So the truth is also measured on everyday questions:
//
//	SELECT COUNT(*), SUM(x), AVG(x) GROUP BY b
//	... GROUP BY a, b
//	... WHERE a BETWEEN ? AND ? GROUP BY b, for a number a
//	... WHERE s IN (...) GROUP BY b, for a sensitive attribute s
//	SELECT AVG(a) WHERE a > ?, and a <= ?, for a number a
//
// The third and fourth form select neighbouring values with half or a quarter of the records.
// The questions about two attributes in the same positions are a family. The questions depend
// only on the release and the table: if there are too many, the random selection is seeded with
// the numbers of attributes and records.
//
// The last form is the hardest if values are not spread evenly within a cell: the average
// depends on which of them are beyond the end.
//
// For ten attributes there are about 140 questions. For 50,000 records they took 2 to 9 seconds
// of one core: least if groups have few cells, most for packages crossbucket and asn.

const (
	// everydayRecords is the least actual or estimated number of records of a cell that counts.
	// Nobody expects a figure for smaller cells; larger ones that do not exist look like those
	// that do.
	everydayRecords = 20
	// maxParts is the greatest number of values by which a question groups. They are drawn from
	// the values with everydayRecords.
	maxParts = 12
	// maxPairs is the greatest number of pairs of attributes for each form of question. Eleven
	// attributes have 55 pairs.
	maxPairs = 60
	// manyRecords is the size of a table beyond which there are fewer pairs.
	manyRecords = 100_000
)

// A grouping divides the values of an attribute into parts.
type grouping struct {
	column *anonymize.Column
	part   []int32 // by code of the raw table; -1: left out
	parts  int
}

// byValue makes every frequent value a part, or a selection of them.
func byValue(c *anonymize.Column, random *rand.Rand) *grouping {
	g := &grouping{column: c, part: slices.Repeat([]int32{-1}, len(c.Dictionary))}
	var frequent []int
	for code, n := range c.Histogram() {
		if n >= everydayRecords {
			frequent = append(frequent, code)
		}
	}
	random.Shuffle(len(frequent), func(i, j int) { frequent[i], frequent[j] = frequent[j], frequent[i] })
	for _, code := range frequent[:min(len(frequent), maxParts)] {
		g.part[code] = int32(g.parts)
		g.parts++
	}
	return g
}

// byStretch divides the ordered values into stretches with about equally many records; nil if
// there are too few values.
func byStretch(c *anonymize.Column, parts int) *grouping {
	return cut(c, c.Histogram(), parts, func(share float64) int { return int(share * float64(parts)) })
}

// cutAt divides the values at a share of their weight, given by code; nil for fewer than three values.
func cutAt(c *anonymize.Column, weight []int, at float64) *grouping {
	return cut(c, weight, 2, func(share float64) int {
		if share < at {
			return 0
		}
		return 1
	})
}

// cut divides the ordered values into parts, by the share of weight below the middle of each value.
func cut(c *anonymize.Column, weight []int, parts int, partOf func(share float64) int) *grouping {
	g := &grouping{column: c, part: slices.Repeat([]int32{-1}, len(c.Dictionary)), parts: parts}
	total := 0
	var order []int
	for code, n := range weight {
		if n > 0 && !c.Dictionary[code].IsNull() {
			order, total = append(order, code), total+n
		}
	}
	if len(order) <= parts {
		return nil
	}
	slices.SortFunc(order, func(a, b int) int { return anonymize.Compare(c.Dictionary[a], c.Dictionary[b]) })
	before := 0
	for _, code := range order {
		g.part[code] = int32(partOf((float64(before) + float64(weight[code])/2) / float64(total)))
		before += weight[code]
	}
	return g
}

// A groupedQuery is one question. Cells are numbered by the keys' parts, with the last key as
// the fastest digit.
type groupedQuery struct {
	family   string
	keys     []*grouping
	argument *anonymize.Column // nil: it only counts
	// sums says that another question has the same counts.
	sums bool
}

// everydayQueries lists the questions.
func (s *surveyor) everydayQueries() []groupedQuery {
	all := s.attributes.allColumns()
	random := rand.New(rand.NewPCG(uint64(len(all)), uint64(s.rows)))
	values, stretches := make(map[*anonymize.Column]*grouping), make(map[*anonymize.Column][]*grouping)
	for _, c := range all {
		values[c] = byValue(c, random)
		if s.isArgument(c) || s.isSensitive(c) {
			stretches[c] = slices.DeleteFunc([]*grouping{byStretch(c, 2), byStretch(c, 4)}, func(g *grouping) bool { return g == nil })
		}
	}
	list := s.byOne(random, values)
	for _, p := range s.pairs(random, func(i, j int) bool { return i < j }, func(_, b *anonymize.Column) bool { return s.isSensitive(b) }) {
		q := groupedQuery{family: p[0].Name + " by " + p[1].Name, keys: []*grouping{values[p[0]], values[p[1]]}}
		if s.isSensitive(p[1]) { // the others only count, because they take the most time
			q.argument = s.otherThan(random, p[0], p[1])
		}
		list = append(list, q)
	}
	hasStretches := func(i, j int) bool { return i != j && len(stretches[all[i]]) > 0 }
	for _, p := range s.pairs(random, hasStretches, func(a, _ *anonymize.Column) bool { return s.isSensitive(a) }) {
		for _, g := range stretches[p[0]] {
			list = append(list, groupedQuery{p[1].Name + " where " + p[0].Name, []*grouping{g, values[p[1]]}, s.otherThan(random, p[0], p[1]), false})
		}
	}
	return append(list, s.ofEnds()...)
}

// ofEnds asks for averages of attributes on either side of some of their own values: at shares
// of the records and, if a few values have most records, at shares of the values.
func (s *surveyor) ofEnds() (list []groupedQuery) {
	for _, a := range s.arguments[:min(len(s.arguments), s.pairLimit()/len(ends))] {
		records := a.Histogram()
		values := make([]int, len(records))
		for code, n := range records {
			values[code] = min(n, 1)
		}
		cuts, distinct := cutsOf(a, records)
		if distinct < manyCells/2 {
			more, _ := cutsOf(a, values)
			cuts = append(cuts, more...)
		}
		for _, g := range cuts {
			list = append(list, groupedQuery{family: a.Name + " by its own ends", keys: []*grouping{g}, argument: a})
		}
	}
	return list
}

// cutsOf divides an attribute at the ends, and returns the number of distinct divisions.
func cutsOf(c *anonymize.Column, weight []int) (cuts []*grouping, distinct int) {
	for _, share := range ends {
		g := cutAt(c, weight, share)
		if g == nil {
			return nil, 0
		}
		if len(cuts) == 0 || !slices.Equal(g.part, cuts[len(cuts)-1].part) {
			distinct++
		}
		cuts = append(cuts, g)
	}
	return cuts, distinct
}

// ends are the shares below each division.
var ends = []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}

func (s *surveyor) isSensitive(c *anonymize.Column) bool {
	return slices.Contains(s.attributes.sensitive, c)
}

func (s *surveyor) isArgument(c *anonymize.Column) bool { return slices.Contains(s.arguments, c) }

// byOne groups by one attribute for every argument, or counts if there is none.
func (s *surveyor) byOne(random *rand.Rand, values map[*anonymize.Column]*grouping) (list []groupedQuery) {
	all, counted := s.attributes.allColumns(), make(map[*anonymize.Column]bool)
	hasArgument := func(i, j int) bool { return i != j && s.isArgument(all[j]) }
	for _, p := range s.pairs(random, hasArgument, func(a, _ *anonymize.Column) bool { return s.isSensitive(a) }) {
		list = append(list, groupedQuery{"by " + p[0].Name, []*grouping{values[p[0]]}, p[1], counted[p[0]]})
		counted[p[0]] = true
	}
	for _, b := range all {
		if !counted[b] && len(list) < s.pairLimit() {
			list = append(list, groupedQuery{family: "by " + b.Name, keys: []*grouping{values[b]}})
		}
	}
	return list
}

// otherThan draws an argument that is not a key; nil if there is none.
func (s *surveyor) otherThan(random *rand.Rand, keys ...*anonymize.Column) *anonymize.Column {
	others := slices.DeleteFunc(slices.Clone(s.arguments), func(c *anonymize.Column) bool { return slices.Contains(keys, c) })
	if len(others) == 0 {
		return nil
	}
	return others[random.IntN(len(others))]
}

// pairs lists the pairs of attributes for a form of question. If they are too many, it draws
// some and prefers those for which first is true.
func (s *surveyor) pairs(random *rand.Rand, formed func(i, j int) bool, first func(a, b *anonymize.Column) bool) [][2]*anonymize.Column {
	all := s.attributes.allColumns()
	var front, back [][2]*anonymize.Column
	for i, a := range all {
		for j, b := range all {
			switch p := [2]*anonymize.Column{a, b}; {
			case !formed(i, j):
			case first(a, b):
				front = append(front, p)
			default:
				back = append(back, p)
			}
		}
	}
	for _, list := range [][][2]*anonymize.Column{front, back} {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	both := slices.Concat(front, back)
	return both[:min(len(both), s.pairLimit())]
}

// pairLimit returns maxPairs, or fewer for a large table: then time grows with the root of the
// records, as for random queries.
func (s *surveyor) pairLimit() int {
	if s.rows <= manyRecords {
		return maxPairs
	}
	return max(maxPairs/4, int(maxPairs*math.Sqrt(manyRecords/float64(s.rows))))
}

// measureEveryday asks one question. It skips the question if the release cannot distinguish so
// many combinations.
func (s *surveyor) measureEveryday(ctx context.Context, q *groupedQuery) (measured []measurement, err error) {
	asked := s.groupedQuestion(q)
	rows, err := s.estimates(ctx, asked)
	if _, ok := errors.AsType[*estimate.TooManyCombinationsError](err); ok {
		return nil, nil
	}
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	actual := q.actual(s.rows)
	for _, row := range rows {
		figures := actual[q.cellOf(row.keys)]
		if max(figures[0], row.figures[0].Estimate) < everydayRecords {
			continue
		}
		compared := compare(asked, row.figures, figures, measurement{family: q.family, records: figures[0]})
		if q.sums {
			compared = slices.DeleteFunc(compared, func(m measurement) bool { return m.kind == estimate.Count })
		}
		measured = append(measured, compared...)
	}
	return measured, nil
}

// groupedQuestion returns the question for the release. A key is the number of a part.
func (s *surveyor) groupedQuestion(q *groupedQuery) *estimate.Question {
	conjunction := query{argument: q.argument}
	for _, g := range q.keys {
		conjunction.where = append(conjunction.where, selection{column: g.column, keep: g.keeps()})
	}
	asked := s.question(conjunction)
	for _, g := range q.keys {
		fragment, column, _ := s.release.Locate(g.column.Name)
		index := s.index[g.column]
		asked.Keys = append(asked.Keys, estimate.Expression{Leaves: []int{len(asked.Leaves)}})
		asked.Leaves = append(
			asked.Leaves,
			estimate.Leaf{Fragment: fragment, Columns: []int{column}, Eval: func(values []anonymize.Value) (anonymize.Value, error) {
				if code, known := index[values[0]]; known {
					return anonymize.IntegerValue(int64(g.part[code])), nil
				}
				return anonymize.NullValue, nil // excluded
			}},
		)
	}
	return asked
}

func (g *grouping) keeps() []bool {
	keep := make([]bool, len(g.part))
	for code, part := range g.part {
		keep[code] = part >= 0
	}
	return keep
}

// cellOf returns the cell of an answer's keys.
func (q *groupedQuery) cellOf(keys []anonymize.Value) int {
	cell := 0
	for i, g := range q.keys {
		part, _ := keys[i].Number()
		cell = cell*g.parts + int(part)
	}
	return cell
}

// actual returns the figures of every cell in the raw table.
func (q *groupedQuery) actual(rows int) [][]float64 {
	cells := 1
	for _, g := range q.keys {
		cells *= g.parts
	}
	count, known, sum := make([]float64, cells), make([]float64, cells), make([]float64, cells)
	numbers := numbersOf(q.argument)
	for row := range rows {
		cell, ok := q.cellAt(row)
		if !ok {
			continue
		}
		count[cell]++
		if numbers == nil {
			continue
		}
		if number := numbers[q.argument.Codes[row]]; !math.IsNaN(number) {
			known[cell]++
			sum[cell] += number
		}
	}
	figures := make([][]float64, cells)
	for cell := range figures {
		figures[cell] = []float64{count[cell], sum[cell], sum[cell] / known[cell]}
	}
	return figures
}

// cellAt returns the cell of a row of the raw table; ok is false if there is none.
func (q *groupedQuery) cellAt(row int) (cell int, ok bool) {
	for _, g := range q.keys {
		part := g.part[g.column.Codes[row]]
		if part < 0 {
			return 0, false
		}
		cell = cell*g.parts + int(part)
	}
	return cell, true
}
