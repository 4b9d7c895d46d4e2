package experiments

import (
	"fmt"
	"math"
)

// over claims that a series is more than factor times another.
func (r reading) over(more, less string, factor float64) claim {
	c := claim{says: fmt.Sprintf("%s is more than %s times %s", more, number(factor), less)}
	if factor == 1 {
		c.says = fmt.Sprintf("%s is above %s", more, less)
	}
	r.each(func(x float64, y []float64) {
		c.places++
		if y[0] <= factor*y[1] {
			c.against = append(c.against, fmt.Sprintf("%s: %s against %s", r.place(x), number(y[0]), number(y[1])))
		}
	}, more, less)
	return c
}

// evener claims that the values of a series are closer together than those of
// another: greatest less least.
func (r reading) evener(even, other string) claim {
	c := claim{says: fmt.Sprintf("%s is more even than %s", even, other)}
	low, high := r.span(even)
	least, most := r.span(other)
	if low <= high && least <= most {
		c.places = 1
		if high-low >= most-least {
			c.against = []string{fmt.Sprintf("%s from %s to %s, %s from %s to %s", even, number(low), number(high), other, number(least), number(most))}
		}
	}
	return c
}

// regular claims that a series is closer to proportional to x than another:
// the greatest y/x over the least.
func (r reading) regular(calm, other string) claim {
	c := claim{says: fmt.Sprintf("%s grows more regularly with %s than %s", calm, r.x, other)}
	a, b := r.wobble(calm), r.wobble(other)
	if a > 0 && b > 0 {
		c.places = 1
		if a >= b {
			c.against = []string{fmt.Sprintf("the ratio to %s changes by a factor of %s for %s, of %s for %s", r.x, number(a), calm, number(b), other)}
		}
	}
	return c
}

// wobble is the greatest y/x over the least; 0 where there is none.
func (r reading) wobble(label string) float64 {
	low, high := math.Inf(1), 0.0
	r.each(func(x float64, y []float64) {
		if x > 0 && y[0] > 0 {
			low, high = min(low, y[0]/x), max(high, y[0]/x)
		}
	}, label)
	if high == 0 {
		return 0
	}
	return high / low
}

// exactly claims the values of a series, in order.
func (r reading) exactly(label string, values ...float64) claim {
	c := claim{says: fmt.Sprintf("%s has %s", label, list(values))}
	var found []float64
	r.each(func(_ float64, y []float64) { found = append(found, y[0]) }, label)
	if len(found) != len(values) {
		return c
	}
	c.places = 1
	for i := range values {
		if found[i] != values[i] {
			c.against = []string{"it has " + list(found)}
		}
	}
	return c
}

func list(values []float64) string {
	text := ""
	for i, v := range values {
		switch {
		case i > 0 && i == len(values)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += number(v)
	}
	return text
}

// ratio tells how many times a series is another, at the last place that both
// have; "" without one.
func (r reading) ratio(more, less string) string {
	text := ""
	r.each(func(x float64, y []float64) {
		if y[1] > 0 {
			text = fmt.Sprintf("At %s %s is %s times %s.", r.place(x), more, number(y[0]/y[1]), less)
		}
	}, more, less)
	return text
}

// told is ends with what was measured, and its unit.
func (r reading) told(labels ...string) string {
	return "Measured: " + r.Y + ". " + r.ends(labels...)
}
