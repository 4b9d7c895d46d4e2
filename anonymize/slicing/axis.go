package slicing

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// An axis gives distances of a quasi-identifier's values: numbers by value, NULL with the
// least, others by rank among the occurring values.
type axis struct {
	place []float64 // of every code, ascending
	width float64   // from the first to the last that occurs
}

// span is the share of the axis between two codes, 0 to 1.
func (a *axis) span(low, high uint32) float64 {
	if a.width == 0 {
		return 0
	}
	return (a.place[high] - a.place[low]) / a.width
}

func newAxes(columns []*anonymize.Column) []axis {
	axes := make([]axis, len(columns))
	for i, c := range columns {
		occurs := c.Histogram()
		place, ok := byValue(c, occurs)
		if !ok {
			place = byRank(occurs)
		}
		axes[i] = axis{place: place, width: place[len(place)-1] - place[0]}
	}
	return axes
}

func byRank(occurs []int) []float64 {
	place, rank := make([]float64, len(occurs)), -1.0
	for code, n := range occurs {
		if n > 0 {
			rank++
		}
		place[code] = max(rank, 0)
	}
	return place
}

// byValue gives codes that do not occur the place of the last occurring one. It fails if there
// are values other than numbers, and for numbers that do not ascend with the codes, such as
// mixed integers and reals.
func byValue(c *anonymize.Column, occurs []int) ([]float64, bool) {
	place := make([]float64, len(occurs))
	last, none := 0.0, true
	for code, v := range c.Dictionary {
		if occurs[code] == 0 || v.IsNull() {
			place[code] = last
			continue
		}
		number, ok := v.Number()
		if !ok || math.IsNaN(number) || !none && number < last {
			return nil, false
		}
		if none {
			none = false
			for before := range code {
				place[before] = number
			}
		}
		last = number
		place[code] = number
	}
	return place, !none && !math.IsInf(last-place[0], 0)
}
