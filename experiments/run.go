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
	// Name is that of the method that the paper proposes, for example "slppa". Files
	// and figures are named by it.
	Name string
	// Paper is who wrote it, and when if it says so, for example "Yao et al. 2021".
	Paper string
	// Title is that of the paper, with authors and year.
	Title string
	// Figures runs it. Every figure is complete, its verdict included. When ctx
	// ends the error is its, beside the figures that are finished.
	Figures func(ctx context.Context, run *Run) ([]Figure, error)
}

// All lists the experiments, in the order of the report.
func All() []Experiment {
	return []Experiment{
		SLPPA(),
		ARP(),
		CrossBucket(),
		DRASL(),
		CDT(),
	}
}

// ByName finds an experiment.
func ByName(name string) (Experiment, error) {
	all := All()
	i := place(name)
	if i == len(all) {
		return Experiment{}, fmt.Errorf("there is no experiment %q", name)
	}
	return all[i], nil
}

// place is the index in All; that of an unknown name is the number of experiments.
func place(name string) int {
	all := All()
	i := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name })
	if i < 0 {
		return len(all)
	}
	return i
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
