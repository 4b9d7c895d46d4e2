package experiments

import (
	"fmt"
	"math"
)

// below claims that a series is under another. It may be above by the share
// tolerance.
func (r reading) below(less, more string, tolerance float64) claim {
	c := claim{says: fmt.Sprintf("%s is below %s%s", less, more, allowed(tolerance))}
	r.each(func(x float64, y []float64) {
		c.places++
		if y[0] > y[1]*(1+tolerance) {
			c.against = append(c.against, fmt.Sprintf("%s: %s against %s", r.place(x), number(y[0]), number(y[1])))
		}
	}, less, more)
	return c
}

// near claims that a series is another, up to the share tolerance on either side.
func (r reading) near(label, reference string, tolerance float64) claim {
	c := claim{says: fmt.Sprintf("%s is as %s, within %s percent", label, reference, number(100*tolerance))}
	r.each(func(x float64, y []float64) {
		c.places++
		if math.Abs(y[0]-y[1]) > tolerance*math.Abs(y[1]) {
			c.against = append(c.against, fmt.Sprintf("%s: %s against %s", r.place(x), number(y[0]), number(y[1])))
		}
	}, label, reference)
	return c
}

// within claims that a series is between two values, in the units of the figure.
func (r reading) within(label string, low, high float64) claim {
	c := claim{says: fmt.Sprintf("%s is between %s and %s", label, number(low), number(high))}
	r.each(func(x float64, y []float64) {
		c.places++
		if y[0] < low || y[0] > high {
			c.against = append(c.against, fmt.Sprintf("%s: %s", r.place(x), number(y[0])))
		}
	}, label)
	return c
}

// rises claims that every point is at least the one before, less the share
// tolerance. A series of one point has no place.
func (r reading) rises(label string, tolerance float64) claim {
	c := claim{says: fmt.Sprintf("%s rises with %s%s", label, r.x, allowed(tolerance))}
	return r.steps(c, label, func(before, after float64) bool { return after >= before*(1-tolerance) })
}

// falls is the opposite of rises.
func (r reading) falls(label string, tolerance float64) claim {
	c := claim{says: fmt.Sprintf("%s falls with %s%s", label, r.x, allowed(tolerance))}
	return r.steps(c, label, func(before, after float64) bool { return after <= before*(1+tolerance) })
}

func (r reading) steps(c claim, label string, holds func(before, after float64) bool) claim {
	before, any := 0.0, false
	r.each(func(x float64, y []float64) {
		if any {
			c.places++
			if !holds(before, y[0]) {
				c.against = append(c.against, fmt.Sprintf("%s: %s after %s", r.place(x), number(y[0]), number(before)))
			}
		}
		before, any = y[0], true
	}, label)
	return c
}

// flat claims that the greatest value is at most the share tolerance above the
// least.
func (r reading) flat(label string, tolerance float64) claim {
	c := claim{says: fmt.Sprintf("%s is hardly affected by %s, by %s percent at most", label, r.x, number(100*tolerance))}
	low, high := r.span(label)
	if low <= high {
		c.places = 1
		if high > low*(1+tolerance) {
			c.against = []string{fmt.Sprintf("from %s to %s", number(low), number(high))}
		}
	}
	return c
}

// steadier claims that the greatest value of one series is a smaller multiple of
// its least than that of another.
func (r reading) steadier(calm, other string) claim {
	c := claim{says: fmt.Sprintf("%s is affected by %s less than %s", calm, r.x, other)}
	low, high := r.span(calm)
	least, most := r.span(other)
	if low <= high && least <= most {
		c.places = 1
		if high*least > most*low {
			c.against = []string{fmt.Sprintf("%s from %s to %s, %s from %s to %s", calm, number(low), number(high), other, number(least), number(most))}
		}
	}
	return c
}

func allowed(tolerance float64) string {
	if tolerance == 0 {
		return ""
	}
	return fmt.Sprintf(", give or take %s percent", number(100*tolerance))
}

// order claims that a series grows from its first to its last point as a power of
// x between low and high. Fewer than two points have no place.
func order(s *Series, label string, low, high float64) claim {
	c := claim{says: fmt.Sprintf("%s grows as a power of x from %s to %s", label, number(low), number(high))}
	if s == nil || len(s.Points) < 2 {
		return c
	}
	first, last := s.Points[0], s.Points[len(s.Points)-1]
	if first.X <= 0 || first.Y <= 0 || last.Y <= 0 {
		return c
	}
	c.places = 1
	if power := math.Log(last.Y/first.Y) / math.Log(last.X/first.X); power < low || power > high {
		c.against = []string{"the power is " + number(power)}
	}
	return c
}
