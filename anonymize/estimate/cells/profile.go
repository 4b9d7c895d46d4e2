package cells

import (
	"math"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A profile has prefix sums of a column's numbers, so that a stretch of values is a difference.
// Sums have two words (Dekker), because the spread of a narrow stretch is small compared to the
// squares.
type profile struct {
	numbers        []float64 // NaN if they do not belong to the profile
	present        []uint32
	sum, square    []twoWords
	next, prev     []uint32 // by value: the nearest with a number, forwards and backwards
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

// newProfile covers the values of one class; class Dead means all values that are not dead.
func newProfile(c *question.CellColumn, numbers []float64, class uint32) *profile {
	n := len(numbers)
	p := &profile{numbers: make([]float64, n), present: make([]uint32, n+1), sum: make([]twoWords, n+1), square: make([]twoWords, n+1),
		next: make([]uint32, n+1), prev: make([]uint32, n+1)}
	ascends, descends := true, true
	last := math.NaN()
	for v, x := range numbers {
		if c.ClassOf[v] == question.Dead || class != question.Dead && c.ClassOf[v] != class {
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

// add adds the values first to end-1 of the profile to m; the share has n values there.
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

// extremes returns the extremes of a stretch that has a number.
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
