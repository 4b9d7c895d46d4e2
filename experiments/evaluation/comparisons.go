package evaluation

import (
	"fmt"
	"math"
)

// ClaimBelow claims that a series is below another, or above it by at most the share tolerance.
func (r Reading) ClaimBelow(less, more string, tolerance float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is below %s%s", less, more, allowed(tolerance))}
	return r.compare(c, less, more, func(y, other float64) bool { return y > other*(1+tolerance) })
}

// ClaimNear claims that a series equals another, up to the share tolerance on either side.
func (r Reading) ClaimNear(label, reference string, tolerance float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is as %s, within %s percent", label, reference, Number(100*tolerance))}
	return r.compare(c, label, reference, func(y, other float64) bool { return math.Abs(y-other) > tolerance*math.Abs(other) })
}

// ClaimAbove claims that a series is more than factor times another.
func (r Reading) ClaimAbove(more, less string, factor float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is more than %s times %s", more, Number(factor), less)}
	if factor == 1 {
		c.Says = fmt.Sprintf("%s is above %s", more, less)
	}
	return r.compare(c, more, less, func(y, other float64) bool { return y <= factor*other })
}

// Close claims that a series equals the paper's, up to a number of percentage points on either side. Both are in
// percent.
func (r Reading) Close(label, paper string, points float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is the paper's within %s percentage points", label, Number(points))}
	return r.compare(c, label, paper, func(y, other float64) bool { return math.Abs(y-other) > points })
}

// compare checks a claim at every place that two series share.
func (r Reading) compare(c Claim, label, reference string, contradicts func(y, other float64) bool) Claim {
	r.walkPlaces(func(x float64, y []float64) {
		c.Places++
		if contradicts(y[0], y[1]) {
			c.Against = append(c.Against, fmt.Sprintf("%s: %s against %s", r.Place(x), Number(y[0]), Number(y[1])))
		}
	}, label, reference)
	return c
}

// Steadier claims that the ratio of the greatest to the least value is smaller for one series than for another.
func (r Reading) Steadier(calm, other string) Claim {
	c := Claim{Says: fmt.Sprintf("%s is affected by %s less than %s", calm, r.x, other)}
	low, high := r.Span(calm)
	least, most := r.Span(other)
	if low <= high && least <= most {
		c.Places = 1
		if high*least > most*low {
			c.Against = []string{fmt.Sprintf("%s from %s to %s, %s from %s to %s", calm, Number(low), Number(high), other, Number(least), Number(most))}
		}
	}
	return c
}

// Evener claims that the difference between the greatest and the least value is smaller for one series than for
// another.
func (r Reading) Evener(even, other string) Claim {
	c := Claim{Says: fmt.Sprintf("%s is more even than %s", even, other)}
	low, high := r.Span(even)
	least, most := r.Span(other)
	if low <= high && least <= most {
		c.Places = 1
		if high-low >= most-least {
			c.Against = []string{fmt.Sprintf("%s from %s to %s, %s from %s to %s", even, Number(low), Number(high), other, Number(least), Number(most))}
		}
	}
	return c
}

// Regular claims that a series is closer to proportional to x than another, by the ratio of the greatest y/x to the
// least.
func (r Reading) Regular(calm, other string) Claim {
	c := Claim{Says: fmt.Sprintf("%s grows more regularly with %s than %s", calm, r.x, other)}
	a, b := r.spread(calm), r.spread(other)
	if a > 0 && b > 0 {
		c.Places = 1
		if a >= b {
			c.Against = []string{fmt.Sprintf("the ratio to %s changes by a factor of %s for %s, of %s for %s", r.x, Number(a), calm, Number(b), other)}
		}
	}
	return c
}

// spread returns the ratio of the greatest y/x to the least; 0 if there is none.
func (r Reading) spread(label string) float64 {
	low, high := math.Inf(1), 0.0
	r.walkPlaces(func(x float64, y []float64) {
		if x > 0 && y[0] > 0 {
			low, high = min(low, y[0]/x), max(high, y[0]/x)
		}
	}, label)
	if high == 0 {
		return 0
	}
	return high / low
}

func allowed(tolerance float64) string {
	if tolerance == 0 {
		return ""
	}
	return fmt.Sprintf(", give or take %s percent", Number(100*tolerance))
}
