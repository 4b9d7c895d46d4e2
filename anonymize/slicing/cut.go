package slicing

import (
	"cmp"
	"slices"
)

// A cut divides a bucket along a quasi-identifier: codes up to last to the left.
type cut struct {
	attribute int
	last      uint32
}

// A cutter looks for cuts. It has one worker's scratch memory; counts are zero between uses.
type cutter struct {
	*rows
	axes []axis
	l    uint64
	// Of the bucket that candidates has last seen: the quasi-identifiers with
	// two codes or more, and by quasi-identifier the least and greatest code
	// and how much of the axis lies between.
	order     []int
	low, high []uint32
	span      []float64

	count           []uint32    // by code
	keys            []uint64    // code and row
	inClass, inPair [2][]uint32 // by side
	most            []uint32    // by class: the greatest count of a pair
	sorted          []uint32    // class and pair of every row, by code
	codes           []uint32    // the codes of sorted, ascending
	ends            []int       // where the rows of each end in sorted
	leftDiverse     []bool      // by end
}

func newCutter(r *rows, axes []axis, s *sensitive, l int) *cutter {
	c := &cutter{rows: r, axes: axes, l: uint64(l),
		low: make([]uint32, r.m), high: make([]uint32, r.m), span: make([]float64, r.m), most: make([]uint32, s.classes)}
	for side := range 2 {
		c.inClass[side], c.inPair[side] = make([]uint32, s.classes), make([]uint32, s.pairs)
	}
	return c
}

// candidates lists the quasi-identifiers along which b can be split, the widest
// normalized span first, ties in their order. O(rows x quasi-identifiers).
func (c *cutter) candidates(b bucket) []int {
	cells := c.cellsOf(b)
	copy(c.low, cells[:c.m])
	copy(c.high, cells[:c.m])
	for at := c.stride; at < len(cells); at += c.stride {
		for q, code := range cells[at:][:c.m] {
			c.low[q] = min(c.low[q], code)
			c.high[q] = max(c.high[q], code)
		}
	}
	c.order = c.order[:0]
	for q := range c.m {
		if c.low[q] < c.high[q] {
			c.span[q] = c.axes[q].span(c.low[q], c.high[q])
			c.order = append(c.order, q)
		}
	}
	slices.SortStableFunc(c.order, func(x, y int) int { return cmp.Compare(c.span[y], c.span[x]) })
	return c.order
}

// histogram counts the codes of candidate q in b, from the least one. It returns nil if most
// counts would be 0; the caller clears it.
func (c *cutter) histogram(b bucket, q int) []uint32 {
	width := int(c.high[q]-c.low[q]) + 1
	if width > 4*b.size() {
		return nil
	}
	if len(c.count) < width {
		c.count = make([]uint32, width)
	}
	count, low, cells := c.count[:width], c.low[q], c.cellsOf(b)
	for at := q; at < len(cells); at += c.stride {
		count[cells[at]-low]++
	}
	return count
}

// byCode returns the rows of b sorted by their code of q, each as code and place, for codes
// that are too many to count.
func (c *cutter) byCode(b bucket, q int) []uint64 {
	cells := c.cellsOf(b)
	c.keys = c.keys[:0]
	for at := q; at < len(cells); at += c.stride {
		c.keys = append(c.keys, uint64(cells[at])<<32|uint64(len(c.keys)))
	}
	slices.Sort(c.keys)
	return c.keys
}

// median returns the cut of b along candidate q at its median: the more even of the two cuts
// next to the median's code, the upper one on a tie.
func (c *cutter) median(b bucket, q int) cut {
	half, size := b.size()/2, b.size()
	var middle uint32
	var below, upTo int // rows with a lower code than the median's, and with up to it
	if count := c.histogram(b, q); count != nil {
		for code, n := range count {
			if below, upTo = upTo, upTo+int(n); upTo > half {
				middle = c.low[q] + uint32(code)
				break
			}
		}
		clear(count)
	} else {
		keys := c.byCode(b, q)
		middle = uint32(keys[half] >> 32)
		below, _ = slices.BinarySearch(keys, uint64(middle)<<32)
		upTo, _ = slices.BinarySearch(keys, uint64(middle+1)<<32)
	}
	if below > 0 && (upTo == size || size-2*below < 2*upTo-size) {
		return cut{q, middle - 1}
	}
	return cut{q, middle}
}

// diverse reports whether both parts of b are l-diverse: a pass each to count, compare and
// clear.
func (c *cutter) diverse(b bucket, at cut) bool {
	cells, m := c.cellsOf(b), c.m
	for i := 0; i < len(cells); i += c.stride {
		row := cells[i:][:c.stride]
		side := at.sideOf(row)
		c.inClass[side][row[m]]++
		c.inPair[side][row[m+1]]++
	}
	diverse := true
	for i := 0; i < len(cells) && diverse; i += c.stride {
		row := cells[i:][:c.stride]
		side := at.sideOf(row)
		diverse = uint64(c.inPair[side][row[m+1]])*c.l <= uint64(c.inClass[side][row[m]])
	}
	for i := 0; i < len(cells); i += c.stride {
		row := cells[i:][:c.stride]
		side := at.sideOf(row)
		c.inClass[side][row[m]], c.inPair[side][row[m+1]] = 0, 0
	}
	return diverse
}

func (at cut) sideOf(row []uint32) int {
	if row[at.attribute] <= at.last {
		return 0
	}
	return 1
}
