package figures

import (
	"cmp"
	"math"
	"slices"
)

// Takes count, by the bits of a record's worth, how many records over all groups are among a
// group's low or high least or greatest ones. They determine the extremes of sums and means.
type Takes map[uint64]*Take

// addSpan adds a group.
func (t Takes) addSpan(s *Span) {
	for i, x := range s.Least[:s.High] {
		take := t.takeOf(x)
		take.LeastOfHigh++
		if i < s.Low {
			take.LeastOfLow++
		}
	}
	for i := range s.High {
		take := t.takeOf(s.Greatest[len(s.Greatest)-1-i])
		take.GreatestOfHigh++
		if i < s.Low {
			take.GreatestOfLow++
		}
	}
}

// takeOf returns the Take of a value. Adding 0 turns -0 into 0.
func (t Takes) takeOf(value float64) *Take {
	bits := math.Float64bits(value + 0)
	take := t[bits]
	if take == nil {
		take = &Take{}
		t[bits] = take
	}
	return take
}

// Add adds a value's counts from other groups.
func (t Takes) Add(value float64, x *Take) {
	take := t.takeOf(value)
	take.LeastOfLow += x.LeastOfLow
	take.LeastOfHigh += x.LeastOfHigh
	take.GreatestOfLow += x.GreatestOfLow
	take.GreatestOfHigh += x.GreatestOfHigh
}

// addAll adds the counts of other groups.
func (t Takes) addAll(other Takes) {
	for bits, x := range other {
		t.Add(math.Float64frombits(bits), x)
	}
}

// A taken is a Take with its value.
type taken struct {
	*Take
	value float64
}

// inOrder returns the takes, ascending by value.
func (t Takes) inOrder() []taken {
	values := make([]taken, 0, len(t))
	for bits, take := range t {
		values = append(values, taken{take, math.Float64frombits(bits)})
	}
	slices.SortFunc(values, func(a, b taken) int { return cmp.Compare(a.value, b.value) })
	return values
}

// steps are thresholds: a value below low makes the least figure smaller, a value above high
// the greatest larger. For a sum they are 0, for a mean the mean so far.
type steps struct{ low, high float64 }

// takenSums are the least and the greatest sum, with their numbers of records.
type takenSums struct{ low, high, lowRecords, highRecords float64 }

// takeSums takes all values that improve a figure, and as few others as required. Values are ascending.
func takeSums(values []taken, at steps) (f takenSums) {
	for _, v := range values {
		take := v.LeastOfLow
		if v.value < at.low {
			take = v.LeastOfHigh
		}
		f.low += v.value * float64(take)
		f.lowRecords += float64(take)
	}
	for _, v := range slices.Backward(values) {
		take := v.GreatestOfLow
		if v.value > at.high {
			take = v.GreatestOfHigh
		}
		f.high += v.value * float64(take)
		f.highRecords += float64(take)
	}
	return f
}

// sums returns the least and the greatest sum.
func (t Takes) sums() (low, high float64) {
	f := takeSums(t.inOrder(), steps{})
	return f.low, f.high
}

// means returns the least and the greatest mean (Dinkelbach 1967): each step takes the values that improve the last mean, until no mean is better.
func (t Takes) means() (low, high float64) {
	values, at := t.inOrder(), steps{low: math.Inf(1), high: math.Inf(-1)}
	for {
		f, next := takeSums(values, at), at
		if f.lowRecords > 0 {
			next.low = min(at.low, f.low/f.lowRecords)
		}
		if f.highRecords > 0 {
			next.high = max(at.high, f.high/f.highRecords)
		}
		if next == at {
			return at.low, at.high
		}
		at = next
	}
}
