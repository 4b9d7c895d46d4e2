package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// weightsTolerance is the greatest distance from 1 of the sum of a cell's weights: it allows
// for the rounding of some million additions.
const weightsTolerance = 1e-9

// WellFormed verifies what the checkers rely on beyond Release.Check: there are records, groups
// are not empty, and cells are inside their dictionaries.
func WellFormed(r *anonymize.Release) error {
	if err := r.Check(); err != nil {
		return err
	}
	if r.Rows == 0 {
		return errors.New("it has no records")
	}
	if g := slices.Index(r.GroupSizes, 0); g >= 0 {
		return fmt.Errorf("group %d has no records", g+1)
	}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			for i := range c.Cells {
				if err := checkCell(&c.Cells[i], len(c.Dictionary)); err != nil {
					return fmt.Errorf("fragment %s: column %s: cell %q %w", f.Name, c.Name, c.Cells[i].Label, err)
				}
			}
		}
	}
	return nil
}

func checkCell(c *anonymize.Cell, values int) error {
	if len(c.Members) == 0 {
		return errors.New("stands for no value")
	}
	if c.Weights != nil && len(c.Weights) != len(c.Members) {
		return fmt.Errorf("has %d weights for %d members", len(c.Weights), len(c.Members))
	}
	if sum := sum(c.Weights); c.Weights != nil && !(math.Abs(sum-1) <= weightsTolerance) {
		return fmt.Errorf("has weights that sum to %.6g", sum)
	}
	for i, m := range c.Members {
		if c.Weights != nil && !(c.Weights[i] >= 0) {
			return fmt.Errorf("has weight %g", c.Weights[i])
		}
		if int(m) >= values {
			return fmt.Errorf("has member %d, beyond its %d values", m, values)
		}
		if i > 0 && c.Members[i-1] >= m {
			return errors.New("has members that are not ascending")
		}
	}
	return nil
}

func sum(weights []float64) float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	return total
}
