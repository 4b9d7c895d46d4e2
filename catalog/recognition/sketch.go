package recognition

import (
	"cmp"
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Sketch is what the catalog remembers of a table.
type Sketch struct {
	rows    int
	whole   uint64 // all records of the released columns, see Table.whole
	columns []columnSketch
	samples []*sample
}

// A columnSketch identifies a column by its values: the keptValues smallest hashes of valueBits
// bits, with their record counts.
type columnSketch struct {
	name                         uint64
	released, sensitive, counter bool
	distinct                     int
	// bound is the greatest hash up to which values is complete.
	bound  uint64
	values []valueCount
	// classes has for every value, in order, its records as sums of hashes of their sensitive
	// values; nil for a column of many values.
	classes []class
	// links are the sensitive values of a counter; see counters.go.
	links []link
}

type valueCount struct {
	hash  uint64
	count int
}

const (
	keptValues = 256
	valueBits  = 40
)

// Sketch returns the sketch of the table; nil if it would identify nothing. Cost: one pass over
// the codes for about 50 sets of columns.
func (t *Table) Sketch(ctx context.Context) (*Sketch, error) {
	if t.rows < fewestRows {
		return nil, nil
	}
	s := &Sketch{rows: t.rows}
	for _, c := range t.columns {
		s.columns = append(s.columns, c.sketch())
	}
	var err error
	if s.whole, err = t.sumOfHashes(ctx); err != nil {
		return nil, err
	}
	t.classify(s)
	t.link(s)
	sets := t.sets()
	codes, hashes := make([][]uint32, len(t.columns)), make([][]uint64, len(t.columns))
	for i, c := range t.columns {
		codes[i], hashes[i] = c.codes, salted(c.hashes, i)
	}
	gatherers := make([]*gatherer, len(sets.sets))
	var large [][]int
	var place []int
	for i, kept := range sets.kept {
		gatherers[i] = newGatherer(kept)
		if t.fewCombinations(sets.sets[i]) {
			if err := t.tabulate(ctx, sets.sets[i], hashes, gatherers[i]); err != nil {
				return nil, err
			}
			continue
		}
		large, place = append(large, sets.sets[i]), append(place, i)
	}
	err = pass(ctx, codes, hashes, large, func(set int) uint64 { return gatherers[place[set]].bound },
		func(set int, hash uint64) { gatherers[place[set]].add(hash, 1) })
	if err != nil {
		return nil, err
	}
	for i, g := range gatherers {
		s.samples = append(s.samples, g.finish(sets.sets[i]))
	}
	return s, nil
}

func (c *column) sketch() columnSketch {
	made := columnSketch{name: c.name, released: c.released, sensitive: c.sensitive, counter: c.counter, distinct: c.distinct}
	if c.counter {
		return made
	}
	made.bound = firstBound(c.distinct, keptValues)
	if made.values = c.leastValues(made.bound); len(made.values) < min(keptValues, c.distinct) {
		made.bound = 1<<valueBits - 1
		made.values = c.leastValues(made.bound)
	}
	if len(made.values) > keptValues {
		made.values = made.values[:keptValues]
		made.bound = made.values[keptValues-1].hash
	}
	return made
}

// firstBound returns a hash below which there are several times kept of so many values, so that
// not all must be sorted.
func firstBound(values, kept int) uint64 {
	if values <= 4*kept {
		return 1<<valueBits - 1
	}
	return 1 << valueBits / uint64(values) * uint64(4*kept)
}

// leastValues lists the occurring values with hashes up to a bound.
func (c *column) leastValues(bound uint64) (list []valueCount) {
	for code, n := range c.counts {
		if hash := c.hashes[code] >> (64 - valueBits); hash <= bound && n > 0 {
			list = append(list, valueCount{hash, n})
		}
	}
	slices.SortFunc(list, func(a, b valueCount) int { return cmp.Compare(a.hash, b.hash) })
	return list
}

// sumOfHashes adds up the hashes of all records of the released columns, whatever the columns'
// names and order; 0 for fewer than two columns. Only this sum identifies a copy of a few rows.
func (t *Table) sumOfHashes(ctx context.Context) (sum uint64, err error) {
	var codes [][]uint32
	var hashes [][]uint64
	for _, c := range t.columns {
		if c.released {
			codes, hashes = append(codes, c.codes), append(hashes, c.hashes)
		}
	}
	if len(codes) < 2 {
		return 0, nil
	}
	all := anonymize.Ints(len(codes))
	err = pass(ctx, codes, hashes, [][]int{all}, func(int) uint64 { return ^uint64(0) }, func(_ int, hash uint64) { sum += hash })
	return sum, err
}
