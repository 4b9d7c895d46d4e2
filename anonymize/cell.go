package anonymize

import "strings"

// A Cell is the published content of one attribute of one fragment tuple: a
// distribution over the codes of the column's Dictionary. Columns of point
// cells (the bucketization methods) carry no Cells at all; see
// [FragmentColumn].
//
// An interval, a set or a taxonomy node is a cell without weights: its Members
// are equally likely ("uniform spread"). A randomized value is a cell with
// weights.
type Cell struct {
	// Label is how the cell reads in the published relation: "[16-24]",
	// "{a,b}", a taxonomy node's name, "*".
	Label string
	// Members are the codes that the cell may stand for, ascending. Never
	// empty.
	Members []uint32
	// Weights are the probabilities of Members, summing to 1; nil means
	// uniform.
	Weights []float64
}

// Weight returns the probability of the i-th member.
func (c *Cell) Weight(i int) float64 {
	if c.Weights != nil {
		return c.Weights[i]
	}
	return 1 / float64(len(c.Members))
}

// IntervalLabel returns "[16-24]", or "[-5 to -1]" where an end contains a hyphen itself
// (dates, negative numbers).
func IntervalLabel(low, high string) string {
	between := "-"
	if strings.Contains(low, "-") || strings.Contains(high, "-") {
		between = " to "
	}
	return "[" + low + between + high + "]"
}
