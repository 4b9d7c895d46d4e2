package completed

import (
	"context"
	"encoding/binary"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

func (p *pairedJoin) release() *anonymize.Release { return p.completed.release }

// meetingSums are sums by class of rows, the dead ones last: the number of rows of a table,
// what the rows meet, by digit, and their own values, by measure.
type meetingSums struct {
	rows     []uint64
	met, own [][]uint64
}

func (p *pairedJoin) newSums() *meetingSums {
	classes := p.Sides[p.Key].Classes + 1
	s := &meetingSums{rows: make([]uint64, classes)}
	for range p.digits {
		s.met = append(s.met, make([]uint64, classes))
	}
	for range p.Own {
		s.own = append(s.own, make([]uint64, classes))
	}
	return s
}

func (s *meetingSums) add(other *meetingSums) {
	addAll(s.rows, other.rows)
	for i := range s.met {
		addAll(s.met[i], other.met[i])
	}
	for i := range s.own {
		addAll(s.own[i], other.own[i])
	}
}

func addAll(sums, others []uint64) {
	for i, x := range others {
		sums[i] += x
	}
}

// meetAll adds up all blocks in parallel.
func (p *pairedJoin) meetAll(ctx context.Context) (*meetingSums, error) {
	workers, err := parallel.Collect(ctx, parallel.All, len(p.completed.Blocks)-1, func(int) *pairedWorker { return p.newWorker() },
		func(w *pairedWorker, b int) error {
			w.block(b)
			return nil
		})
	total := p.newSums()
	for _, w := range workers {
		w.flush()
		total.add(w.found)
	}
	return total, err
}

// A pairedWorker has one core's scratch space, so that blocks need no allocation.
type pairedWorker struct {
	*pairedJoin
	found   *meetingSums
	classOf []uint32 // of the keys' side, by code; dead codes have the number of classes
	space   question.CodeScratch
	others  []*liveSide // by side
	met     []uint8     // by tuple of the rows' fragment, two bytes each
	// packed has, by class, the first digit's sum over the last blocks, with the number of rows
	// from bit rowShift on.
	packed  []uint64
	records int
}

// The low 40 bits of a packed word hold the sums of 2^20 rows without overflow.
const (
	rowShift      = 40
	packedRecords = 1 << 20
)

func (p *pairedJoin) newWorker() *pairedWorker {
	w := &pairedWorker{pairedJoin: p, found: p.newSums(), others: make([]*liveSide, len(p.Sides)),
		met: make([]uint8, 2*(p.completed.MostSlots+pairLanes)), packed: make([]uint64, p.Sides[p.Key].Classes+1)}
	for _, class := range p.Sides[p.Key].ClassOfCode() {
		w.classOf = append(w.classOf, min(class, uint32(p.Sides[p.Key].Classes)))
	}
	for s, side := range p.Sides {
		if s != p.Key {
			w.others[s] = newLiveSide(side)
		}
	}
	return w
}

func (w *pairedWorker) block(b int) {
	from, to := w.completed.Blocks[b], w.completed.Blocks[b+1]
	if w.records += to.record - from.record; w.records > packedRecords {
		w.flush()
		w.records = to.record - from.record
	}
	f := w.Sides[w.Key].Fragment
	starts := f.GroupStart[from.group : to.group+1]
	first, end := starts[0], starts[len(starts)-1]
	counts, keys, classOf := f.Count[first:end], w.Sides[w.Key].CodesBetween(first, end, &w.space), w.classOf
	for i, d := range w.digits {
		s := w.sums[d.sum]
		codes := w.others[s.Side].codesOf(w.Sides[s.Side].Units[s.Unit].Codes, uint32(len(d.values)-1), from.group, to.group)
		others, pairs := w.Sides[s.Side].Fragment.GroupStart[from.group:to.group+1], w.pairs[s.Side]
		meet(w.met, pairs.words[pairs.starts[b]:], starts, others, codes, d.values)
		if i == 0 {
			addMet(w.packed, 1<<rowShift, classOf, keys, counts, w.met)
		} else {
			addMet(w.found.met[i], 0, classOf, keys, counts, w.met)
		}
	}
	for i, s := range w.ownSums {
		own := w.Sides[w.Key].Units[s.Unit].Codes[first:end]
		for t, code := range keys {
			w.found.own[i][classOf[code]] += uint64(counts[t]) * s.whole[own[t]]
		}
	}
}

// flush moves the packed sums to found.
func (w *pairedWorker) flush() {
	for class, sum := range w.packed {
		w.found.rows[class] += sum >> rowShift
		w.found.met[0][class] += sum & (1<<rowShift - 1)
		w.packed[class] = 0
	}
}

// tupleLanes masks four numbers of a word of pairLanes; laneMost is the greatest sum in their lanes.
const (
	tupleLanes = 0x00ff00ff00ff00ff
	laneMost   = 1<<16 - 1
)

// meet computes, for every tuple of the rows' fragment in a block, the sum over the other
// fragment's tuples of its group of the number of rows with both, times the value of the other
// tuple's code. A sum has two bytes; eight tuples are added up in parallel, in two words. What
// meet writes behind the last tuple of a group is overwritten by the next group, or never read.
//
//go:noinline
func meet(sums []uint8, words []uint64, rows, others, codes []uint32, values []uint64) {
	others = others[:len(rows)]
	for g := 1; g < len(rows); g++ {
		tuples, n := rows[g]-rows[g-1], others[g]-others[g-1]
		met := codes[:n]
		codes = codes[n:]
		for range strips(tuples) {
			first, second := uint64(0), uint64(0)
			strip := words[:len(met)]
			words = words[len(met):]
			for i, code := range met {
				value := values[code]
				first += strip[i] & tupleLanes * value
				second += strip[i] >> 8 & tupleLanes * value
			}
			written := min(tuples, pairLanes)
			tuples -= written
			binary.LittleEndian.PutUint64(sums, first)
			binary.LittleEndian.PutUint64(sums[8:], second)
			sums = sums[2*written:]
		}
	}
}

// addMet adds what the tuples met to the sums of their classes, and each for every row.
//
//go:noinline
func addMet(sums []uint64, each uint64, classOf, codes, counts []uint32, met []uint8) {
	counts = counts[:len(codes)]
	for t, code := range codes {
		sums[classOf[code]] += uint64(binary.LittleEndian.Uint16(met[2*t:])) + uint64(counts[t])*each
	}
}
