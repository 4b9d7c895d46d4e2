package planes

import (
	"encoding/binary"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
)

// maxLaneWidth is the greatest number of bits of a group size for which groups are processed
// one by one.
const maxLaneWidth = 8

// maxMoments is the greatest number of sums per core: 40 bytes per box and group size.
const maxMoments = 1 << 18

// manyLanes is the number of groups of a block from which on the counts of all 64 are unpacked.
const manyLanes = 10

// A laneWorker processes groups one by one, where multiplying their counts bit by bit does not
// suffice.
type laneWorker struct {
	// met has, per side, counted set and block of the chunk, the groups with a record.
	met [][][]uint64
	// unpacked has, per side and counted set, the numbers of records of the 64 groups of block
	// unpackedOf-1.
	unpacked   [][][lanes]uint8
	unpackedOf [][]int
	few        [][lanes]uint8 // by side, if only some groups are unpacked
	counts     []*[lanes]uint8
}

func newLaneWorker(k *kernel) *laneWorker {
	w := &laneWorker{few: make([][lanes]uint8, len(k.sides)), counts: make([]*[lanes]uint8, len(k.sides))}
	for _, s := range k.sides {
		met := make([][]uint64, len(s.counted))
		for set := range met {
			met[set] = make([]uint64, k.layout.maxBlocks)
		}
		w.met = append(w.met, met)
		w.unpacked = append(w.unpacked, make([][lanes]uint8, len(s.counted)))
		w.unpackedOf = append(w.unpackedOf, make([]int, len(s.counted)))
	}
	return w
}

// fitsLanes reports whether groups are small enough to process one by one, and the sums few and
// below 2^63.
func (k *kernel) fitsLanes(b *figures.Boxes) bool {
	width := k.layout.width()
	return width <= maxLaneWidth && len(k.layout.sizes)*len(b.List) <= maxMoments && bits.Len(uint(k.layout.groups))+2*width*len(k.sides) <= 63
}

// addBoxes adds the given groups of block b, which have one size, to all boxes.
func (w *kernelWorker) addBoxes(b int, groups uint64, size int) {
	block := b - w.first
	for i, x := range w.boxes.List {
		met := groups
		for s, set := range x.Sets {
			met &= w.lanes.met[s][set][block]
		}
		if met == 0 {
			continue
		}
		for s, set := range x.Sets {
			w.lanes.counts[s] = w.unpack(s, set, b, met)
		}
		addGroups(&w.totals.Moments[size*len(w.boxes.List)+i], w.lanes.counts, met, uint64(w.layout.sizes[size]))
	}
}

// spreadBits[x] has bit i of x in byte i.
var spreadBits = func() (table [256]uint64) {
	for i := range table {
		for bit := range 8 {
			table[i] |= uint64(i>>bit&1) << (8 * bit)
		}
	}
	return table
}()

// unpack returns the numbers of records of a counted set in at least the given groups of block
// b. The result is valid until the next call for the side.
func (w *kernelWorker) unpack(s, set, b int, groups uint64) *[lanes]uint8 {
	place := w.place(b)
	planes := w.counts[s][set][place : place+w.width]
	l := w.lanes
	if l.unpackedOf[s][set] == b+1 {
		return &l.unpacked[s][set]
	}
	if bits.OnesCount64(groups) < manyLanes {
		few := &l.few[s]
		for ; groups != 0; groups &= groups - 1 {
			lane := bits.TrailingZeros64(groups)
			few[lane] = countOf(planes, lane)
		}
		return few
	}
	all := &l.unpacked[s][set]
	for at := 0; at < lanes; at += 8 {
		counts := uint64(0)
		for bit, plane := range planes {
			counts |= spreadBits[uint8(plane>>at)] << bit
		}
		binary.LittleEndian.PutUint64(all[at:], counts)
	}
	l.unpackedOf[s][set] = b + 1
	return all
}

// countOf returns one group's count.
func countOf(planes []uint64, lane int) uint8 {
	count := uint64(0)
	for bit, plane := range planes {
		count |= plane >> lane & 1 << bit
	}
	return uint8(count)
}

// addGroups adds the given groups of m records each.
func addGroups(t *figures.BoxMoments, counts []*[lanes]uint8, groups, m uint64) {
	if len(counts) == 2 {
		addPairsOfCounts(t, counts[0], counts[1], groups, m)
		return
	}
	sum := *t
	others := uint64(len(counts)-1) * m
	x, y := counts[0], counts[1]
	for ; groups != 0; groups &= groups - 1 {
		lane := bits.TrailingZeros64(groups) % lanes
		a, b := uint64(x[lane]), uint64(y[lane])
		product, less, total, high := a*b, (a-1)*(b-1), a+b, min(a, b)
		for _, side := range counts[2:] {
			c := uint64(side[lane])
			product *= c
			less *= c - 1
			total += c
			high = min(high, c)
		}
		sum.Products += product
		sum.Pairs += product * less
		sum.Squares += product * product
		sum.Low += max(total, others) - others
		sum.High += high
	}
	*t = sum
}

// addPairsOfCounts is addGroups for two sides, the most common case.
func addPairsOfCounts(t *figures.BoxMoments, x, y *[lanes]uint8, groups, m uint64) {
	sum := *t
	for ; groups != 0; groups &= groups - 1 {
		lane := bits.TrailingZeros64(groups) % lanes
		a, b := uint64(x[lane]), uint64(y[lane])
		product := a * b
		sum.Products += product
		sum.Pairs += product * (product - a - b + 1)
		sum.Squares += product * product
		sum.Low += max(a+b, m) - m
		sum.High += min(a, b)
	}
	*t = sum
}
