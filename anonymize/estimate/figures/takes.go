package figures

import (
	"math"
	"slices"
)

// A Taken is a Take with its value.
type Taken struct {
	Take
	Value float64
}

// TakeBounds sets the least and the greatest sum. Values are ascending.
func (f *BoxFloats) TakeBounds(values []Taken, at Steps) {
	f.Low, f.High, f.lowRecords, f.highRecords = 0, 0, 0, 0
	for _, v := range values {
		take := v.LeastOfLow // what does not help is taken only where it must be
		if v.Value < at.Low {
			take = v.LeastOfHigh
		}
		f.Low += v.Value * float64(take)
		f.lowRecords += float64(take)
	}
	for _, v := range slices.Backward(values) {
		take := v.GreatestOfLow
		if v.Value > at.High {
			take = v.GreatestOfHigh
		}
		f.High += v.Value * float64(take)
		f.highRecords += float64(take)
	}
}

// ExtremeMean finds the least and the greatest mean (Dinkelbach 1967), from the steps at whose bounds f has.
func ExtremeMean(values []Taken, at Steps, f BoxFloats) Steps {
	for {
		next := at.Next(&f)
		if next == at {
			return at
		}
		at = next
		f.TakeBounds(values, at)
	}
}

// Takes are, by the bits of what records are worth, how many of all groups are taken where a group's low or high least or greatest are: what there is to
// know of the groups for the extremes of a mean.
type Takes map[uint64]*Take

// add adds a group.
func (t Takes) add(s *Span) {
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

// takeOf is that of a value; 0 has one sign.
func (t Takes) takeOf(value float64) *Take {
	bits := math.Float64bits(value + 0)
	take := t[bits]
	if take == nil {
		take = &Take{}
		t[bits] = take
	}
	return take
}

// addAll adds other groups.
func (t Takes) addAll(other Takes) {
	for bits, x := range other {
		take := t.takeOf(math.Float64frombits(bits))
		take.LeastOfLow += x.LeastOfLow
		take.LeastOfHigh += x.LeastOfHigh
		take.GreatestOfLow += x.GreatestOfLow
		take.GreatestOfHigh += x.GreatestOfHigh
	}
}

// means are the least and the greatest mean.
func (t Takes) means() (low, high float64) {
	values := make([]Taken, 0, len(t))
	for bits, take := range t {
		values = append(values, Taken{*take, math.Float64frombits(bits)})
	}
	slices.SortFunc(values, func(a, b Taken) int {
		if a.Value < b.Value {
			return -1
		}
		return 1
	})
	none, f := Steps{Low: math.Inf(1), High: math.Inf(-1)}, BoxFloats{}
	f.TakeBounds(values, none)
	steps := ExtremeMean(values, none, f)
	return steps.Low, steps.High
}
