package mondrian

import "math"

// classes are those of a block, with what it takes to say what a record more or less
// changes, without looking at the others.
type classes struct {
	*block
	of      [][]uint32 // items
	penalty []float32  // sum over the axes
	width   []width    // by class, then line
	set     []valueSet // by class, then set
}

// A width are the two least and the two greatest positions of a class. Where it has
// one record, the second ones are beyond all.
type width struct {
	low, low2, high2, high float32
}

// A valueSet are the values of a class.
type valueSet struct {
	values    int
	any, once []uint64 // bits: the class has the value, has it of one record only
}

func newClasses(b *block, of [][]uint32) *classes {
	c := &classes{block: b, of: of, penalty: make([]float32, len(of)),
		width: make([]width, len(of)*b.lines), set: make([]valueSet, len(of)*len(b.sets))}
	words := 0
	for _, s := range b.sets {
		words += (s.values + 63) / 64
	}
	bits := make([]uint64, 2*words*len(of))
	for i := range c.set {
		n := (b.sets[i%len(b.sets)].values + 63) / 64
		c.set[i].any, c.set[i].once, bits = bits[:n], bits[n:2*n], bits[2*n:]
	}
	for class := range of {
		c.measure(class)
	}
	return c
}

// measure makes the figures of a class anew.
func (c *classes) measure(class int) {
	c.penalty[class] = 0
	for line := range c.lines {
		w := width{low: math.MaxFloat32, low2: math.MaxFloat32, high2: -math.MaxFloat32, high: -math.MaxFloat32}
		for _, item := range c.of[class] {
			w.add(c.at[int(item)*c.lines+line])
		}
		c.width[class*c.lines+line] = w
		c.penalty[class] += w.high - w.low
	}
	for j, axis := range c.sets {
		s := &c.set[class*len(c.sets)+j]
		clear(s.any)
		clear(s.once)
		s.values = 0
		for _, item := range c.of[class] {
			v := c.number[int(item)*len(c.sets)+j]
			word, bit := v/64, uint64(1)<<(v%64)
			if s.any[word]&bit == 0 {
				s.values++
				s.any[word] |= bit
				s.once[word] |= bit
			} else {
				s.once[word] &^= bit
			}
		}
		c.penalty[class] += setPenalty(s.values, axis.unit)
	}
}

func (w *width) add(x float32) {
	if x < w.low {
		w.low, w.low2 = x, w.low
	} else {
		w.low2 = min(w.low2, x)
	}
	if x > w.high {
		w.high, w.high2 = x, w.high
	} else {
		w.high2 = max(w.high2, x)
	}
}

// with is the penalty of a class with an item more.
func (c *classes) with(class int, in uint32) float32 {
	penalty := c.penalty[class]
	at := c.at[int(in)*c.lines:]
	for line, w := range c.width[class*c.lines : (class+1)*c.lines] {
		penalty += max(w.low-at[line], at[line]-w.high, 0)
	}
	number := c.number[int(in)*len(c.sets):]
	for j := range c.sets {
		s, v := &c.set[class*len(c.sets)+j], number[j]
		if s.any[v/64]>>(v%64)&1 == 0 {
			if penalty += c.sets[j].unit; s.values == 1 {
				penalty += c.sets[j].unit
			}
		}
	}
	return penalty
}

// without is the penalty of a class of several without one of its items.
func (c *classes) without(class int, out uint32) (penalty float32) {
	at := c.at[int(out)*c.lines:]
	for line, w := range c.width[class*c.lines : (class+1)*c.lines] {
		low, high := w.less(at[line])
		penalty += high - low
	}
	number := c.number[int(out)*len(c.sets):]
	for j := range c.sets {
		s, v := &c.set[class*len(c.sets)+j], number[j]
		penalty += setPenalty(s.values-int(s.once[v/64]>>(v%64)&1), c.sets[j].unit)
	}
	return penalty
}

// less are the ends without a record at x.
func (w *width) less(x float32) (low, high float32) {
	low, high = w.low, w.high
	if x == low {
		low = w.low2
	}
	if x == high {
		high = w.high2
	}
	return low, high
}

// swapped is the penalty of a class with one item in place of another.
func (c *classes) swapped(class int, out, in uint32) (penalty float32) {
	gone, come := c.at[int(out)*c.lines:], c.at[int(in)*c.lines:]
	for line, w := range c.width[class*c.lines : (class+1)*c.lines] {
		low, high := w.less(gone[line])
		x := come[line]
		penalty += max(high, x) - min(low, x)
	}
	outs, ins := c.number[int(out)*len(c.sets):], c.number[int(in)*len(c.sets):]
	for j := range c.sets {
		s, u, v := &c.set[class*len(c.sets)+j], outs[j], ins[j]
		values := s.values
		if u != v {
			values -= int(s.once[u/64] >> (u % 64) & 1)
			values += int(1 &^ (s.any[v/64] >> (v % 64)))
		}
		penalty += setPenalty(values, c.sets[j].unit)
	}
	return penalty
}

// nobody is no item.
const nobody = ^uint32(0)

// allows reports whether a class meets k and l without one item and with another, either
// of which may be nobody.
func (c *classes) allows(class int, out, in uint32) bool {
	size := len(c.of[class])
	if in != nobody {
		size++
	}
	if out != nobody {
		size--
	}
	if size < c.condition.K {
		return false
	}
	if c.condition.L < 2 {
		return true
	}
	for _, value := range c.value {
		if in != nobody && !c.few(class, value, value[in], out, 1, size) {
			return false
		}
		if in != nobody {
			continue // no other value has more records, and the class is not smaller
		}
		for _, item := range c.of[class] {
			if item != out && !c.few(class, value, value[item], out, 0, size) {
				return false
			}
		}
	}
	return true
}

// few reports whether a value has at most the l-th part of so many records, n of them
// besides those of the class.
func (c *classes) few(class int, value []uint32, v, out uint32, n, size int) bool {
	for _, item := range c.of[class] {
		if item != out && value[item] == v {
			n++
		}
	}
	return n*c.condition.L <= size
}

// some are the classes that have items.
func (c *classes) some() (all [][]uint32) {
	for _, of := range c.of {
		if len(of) > 0 {
			all = append(all, of)
		}
	}
	return all
}

// records are the classes as records.
func (c *classes) records() (all [][]uint32) {
	for _, items := range c.some() {
		class := make([]uint32, len(items))
		for i, item := range items {
			class[i] = c.record[item]
		}
		all = append(all, class)
	}
	return all
}
