package interval

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// factors are the possible half widths of an interval, as multiples of the model's own
// ([Unit]). Measured releases of cells needed 2 to 18; those with one cell per value everywhere
// (package fulldomain) needed 25 to 280 for COUNT and SUM, where such a wide interval says no
// more than the hard bounds. The hard bounds are one of the eight, because every release needs
// a true interval. They are several times as wide as the factor before, so that factor is 18
// and the steps are coarse: a half width is at most 1.7 times the necessary one.
var factors = [8]float64{1, 2, 3, 5, 8, 12, 18, math.Inf(1)}

// Widest is the number of the last factor: an interval as wide as the hard bounds.
const Widest = uint8(len(factors))

// Widths are everything that analysts may know of a calibration, which uses the raw table: for
// COUNT, SUM and AVG the number of a factor, from 1 to Widest. That is 3 bits each for every
// table, so there is no ninth value for "not measured".
type Widths struct {
	Count, Sum, Average uint8
}

// Levels are the levels at which intervals are calibrated, ascending. Levels between the first
// and the last are permitted.
var Levels = []float64{0.5, 0.8, 0.9, nominal, 0.99}

// nominal is the level that the factors are for.
const nominal = 0.95

// MinimumEstimates is the least number of estimates for choosing a width: at 95 percent the
// covered share then has a standard deviation of 3.4 percent.
const MinimumEstimates = 40

// tolerance is the relative difference that reordering a sum may cause.
const tolerance = 1e-9

// CheckLevel refuses levels without a known width.
func CheckLevel(level float64) error {
	if least, greatest := Levels[0], Levels[len(Levels)-1]; !(level >= least && level <= greatest) {
		return &anonymize.ParameterError{Parameter: "level", Value: strconv.FormatFloat(level, 'g', -1, 64),
			Rule: fmt.Sprintf("must be from %v to %v, such as 0.95", least, greatest)}
	}
	return nil
}

// shape returns the half width of a level's interval relative to that of 95 percent. Up to 95
// percent it is a normal error's, an upper bound for measured errors, which have longer tails
// and so more mass in the middle. Beyond, the tails matter: it is Student's t with 2 degrees of
// freedom, whose quantile is level sqrt(2 / (1 - level^2)). At 99 percent it is 2.3; in 56 sets
// of measured errors, of seven methods on two tables, the quotient of the quantiles was 1.3 to
// 5.4, with median 2.0. Where it is more, the factor is larger.
func shape(level float64) float64 {
	if level <= nominal {
		return math.Erfinv(level) / math.Erfinv(nominal)
	}
	student := func(level float64) float64 { return level * math.Sqrt(2/(1-level*level)) }
	return student(level) / student(nominal)
}

// A Figure is an estimate with what its interval depends on.
type Figure struct {
	Estimate  float64
	Deviation float64 // the standard error of the model
	Low, High float64 // the hard bounds
}

// usualMisfit is the misfit of completed tables that were not measured ([OfCompleted]).
const usualMisfit = 0.1

// Unit returns the half width of the 95 percent interval that a factor multiplies,
//
//	1.96 sqrt(D^2 + (r Q / 2)^2)
//
// for the standard error D, the misfit r and Q = |estimate|. Completed tables use the same
// form, for the same reason: D becomes small relative to Q if many groups add up, but the
// model's error does not, because it is alike in all groups. A mean has no natural zero (years,
// degrees), so Q of AVG is the distance to the nearer hard bound, which is invariant under
// translation.
//
// A SUM of numbers of both signs, such as SUM(IF(a, 1, -1)), gets too little if its parts
// cancel: only Q is known here, whereas completed tables know both parts.
//
// It was chosen among the standard error alone, shares of the hard bounds, D^2, and r = 0.05 to
// 0.2 on five tables and eight methods: with the standard error alone, common questions needed
// 13 to 130 of them, and intervals were 1.5 to 2 times as wide.
func Unit(kind estimate.Kind, f Figure) float64 {
	doubtful := math.Abs(f.Estimate)
	if kind == estimate.Average {
		doubtful = max(0, min(f.Estimate-f.Low, f.High-f.Estimate))
	}
	if math.IsNaN(doubtful) || math.IsInf(doubtful, 0) { // an unknown bound
		doubtful = 0
	}
	return normal * math.Hypot(f.Deviation, usualMisfit/2*doubtful)
}

// normal is the 0.975 quantile of the standard normal distribution.
var normal = math.Sqrt2 * math.Erfinv(nominal)

// HalfWidth returns half the width of the interval of a level around a figure: 0 for an
// exact one, infinite where nothing is claimed but the hard bounds. ok is false for a
// nil w, a level that CheckLevel refuses, and for other aggregates than COUNT, SUM
// and AVG.
func (w *Widths) HalfWidth(kind estimate.Kind, f Figure, level float64) (half float64, ok bool) {
	if !w.hasIntervals(kind, level) || math.IsNaN(f.Deviation) {
		return 0, false
	}
	return w.halfWidth(kind, f, level), true
}

// hasIntervals reports whether there are intervals of a level around figures of a kind.
func (w *Widths) hasIntervals(kind estimate.Kind, level float64) bool {
	return w != nil && kind <= estimate.Average && CheckLevel(level) == nil
}

// halfWidth accepts any level below 1.
func (w *Widths) halfWidth(kind estimate.Kind, f Figure, level float64) float64 {
	if f.Deviation == 0 {
		return 0
	}
	return w.Factor(kind) * shape(level) * Unit(kind, f)
}

// Factor returns the half width of the 95 percent interval of COUNT, SUM or AVG in
// the unit of [UnitName]; infinite for the hard bounds.
func (w *Widths) Factor(kind estimate.Kind) float64 {
	switch kind {
	case estimate.Count:
		return factors[w.Count-1]
	case estimate.Sum:
		return factors[w.Sum-1]
	}
	return factors[w.Average-1]
}

// UnitName describes in words what the factors multiply.
const UnitName = "half widths of the model's own"

// String describes the width of 95 percent intervals in words.
func (w *Widths) String() string {
	var list []string
	for kind, name := range []string{estimate.Count: "COUNT", estimate.Sum: "SUM", estimate.Average: "AVG"} {
		text := "the hard bounds"
		if factor := w.Factor(estimate.Kind(kind)); !math.IsInf(factor, 1) {
			text = strconv.Itoa(int(factor)) + " " + UnitName
		}
		list = append(list, name+" "+text)
	}
	return strings.Join(list, ", ")
}

// check refuses invalid numbers of factors.
func (w *Widths) check() error {
	if w == nil {
		return errors.New("there are none")
	}
	for _, number := range []uint8{w.Count, w.Sum, w.Average} {
		if number < 1 || number > Widest {
			return fmt.Errorf("a width has the number %d, not one from 1 to %d", number, Widest)
		}
	}
	return nil
}

// A Coverage says how many estimates of an aggregate were compared with the actual figure, and
// whether |actual - estimate| is within a multiple of the unit often enough for a level.
type Coverage struct {
	Estimates int
	Covers    func(multiple, level float64) bool
}

// Choose returns the calibrated widths, in multiples of [Unit]: for every aggregate the least
// factor that covers at all Levels. With fewer than MinimumEstimates estimates, COUNT gets the
// last factor, SUM that of COUNT (as in a release without numbers), and AVG that of SUM.
func Choose(measured func(estimate.Kind) Coverage) *Widths {
	choose := func(kind estimate.Kind, otherwise uint8) uint8 {
		if c := measured(kind); c.Estimates >= MinimumEstimates {
			return c.leastFactor()
		}
		return otherwise
	}
	w := &Widths{Count: choose(estimate.Count, Widest)}
	w.Sum = choose(estimate.Sum, w.Count)
	w.Average = choose(estimate.Average, w.Sum)
	return w
}

// leastFactor returns the number of the least factor that covers.
func (c Coverage) leastFactor() uint8 {
	for i, factor := range factors {
		enough := true
		for _, level := range Levels {
			enough = enough && c.Covers(factor*shape(level)*(1+tolerance), level)
		}
		if enough {
			return uint8(i + 1)
		}
	}
	return Widest
}
