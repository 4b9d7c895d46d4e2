package interval

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// units has the figures of a COUNT(*) before numbers of units replaced it. For a release with counterfeits, deviations are those
// of the units of all, real is the share of persons among them, and mostForged the greatest number of counterfeits.
type units struct {
	counts, deviations []float64
	real, mostForged   float64
}

// PutUnits replaces a COUNT(*) of the answer and its spread by numbers of units. Their interval is as wide as
// the COUNT's, relatively, except for the differences of completed tables, which are measured in units.
func (s *Spread) PutUnits(aggregate int, u *estimate.UnitFigures) {
	before := &units{make([]float64, len(u.Figures)), u.Deviations, u.Real, u.MostForged}
	for row, figure := range u.Figures {
		cell := &s.answer.Rows[row].Figures[aggregate]
		before.counts[row] = cell.Float
		*cell = anonymize.RealValue(figure)
		if s.Deviations != nil {
			s.Deviations[row][aggregate] = anonymize.RealValue(before.worstDeviation(u, row))
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

// worstDeviation returns the root mean square deviation from the number of units of persons,
// for the worst choice of counterfeits, as for records ([Spread.worstDeviations]).
func (b *units) worstDeviation(u *estimate.UnitFigures, row int) float64 {
	if b.mostForged == 0 {
		return u.Deviations[row]
	}
	all := u.Figures[row] / b.real
	forged := all - u.Figures[row]
	farthest := max(u.Figures[row]-u.Bounds[row].Low.Float, u.Bounds[row].High.Float-u.Figures[row])
	return min(farthest, math.Hypot(u.Deviations[row], max(forged, min(all, b.mostForged)-forged)))
}

// forgedUnits returns the interval of a number of units with counterfeits: that of all units, extended below by possible counterfeits.
func (b *units) forgedUnits(w *Widths, row int, figure float64, bound estimate.Bound, level float64) (low, high float64) {
	all := figure / b.real
	half := w.halfWidth(estimate.Count, Figure{all, b.deviations[row], bound.Low.Float, bound.High.Float + b.mostForged}, level)
	return all - half - b.mostForged, all + half
}

// halfUnits returns the half width of an interval around a number of units.
func (i *imputed) halfUnits(before *units, row, aggregate int, figure, deviation, level float64) float64 {
	o, scatter := offset{}, estimate.Scatter{Total: 1, Tables: i.tables}
	if !i.answer.Exact && i.aggregates != nil { // a figure exact by record has no misfit
		o, scatter = i.aggregates[aggregate], i.answer.Scatters[row][aggregate]
	}
	if before.counts[row] > 0 {
		scale := figure / before.counts[row]
		scatter.Squares *= scale * scale
	}
	scatter.Absolute = figure // the figure, in units
	return beyondAlike(halfWidth(o, false, figure, deviation, scatter, level), deviation, level, scatter)
}
