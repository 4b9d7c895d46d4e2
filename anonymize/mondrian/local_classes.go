package mondrian

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/exchange"
)

// minSaving is the least saving of an exchange, above rounding errors.
const minSaving = 1e-4

// classes are the classes of a block, with the data to evaluate adding or removing a record
// without visiting the others.
type classes struct {
	*block
	*exchange.Classes                          // the penalty is a sum over the axes
	ends              []exchange.Ends[float32] // by class, then line
	values            []int32                  // by class, then set: number of distinct values
	// bits has for each class its values, set after set, and then the values of exactly one of
	// its records: words each.
	bits   []uint64
	words  int
	offset []uint32 // by set: its first word
	// The class's ends without an item that is to be swapped.
	low, high []float32 // by line
}

func newClasses(b *block, of [][]uint32) *classes {
	c := &classes{block: b, ends: make([]exchange.Ends[float32], len(of)*b.lines), values: make([]int32, len(of)*len(b.sets)),
		low: make([]float32, b.lines), high: make([]float32, b.lines)}
	for _, s := range b.sets {
		c.offset = append(c.offset, uint32(c.words))
		c.words += (s.values + 63) / 64
	}
	c.bits = make([]uint64, 2*c.words*len(of))
	c.Classes = exchange.New(of, c)
	return c
}

// Measure recomputes the figures of a class.
func (c *classes) Measure(class int, items []uint32) (size, penalty float32) {
	for line := range c.lines {
		e := exchange.Ends[float32]{Low: math.MaxFloat32, Low2: math.MaxFloat32, High2: -math.MaxFloat32, High: -math.MaxFloat32}
		for _, item := range items {
			e.Add(c.at[int(item)*c.lines+line])
		}
		c.ends[class*c.lines+line] = e
		penalty += e.High - e.Low
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

// Records returns 1: every item is a record.
func (c *classes) Records(uint32) float32 { return 1 }

// bitsOf returns a class's values, and those of exactly one record.
func (c *classes) bitsOf(class int) (some, once []uint64) {
	first := 2 * c.words * class
	return c.bits[first : first+c.words], c.bits[first+c.words : first+2*c.words]
}

// PenaltyWith returns the penalty of a class with one more item; if it exceeds limit, any number above limit.
func (c *classes) PenaltyWith(class int, in uint32, limit float32) float32 {
	penalty := c.Penalty[class]
	at := c.at[int(in)*c.lines:]
	for line, e := range c.ends[class*c.lines : (class+1)*c.lines] {
		penalty += max(e.Low-at[line], at[line]-e.High, 0)
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

// PenaltyWithout returns the penalty of a class of several items without one of them, and keeps
// its ends for SwappedHere.
func (c *classes) PenaltyWithout(class int, out uint32) (penalty float32) {
	at := c.at[int(out)*c.lines:]
	for line, e := range c.ends[class*c.lines : (class+1)*c.lines] {
		low, high := e.EndsWithout(at[line])
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

// Swapped returns the penalty of a class after replacing one item by another.
func (c *classes) Swapped(class int, out, in uint32) (penalty float32) {
	gone, come := c.at[int(out)*c.lines:], c.at[int(in)*c.lines:]
	for line, e := range c.ends[class*c.lines : (class+1)*c.lines] {
		low, high := e.EndsWithout(gone[line])
		x := come[line]
		penalty += max(high, x) - min(low, x)
	}
	return c.swappedSets(penalty, class, out, in)
}

// SwappedHere is Swapped for the class and item of the last call of [classes.PenaltyWithout].
func (c *classes) SwappedHere(class int, out, in uint32) (penalty float32) {
	for line, x := range c.at[int(in)*c.lines:][:c.lines] {
		penalty += max(c.high[line], x) - min(c.low[line], x)
	}
	return c.swappedSets(penalty, class, out, in)
}

// swappedSets adds the sets' penalties to those of the lines.
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

// Allows reports whether a class meets k and l without out and with in, either of which may be
// Nobody.
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

// isRareEnough reports whether a value with n more records than in the class has at most one in
// l of size records.
func (c *classes) isRareEnough(class int, value []uint32, v, out uint32, n, size int) bool {
	for _, item := range c.Of[class] {
		if item != out && value[item] == v {
			n++
		}
	}
	return n*c.condition.L <= size
}

// records returns the classes as records.
func (c *classes) records() (all [][]uint32) {
	for _, items := range c.NonEmpty() {
		class := anonymize.Gather(c.record, items)
		all = append(all, class)
	}
	return all
}

// adopt adds an item without a class to the class that loses least. If no class may take it,
// that class absorbs whole classes until it may; the entire block together always may.
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
