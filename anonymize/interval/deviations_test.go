package interval

import (
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Deviation 134: of completed tables the variance within one is 0, the misfit widens COUNT, SUM, AVG
// and quotients, and equal counts reach 1 at levels that the next table may break.
func TestDeviation134_NoVarianceWithin(t *testing.T) {
	const tables, figure, deviation, quantile = 12, 50.0, 3.0, 2.201 // of Student's t with 11 degrees of freedom
	whole, signed := estimate.Scatter{Total: 1, Absolute: figure, Squares: 64, Tables: tables}, estimate.Scatter{Total: 1, Absolute: 110, Squares: 64, Tables: tables}
	// 40 records, whose distances from their mean add up to 800, and their squares to 25,600.
	mean := estimate.Scatter{Total: 40, Absolute: 800, Squares: 25_600, Tables: tables}
	rare := estimate.Scatter{Total: 1, Absolute: 2, Squares: 2, Tables: 3}
	for _, c := range []struct {
		name      string
		offset    offset
		quotient  bool
		deviation float64
		scatter   estimate.Scatter
		want      float64
	}{
		{"the spread of the tables alone", offset{}, false, deviation, whole, quantile * deviation},
		{"misfit", offset{ratio: .16}, false, deviation, whole, quantile * 5}, // .16 of 50, halved, is 4
		{"misfit of 80 and -30", offset{ratio: .16}, false, deviation, signed, quantile * math.Sqrt(9+.08*.08*(80*80+30*30))},
		{"luck", offset{luck: .25}, false, deviation, whole, quantile * 5}, // of 64 squares is 16
		{"the spread of a mean alone", offset{}, true, deviation, mean, quantile * deviation},
		{"a mean that three tables have", offset{}, true, deviation, rare, 4.3027 * deviation}, // 2 degrees of freedom
		// .5 of the mean distance of 20, by twice the root of two, is 3.54; of a mean the figure is no size.
		{"misfit of a mean", offset{ratio: .5}, true, deviation, mean, quantile * math.Sqrt(9+12.5)},
		{"luck of a mean", offset{luck: 1}, true, deviation, mean, quantile * 5},
		{"drawn to the mean of all", offset{drawn: .1, overall: 10}, true, deviation, mean, quantile * 5},
	} {
		if got := halfWidth(c.offset, c.quotient, figure, c.deviation, c.scatter, .95); math.Abs(got-c.want) > 1e-3*max(1, c.want) {
			t.Errorf("%s: half width %v, want %v", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		asked       estimate.Aggregate
		level, want float64
	}{{estimate.Aggregate{Kind: estimate.Count}, .95, 1}, {estimate.Aggregate{Kind: estimate.Count}, .9, 0}, {estimate.Aggregate{Kind: estimate.Sum}, .95, 0}, // 13 of 14 is .929
		{estimate.Aggregate{Kind: estimate.Sum, Truths: true}, .95, 1}, {estimate.Aggregate{Kind: estimate.Average, Truths: true}, .95, 1}} {
		i := &imputed{tables: tables, aggregates: make([]offset, 1), answer: &estimate.Answer{}}
		low, high := i.ends(c.asked, estimate.Scatter{Total: 1, Tables: tables}, 0, anonymize.RealValue(figure), anonymize.RealValue(0), c.level)
		if low != figure-c.want || high != figure+c.want {
			t.Errorf("equal figures at %v: from %v to %v, want %v to both sides", c.level, low, high, c.want)
		}
	}
}
