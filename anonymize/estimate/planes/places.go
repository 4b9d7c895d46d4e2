package planes

import (
	"context"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Places are the bit planes of completed tables. A column's word has one bit of the code of record j of
// 64 groups; a table's word has one bit of the place that row j of 64 groups has in a fragment. The
// rows of a class are then the class's words, selected by the bits of the places as in a multiplexer:
// about 3 operations on 64 rows for every record of the tallest group.
type Places struct {
	store *Store
	// word has, by table, fragment beyond the first and bit, a word per row.
	word [][][][]uint64
}

// maxPlaceHeight is the greatest number of records of a group; beyond it, a look-up per row is faster.
const maxPlaceHeight = 64

// maxPlaceOperations is the greatest number of operations per row and table.
const maxPlaceOperations = 4

// placeBits returns the number of bits of a place; 0 if there are no planes or groups are too tall.
func (p *Store) placeBits() int {
	if p.Layout == nil || len(p.Layout.sizes) == 0 || p.Layout.tallest() > maxPlaceHeight {
		return 0
	}
	return max(1, bits.Len(uint(p.Layout.tallest()-1)))
}

// tallest returns the number of records of the largest group.
func (l *layout) tallest() int { return int(l.sizes[len(l.sizes)-1]) }

// PlacesBytes returns the memory of the Places of a completion.
func (p *Store) PlacesBytes(c *anonymize.Completion) int64 {
	if p.placeBits() == 0 {
		return 0
	}
	return 8 * int64(c.Tables) * int64(len(p.release.Fragments)-1) * int64(p.placeBits()) * int64(p.Layout.blockStart[p.Layout.blocks()])
}

// NewPlaces makes the planes of a completion for which PlanPlaces returned a kernel, in parallel. Cost: about 3 ns per record, table and core.
func (p *Store) NewPlaces(ctx context.Context, c *anonymize.Completion) (*Places, error) {
	t, width := &Places{store: p}, p.placeBits()
	words := p.Layout.blockStart[p.Layout.blocks()]
	for range c.Tables {
		table := make([][][]uint64, len(p.release.Fragments)-1)
		for f := range table {
			for range width {
				table[f] = append(table[f], make([]uint64, words))
			}
		}
		t.word = append(t.word, table)
	}
	first := make([]int, len(p.release.GroupSizes)) // by group: its first record
	for g := range len(first) - 1 {
		first[g+1] = first[g] + int(p.release.GroupSizes[g])
	}
	err := parallel.Run(ctx, p.Layout.chunks(), func(chunk int) error {
		for b := int(p.Layout.chunkStart[chunk]); b < int(p.Layout.chunkStart[chunk+1]); b++ {
			t.fill(c, b, first)
		}
		return nil
	})
	return t, err
}

// fill sets the places of block b.
func (t *Places) fill(c *anonymize.Completion, b int, first []int) {
	l := t.store.Layout
	for lane := range min(lanes, l.groups-b*lanes) {
		g := l.group(b*lanes + lane)
		for d, table := range t.word {
			for f, words := range table {
				places := c.Narrow[d][f][first[g]:][:t.store.release.GroupSizes[g]]
				for bit, word := range words {
					word := word[l.blockStart[b]:][:len(places)]
					for row, place := range places {
						word[row] |= uint64(place>>bit&1) << lane
					}
				}
			}
		}
	}
}

// PlanPlaces returns the kernel that counts the rows of tables by the classes of sides; nil if
// looking at every row takes fewer operations.
func (p *Store) PlanPlaces(sides []*question.Side, fragments []int) *kernel {
	if p.placeBits() == 0 {
		return nil
	}
	k, reason := p.planKernel(sides, maxKernelClasses, joinCost)
	if reason != "" || k.placeOperations(fragments) > maxPlaceOperations {
		return nil
	}
	for i, s := range sides {
		p.attachPlanes(k.sides[i], s)
	}
	k.weighs = false
	return k
}

// Count returns, by table, the number of rows of every combination of one class per side, with the first side as the fastest digit.
func (t *Places) Count(ctx context.Context, k *kernel, fragments []int) ([][]uint32, error) {
	newWorker := func(int) *placeWorker { return newPlaceWorker(t, k, fragments) }
	workers, err := parallel.Collect(ctx, parallel.All, k.layout.chunks(), newWorker, func(w *placeWorker, chunk int) error {
		w.chunk(int(k.layout.chunkStart[chunk]), int(k.layout.chunkStart[chunk+1]))
		return nil
	})
	if err != nil {
		return nil, err
	}
	total := newPlaceCounts(k, len(t.word))
	for _, w := range workers {
		for d, counts := range w.counted {
			for i, n := range counts {
				total[d][i] += n
			}
		}
	}
	return total, nil
}

// placeOperations estimates the number of operations per row and table.
func (k *kernel) placeOperations(fragments []int) float64 {
	moved := 0
	for i, s := range k.sides {
		if fragments[i] > 0 {
			moved += s.classes
		}
	}
	return float64(3*(moved*k.layout.tallest()+k.combinations)) / lanes
}

func newPlaceCounts(k *kernel, tables int) [][]uint32 {
	counts := make([][]uint32, tables)
	for d := range counts {
		counts[d] = make([]uint32, k.combinations)
	}
	return counts
}

// A placeWorker has one core's counts and scratch space.
type placeWorker struct {
	*kernelWorker
	places    *Places
	fragments []int // of the sides
	counted   [][]uint32
	found     [][][]uint64           // by side and class: the records in the chunk
	choices   [][]placeChoice        // by side beyond fragment 0 and class, for the block
	moved     [][][]uint64           // by side and class: the rows
	bits      [][]uint64             // of the places of a table and a fragment
	rows      [][]uint64             // by side: the rows with the classes of the sides before it
	zeros     [maxPlaceHeight]uint64 // for bits that no place has
}

func newPlaceWorker(t *Places, k *kernel, fragments []int) *placeWorker {
	w := &placeWorker{kernelWorker: newKernelWorker(k), places: t, fragments: fragments, counted: newPlaceCounts(k, len(t.word))}
	for _, s := range k.sides {
		var found, moved [][]uint64
		for range s.classes {
			found, moved = append(found, make([]uint64, k.layout.maxWords)), append(moved, make([]uint64, maxPlaceHeight))
		}
		w.found, w.moved = append(w.found, found), append(w.moved, moved)
		w.choices, w.rows = append(w.choices, make([]placeChoice, s.classes)), append(w.rows, make([]uint64, maxPlaceHeight))
	}
	return w
}

// chunk counts the blocks first..end-1.
func (w *placeWorker) chunk(first, end int) {
	from, to := w.layout.blockStart[first], w.layout.blockStart[end]
	for i, s := range w.sides {
		w.findAll(s, from, to)
		for class, found := range w.found[i] {
			copy(found, w.recordsOf(s, class))
		}
	}
	for b := first; b < end; b++ {
		w.block(b, int(w.layout.blockStart[b]-from), int(w.layout.blockStart[b+1]-w.layout.blockStart[b]))
	}
}

// block counts block b, whose words begin at at.
func (w *placeWorker) block(b, at, height int) {
	rows := w.rows[0][:height]
	for j := range rows {
		rows[j] = ^lanesFrom(b, w.layout.groups)
	}
	w.layout.clip(b, rows)
	for i, fragment := range w.fragments {
		for class := range w.found[i] {
			words := w.found[i][class][at : at+height]
			if fragment > 0 {
				w.choices[i][class].set(words)
				continue
			}
			w.moved[i][class] = words // rows are ordered by fragment 0
		}
	}
	if last := len(w.sides) - 1; w.combinations == 1 && len(w.fragments)-last == 1 && w.fragments[0] == 0 && last == 1 {
		andWords(rows, rows, w.moved[0][0])
		for d, counts := range w.counted {
			w.setBits(d, w.fragments[last], b, height)
			counts[0] += w.choices[last][0].count(rows, w.bits)
		}
		return
	}
	for d := range w.counted {
		for i, fragment := range w.fragments {
			if fragment == 0 {
				continue
			}
			w.setBits(d, fragment, b, height)
			for class := range w.choices[i] {
				w.choices[i][class].move(w.moved[i][class][:height], w.bits)
			}
		}
		w.add(w.counted[d], 0, 0, rows)
	}
}

// setBits sets bits to the place bits of block b in a table.
func (w *placeWorker) setBits(table, fragment, b, height int) {
	w.bits = w.bits[:0]
	for _, word := range w.places.word[table][fragment-1] {
		w.bits = append(w.bits, word[w.layout.blockStart[b]:][:height])
	}
	for len(w.bits) < 6 {
		w.bits = append(w.bits, w.zeros[:height])
	}
}

// add counts, among the given rows, the combinations of classes of the sides from i on, and adds to counts from index on.
func (w *placeWorker) add(counts []uint32, i, index int, rows []uint64) {
	stride, isLast := w.sides[i].stride, i == len(w.sides)-1
	for class, moved := range w.moved[i] {
		moved = moved[:len(rows)]
		if isLast {
			n := 0
			for j, word := range rows {
				n += bits.OnesCount64(word & moved[j])
			}
			counts[index+class*stride] += uint32(n)
			continue
		}
		next := w.rows[i+1][:len(rows)]
		andWords(next, rows, moved)
		if slices.ContainsFunc(next, func(word uint64) bool { return word != 0 }) {
			w.add(counts, i+1, index+class*stride, next)
		}
	}
}

// A placeChoice has the words of a block from which places select, and the differences of neighbouring pairs.
type placeChoice struct {
	eights int
	word   [maxPlaceHeight]uint64
	differ [maxPlaceHeight / 2]uint64
}

func (c *placeChoice) set(words []uint64) {
	c.eights = (len(words) + 7) / 8
	n := copy(c.word[:], words)
	clear(c.word[n : 8*c.eights])
	for i := range 4 * c.eights {
		c.differ[i] = c.word[2*i] ^ c.word[2*i+1]
	}
}

// move selects a word for every row.
func (c *placeChoice) move(to []uint64, places [][]uint64) {
	p0, p1, p2 := places[0][:len(to)], places[1][:len(to)], places[2][:len(to)]
	if c.eights == 1 {
		word, differ := (*[8]uint64)(c.word[:]), (*[4]uint64)(c.differ[:])
		for j := range to {
			to[j] = chooseOf8(word, differ, p0[j], p1[j], p2[j])
		}
		return
	}
	for j := range to {
		to[j] = c.chooseOf64(p0[j], p1[j], p2[j], places[3][j], places[4][j], places[5][j])
	}
}

// count selects for the given rows and counts those of the class.
func (c *placeChoice) count(rows []uint64, places [][]uint64) uint32 {
	p0, p1, p2 := places[0][:len(rows)], places[1][:len(rows)], places[2][:len(rows)]
	n := 0
	if c.eights == 1 {
		word, differ := (*[8]uint64)(c.word[:]), (*[4]uint64)(c.differ[:])
		for j, row := range rows {
			n += bits.OnesCount64(row & chooseOf8(word, differ, p0[j], p1[j], p2[j]))
		}
		return uint32(n)
	}
	for j, row := range rows {
		if row != 0 {
			n += bits.OnesCount64(row & c.chooseOf64(p0[j], p1[j], p2[j], places[3][j], places[4][j], places[5][j]))
		}
	}
	return uint32(n)
}

// chooseOf8 selects one of eight words, bit by bit.
func chooseOf8(word *[8]uint64, differ *[4]uint64, p0, p1, p2 uint64) uint64 {
	a, b := word[0]^p0&differ[0], word[2]^p0&differ[1]
	c, d := word[4]^p0&differ[2], word[6]^p0&differ[3]
	a ^= p1 & (a ^ b)
	c ^= p1 & (c ^ d)
	return a ^ p2&(a^c)
}

func (c *placeChoice) chooseOf64(p0, p1, p2, p3, p4, p5 uint64) uint64 {
	var chosen [8]uint64
	for i := range c.eights {
		chosen[i] = chooseOf8((*[8]uint64)(c.word[8*i:]), (*[4]uint64)(c.differ[4*i:]), p0, p1, p2)
	}
	differ := [4]uint64{chosen[0] ^ chosen[1], chosen[2] ^ chosen[3], chosen[4] ^ chosen[5], chosen[6] ^ chosen[7]}
	return chooseOf8(&chosen, &differ, p3, p4, p5)
}
