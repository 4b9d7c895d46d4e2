package completed

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A pairCounts has, for every pair of tuples of a group (one of the rows' fragment, one of
// another fragment), the number of rows of all completed tables with both. The mean over all
// tables of what a row meets is then a sum over the tuples of its group, weighted by these
// numbers; no table is read.
//
// A number is a byte; a word has those of eight tuples of the rows' fragment. Words are ordered
// by group, by strip of eight tuples, by tuple of the other fragment.
type pairCounts struct {
	row, other int // fragments
	words      []uint64
	starts     []int  // by block of Tables: where its words begin
	most       uint32 // the greatest number of rows of a table with one tuple
}

// pairLanes is the number of numbers in a word.
const pairLanes = 8

// pairShift returns the position of a tuple's number in its word. The first four tuples have
// every second byte, so that a mask turns them into four lanes of two bytes.
func pairShift(tuple int) int { return 16*(tuple%4) + 8*(tuple/4%2) }

// maxPairRows is the greatest number of rows that fits a byte.
const maxPairRows = 1<<8 - 1

// strips returns the number of words that hold a number for each tuple.
func strips(tuples uint32) int { return (int(tuples) + pairLanes - 1) / pairLanes }

// pairsOf returns the numbers of two fragments, counted on first use; nil if they would take
// more than maxPairBytes, or a number more than a byte.
func (c *Tables) pairsOf(ctx context.Context, row, other int) (*pairCounts, error) {
	select {
	case c.making <- struct{}{}:
		defer func() { <-c.making }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for _, p := range c.pairs {
		if p.row == row && p.other == other {
			return p.orNil(), nil
		}
	}
	p := c.placePairs(row, other)
	var err error
	if p.words != nil && c.Completion.Narrow != nil {
		err = fillPairs(ctx, c, c.Completion.Narrow, p)
	} else if p.words != nil {
		err = fillPairs(ctx, c, c.Completion.Wide, p)
	}
	if err != nil {
		return nil, err
	}
	if c.pairs = append(c.pairs, p); len(c.pairs) > c.maxPairs() {
		c.pairs = c.pairs[1:]
	}
	return p.orNil(), nil
}

// orNil returns nil if there are no numbers.
func (p *pairCounts) orNil() *pairCounts {
	if p.words == nil {
		return nil
	}
	return p
}

// maxPairs is the number of pairCounts to keep.
func (c *Tables) maxPairs() int { return len(c.release.Fragments) - 1 }

// maxPairBytes is the most memory of a pairCounts: twice that of a fragment's places in all
// tables. Beyond it, reading the places is no slower.
func (c *Tables) maxPairBytes() int { return 2 * c.Completion.Tables * c.release.Rows }

// placePairs computes where each block's words begin.
func (c *Tables) placePairs(row, other int) *pairCounts {
	p, fragments, words := &pairCounts{row: row, other: other, most: 1}, c.release.Fragments, 0
	rows, others := fragments[row].GroupStart, fragments[other].GroupStart
	for b, from := range c.Blocks[:len(c.Blocks)-1] {
		p.starts = append(p.starts, words)
		for g := from.group; g < c.Blocks[b+1].group; g++ {
			words += int(others[g+1]-others[g]) * strips(rows[g+1]-rows[g])
		}
	}
	for _, n := range fragments[row].Count {
		p.most = max(p.most, n)
	}
	if 8*words <= c.maxPairBytes() && int(p.most)*c.Completion.Tables <= maxPairRows {
		p.words = make([]uint64, words)
	}
	return p
}

// fillPairs counts in parallel over the blocks until ctx ends.
func fillPairs[P place](ctx context.Context, c *Tables, places [][][]P, p *pairCounts) error {
	newFiller := func(int) *pairFiller[P] { return newPairFiller(c, places, p) }
	_, err := parallel.Collect(ctx, parallel.All, len(p.starts), newFiller, func(f *pairFiller[P], b int) error {
		f.block(b)
		return nil
	})
	return err
}

// A pairFiller has one core's scratch space.
type pairFiller[P place] struct {
	*pairCounts
	completed *Tables
	places    [][][]P
	// tuple has the tuple of every slot of a group, in the rows' and in the other fragment.
	tuple [2][]int
}

func newPairFiller[P place](c *Tables, places [][][]P, p *pairCounts) *pairFiller[P] {
	return &pairFiller[P]{pairCounts: p, completed: c, places: places, tuple: [2][]int{make([]int, c.MostSlots), make([]int, c.MostSlots)}}
}

// block counts block b in all tables.
func (f *pairFiller[P]) block(b int) {
	r := f.completed.release
	at, record := f.starts[b], f.completed.Blocks[b].record
	for g := f.completed.Blocks[b].group; g < f.completed.Blocks[b+1].group; g++ {
		size := int(r.GroupSizes[g])
		rows, others := f.tuples(0, r.Fragments[f.row], g), f.tuples(1, r.Fragments[f.other], g)
		for d := range f.places {
			for slot := record; slot < record+size; slot++ {
				row, other := slot-record, slot-record // in fragment 0
				if f.row > 0 {
					row = int(f.places[d][f.row-1][slot])
				}
				if f.other > 0 {
					other = int(f.places[d][f.other-1][slot])
				}
				row, other = f.tuple[0][row], f.tuple[1][other]
				f.words[at+row/pairLanes*others+other] += 1 << pairShift(row)
			}
		}
		at, record = at+others*strips(uint32(rows)), record+size
	}
}

// tuples lists the tuple of each slot of group g in a fragment and returns the number of tuples.
func (f *pairFiller[P]) tuples(which int, fragment *anonymize.Fragment, g int) int {
	from, to, slot := fragment.GroupStart[g], fragment.GroupStart[g+1], 0
	for t, n := range fragment.Count[from:to] {
		for range n {
			f.tuple[which][slot] = t
			slot++
		}
	}
	return int(to - from)
}
