package misfit

import (
	"math"
	"slices"
)

// What groups show of averages, whatever the model makes of them.

// maxRegressed is the most classes whose means are looked for in those of groups, sweeps how often each is.
const (
	maxRegressed = 256
	sweeps       = 500
)

// show finds what groups show: the means of classes by which the records of every group have the mean of its numbers, by least squares, a group
// weighing as its records do (ecological regression; Goodman, Ecological Regressions and Behavior of Individuals, 1953). of and by have the codes of all
// records, group by group. Cost: O(records + groups * classes of a group^2 + sweeps * classes^2).
func (t *meanTally) show(sizes []uint32, of, by []uint32) {
	t.shown = slices.Repeat([]float64{math.NaN()}, len(t.known))
	var classes []int
	index := make([]int, len(t.known)) // from 1; 0 for classes of which nothing is known
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

// solved solves normal equations by sweeps over the unknowns (Gauss and Seidel). All unknowns begin with one number; what the equations do not determine
// keeps it.
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

// estimated are the means of the release beside what its groups show. That has the luck of groups, as much by record as beside the means that are
// known, those of re-publications.
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
