package interval

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// units are what a COUNT(*) was before numbers of units took its place.
type units struct{ counts []float64 }

// PutUnits puts numbers of units in the place of a COUNT(*) of the answer, and what stands beside them. Their interval is that of the COUNT, as
// wide by unit as by record, but for what completed tables differ by: that is measured of units.
func (s *Spread) PutUnits(aggregate int, u *estimate.UnitFigures) {
	before := &units{make([]float64, len(u.Figures))}
	for row, figure := range u.Figures {
		cell := &s.answer.Rows[row].Figures[aggregate]
		before.counts[row] = cell.Float
		*cell = anonymize.RealValue(figure)
		if s.Deviations != nil {
			s.Deviations[row][aggregate] = anonymize.RealValue(u.Deviations[row])
		}
		if s.Bounds != nil {
			s.Bounds[row][aggregate] = u.Bounds[row]
		}
	}
	if s.units == nil {
		s.units = make(map[int]*units)
	}
	s.units[aggregate] = before
}

// halfUnits is the half width of an interval around a number of units.
func (i *imputed) halfUnits(before *units, row, aggregate int, figure, deviation, level float64) float64 {
	o, scatter := offset{}, estimate.Scatter{Total: 1}
	if !i.answer.Exact && i.aggregates != nil { // what is exact by record has no misfit
		o, scatter = i.aggregates[aggregate], i.answer.Scatters()[row][aggregate]
	}
	if before.counts[row] > 0 {
		scale := figure / before.counts[row]
		scatter.Squares *= scale * scale
	}
	half := i.halfWidth(o, false, figure, deviation, scatter, level)
	if deviation == 0 && level > float64(i.tables+1)/float64(i.tables+2) {
		half = math.Max(half, 1)
	}
	return half
}
