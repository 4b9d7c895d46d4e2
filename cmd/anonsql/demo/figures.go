package demo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A figure is one answer as the client received it: estimate, 95 percent interval, actual value
// and relative error, "NULL" if the actual value is 0.
type figure struct{ estimate, low, high, actual, err string }

var figureHeader = []string{"estimate", "95 % interval", "actual", "error", "inside"}

// slack is the tolerance for figures that differ only in their last digits: AVG has four
// decimals, and sums depend on the order of addition.
func slack(figure float64) float64 { return 1e-4 + 1e-9*math.Abs(figure) }

// numbers returns low, estimate, actual and high; it fails if one is not a number.
func (f figure) numbers() (v [4]float64, err error) {
	for i, text := range []string{f.low, f.estimate, f.actual, f.high} {
		if v[i], err = strconv.ParseFloat(text, 64); err != nil {
			return v, fmt.Errorf("the figures %q are no interval around a number", f)
		}
	}
	return v, nil
}

// exact reports whether the interval is a single value, up to rounding.
func (f figure) exact() bool {
	v, err := f.numbers()
	return err == nil && v[3]-v[0] <= slack(v[1])
}

// covers reports whether the interval contains the actual value.
func (f figure) covers() (bool, error) {
	v, err := f.numbers()
	return err == nil && v[0]-slack(v[2]) <= v[2] && v[2] <= v[3]+slack(v[2]), err
}

// cells returns the figure's cells for figureHeader.
func (f figure) cells() []string {
	inside, _ := f.covers()
	interval, verdict := roundDecimals(f.low)+" to "+roundDecimals(f.high), map[bool]string{true: "yes", false: "NO"}[inside]
	if f.exact() {
		interval, verdict = "exact", "yes"
	}
	return []string{roundDecimals(f.estimate), interval, roundDecimals(f.actual), percent(f.err), verdict}
}

// percent writes a relative error for people.
func percent(text string) string {
	share, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// figures collects all answers.
type figures struct {
	exact, inside int
	// errors are the relative errors of non-exact estimates with a nonzero actual value.
	errors []float64
	// estimated is the number of non-exact answers.
	estimated int
}

func (all *figures) add(f figure) error {
	if f.exact() {
		all.exact++
		inside, err := f.covers()
		if err == nil && !inside {
			err = fmt.Errorf("the answer %s has no doubt, the actual value is %s", f.estimate, f.actual)
		}
		return err
	}
	all.estimated++
	inside, err := f.covers()
	if inside {
		all.inside++
	}
	if share, missing := strconv.ParseFloat(f.err, 64); missing == nil {
		all.errors = append(all.errors, share)
	}
	return err
}

// median returns the upper median of the relative errors, 0 for none.
func (all *figures) median() float64 {
	if len(all.errors) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all.errors))
	return sorted[len(sorted)/2]
}

// String describes the quality of the answers.
func (all *figures) String() string {
	if all.estimated == 0 {
		return fmt.Sprintf("All %d figures are exact: no question was about both sides of a group.", all.exact)
	}
	return fmt.Sprintf("Of %d figures %d are exact, since one relation has all their columns. Of the %d others the median error is %.1f percent,\n"+
		"and %d actual values are inside their 95 percent intervals.", all.exact+all.estimated, all.exact, all.estimated, 100*all.median(), all.inside)
}
