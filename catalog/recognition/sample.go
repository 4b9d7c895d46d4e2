package recognition

import (
	"context"
	"slices"
)

// A sample has the combinations of a set of columns with the smallest hashes (bottom-k, Cohen
// and Kaplan 2007), and their record counts. The choice depends only on the combinations: below
// the smaller bound of two samples both are complete.
type sample struct {
	columns []int
	// shift maps a hash to its cell, the stored part of it.
	shift uint
	// bound is the last cell up to which the sample is complete.
	bound uint64
	// times divides all counts: every record occurred that many times.
	times int
	cells []uint64 // ascending
	count []uint32 // divided by times
}

// cellBits is the binary logarithm of cells per combination: one of 2^cellBits distinct
// combinations collides with another.
const cellBits = 12

// A gatherer collects a sample hash by hash in an open-addressing table of counts. When the
// table is full, it discards the greater half.
type gatherer struct {
	size   int
	bound  uint64
	hashes []uint64 // 0 for a free place
	counts []uint32
	used   int
	whole  bool // nothing was discarded
}

func newGatherer(size int) *gatherer {
	places := 1
	for places < 4*size {
		places *= 2
	}
	return &gatherer{size: size, bound: ^uint64(0), hashes: make([]uint64, places), counts: make([]uint32, places), whole: true}
}

func (g *gatherer) add(hash uint64, n uint32) {
	hash = max(hash, 1)
	mask := uint64(len(g.hashes) - 1)
	at := hash & mask
	for g.hashes[at] != hash {
		if g.hashes[at] == 0 {
			g.hashes[at] = hash
			g.used++
			break
		}
		at = (at + 1) & mask
	}
	g.counts[at] += n
	if g.used == 2*g.size {
		g.shrink()
	}
}

// shrink keeps the size smallest hashes.
func (g *gatherer) shrink() {
	hashes, counts := g.sorted()
	clear(g.hashes)
	clear(g.counts)
	g.used, g.whole, g.bound = 0, false, hashes[g.size-1]
	for i := range g.size {
		g.add(hashes[i], counts[i])
	}
}

func (g *gatherer) sorted() (hashes []uint64, counts []uint32) {
	places := make([]int, 0, g.used)
	for at, hash := range g.hashes {
		if hash != 0 {
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b int) int {
		if g.hashes[a] < g.hashes[b] {
			return -1
		}
		return 1
	})
	for _, at := range places {
		hashes, counts = append(hashes, g.hashes[at]), append(counts, g.counts[at])
	}
	return hashes, counts
}

// finish returns the sample.
func (g *gatherer) finish(columns []int) *sample {
	if g.used > g.size {
		g.shrink()
	}
	hashes, counts := g.sorted()
	s := &sample{columns: columns, times: 1}
	reach := g.bound
	if g.whole {
		reach = ^uint64(0)
	}
	for s.shift = 0; s.shift < 63 && reach>>s.shift > uint64(max(len(hashes), 1))<<cellBits; s.shift++ {
	}
	s.bound = reach >> s.shift
	for i, hash := range hashes {
		cell := hash >> s.shift
		if n := len(s.cells); n > 0 && s.cells[n-1] == cell {
			s.count[n-1] += counts[i]
			continue
		}
		s.cells, s.count = append(s.cells, cell), append(s.count, counts[i])
	}
	s.times = divide(s.count)
	return s
}

// divide divides counts by their greatest common divisor and returns it: doubling a table's
// rows doubles its counts.
func divide[N uint32 | int](counts []N) int {
	common := N(0)
	for _, n := range counts {
		for b := n; b != 0; {
			common, b = b, common%b
		}
	}
	if common < 2 {
		return 1
	}
	for i := range counts {
		counts[i] /= common
	}
	return int(common)
}

// share returns the share of all combinations within a bound.
func (s *sample) share(bound uint64) float64 {
	return min(1, (float64(bound)+1)/float64(uint64(1)<<63>>s.shift)/2)
}

// block is a number of rows of which some ten columns fit into a cache.
const block = 4096

// pass calls take, for every set of columns, with the hashes of all records restricted to the
// set, as far as they are within the bound.
func pass(ctx context.Context, codes [][]uint32, hashes [][]uint64, sets [][]int, bound func(set int) uint64, take func(set int, hash uint64)) error {
	if len(codes) == 0 {
		return nil
	}
	rows := len(codes[0])
	needed := make([]bool, len(codes))
	for _, set := range sets {
		for _, c := range set {
			needed[c] = true
		}
	}
	blocks, sums := make([][]uint64, len(codes)), make([]uint64, block)
	for i := range blocks {
		blocks[i] = make([]uint64, block)
	}
	for first := 0; first < rows; first += block {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(first+block, rows)
		for c := range codes {
			if !needed[c] {
				continue
			}
			of, to := hashes[c], blocks[c]
			for i, code := range codes[c][first:end] {
				to[i] = of[code]
			}
		}
		for at, set := range sets {
			add(sums[:end-first], blocks, set)
			limit := bound(at)
			for _, sum := range sums[:end-first] {
				if hash := scramble(sum); hash <= limit {
					take(at, hash)
					limit = bound(at)
				}
			}
		}
	}
	return nil
}

// add adds up columns.
func add(sums []uint64, blocks [][]uint64, set []int) {
	copy(sums, blocks[set[0]])
	rest := set[1:]
	for ; len(rest) >= 2; rest = rest[2:] {
		a, b := blocks[rest[0]][:len(sums)], blocks[rest[1]][:len(sums)]
		for i := range sums {
			sums[i] += a[i] + b[i]
		}
	}
	if len(rest) == 1 {
		a := blocks[rest[0]][:len(sums)]
		for i := range sums {
			sums[i] += a[i]
		}
	}
}
