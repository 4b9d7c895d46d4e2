package evaluation

import (
	"fmt"
	"math"
	"slices"
)

// ClaimWithin claims that a series is between two values, in the units of the figure.
func (r Reading) ClaimWithin(label string, low, high float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is between %s and %s", label, Number(low), Number(high))}
	r.walkPlaces(func(x float64, y []float64) {
		c.Places++
		if y[0] < low || y[0] > high {
			c.Against = append(c.Against, fmt.Sprintf("%s: %s", r.Place(x), Number(y[0])))
		}
	}, label)
	return c
}

// AtMost claims that a series has at most some value at a place.
func (r Reading) AtMost(x float64, label string, most float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is at most %s at %s", label, Number(most), r.Place(x))}
	if y, ok := r.Value(label, x); ok {
		c.Places = 1
		if y > most {
			c.Against = []string{"it is " + Number(y)}
		}
	}
	return c
}

// Rises claims that every point is at least the previous one less the share tolerance. A series of one point has no
// place.
func (r Reading) Rises(label string, tolerance float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s rises with %s%s", label, r.x, allowed(tolerance))}
	return r.steps(c, label, func(before, after float64) bool { return after >= before*(1-tolerance) })
}

// Falls is the opposite of Rises.
func (r Reading) Falls(label string, tolerance float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s falls with %s%s", label, r.x, allowed(tolerance))}
	return r.steps(c, label, func(before, after float64) bool { return after <= before*(1+tolerance) })
}

func (r Reading) steps(c Claim, label string, holds func(before, after float64) bool) Claim {
	before, any := 0.0, false
	r.walkPlaces(func(x float64, y []float64) {
		if any {
			c.Places++
			if !holds(before, y[0]) {
				c.Against = append(c.Against, fmt.Sprintf("%s: %s after %s", r.Place(x), Number(y[0]), Number(before)))
			}
		}
		before, any = y[0], true
	}, label)
	return c
}

// Flat claims that the greatest value is above the least by at most the share tolerance.
func (r Reading) Flat(label string, tolerance float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s is hardly affected by %s, by %s percent at most", label, r.x, Number(100*tolerance))}
	low, high := r.Span(label)
	if low <= high {
		c.Places = 1
		if high > low*(1+tolerance) {
			c.Against = []string{fmt.Sprintf("from %s to %s", Number(low), Number(high))}
		}
	}
	return c
}

// Grows claims that the last value is above the first one. A series of one point has no
// place.
func (r Reading) Grows(label string) Claim {
	c := Claim{Says: fmt.Sprintf("%s is higher at the last %s than at the first", label, r.x)}
	all := r.values(label)
	if n := len(all); n > 1 {
		c.Places = 1
		if all[n-1] <= all[0] {
			c.Against = []string{fmt.Sprintf("%s, then %s", Number(all[0]), Number(all[n-1]))}
		}
	}
	return c
}

// Dips claims that the least value is neither the first one nor the last. Fewer than
// three points have no place.
func (r Reading) Dips(label string) Claim {
	c := Claim{Says: fmt.Sprintf("%s decreases with %s at first, then increases", label, r.x)}
	all := r.values(label)
	if n := len(all); n > 2 {
		c.Places = 1
		if least := slices.Min(all); all[0] == least || all[n-1] == least {
			c.Against = []string{fmt.Sprintf("the first is %s, the least %s, the last %s", Number(all[0]), Number(least), Number(all[n-1]))}
		}
	}
	return c
}

// ClaimValues claims the values of a series, in order. A series of another length has no
// place.
func (r Reading) ClaimValues(label string, values ...float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s has %s", label, List(values))}
	found := r.values(label)
	if len(found) != len(values) {
		return c
	}
	c.Places = 1
	for i := range values {
		if found[i] != values[i] {
			c.Against = []string{"it has " + List(found)}
		}
	}
	return c
}

// NothingAt claims that a series is 0 at a place.
func (r Reading) NothingAt(x float64, label string) Claim {
	c := Claim{Says: fmt.Sprintf("%s is 0 at %s", label, r.Place(x))}
	if y, ok := r.Value(label, x); ok {
		c.Places = 1
		if y != 0 {
			c.Against = []string{"it is " + Number(y)}
		}
	}
	return c
}

// Steeper claims that the last step of a series, per unit of x, is at least as high
// as the first. With fewer than three points there is no place.
func (r Reading) Steeper(label string) Claim {
	c := Claim{Says: fmt.Sprintf("%s rises more where %s is larger", label, r.x)}
	s := r.Label(label)
	if s == nil || len(s.Points) < 3 {
		return c
	}
	c.Places = 1
	n := len(s.Points)
	slope := func(a, b Point) float64 { return (b.Y - a.Y) / (b.X - a.X) }
	first, last := slope(s.Points[0], s.Points[1]), slope(s.Points[n-2], s.Points[n-1])
	if last < first {
		c.Against = []string{fmt.Sprintf("%s a step of %s at first, %s at last", Number(first), r.x, Number(last))}
	}
	return c
}

// Order claims that a series grows from its first to its last point as a power of
// x between low and high. Fewer than two points have no place.
func (r Reading) Order(label string, low, high float64) Claim {
	c := Claim{Says: fmt.Sprintf("%s grows as a power of x from %s to %s", label, Number(low), Number(high))}
	s := r.Label(label)
	if s == nil || len(s.Points) < 2 {
		return c
	}
	first, last := s.Points[0], s.Points[len(s.Points)-1]
	if first.X <= 0 || first.Y <= 0 || last.Y <= 0 {
		return c
	}
	c.Places = 1
	if power := math.Log(last.Y/first.Y) / math.Log(last.X/first.X); power < low || power > high {
		c.Against = []string{"the power is " + Number(power)}
	}
	return c
}
