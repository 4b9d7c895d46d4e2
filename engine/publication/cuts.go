package publication

import (
	"cmp"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

const (
	// partCells is the number of cells above which a part is cut if possible; the cells of a part are compared pairwise.
	partCells = 256
	// maxCompared is the greatest number of cells of a part in which classes are grown.
	maxCompared = 2048
	// partClasses is the least number of minimal classes that a part's records must suffice for.
	partClasses = 2
	// maxTried is the number of places at which cutting a part is tried.
	maxTried = 64
	// slack is the part of its permitted share that a heavy value may have in a half, if possible: in tight parts, classes find no cell to join.
	slack = 0.9
)

// parts cuts all cells into parts. Each keeps the rule and has records for several classes.
func (g *clustering) parts() (parts [][]uint32) {
	all := anonymize.Indices(len(g.records))
	c := newCutter(g)
	for waiting := [][]uint32{all}; len(waiting) > 0 && g.ctx.Err() == nil; {
		part := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if left, right, cut := c.cut(part); cut {
			waiting = append(waiting, right, left)
			continue
		}
		parts = append(parts, part)
	}
	return parts
}

// A cutter cuts a part in two where the loss falls most and both halves keep the rule.
type cutter struct {
	*clustering
	spare         []uint32
	all           int64     // records of the part
	whole, left   []int64   // by heavy value: records of the part, and of its left half
	low, high     []uint8   // by bin, then attribute: the ends of the cells of the bin
	held          []int64   // by bin: its records
	before, after []float64 // by bin: the loss of the bins up to it, and from it on
	places        []place
}

// A place is a possible cut of a part, between two bins of an attribute.
type place struct {
	attribute int
	bin       uint8   // the first on the right
	loss      float64 // of both halves
}

func newCutter(g *clustering) *cutter {
	bins := slices.Max(append([]int{1}, g.Numbers...))
	return &cutter{clustering: g, spare: make([]uint32, 0, len(g.records)), whole: make([]int64, len(g.Total)), left: make([]int64, len(g.Total)),
		low: make(
			[]uint8,
			bins*len(g.Numbers),
		), high: make([]uint8, bins*len(g.Numbers)), held: make([]int64, bins), before: make([]float64, bins), after: make([]float64, bins)}
}

// cut divides a part that is too large. The halves share the part's memory.
func (c *cutter) cut(part []uint32) (left, right []uint32, cut bool) {
	if len(part) <= partCells {
		return nil, nil, false
	}
	c.count(part)
	c.places = c.places[:0]
	for a := range c.Bins {
		c.look(part, a)
	}
	slices.SortFunc(c.places, func(p, q place) int {
		return cmp.Or(cmp.Compare(p.loss, q.loss), cmp.Compare(p.attribute, q.attribute), cmp.Compare(p.bin, q.bin))
	})
	c.places = c.places[:min(maxTried, len(c.places))]
	at := c.firstCut(part, slack)
	if at < 0 && len(part) > maxCompared {
		at = c.firstCut(part, 1)
	}
	if at < 0 {
		return nil, nil, false
	}
	middle := c.divide(part, c.places[at])
	return part[:middle], part[middle:], true
}

// count counts the records of a part and its heavy values.
func (c *cutter) count(part []uint32) {
	c.all = 0
	clear(c.whole)
	for _, cell := range part {
		c.all += c.records[cell]
		c.add(c.whole, cell)
	}
}

// add adds the heavy values of a cell to count.
func (c *cutter) add(count []int64, cell uint32) {
	for at := c.Start[cell]; at < c.Start[cell+1]; at++ {
		if v := c.Sensitive[at]; v != light {
			count[v] += c.Records[at]
		}
	}
}

// look adds an attribute's places with enough records on both sides.
func (c *cutter) look(part []uint32, attribute int) {
	attributes, bins := len(c.Bins), c.Numbers[attribute]
	for i := range bins * attributes {
		c.low[i], c.high[i] = math.MaxUint8, 0
	}
	of := c.Bins[attribute]
	clear(c.held)
	for _, cell := range part {
		c.held[of[cell]] += c.records[cell]
	}
	for a, other := range c.Bins {
		for _, cell := range part {
			at, x := int(of[cell])*attributes+a, other[cell]
			c.low[at], c.high[at] = min(c.low[at], x), max(c.high[at], x)
		}
	}
	c.sweep(c.before, 0, bins, 1)
	c.sweep(c.after, bins-1, -1, -1)
	least := partClasses * c.target
	for bin, below := 1, int64(0); bin < bins; bin++ {
		below += c.held[bin-1]
		if below >= least && c.all-below >= least && c.held[bin] > 0 {
			c.places = append(c.places, place{attribute, uint8(bin), c.before[bin-1] + c.after[bin]})
		}
	}
}

// sweep computes the cumulative loss of the bins from first on.
func (c *cutter) sweep(loss []float64, first, end, step int) {
	attributes := len(c.Bins)
	low, high := slices.Repeat([]uint8{math.MaxUint8}, attributes), make([]uint8, attributes)
	var records int64
	for bin := first; bin != end; bin += step {
		records += c.held[bin]
		sum := float32(0)
		for a := range attributes {
			low[a], high[a] = min(low[a], c.low[bin*attributes+a]), max(high[a], c.high[bin*attributes+a])
			if low[a] < high[a] {
				sum += c.penalty[a][high[a]-low[a]]
			}
		}
		loss[bin] = float64(records) * float64(sum)
	}
}

// firstCut returns the first place at which no value of either half exceeds slack times its share, -1 for none.
func (c *cutter) firstCut(part []uint32, slack float64) int {
	if c.l < 2 && len(c.places) > 0 {
		return 0
	}
	return slices.IndexFunc(c.places, func(p place) bool {
		var left int64
		clear(c.left)
		for _, cell := range part {
			if c.Bins[p.attribute][cell] < p.bin {
				left += c.records[cell]
				c.add(c.left, cell)
			}
		}
		mostLeft, mostRight := int64(slack*float64(left)), int64(slack*float64(c.all-left))
		for v, n := range c.left {
			if !c.isRareEnough(n, mostLeft) || !c.isRareEnough(c.whole[v]-n, mostRight) {
				return false
			}
		}
		return true
	})
}

// divide moves the left half to the front and returns where the other one begins. Cells keep their order.
func (c *cutter) divide(part []uint32, p place) (middle int) {
	bins := c.Bins[p.attribute]
	c.spare = c.spare[:0]
	for _, cell := range part {
		if bins[cell] < p.bin {
			part[middle] = cell
			middle++
		} else {
			c.spare = append(c.spare, cell)
		}
	}
	copy(part[middle:], c.spare)
	return middle
}
