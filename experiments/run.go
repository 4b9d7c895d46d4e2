package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Run is one execution of experiments, on one table.
type Run struct {
	// Table has the columns of UCI Adult, or of the bundled sample, complete
	// records only.
	Table *anonymize.Microdata
	// Source names the data in what is written.
	Source string
	// Quick asks for fewer records, settings and repetitions: minutes become
	// seconds, the shapes stay.
	Quick bool
	// Seed is that of everything random.
	Seed uint64
	// Progress is told of finished work; nil when nobody listens.
	Progress func(phase string, done, total int)
}

// An Experiment is the evaluation of one paper.
type Experiment struct {
	// Paper is its number, for example "000".
	Paper string
	// Title is that of the paper, with authors and year.
	Title string
	// Figures runs it. Every figure is complete, its verdict included. When ctx
	// ends the error is its, beside the figures that are finished.
	Figures func(ctx context.Context, run *Run) ([]Figure, error)
}

// All lists the experiments, by paper.
func All() []Experiment {
	return []Experiment{
		SLPPA(),
		ARP(),
		CrossBucket(),
		DRASL(),
		CDT(),
	}
}

// ByPaper finds an experiment.
func ByPaper(paper string) (Experiment, error) {
	all := All()
	i := slices.IndexFunc(all, func(e Experiment) bool { return e.Paper == paper })
	if i < 0 {
		return Experiment{}, fmt.Errorf("there is no paper %q", paper)
	}
	return all[i], nil
}

// NewPoint summarises repetitions: median, least and greatest.
//
// values is not empty; it is sorted.
func NewPoint(x float64, values []float64) Point {
	slices.Sort(values)
	n := len(values)
	return Point{
		X:           x,
		Y:           (values[(n-1)/2] + values[n/2]) / 2,
		Low:         values[0],
		Top:         values[n-1],
		Repetitions: n,
	}
}

func (r *Run) report(phase string, done, total int) {
	if r.Progress != nil {
		r.Progress(phase, done, total)
	}
}
