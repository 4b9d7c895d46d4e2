package mondrian

import (
	"math"

	"github.com/anonsql/anonsql/anonymize/exchange"
)

// minSaving is the least loss that an exchange must save, above what rounding makes.
const minSaving = 1e-4

// classes are those of a block, with what it takes to say what a record more or less
// changes, without looking at the others.
type classes struct {
	*block
	*exchange.Classes         // the penalty is a sum over the axes
	width             []width // by class, then line
	values            []int32 // by class, then set: how many there are
	// bits has by class which values there are, set after set, and then which are those of
	// one record only: words each.
	bits   []uint64
	words  int
	offset []uint32 // by set: its first word
	// What a class has without an item that is to be swapped.
	low, high []float32 // by line
}

// A width are the two least and the two greatest positions of a class. Where it has
// one record, the second ones are beyond all.
type width struct {
	low, low2, high2, high float32
}

func newClasses(b *block, of [][]uint32) *classes {
	c := &classes{block: b, width: make([]width, len(of)*b.lines), values: make([]int32, len(of)*len(b.sets)),
		low: make([]float32, b.lines), high: make([]float32, b.lines)}
	for _, s := range b.sets {
		c.offset = append(c.offset, uint32(c.words))
		c.words += (s.values + 63) / 64
	}
	c.bits = make([]uint64, 2*c.words*len(of))
	c.Classes = exchange.New(of, c)
	return c
}

// Measure makes the figures of a class anew.
func (c *classes) Measure(class int, items []uint32) (size, penalty float32) {
	for line := range c.lines {
		w := width{low: math.MaxFloat32, low2: math.MaxFloat32, high2: -math.MaxFloat32, high: -math.MaxFloat32}
		for _, item := range items {
			w.add(c.at[int(item)*c.lines+line])
		}
		c.width[class*c.lines+line] = w
		penalty += w.high - w.low
	}
	some, once := c.bitsOf(class)
	clear(some)
	clear(once)
	for j, axis := range c.sets {
		values := 0
		for _, item := range items {
			v := c.number[int(item)*len(c.sets)+j]
			word, bit := c.offset[j]+v/64, uint64(1)<<(v%64)
			if some[word]&bit == 0 {
				values++
				some[word] |= bit
				once[word] |= bit
			} else {
				once[word] &^= bit
			}
		}
		c.values[class*len(c.sets)+j] = int32(values)
		penalty += setPenalty(values, axis.unit)
	}
	return float32(len(items)), penalty
}

// Records is 1: every item is a record.
func (c *classes) Records(uint32) float32 { return 1 }

// bitsOf are the values of a class, and those of one record.
func (c *classes) bitsOf(class int) (some, once []uint64) {
	first := 2 * c.words * class
	return c.bits[first : first+c.words], c.bits[first+c.words : first+2*c.words]
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

// PenaltyWith is the penalty of a class with an item more; of more than limit, any number above.
func (c *classes) PenaltyWith(class int, in uint32, limit float32) float32 {
	penalty := c.Penalty[class]
	at := c.at[int(in)*c.lines:]
	for line, w := range c.width[class*c.lines : (class+1)*c.lines] {
		penalty += max(w.low-at[line], at[line]-w.high, 0)
	}
	number := c.number[int(in)*len(c.sets):][:len(c.sets)]
	some, _ := c.bitsOf(class)
	for j, v := range number {
		if penalty > limit {
			return penalty
		}
		if some[c.offset[j]+v/64]>>(v%64)&1 == 0 {
			if penalty += c.sets[j].unit; c.values[class*len(c.sets)+j] == 1 {
				penalty += c.sets[j].unit
			}
		}
	}
	return penalty
}

// PenaltyWithout is the penalty of a class of several without one of its items, whose ends it keeps
// for SwappedHere.
func (c *classes) PenaltyWithout(class int, out uint32) (penalty float32) {
	at := c.at[int(out)*c.lines:]
	for line, w := range c.width[class*c.lines : (class+1)*c.lines] {
		low, high := w.endsWithout(at[line])
		penalty += high - low
		c.low[line], c.high[line] = low, high
	}
	number := c.number[int(out)*len(c.sets):]
	_, once := c.bitsOf(class)
	for j := range c.sets {
		v := number[j]
		values := int(c.values[class*len(c.sets)+j]) - int(once[c.offset[j]+v/64]>>(v%64)&1)
		penalty += setPenalty(values, c.sets[j].unit)
	}
	return penalty
}

// endsWithout are the ends without a record at x.
func (w *width) endsWithout(x float32) (low, high float32) {
	low, high = w.low, w.high
	if x == low {
		low = w.low2
	}
	if x == high {
		high = w.high2
	}
	return low, high
}

// Swapped is the penalty of a class with one item in place of another.
func (c *classes) Swapped(class int, out, in uint32) (penalty float32) {
	gone, come := c.at[int(out)*c.lines:], c.at[int(in)*c.lines:]
	for line, w := range c.width[class*c.lines : (class+1)*c.lines] {
		low, high := w.endsWithout(gone[line])
		x := come[line]
		penalty += max(high, x) - min(low, x)
	}
	return c.swappedSets(penalty, class, out, in)
}

// SwappedHere is Swapped of the class and the item that [classes.PenaltyWithout] was asked of last.
func (c *classes) SwappedHere(class int, out, in uint32) (penalty float32) {
	for line, x := range c.at[int(in)*c.lines:][:c.lines] {
		penalty += max(c.high[line], x) - min(c.low[line], x)
	}
	return c.swappedSets(penalty, class, out, in)
}

// swappedSets adds the part of the sets to that of the lines.
func (c *classes) swappedSets(penalty float32, class int, out, in uint32) float32 {
	outs, ins := c.number[int(out)*len(c.sets):][:len(c.sets)], c.number[int(in)*len(c.sets):][:len(c.sets)]
	some, once := c.bitsOf(class)
	for j, u := range outs {
		v, values := ins[j], int(c.values[class*len(c.sets)+j])
		if u != v {
			values -= int(once[c.offset[j]+u/64] >> (u % 64) & 1)
			values += int(1 &^ (some[c.offset[j]+v/64] >> (v % 64)))
		}
		penalty += setPenalty(values, c.sets[j].unit)
	}
	return penalty
}

// Allows reports whether a class meets k and l without one item and with another, either
// of which may be nobody.
func (c *classes) Allows(class int, out, in uint32) bool {
	size := len(c.Of[class])
	if in != exchange.Nobody {
		size++
	}
	if out != exchange.Nobody {
		size--
	}
	if size < c.condition.K {
		return false
	}
	if c.condition.L < 2 {
		return true
	}
	for _, value := range c.value {
		if in != exchange.Nobody && !c.isRareEnough(class, value, value[in], out, 1, size) {
			return false
		}
		if in != exchange.Nobody {
			continue // no other value has more records, and the class is not smaller
		}
		for _, item := range c.Of[class] {
			if item != out && !c.isRareEnough(class, value, value[item], out, 0, size) {
				return false
			}
		}
	}
	return true
}

// isRareEnough reports whether a value has at most the l-th part of so many records, n of them
// besides those of the class.
func (c *classes) isRareEnough(class int, value []uint32, v, out uint32, n, size int) bool {
	for _, item := range c.Of[class] {
		if item != out && value[item] == v {
			n++
		}
	}
	return n*c.condition.L <= size
}

// records are the classes as records.
func (c *classes) records() (all [][]uint32) {
	for _, items := range c.NonEmpty() {
		class := make([]uint32, len(items))
		for i, item := range items {
			class[i] = c.record[item]
		}
		all = append(all, class)
	}
	return all
}

// adopt puts an item that is in no class into the one that loses least by it. Where none
// may take it, that one takes whole classes until it may: all of the block together may.
func (c *classes) adopt(item uint32) {
	class := c.Nearest(item, true)
	if class < 0 {
		class = c.Nearest(item, false)
		for other := range c.Of {
			if c.Allows(class, exchange.Nobody, item) {
				break
			}
			if other != class {
				c.Unite(class, other)
			}
		}
	}
	c.Join(class, item)
}
