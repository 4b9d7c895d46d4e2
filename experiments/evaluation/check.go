package evaluation

import (
	"errors"
	"fmt"
	"math"
	"regexp"
)

// fileName matches the names of figures, which become parts of file names.
var fileName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// Check reports why a figure cannot be written: it has no name, no verdict, no required reason, or NaN or infinite
// numbers.
func (f *Figure) Check() error {
	fail := func(format string, arguments ...any) error {
		return fmt.Errorf("figure %q: %s", f.Name, fmt.Sprintf(format, arguments...))
	}
	if !fileName.MatchString(f.Name) {
		return fail("its name must be lower-case letters, digits and dashes")
	}
	switch f.Verdict {
	case Agrees, Partly, Disagrees, Infeasible:
	default:
		return fail("%q is no verdict", f.Verdict)
	}
	if f.Verdict != Agrees && f.Why == "" {
		return fail("the verdict is %q, without a reason", f.Verdict)
	}
	if len(f.Series) == 0 && f.Verdict != Infeasible {
		return fail("it has no series")
	}
	labels := make(map[string]bool)
	for _, s := range f.Series {
		if labels[s.Label] {
			return fail("it has two series %q", s.Label)
		}
		labels[s.Label] = true
		for _, p := range s.Points {
			if err := f.checkPoint(p); err != nil {
				return fail("series %q: %v", s.Label, err)
			}
		}
	}
	return nil
}

func (f *Figure) checkPoint(p Point) error {
	for _, v := range []float64{p.X, p.Y, p.Low, p.Top} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a point has the number %v", v)
		}
	}
	if p.Low > p.Y || p.Y > p.Top {
		return fmt.Errorf("%v is not between %v and %v", p.Y, p.Low, p.Top)
	}
	if n := len(f.Categories); n > 0 && (p.X != math.Trunc(p.X) || p.X < 0 || p.X >= float64(n)) {
		return fmt.Errorf("x = %v is none of %d categories", p.X, n)
	}
	if p.Repetitions < 1 {
		return errors.New("a point has no repetition")
	}
	return nil
}
