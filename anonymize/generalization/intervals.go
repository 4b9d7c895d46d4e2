package generalization

import (
	"fmt"
	"math"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
)

// intervals are the hierarchy of a numeric attribute without a taxonomy: level j has the
// intervals between consecutive multiples of times 10^exponent 2^(j-1). They reveal only the
// range of the data, whereas intervals of equal frequency would publish its quantiles.
type intervals struct {
	low, high       float64 // of the values that occur
	whole           bool    // they are whole numbers
	times, exponent int     // times is 1, 2 or 5
	levels          int
}

// intervalsAtMost is the greatest number of intervals of the first level.
const intervalsAtMost = 16

// newIntervals chooses the least round width with at most intervalsAtMost intervals from the
// least to the greatest value, and doubles it until one interval could span them all: ages from
// 17 to 90 get intervals of 5, 10, 20 and 40 years. Points in time get none, because a round
// number of microseconds is meaningless, and neither do numbers that are too close to be
// divided, or whose quotients are too close to be distinguished.
func (a *Attribute) newIntervals() (s intervals) {
	if a.Scale != anonymize.Numeric || a.taxonomy != nil || !s.measure(a) {
		return intervals{}
	}
	span := s.high - s.low
	if span/intervalsAtMost == 0 {
		return intervals{}
	}
	s.times, s.exponent = 1, int(math.Floor(math.Log10(span/intervalsAtMost)))
	if s.whole && s.exponent < 0 {
		s.times, s.exponent = 2, 0 // intervals of 1 are the numbers themselves
	}
	for s.width()*intervalsAtMost < span || s.whole && s.width() < 2 {
		s.widen()
	}
	if math.Abs(s.low)+math.Abs(s.high) > s.width()*(1<<50) {
		return intervals{}
	}
	for width := s.width(); width < span; width *= 2 {
		s.levels++
	}
	return s
}

// measure reports whether there are two numbers.
func (s *intervals) measure(a *Attribute) bool {
	s.low, s.high, s.whole = math.Inf(1), math.Inf(-1), true
	for place := range a.Places {
		v := a.value(place)
		if v.IsNull() {
			continue
		}
		if v.Kind == anonymize.Instant {
			return false
		}
		x, _ := v.Number()
		s.low, s.high = min(s.low, x), max(s.high, x)
		s.whole = s.whole && x == math.Trunc(x)
	}
	return s.high > s.low && !math.IsInf(s.high-s.low, 0)
}

// widen moves to the next round number: 1, 2, 5, 10, ...
func (s *intervals) widen() {
	switch s.times {
	case 1:
		s.times = 2
	case 2:
		s.times = 5
	default:
		s.times, s.exponent = 1, s.exponent+1
	}
}

// width returns the width of the first level.
func (s *intervals) width() float64 { return float64(s.times) * math.Pow10(s.exponent) }

// indexOf numbers the intervals of the first level: x lies between i and i+1 times the width. A
// quotient that is an integer up to rounding counts as one.
func (s *intervals) indexOf(x float64) int64 {
	q := x / s.width()
	if nearest := math.Round(q); math.Abs(q-nearest) <= 1e-9 {
		return int64(nearest)
	}
	return int64(math.Floor(q))
}

// text writes a multiple of the width, minus less.
func (s *intervals) text(multiple int64, less float64) string {
	return strconv.FormatFloat(float64(multiple)*s.width()-less, 'f', max(0, -s.exponent), 64)
}

// level returns level j of the hierarchy, from 1. Two neighbours form one interval of the next
// level, by shifting their numbers.
func (s *intervals) level(j int) Level {
	doublings := j - 1
	return Level{Name: "intervals of " + s.text(1<<doublings, 0),
		key: func(v anonymize.Value) int64 {
			x, _ := v.Number()
			return s.indexOf(x) >> doublings
		},
		label: func(key int64) string {
			first, end := key<<doublings, (key+1)<<doublings
			if s.whole {
				return fmt.Sprintf("[%s-%s]", s.text(first, 0), s.text(end, 1))
			}
			return fmt.Sprintf("[%s,%s)", s.text(first, 0), s.text(end, 0))
		},
		// The share of the values' span that lies in the interval.
		loss: func(key int64) float64 {
			first, last := float64(key<<doublings)*s.width(), float64((key+1)<<doublings)*s.width()
			if s.whole {
				last--
			}
			return max(0, min(s.high, last)-max(s.low, first)) / (s.high - s.low)
		}}
}
