package completed

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A pairCounts says, for every two tuples of a group, one of the rows' fragment and one of
// another, how many rows of all completed tables have both. A mean over all tables of what a
// row meets is a sum over the tuples of its group, weighed by these numbers, so that no table
// is looked at.
//
// The numbers are bytes, those of eight tuples of the rows' fragment in a word: group by group,
// eight tuples by eight tuples, a word for every tuple of the other fragment.
type pairCounts struct {
	row, other int // fragments
	words      []uint64
	starts     []int  // by block of the Completed, where its words begin
	most       uint32 // rows of a table have one tuple
}

// pairLanes is how many numbers are in a word.
const pairLanes = 8

// pairShift is where the number of a tuple is in its word: those of the first four tuples are
// every second byte, so that they become four lanes of two bytes by a mask.
func pairShift(tuple int) int { return 16*(tuple%4) + 8*(tuple/4%2) }

// maxPairRows is how many rows fit a number.
const maxPairRows = 1<<8 - 1

// strips is how many words hold a number of so many tuples.
func strips(tuples uint32) int { return (int(tuples) + pairLanes - 1) / pairLanes }

// pairsOf returns the numbers of two fragments, made on first use; nil where they would take
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

// orNil is nil where there are no numbers.
func (p *pairCounts) orNil() *pairCounts {
	if p.words == nil {
		return nil
	}
	return p
}

// maxPairs is how many pairCounts are kept.
func (c *Tables) maxPairs() int { return len(c.release.Fragments) - 1 }

// maxPairBytes is the most that one takes: twice the memory of the places of a fragment in
// all tables, where to look at these is no slower.
func (c *Tables) maxPairBytes() int { return 2 * c.Completion.Tables * c.release.Rows }

// placePairs finds the places of the numbers.
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

// fillPairs counts, the blocks split over the cores, until the context ends.
func fillPairs[P place](ctx context.Context, c *Tables, places [][][]P, p *pairCounts) error {
	newFiller := func(int) *pairFiller[P] { return newPairFiller(c, places, p) }
	_, err := parallel.Collect(ctx, parallel.All, len(p.starts), newFiller, func(f *pairFiller[P], b int) error {
		f.block(b)
		return nil
	})
	return err
}

// A pairFiller holds one core's scratch space.
type pairFiller[P place] struct {
	*pairCounts
	completed *Tables
	places    [][][]P
	// tuple has, of the rows' fragment and the other, the tuple of every slot of a group.
	tuple [2][]int
}

func newPairFiller[P place](c *Tables, places [][][]P, p *pairCounts) *pairFiller[P] {
	return &pairFiller[P]{pairCounts: p, completed: c, places: places, tuple: [2][]int{make([]int, c.MostSlots), make([]int, c.MostSlots)}}
}

// block counts all tables of block b.
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

// tuples finds the tuples of the slots of group g in a fragment, and how many there are.
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
