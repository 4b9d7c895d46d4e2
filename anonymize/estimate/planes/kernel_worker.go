package planes

import "math/bits"

// A kernelWorker has one core's scratch space, so that chunks need no allocation.
type kernelWorker struct {
	*kernel
	totals kernelTotals
	// vectors are the vectors of the running program; registers, by unit of a side, hold its
	// results; zeros and ones are constants.
	vectors     [][]uint64
	registers   [][][]uint64
	zeros, ones []uint64
	// match has the records of every class of every unit of a side; class has those of one
	// class of the side.
	match   [][][]uint64
	class   []uint64
	union   []uint64    // the records of several classes
	column  []uint64    // scratch of addUp: the words of a block
	lanes   *laneWorker // nil without boxes
	reaches []*reaches  // by side, nil without ranges
	// counts has, per side, counted set and block of the chunk, the number of records of each
	// of the 64 groups, as width bit planes.
	counts [][][]uint64
	width  int
	// first is the first block of the chunk. alive says, per block of the chunk, whether every
	// side so far has a match. some is scratch.
	first int
	alive []bool
	some  []uint64
}

func newKernelWorker(k *kernel) *kernelWorker {
	words := k.layout.maxWords
	w := &kernelWorker{kernel: k, totals: *k.newTotals(), width: k.layout.width(),
		zeros: make([]uint64, words), ones: make([]uint64, words),
		class: make([]uint64, words), column: make([]uint64, words),
		alive: make([]bool, k.layout.maxBlocks), some: make([]uint64, k.layout.maxBlocks)}
	for i := range w.ones {
		w.ones[i] = ^uint64(0)
	}
	for _, s := range k.sides {
		w.addSide(s)
	}
	if k.boxes != nil {
		w.lanes = newLaneWorker(k)
	}
	for _, s := range k.sides {
		if k.ranges {
			w.reaches = append(w.reaches, newReaches(s))
		}
	}
	return w
}

// addSide makes room for the programs and the counts of a side. Sides share everything except
// counts.
func (w *kernelWorker) addSide(s *kernelSide) {
	for i, u := range s.units {
		if len(w.match) <= i {
			w.match, w.registers = append(w.match, nil), append(w.registers, nil)
		}
		for len(w.registers[i]) < u.program.vectors-u.program.planes {
			w.registers[i] = append(w.registers[i], make([]uint64, w.layout.maxWords))
		}
	}
	counts := make([][]uint64, len(s.counted))
	for c := range counts {
		counts[c] = make([]uint64, w.width*w.layout.maxBlocks)
	}
	w.counts = append(w.counts, counts)
}

// chunk adds the blocks first..end-1 to the sums. It drops a block at the first fragment
// without a match.
func (w *kernelWorker) chunk(first, end int) {
	w.first = first
	for b := range end - first {
		w.alive[b] = true
	}
	for s := range w.sides {
		from, to := first, first
		for b := first; b < end; b++ {
			if !w.alive[b-first] {
				continue
			}
			if b >= to+maxGap { // too far to process together
				w.count(s, from, to)
				from = b
			}
			to = b + 1
		}
		w.count(s, from, to)
	}
	for b := first; b < end; b++ {
		if w.alive[b-first] {
			w.addBlock(b)
		}
	}
}

// maxGap is the number of dropped blocks from which on starting a program anew is cheaper than
// running it over them.
const maxGap = 4

// count fills the counts of a side in the live blocks of first..end-1.
func (w *kernelWorker) count(s, first, end int) {
	if first == end {
		return
	}
	from, to := w.layout.blockStart[first], w.layout.blockStart[end]
	w.findAll(w.sides[s], from, to)
	some := w.some[:end-first]
	clear(some)
	for set, classes := range w.sides[s].counted {
		records := w.recordsOfAny(w.sides[s], classes)
		for i := range some {
			if b := first + i; w.alive[b-w.first] {
				words := records[w.layout.blockStart[b]-from : w.layout.blockStart[b+1]-from]
				found := w.addUp(w.counts[s][set], b, words)
				some[i] |= found
				if w.lanes != nil {
					w.lanes.met[s][set][b-w.first] = found
				}
			}
		}
	}
	for i, found := range some {
		w.alive[first+i-w.first] = w.alive[first+i-w.first] && found != 0
	}
}

// findAll runs the programs of a side over the words from..to-1.
func (w *kernelWorker) findAll(s *kernelSide, from, to uint32) {
	for i, u := range s.units {
		w.vectors = w.vectors[:0]
		for _, column := range u.columns {
			for _, plane := range column.word {
				w.vectors = append(w.vectors, plane[from:to])
			}
		}
		for _, register := range w.registers[i] {
			w.vectors = append(w.vectors, register[:to-from])
		}
		u.program.run(w.vectors)
		w.match[i] = w.match[i][:0]
		for _, result := range u.program.results {
			match := w.zeros[:to-from]
			if result == allCodes {
				match = w.ones[:to-from]
			} else if result != noCode {
				match = w.vectors[result]
			}
			w.match[i] = append(w.match[i], match)
		}
	}
}

// recordsOfAny returns the records of a set of classes of the side.
func (w *kernelWorker) recordsOfAny(s *kernelSide, classes []int) []uint64 {
	records := w.recordsOf(s, classes[0])
	if len(classes) == 1 {
		return records
	}
	union := append(w.union[:0], records...)
	for _, class := range classes[1:] {
		orWords(union, w.recordsOf(s, class), union)
	}
	w.union = union
	return union
}

// recordsOf returns the records of a class of the side: those with the respective class in
// every unit.
func (w *kernelWorker) recordsOf(s *kernelSide, class int) []uint64 {
	var records []uint64
	for i, u := range s.units {
		match := w.match[i][class%len(u.program.results)]
		class /= len(u.program.results)
		if i == 0 {
			records = match
			continue
		}
		andWords(w.class[:len(match)], records, match)
		records = w.class[:len(match)]
	}
	return records
}

// addUp counts, in the given words, the records per group of block b and returns the lanes with
// any.
func (w *kernelWorker) addUp(counts []uint64, b int, words []uint64) (some uint64) {
	if !w.layout.isEven(b) {
		words = append(w.column[:0], words...)
		w.layout.clip(b, words)
	}
	counts = counts[w.place(b):][:w.width]
	addWords(counts, words, w.column)
	for _, plane := range counts {
		some |= plane
	}
	return some
}

// addWords adds up words lane by lane: counts[i] gets bit i of every lane's sum. carries is
// scratch and may alias words. A full adder turns three words of one weight into one of the
// same and one of the next weight: 5 operations for two words less.
func addWords(counts, words, carries []uint64) {
	for bit := range counts {
		sum, n, i := uint64(0), 0, 0
		if len(words)%2 == 1 {
			sum, i = words[0], 1
		}
		for ; i+1 < len(words); i += 2 {
			a, b := words[i], words[i+1]
			half := sum ^ a
			carries[n] = sum&a | half&b
			sum = half ^ b
			n++
		}
		counts[bit], words = sum, carries[:n]
	}
}

// place returns where the counts of block b begin in the chunk.
func (w *kernelWorker) place(b int) int { return (b - w.first) * w.width }

func (w *kernelWorker) addBlock(b int) {
	l := w.layout
	for size := int(l.blockSize[b]); size < len(l.sizes) && l.sizeStart[size] < (b+1)*lanes; size++ {
		groups := lanesFrom(b, l.sizeStart[size]) &^ lanesFrom(b, l.sizeStart[size+1])
		if w.weighs {
			w.multiply(0, w.place(b), groups, 0, size*w.combinations)
		}
		if w.lanes != nil {
			w.addBoxes(b, groups, size)
		}
		if w.ranges {
			w.addRanges(b, groups, int(l.sizes[size]))
		}
	}
}

// multiply adds to the sums from index on: the sum over the given groups of the products of the
// counts of the sides from s on, times 2^shift.
func (w *kernelWorker) multiply(s, place int, groups uint64, shift, index int) {
	stride, last := w.sides[s].stride, s == len(w.sides)-1
	for class, counts := range w.counts[s][:w.sides[s].classes] {
		for bit, plane := range counts[place : place+w.width] {
			both := plane & groups
			switch {
			case both == 0:
			case last:
				w.totals.products[index+class*stride] += uint64(bits.OnesCount64(both)) << (shift + bit)
			default:
				w.multiply(s+1, place, both, shift+bit, index+class*stride)
			}
		}
	}
}
