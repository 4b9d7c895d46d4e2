package interval

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Parts selects parts of a [Spread].
type Parts struct{ Deviations, Bounds, Intervals bool }

// A Spread accompanies the figures of an answer.
//
// For a release without counterfeits, Deviations are the model's standard errors and Bounds the
// hard bounds, both from package estimate.
//
// Of a release with F counterfeits the model takes every choice of F records for
// equally likely. The counterfeits of a release that follows its table are those
// who left, and people leave together: of a department that was closed, all. So
// what is claimed holds for every choice. The figure X over the N published records
// is estimated as in a release without counterfeits; f of these records that count
// are counterfeits, 0 to F, and the figure over persons is what is left:
//
//   - COUNT is in [low - F, high] for the interval [low, high] of X;
//   - SUM in [low - most, high - least], where most and least are what F records
//     that count can add up to, at the greatest and least value that one may have;
//   - AVG, with the interval [low, high] of the mean over N records and at least n
//     that count, each at half the doubt: in [(n low - F greatest) / (n - F),
//     (n high - F least) / (n - F)], and without an interval of its own where n <= F.
//
// All intervals are cut at the hard bounds, which hold for every choice of counterfeits anyway.
// Deviations are the root mean square deviation from the figure over persons for the worst
// choice; NULL for AVG, for which none is known.
type Spread struct {
	Deviations [][]anonymize.Value // by row of the answer and aggregate
	Bounds     [][]estimate.Bound

	question *estimate.Question
	answer   *estimate.Answer
	forged   *published // nil for no counterfeits, or an exact answer
	imputed  *imputed   // nil unless the answer is of completed tables
	units    map[int]*units
	// By aggregate: noisy ones differ from the actual figures only by noise, mixed ones read it beside other attributes.
	noisy, mixed map[int]bool
	shifts       [][]shift       // of noisy figures
	apart        map[[2]int]bool // by row and quotient; see findApart
}

// Compute computes the wanted parts for an answer of r to q. Intervals need both others, so it
// computes these too. An answer of AskWithSpread costs no further scan if kernels fit; with
// counterfeits it costs another question.
func Compute(ctx context.Context, r *estimate.Prepared, q *estimate.Question, answer *estimate.Answer, wanted Parts) (*Spread, error) {
	s := &Spread{question: q, answer: answer}
	var err error
	if wanted.Bounds || wanted.Intervals || r.Release().Forged > 0 && wanted.Deviations {
		if s.Bounds, err = r.Bounds(ctx, q, answer); err != nil {
			return nil, err
		}
	}
	if !wanted.Deviations && !wanted.Intervals {
		return s, nil
	}
	if r.Release().Forged == 0 || answer.Exact {
		if s.Deviations, err = r.StandardErrors(ctx, q, answer); err != nil {
			return nil, err
		}
		return s, s.addNoise(ctx, r.Release(), q)
	}
	if s.forged, err = publishedOf(ctx, r, q, answer); err != nil {
		return nil, err
	}
	s.Deviations = s.worstDeviations()
	return s, nil
}

// Forget takes away what stands beside the figures, where none of it holds.
func (s *Spread) Forget() {
	for row := range s.answer.Rows {
		if s.Bounds != nil {
			clear(s.Bounds[row])
		}
		if s.Deviations != nil {
			clear(s.Deviations[row])
		}
	}
}

// Interval returns the interval of a figure at a level; ok is false where the
// figure is NULL, no COUNT, SUM or AVG, or w and level have none (see Half). The answers
// of completed tables need no w.
func (s *Spread) Interval(w *Widths, row, aggregate int, level float64) (low, high float64, ok bool) {
	asked, figure := s.question.Aggregates[aggregate], s.answer.Rows[row].Figures[aggregate]
	kind := widthKind(asked)
	if s.imputed != nil {
		ok = kind <= estimate.Average && CheckLevel(level) == nil
	} else {
		ok = w.hasIntervals(kind, level)
	}
	if !ok || figure.IsNull() || s.Bounds[row][aggregate].Low.IsNull() && s.Deviations[row][aggregate].IsNull() {
		return 0, 0, false
	}
	bound := s.Bounds[row][aggregate]
	if (kind == estimate.Count || asked.Truths) && bound.Low.IsNull() { // noisy counts have no other bound
		bound.Low = anonymize.RealValue(0)
		if kind == estimate.Average {
			bound.High = anonymize.RealValue(1)
		}
	}
	switch counted := s.units[aggregate]; {
	case counted != nil && counted.mostForged > 0:
		low, high = counted.forgedUnits(w, row, figure.Float, bound, level)
	case counted != nil && s.imputed != nil:
		half := s.imputed.halfUnits(counted, row, aggregate, figure.Float, s.Deviations[row][aggregate].Float, level)
		low, high = figure.Float-half, figure.Float+half
	case s.imputed != nil && s.answer.Exact && !s.isCoarse(aggregate):
		low, high = figure.Float, figure.Float
	case s.imputed != nil && s.noisy[aggregate]:
		moved, deviation := s.shifts[row][aggregate], s.Deviations[row][aggregate].Float
		half := student(level, s.imputed.tables-1) * math.Sqrt(max(0, deviation*deviation-moved.size()*moved.size()))
		low, high = figure.Float-half+min(0, moved.above, -moved.below), figure.Float+half+max(0, moved.above)
	case s.imputed != nil:
		scatter := s.imputed.answer.Scatters[row][aggregate]
		low, high = s.imputed.ends(s.question.Aggregates[aggregate], scatter, aggregate, figure, s.Deviations[row][aggregate], level)
	case s.forged != nil:
		low, high = s.forged.interval(w, row, aggregate, level)
	default:
		half := w.halfWidth(kind, figureOf(figure, s.Deviations[row][aggregate], bound), level)
		low, high = figure.Float-half, figure.Float+half
	}
	if s.isCoarse(aggregate) { // bounds are for the published numbers
		return low, high, !math.IsNaN(low)
	}
	return clampToBound(low, bound, math.Inf(-1)), clampToBound(high, bound, math.Inf(1)), true
}

// widthKind is the kind of aggregate whose factor an interval has: a SUM of a condition is the COUNT under that condition.
func widthKind(a estimate.Aggregate) estimate.Kind {
	if a.Kind == estimate.Sum && a.Truths {
		return estimate.Count
	}
	return a.Kind
}

// isCoarse reports whether an aggregate's numbers are known only approximately.
func (s *Spread) isCoarse(aggregate int) bool {
	return s.imputed != nil && s.imputed.aggregates != nil && s.imputed.aggregates[aggregate].coarse != nil
}

func figureOf(figure, deviation anonymize.Value, b estimate.Bound) Figure {
	return Figure{figure.Float, deviation.Float, b.Low.Float, b.High.Float}
}

// clampToBound clamps an end to the hard bounds, if there are any; an unknown end becomes the
// bound on its side.
func clampToBound(end float64, bound estimate.Bound, unknown float64) float64 {
	if math.IsNaN(end) {
		end = unknown
	}
	if !bound.Low.IsNull() {
		end = max(end, bound.Low.Float)
	}
	if !bound.High.IsNull() {
		end = min(end, bound.High.Float)
	}
	return end
}
