package recognition

import (
	"cmp"
	"math"
	"slices"
)

const (
	// minAlike is the least overlap of values at which columns with different names may be the
	// same; minNamesake is the one for columns with the same name.
	minAlike    = 0.1
	minNamesake = 0.01
	// nearKey is the number of records per value below which columns are compared by their sets
	// of values and not by frequencies.
	nearKey = 5
)

// align finds for every column of a sketch the table's column with its values, -1 for none. It
// starts with the most similar pair and uses no column twice.
func (t *Table) align(s *Sketch) []int {
	type pair struct {
		old, new int
		alike    float64
	}
	var pairs []pair
	for i := range s.columns {
		of := &s.columns[i]
		for j, c := range t.columns {
			if of.counter || c.counter || of.distinct < 2 || c.distinct < 2 {
				continue
			}
			alike := of.shareInCommon(s.rows, c, t.rows)
			if of.name == c.name && alike >= minNamesake {
				alike += 0.5
			}
			if alike >= minAlike {
				pairs = append(pairs, pair{i, j, alike})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.alike, a.alike) })
	aligned, taken := make([]int, len(s.columns)), make([]bool, len(t.columns))
	for i := range aligned {
		aligned[i] = -1
	}
	for _, p := range pairs {
		if aligned[p.old] < 0 && !taken[p.new] {
			aligned[p.old], taken[p.new] = p.new, true
		}
	}
	return aligned
}

// shareInCommon returns the share, 0 to 1, of records that two columns have in common, compared
// value by value; for nearly unique columns the share of common values.
func (of *columnSketch) shareInCommon(rows int, c *column, other int) float64 {
	values := c.leastValues(of.bound)
	both, common, old, new := 0, 0.0, 0.0, 0.0
	for _, v := range of.values {
		old += float64(v.count) / float64(rows)
	}
	for _, v := range values {
		new += float64(v.count) / float64(other)
	}
	eachOf(of.values, values, func(a, b int) {
		if a > 0 && b > 0 {
			both++
			common += min(float64(a)/float64(rows), float64(b)/float64(other))
		}
	})
	if fewest := min(len(of.values), len(values)); fewest > 0 && rows < nearKey*of.distinct && other < nearKey*c.distinct {
		return float64(both) / float64(fewest)
	}
	if most := math.Max(old, new); most > 0 {
		return common / most
	}
	return 0
}

// eachOf merges two lists of values in the order of their hashes.
func eachOf(a, b []valueCount, visit func(a, b int)) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].hash < b[0].hash:
			visit(a[0].count, 0)
			a = a[1:]
		case len(a) == 0 || b[0].hash < a[0].hash:
			visit(0, b[0].count)
			b = b[1:]
		default:
			visit(a[0].count, b[0].count)
			a, b = a[1:], b[1:]
		}
	}
}
