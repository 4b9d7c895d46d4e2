package estimate

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A cellArgument is an argument that reads one column of a fragment with cells:
// what a record with a share of a cell is expected to add to it.
type cellArgument struct {
	column int // index into the side's columns
	// numbers has the argument of every value, NaN for NULL: for Least and
	// Greatest its place in list.
	numbers []float64
	list    []anonymize.Value
	// shares has an entry for every share of the column.
	shares []shareMoments
}

// shareMoments are those of an argument, given the class: the probability that it
// is not NULL, its expectation and that of its square, counting NULL as 0.
type shareMoments struct {
	present, sum, square float64
	least, greatest      float64
	always               bool // never NULL
}

// newCellArgument evaluates an argument over the values of a column; not ok
// where it fails for a value that may count.
func newCellArgument(q *Question, a *Aggregate, s *cellSide) (*cellArgument, bool) {
	argument := &cellArgument{column: s.columnOf(a.Argument)}
	c := s.columns[argument.column]
	outcomes := make([]outcome, len(q.Leaves))
	values := make([]anonymize.Value, len(c.Dictionary))
	var arguments []anonymize.Value
	for v := range c.Dictionary {
		if c.classOf[v] == dead {
			continue // NULL
		}
		for _, l := range a.Argument.Leaves {
			arguments = arguments[:0]
			for range q.Leaves[l].Columns {
				arguments = append(arguments, c.Dictionary[v])
			}
			outcomes[l] = q.Leaves[l].outcome(arguments)
		}
		var err error
		if values[v], err = a.Argument.evaluate(outcomes, nil); err != nil {
			return nil, false
		}
	}
	if a.Kind.keepsValues() {
		return argument, argument.rank(a, values)
	}
	argument.numbers = make([]float64, len(values))
	for v, value := range values {
		number, ok := value.Number()
		switch {
		case value.IsNull():
			number = math.NaN()
		case a.Kind == Count:
			number = 0
		case !ok || math.IsNaN(number) || math.IsInf(number, 0):
			return nil, false
		}
		argument.numbers[v] = number
	}
	return argument, true
}

// rank numbers the values in the aggregate's order; see running.addExtreme.
func (x *cellArgument) rank(a *Aggregate, values []anonymize.Value) bool {
	ok := true
	for _, v := range values {
		if !v.IsNull() {
			x.list = append(x.list, v)
		}
	}
	slices.SortFunc(x.list, func(u, v anonymize.Value) int {
		order, err := a.compare(u, v)
		ok = ok && err == nil
		if order != 0 {
			return order
		}
		if a.Kind == Greatest { // of equals the first by bytes is the greatest
			return anonymize.Compare(v, u)
		}
		return anonymize.Compare(u, v)
	})
	x.list = slices.CompactFunc(x.list, func(u, v anonymize.Value) bool { return u == v })
	place := make(map[anonymize.Value]int, len(x.list))
	for i, v := range x.list {
		place[v] = i
	}
	for _, v := range values {
		number := math.NaN()
		if !v.IsNull() {
			number = float64(place[v])
		}
		x.numbers = append(x.numbers, number)
	}
	return ok
}

// equals reports whether two arguments are the same.
func (x *cellArgument) equals(other *cellArgument) bool {
	return x.column == other.column && x.list == nil && other.list == nil &&
		slices.EqualFunc(x.numbers, other.numbers, func(a, b float64) bool { return a == b || a != a && b != b })
}

// measure finds the moments of all shares of the column. Cost: the values, and
// per cell its shares where members are equally likely neighbours.
func (x *cellArgument) measure(c *cellColumn) {
	x.shares = make([]shareMoments, len(c.shares))
	profiles := make([]*profile, max(1, len(c.count)))
	for class := range profiles {
		of := dead // any
		if c.count != nil {
			of = uint32(class)
		}
		profiles[class] = newProfile(c, x.numbers, of)
	}
	masses := make([]float64, c.classes)
	for code := range c.whole {
		first, end := c.start[code], c.start[code+1]
		for i := first; i < end; i++ {
			x.shares[i] = shareMoments{least: math.Inf(1), greatest: math.Inf(-1), always: true}
			c.place[c.shares[i].class] = i
			masses[c.shares[i].class] = 0
		}
		switch {
		case first == end:
		case c.IsPoint():
			x.shares[first].addOne(x.numbers[code], 1)
			masses[c.shares[first].class] = 1
		case c.Cells[code].Weights != nil:
			for i, v := range c.Cells[code].Members {
				if class, w := c.classOf[v], c.Cells[code].Weights[i]; class != dead && w > 0 {
					x.shares[c.place[class]].addOne(x.numbers[v], w)
					masses[class] += w
				}
			}
		default:
			eachStretch(c.Cells[code].Members, func(low, high uint32) {
				c.eachPart(low, high, func(class, low, high uint32, n int) {
					p := profiles[0]
					if c.count != nil {
						p = profiles[class]
					}
					p.add(&x.shares[c.place[class]], low, high, n)
					masses[class] += float64(n)
				})
			})
		}
		for i := first; i < end; i++ {
			x.shares[i].divide(masses[c.shares[i].class])
		}
	}
	clear(c.place)
}

func (m *shareMoments) addOne(number, weight float64) {
	if math.IsNaN(number) {
		m.always = false
		return
	}
	m.present += weight
	m.sum += weight * number
	m.square += weight * number * number
	m.least, m.greatest = min(m.least, number), max(m.greatest, number)
}

func (m *shareMoments) divide(mass float64) {
	if m.always {
		m.present = 1
	} else {
		m.present /= mass
	}
	m.sum /= mass
	m.square /= mass
}

// decided reports whether the argument is the same for all that the share stands
// for.
func (m *shareMoments) decided() bool {
	return m.present == 0 || m.always && m.least == m.greatest
}

// A profile has what is known of a column's numbers before each of its values, so
// that a stretch of values is a difference. Sums are kept in two words (Dekker):
// the spread of a narrow stretch is small beside squares.
type profile struct {
	numbers        []float64 // NaN where they do not belong to the profile
	present        []uint32
	sum, square    []twoWords
	next, prev     []uint32 // by value: the nearest with a number, from there on
	monotonic      int      // 1 where numbers ascend, -1 where they descend, else 0
	block          int
	least, highest []float64 // by block
}

type twoWords struct{ high, low float64 }

func (a twoWords) plus(x, rest float64) twoWords {
	s := a.high + x
	b := s - a.high
	low := a.low + rest + ((a.high - (s - b)) + (x - b))
	high := s + low
	return twoWords{high, low - (high - s)}
}

func (a twoWords) minus(b twoWords) float64 {
	d := a.plus(-b.high, -b.low)
	return d.high + d.low
}

// newProfile takes the values of one class, dead: of all that are alive.
func newProfile(c *cellColumn, numbers []float64, class uint32) *profile {
	n := len(numbers)
	p := &profile{numbers: make([]float64, n), present: make([]uint32, n+1), sum: make([]twoWords, n+1), square: make([]twoWords, n+1),
		next: make([]uint32, n+1), prev: make([]uint32, n+1)}
	ascends, descends := true, true
	last := math.NaN()
	for v, x := range numbers {
		if c.classOf[v] == dead || class != dead && c.classOf[v] != class {
			x = math.NaN()
		}
		p.numbers[v] = x
		p.present[v+1], p.sum[v+1], p.square[v+1], p.prev[v+1] = p.present[v], p.sum[v], p.square[v], p.prev[v]
		if math.IsNaN(x) {
			continue
		}
		p.present[v+1]++
		p.prev[v+1] = uint32(v)
		p.sum[v+1] = p.sum[v].plus(x, 0)
		p.square[v+1] = p.square[v].plus(x*x, math.FMA(x, x, -x*x))
		ascends, descends = ascends && !(x < last), descends && !(x > last)
		last = x
	}
	for v := n - 1; v >= 0; v-- {
		p.next[v] = p.next[v+1]
		if !math.IsNaN(p.numbers[v]) {
			p.next[v] = uint32(v)
		}
	}
	switch {
	case ascends:
		p.monotonic = 1
	case descends:
		p.monotonic = -1
	default:
		p.cutBlocks()
	}
	return p
}

func (p *profile) cutBlocks() {
	p.block = int(math.Sqrt(float64(len(p.numbers)))) + 1
	for first := 0; first < len(p.numbers); first += p.block {
		least, highest := extremes(p.numbers[first:min(first+p.block, len(p.numbers))])
		p.least, p.highest = append(p.least, least), append(p.highest, highest)
	}
}

func extremes(numbers []float64) (least, highest float64) {
	least, highest = math.Inf(1), math.Inf(-1)
	for _, x := range numbers {
		if x < least {
			least = x
		}
		if x > highest {
			highest = x
		}
	}
	return least, highest
}

// add takes in the n values of the profile from first to end-1.
func (p *profile) add(m *shareMoments, first, end uint32, n int) {
	present := p.present[end] - p.present[first]
	m.always = m.always && int(present) == n
	if present == 0 {
		return
	}
	m.present += float64(present)
	m.sum += p.sum[end].minus(p.sum[first])
	m.square += p.square[end].minus(p.square[first])
	least, highest := p.extremes(first, end)
	m.least, m.greatest = min(m.least, least), max(m.greatest, highest)
}

// extremes of a stretch that has a number.
func (p *profile) extremes(first, end uint32) (least, highest float64) {
	low, high := p.numbers[p.next[first]], p.numbers[p.prev[end]]
	switch p.monotonic {
	case 1:
		return low, high
	case -1:
		return high, low
	}
	firstBlock, endBlock := (int(first)+p.block-1)/p.block, int(end)/p.block
	if firstBlock >= endBlock {
		return extremes(p.numbers[first:end])
	}
	least, highest = extremes(p.numbers[first : firstBlock*p.block])
	last, top := extremes(p.numbers[endBlock*p.block : end])
	for b := firstBlock; b < endBlock; b++ {
		last, top = min(last, p.least[b]), max(top, p.highest[b])
	}
	return min(least, last), max(highest, top)
}
