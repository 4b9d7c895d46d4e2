package misfit

import (
	"math"
	"slices"
)

// What groups show about averages, regardless of the model.

// maxRegressed is the greatest number of classes whose means are computed from those of groups; sweeps is the number of iterations.
const (
	maxRegressed = 256
	sweeps       = 500
)

// show computes the means of classes with which the records of every group best give the mean of the group's numbers: least squares, with
// groups weighted by their records (ecological regression; Goodman, Ecological Regressions and Behavior of Individuals, 1953). of and by
// have the codes of all records, group by group. Cost: O(records + groups * classes of a group^2 + sweeps * classes^2).
func (t *meanTally) show(sizes []uint32, of, by []uint32) {
	t.shown = slices.Repeat([]float64{math.NaN()}, len(t.known))
	var classes []int
	index := make([]int, len(t.known)) // from 1; 0 for unknown classes
	for class, known := range t.known {
		if known.records > 0 {
			classes = append(classes, class)
			index[class] = len(classes)
		}
	}
	if len(classes) > maxRegressed {
		return
	}
	together, sums := make([][]float64, len(classes)), make([]float64, len(classes))
	for i := range together {
		together[i] = make([]float64, len(classes))
	}
	var all moments
	count, present := make([]float64, len(classes)), make([]int, 0, len(classes))
	begin := 0
	for _, size := range sizes {
		end := begin + int(size)
		var group moments
		for _, code := range of[begin:end] {
			if x := t.numbers[code]; !math.IsNaN(x) {
				group.add(x, 1)
			}
		}
		for _, code := range by[begin:end] {
			if i := index[t.classOf(code)] - 1; i >= 0 && group.records > 0 {
				if count[i] == 0 {
					present = append(present, i)
				}
				count[i]++
			}
		}
		for _, i := range present {
			all.add(group.mean, count[i])
			sums[i] += float64(count[i] * group.mean)
			for _, j := range present {
				together[i][j] += float64(count[i]*count[j]) / float64(size)
			}
		}
		for _, i := range present {
			count[i] = 0
		}
		begin, present = end, present[:0]
	}
	for i, mean := range solved(together, sums, all.mean) {
		t.shown[classes[i]] = mean
	}
}

// solved solves normal equations by Gauss-Seidel sweeps. All unknowns start at begin; those
// that the equations do not determine keep it.
func solved(together [][]float64, sums []float64, begin float64) []float64 {
	means := slices.Repeat([]float64{begin}, len(sums))
	for range sweeps {
		for i, row := range together {
			rest := sums[i]
			for j, x := range row {
				rest -= float64(x * means[j])
			}
			if row[i] > 0 {
				means[i] += rest / row[i]
			}
		}
	}
	return means
}

// estimated returns the means of the release, compared with what its groups show. The groups'
// random error per record is taken from the re-publications, whose means are known.
func estimated(own, again []meanCell, spread float64) (cells []meanCell) {
	luck, compared := 0.0, 0.0
	for _, c := range again {
		if rest := c.shown - c.away - c.off; !math.IsNaN(rest) {
			luck, compared = luck+float64(rest*rest*c.records), compared+1
		}
	}
	for _, c := range own {
		if compared > 0 && !math.IsNaN(c.shown) {
			c.off = c.shown - c.away
			c.doubt = luck / compared / c.records
			c.variance += c.doubt / spread
			cells = append(cells, c)
		}
	}
	return cells
}
