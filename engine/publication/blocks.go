package publication

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Cells are the occurring combinations of bins, with their records' sensitive values. Cell i has bin Bins[a][i] of attribute a.
// Its sensitive values are Sensitive[Start[i]:Start[i+1]], with their numbers of records at the same positions of Records.
type Cells struct {
	Bins      [][]uint8
	Numbers   []int // of bins, an attribute each
	Start     []int
	Sensitive []uint32 // numbers of heavy values (see Rule.Heavy); light for all others
	Records   []int64
	Total     []int64 // table records of each heavy value, by number
}

// light stands for every sensitive value that no block can have too often.
const light = ^uint32(0)

// A block is a set of cells from which groups are formed.
type block struct {
	cells   []int
	records int64
}

// A Division maps cells to blocks, numbered from 0.
type Division struct {
	BlockOf []uint32
	Blocks  int
	Largest int64 // size of the largest block, in records
}

// Divide recursively halves the cells into blocks of neighbours: along the attribute with the widest spread of bins, near the median
// record, as long as both halves have at least least records and keep the rule. O(c log b) for c sensitive values of cells and b blocks.
func Divide(ctx context.Context, c *Cells, r Rule, least int64) (*Division, error) {
	d := newDivision(c, r, least)
	all := anonymize.Ints(len(c.Start) - 1)
	blocks, err := d.blocks(ctx, all)
	if err != nil {
		return nil, err
	}
	found := &Division{BlockOf: make([]uint32, len(all)), Blocks: len(blocks)}
	for i, b := range blocks {
		for _, cell := range b.cells {
			found.BlockOf[cell] = uint32(i)
		}
		found.Largest = max(found.Largest, b.records)
	}
	return found, nil
}

// blocks cuts some cells into blocks.
func (d *division) blocks(ctx context.Context, cells []int) (blocks []block, err error) {
	all := block{cells: cells}
	for _, cell := range cells {
		all.records += d.records(cell)
	}
	for waiting := []block{all}; len(waiting) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if left, right, cut := d.halve(b); cut {
			waiting = append(waiting, right, left)
			continue
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// A division is a run of Divide.
type division struct {
	*Cells
	rule  Rule
	least int64
	count []int64 // of heavy values, for keeps
}

func newDivision(c *Cells, r Rule, least int64) *division {
	return &division{Cells: c, rule: r, least: least, count: make([]int64, len(c.Total))}
}

func (d *division) records(cell int) (n int64) {
	for _, records := range d.Records[d.Start[cell]:d.Start[cell+1]] {
		n += records
	}
	return n
}

// halve cuts a block in two, along the widest attribute that permits it.
func (d *division) halve(b block) (left, right block, cut bool) {
	if b.records < 2*d.least {
		return b, block{}, false
	}
	for _, attribute := range d.widestFirst(b) {
		if left, right, cut = d.cutAlong(b, attribute); cut {
			return left, right, true
		}
	}
	return b, block{}, false
}

// widestFirst sorts the attributes by the share of their bins that a block spans, largest first, without those of one bin.
func (d *division) widestFirst(b block) []int {
	width := make([]float64, len(d.Bins))
	var attributes []int
	for a, bins := range d.Bins {
		lowest, highest := bins[b.cells[0]], bins[b.cells[0]]
		for _, cell := range b.cells {
			lowest, highest = min(lowest, bins[cell]), max(highest, bins[cell])
		}
		if highest > lowest {
			width[a] = float64(highest-lowest) / float64(d.Numbers[a]-1)
			attributes = append(attributes, a)
		}
	}
	slices.SortStableFunc(attributes, func(a, b int) int {
		switch {
		case width[a] > width[b]:
			return -1
		case width[a] < width[b]:
			return 1
		}
		return 0
	})
	return attributes
}

// cutAlong tries the places between an attribute's bins, nearest to the median first.
func (d *division) cutAlong(b block, attribute int) (left, right block, cut bool) {
	bins := d.Bins[attribute]
	records := make([]int64, d.Numbers[attribute])
	for _, cell := range b.cells {
		records[bins[cell]] += d.records(cell)
	}
	type place struct {
		bin int // the first bin on the right
		off int64
	}
	var places []place
	var below int64
	for bin := 1; bin < len(records); bin++ {
		below += records[bin-1]
		if below >= d.least && b.records-below >= d.least && records[bin] > 0 {
			places = append(places, place{bin, max(2*below-b.records, b.records-2*below)})
		}
	}
	slices.SortStableFunc(places, func(p, q place) int { return int(min(max(p.off-q.off, -1), 1)) })
	for _, p := range places {
		left, right := block{}, block{}
		for _, cell := range b.cells {
			side := &left
			if int(bins[cell]) >= p.bin {
				side = &right
			}
			side.cells = append(side.cells, cell)
			side.records += d.records(cell)
		}
		if d.keeps(left) && d.keeps(right) {
			return left, right, true
		}
	}
	return b, block{}, false
}

// keeps reports whether all heavy values, even absent ones, keep the rule in a block.
func (d *division) keeps(b block) bool {
	clear(d.count)
	for _, cell := range b.cells {
		for at := d.Start[cell]; at < d.Start[cell+1]; at++ {
			if d.Sensitive[at] != light {
				d.count[d.Sensitive[at]] += d.Records[at]
			}
		}
	}
	for v, n := range d.count {
		if !d.rule.keeps(n, b.records, d.Total[v]) {
			return false
		}
	}
	return true
}
