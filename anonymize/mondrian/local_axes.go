package mondrian

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// An axis is an attribute in a search: positions on a line of length 1, where a class's penalty
// is its span, or values of a set, where it is unit per value if there are several. An
// attribute with NULLs has an axis with two more values: a cell with numbers and NULL has the
// greatest width.
type axis struct {
	place    []uint32  // by record
	position []float32 // by place; nil of a set
	unit     float32   // of a set
	values   int       // of a set: its places
}

func newAxes(attributes []*generalization.Attribute) (axes []axis) {
	for _, a := range attributes {
		if a.Scale == anonymize.Nominal {
			axes = append(axes, axis{place: a.Place, unit: 1 / float32(a.Places), values: a.Places})
			continue
		}
		line := axis{place: a.Place, position: make([]float32, a.Places)}
		for place := range line.position {
			line.position[place] = float32(a.Position(uint32(place)))
		}
		axes = append(axes, line)
		if a.HasNull() {
			null := axis{place: make([]uint32, len(a.Place)), unit: .5, values: 2}
			for record, place := range a.Place {
				null.place[record] = min(place, 1)
			}
			axes = append(axes, null)
		}
	}
	return axes
}

// loss returns the sum of the penalties over the records and axes of a partition.
func (s *search) loss(p *bucketization.Partition) (sum float64) {
	seen := make([][]int, len(s.axes)) // by place: the last class that has it, from 1
	for i, x := range s.axes {
		seen[i] = make([]int, x.values)
	}
	for g := range p.Groups() {
		of := p.Records(g)
		for i := range s.axes {
			sum += float64(len(of)) * float64(s.axes[i].penalty(of, seen[i], g+1))
		}
	}
	return sum
}

// penalty returns the penalty of the cell of some records. seen has no number from class on.
func (x *axis) penalty(records []uint32, seen []int, class int) float32 {
	if x.position == nil {
		values := 0
		for _, r := range records {
			if at := &seen[x.place[r]]; *at != class {
				*at = class
				values++
			}
		}
		return setPenalty(values, x.unit)
	}
	low, high := float32(1), float32(0)
	for _, r := range records {
		p := x.position[x.place[r]]
		low, high = min(low, p), max(high, p)
	}
	return high - low
}
