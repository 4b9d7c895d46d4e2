package interval

import (
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Deviation 134: of completed tables the variance within one is 0, the misfit widens
// COUNT and SUM and not AVG, and equal counts reach 1 at levels that the next table may
// break.
func TestDeviation134_NoVarianceWithin(t *testing.T) {
	const tables, figure, deviation, quantile = 12, 50.0, 3.0, 2.201 // of Student's t with 11 degrees of freedom
	half := func(misfit, deviation float64, kind estimate.Kind, level float64) float64 {
		low, high := (&imputed{tables, misfit}).ends(kind, anonymize.RealValue(figure), anonymize.RealValue(deviation), false, level)
		if math.Abs(low+high-2*figure) > 1e-9 {
			t.Errorf("the interval from %v to %v is not around %v", low, high, figure)
		}
		return (high - low) / 2
	}
	for _, c := range []struct {
		name              string
		misfit, deviation float64
		kind              estimate.Kind
		level, want       float64
	}{
		{"the spread of the tables alone", 0, deviation, estimate.Count, .95, quantile * deviation},
		{"misfit", .16, deviation, estimate.Count, .95, quantile * 5}, // .16 of 50, halved, is 4
		{"misfit of a sum", .16, deviation, estimate.Sum, .95, quantile * 5},
		{"misfit of a mean", .16, deviation, estimate.Average, .95, quantile * deviation},
		{"equal counts", 0, 0, estimate.Count, .95, 1},
		{"equal counts, at 12 of 14 and less", 0, 0, estimate.Count, .9, 0},
		{"equal sums", 0, 0, estimate.Sum, .95, 0},
	} {
		if got := half(c.misfit, c.deviation, c.kind, c.level); math.Abs(got-c.want) > 1e-3*max(1, c.want) {
			t.Errorf("%s: half width %v, want %v", c.name, got, c.want)
		}
	}
}
