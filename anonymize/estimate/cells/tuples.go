package cells

import (
	"math"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A cellCollector adds up the tuples of a group on one side.
type cellCollector struct {
	*momentSide
	lists   bool // the values of SUM and AVG are needed
	present []uint32
	sums    []cellSums // (argument + 1) * classes + class
	// per tuple:
	tuple        []cellSums
	met          []uint32
	at, from, to []uint32 // by column, into its shares
	whole        bool     // no share is left out
}

// countMass returns the expected number of records of group g that satisfy the side.
func (c *cellCollector) countMass(g int) float64 {
	f := c.Fragment
	first, end := f.GroupStart[g], f.GroupStart[g+1]
	n := 0.0
	switch len(c.mass) {
	case 1:
		mass, codes := c.mass[0], c.codes[0][first:end]
		for i, count := range f.Count[first:end] {
			n += float64(count) * mass[codes[i]]
		}
	default:
		for t := first; t < end; t++ {
			n += float64(f.Count[t]) * c.massOf(t)
		}
	}
	return n
}

func (c *cellCollector) massOf(t uint32) float64 {
	p := 1.0
	for i, mass := range c.mass {
		if p *= mass[c.codes[i][t]]; p == 0 {
			break
		}
	}
	return p
}

// collect adds up the tuples of group g; ok is false if none can count.
func (c *cellCollector) collect(g int, work *question.Checkpoint) (ok bool, err error) {
	for _, class := range c.present {
		for i := int(class); i < len(c.sums); i += c.Classes {
			c.sums[i].reset()
		}
	}
	c.present = c.present[:0]
	f := c.Fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		steps := 1
		if c.mass != nil {
			c.addMass(c.massOf(t), float64(f.Count[t]))
		} else {
			steps += c.addTuple(t, float64(f.Count[t]))
		}
		if err := work.Pass(steps); err != nil {
			return false, err
		}
	}
	return len(c.present) > 0, nil
}

func (c *cellCollector) addMass(p, count float64) {
	if p == 0 {
		return
	}
	x := &c.sums[0]
	if x.possible == 0 {
		c.present = append(c.present, 0)
	}
	x.n += count * p
	x.d += count * p * p
	x.possible += count
	if p == 1 { // a product of ones: every share is a whole cell
		x.sure += count
	}
}

// newCellCollector returns one without sums.
func newCellCollector(s *momentSide) *cellCollector {
	n := len(s.Columns)
	return &cellCollector{momentSide: s, at: make([]uint32, n), from: make([]uint32, n), to: make([]uint32, n)}
}

// enter starts at the first combination of the shares of a tuple's cells; false if there is
// none.
func (c *cellCollector) enter(t uint32) bool {
	c.whole = true
	for i, column := range c.Columns {
		code := c.codes[i][t]
		c.from[i], c.to[i] = column.Start[code], column.Start[code+1]
		if c.from[i] == c.to[i] {
			return false
		}
		c.at[i] = c.from[i]
		c.whole = c.whole && column.Whole[code]
	}
	return true
}

// addTuple visits the combinations of the shares of a tuple's cells and returns their number.
func (c *cellCollector) addTuple(t uint32, count float64) (combinations int) {
	if !c.enter(t) {
		return 0
	}
	whole := c.whole
	c.met = c.met[:0]
	for more := true; more; more = c.advance() {
		code, mass := uint64(0), 1.0
		for i, column := range c.Columns {
			share := column.Shares[c.at[i]]
			code += uint64(share.Class) * c.strides[i]
			mass *= share.Mass
		}
		if class := c.Class(code); class != question.Dead {
			c.meet(class, mass)
		} else {
			whole = false
		}
		combinations++
	}
	for _, class := range c.met {
		c.fold(class, count, whole && len(c.met) == 1)
	}
	return combinations
}

func (c *cellCollector) advance() bool {
	for i := range c.at {
		if c.at[i]++; c.at[i] < c.to[i] {
			return true
		}
		c.at[i] = c.from[i]
	}
	return false
}

// meet adds a share of a tuple.
func (c *cellCollector) meet(class uint32, mass float64) {
	x := &c.tuple[class]
	if x.n == 0 {
		c.met = append(c.met, class)
	}
	x.n += mass
	for j, argument := range c.arguments {
		m := &argument.shares[c.at[argument.column]]
		y := &c.tuple[(j+1)*c.Classes+int(class)]
		y.certain = y.certain && m.always
		if m.present == 0 {
			continue
		}
		y.n += mass * m.present
		y.f += mass * m.sum
		y.q += mass * m.square
		y.least, y.greatest = min(y.least, m.least), max(y.greatest, m.greatest)
	}
}

// fold adds the tuple's sums of a class to the group's sums.
func (c *cellCollector) fold(class uint32, count float64, sure bool) {
	if c.sums[class].possible == 0 {
		c.present = append(c.present, class)
	}
	for i := int(class); i < len(c.tuple); i += c.Classes {
		x, sum := &c.tuple[i], &c.sums[i]
		if x.n > 0 {
			sure := sure && x.certain
			p := x.n
			if sure {
				p = 1 // exactly, despite rounding of its parts
				sum.sure += count
			}
			sum.n += count * p
			sum.d += count * p * p
			sum.f += count * x.f
			sum.q += count * x.q
			sum.ff += count * x.f * x.f
			sum.pf += count * x.f * p
			sum.possible += count
			sum.least, sum.greatest = min(sum.least, x.least), max(sum.greatest, x.greatest)
			if c.lists && i >= c.Classes && c.arguments[i/c.Classes-1].list == nil {
				sum.valuesFrom = append(sum.valuesFrom, cellValue{x.least, x.greatest, int(count), sure})
			}
		}
		x.n, x.f, x.q, x.certain = 0, 0, 0, true
		x.least, x.greatest = math.Inf(1), math.Inf(-1)
	}
}
