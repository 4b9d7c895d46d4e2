package interval

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Stored is how widths are stored and sent: under the name Factors, and those of
// earlier versions under Widths, as they came. A version that knows no Factors takes the
// release for one whose intervals are the hard bounds, which is true of any.
type Stored struct {
	Factors *Widths `json:",omitempty"`
	Widths  *Widths `json:",omitempty"`
}

// Stored puts w under its name.
func (w *Widths) Stored() Stored {
	if w != nil && w.earlier {
		return Stored{Widths: w}
	}
	return Stored{Factors: w}
}

// stored is what is read of a calibration that is stored with a release. The first
// versions stored the cells of package utility and no widths.
type stored struct {
	Stored
	Cells []cell `json:",omitempty"`
}

// A cell has the quantiles of |z| at Levels for one kind of estimate.
type cell struct {
	Aggregate string
	Estimates int
	Quantiles []float64
}

// Decode returns the widths of a stored calibration: those that were stored, with the
// meaning that they had then, or of the first versions those that its cells need. Nothing
// stored is nil: the release was published without intervals.
func Decode(text json.RawMessage) (*Widths, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	s := &stored{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("the stored widths of intervals are damaged: %w", err)
	}
	for _, c := range s.Cells {
		if len(c.Quantiles) != len(Levels) {
			return nil, fmt.Errorf("the stored widths of intervals are damaged: %d quantiles instead of %d", len(c.Quantiles), len(Levels))
		}
	}
	w := s.Factors
	switch {
	case w != nil:
	case s.Widths != nil:
		w = s.Widths
		w.earlier = true
	default:
		w = &Widths{earlier: true}
		w.choose(s.coverage)
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("the stored widths of intervals are damaged: %w", err)
	}
	return w, nil
}

// Public returns of a stored calibration what may leave with a release: the widths
// alone, in a form that Decode reads. Nothing stored stays nothing.
func Public(text json.RawMessage) (json.RawMessage, error) {
	widths, err := Decode(text)
	if err != nil || widths == nil {
		return nil, err
	}
	return json.Marshal(widths.Stored())
}

// coverage adds up the cells of an aggregate.
func (s *stored) coverage(kind estimate.Kind) Coverage {
	name := []string{estimate.Count: "COUNT", estimate.Sum: "SUM", estimate.Average: "AVG"}[kind]
	cells := slices.Clone(s.Cells)
	cells = slices.DeleteFunc(cells, func(c cell) bool { return c.Aggregate != name || c.Estimates <= 0 })
	estimates := 0
	for _, c := range cells {
		estimates += c.Estimates
	}
	return Coverage{estimates, func(factor, level float64) bool {
		share := 0.0
		for _, c := range cells {
			share += c.covered(factor) * float64(c.Estimates) / float64(estimates)
		}
		return share >= level-tolerance
	}}
}

// covered is the share of a cell's |z| up to a factor, at the least: between the
// quantiles that are known it is interpolated, which is low where small errors are
// more frequent than large ones; beyond the last it is that of the last.
func (c cell) covered(factor float64) float64 {
	low, share := 0.0, 0.0
	for i, high := range c.Quantiles {
		if factor < high {
			return share + (Levels[i]-share)*(factor-low)/(high-low)
		}
		low, share = high, Levels[i]
	}
	return share
}
