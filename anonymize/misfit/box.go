package misfit

// A box counts the records by combination of values of three attributes, as numbered by
// tallies; number 0 stands for all others.
type box struct {
	width, height, depth int
	third                []int32 // the number of every code of the third attribute
}

const (
	maxBoxed = 1 << 17 // combinations; attributes with more are not compared
	fitted   = 10      // rounds of pairwise
)

// newBox returns a box for a tally of two attributes and one of both with a third; nil if the
// combinations are too many.
func newBox(both, t *tally) *box {
	b := &box{len(both.cell) / both.width, both.width, t.width, t.column}
	if b.width*b.height*b.depth > maxBoxed {
		return nil
	}
	return b
}

func (b *box) counts() []float64 { return make([]float64, b.width*b.height*b.depth) }

// add counts records by their codes: of the first two attributes together, and of the third.
func (b *box) add(counts []float64, both, third []uint32) {
	for record, x := range both {
		counts[int(x)*b.depth+int(b.third[third[record]])]++
	}
}

// margins returns the sums over one attribute: over the third, the second, the first.
func (b *box) margins(counts []float64) (sums [3][]float64) {
	sums = [3][]float64{make([]float64, b.width*b.height), make([]float64, b.width*b.depth), make([]float64, b.height*b.depth)}
	b.visitCombinations(func(i int, at [3]int) {
		for n := range at {
			sums[n][at[n]] += counts[i]
		}
	})
	return sums
}

// visitCombinations visits every combination with its positions in the three margins.
func (b *box) visitCombinations(visit func(i int, at [3]int)) {
	i := 0
	for x := range b.width {
		for y := range b.height {
			for z := range b.depth {
				visit(i, [3]int{x*b.height + y, x*b.depth + z, y*b.depth + z})
				i++
			}
		}
	}
}

// pairwise returns counts with the same margins but without a three-way interaction: ones,
// scaled to each margin in turn (Deming and Stephan 1940).
func (b *box) pairwise(counts []float64) []float64 {
	e, wanted := b.counts(), b.margins(counts)
	for i := range e {
		e[i] = 1
	}
	for range fitted {
		for n := range wanted {
			scale := make([]float64, len(wanted[n]))
			b.visitCombinations(func(i int, at [3]int) { scale[at[n]] += e[i] })
			for i, sum := range scale {
				if sum > 0 {
					scale[i] = wanted[n][i] / sum
				}
			}
			b.visitCombinations(func(i int, at [3]int) { e[i] *= scale[at[n]] })
		}
	}
	return e
}

// interactions returns the cells of a tally with their three-way interactions, in the known
// counts and in the mean counts of completed tables.
func (b *box) interactions(t *tally, cells []cell, known, mean []float64) []interaction {
	result := make([]interaction, len(cells))
	expected, completed := b.pairwise(known), b.pairwise(mean)
	for code, row := range t.row {
		for column := range b.depth {
			if n := t.cell[int(row)*t.width+column]; n > 0 {
				i := code*b.depth + column
				result[n-1] = interaction{cells[n-1], expected[i], known[i] - expected[i], mean[i] - completed[i]}
			}
		}
	}
	return result
}
