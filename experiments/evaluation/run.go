package evaluation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

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

// An Experiment is the evaluation of one paper, or one of this project's own.
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

// ReportProgress passes finished work on to Progress, if somebody listens.
func (r *Run) ReportProgress(phase string, done, total int) {
	if r.Progress != nil {
		r.Progress(phase, done, total)
	}
}

// Attribute finds the column of an experiment: the first of the names that the
// table has and that suits, if suits is not nil.
func (r *Run) Attribute(experiment string, suits func(*anonymize.Column) error, names ...string) (*anonymize.Column, error) {
	why := "the table has none"
	for _, name := range names {
		c := r.Table.Column(name)
		if c == nil {
			continue
		}
		if suits == nil {
			return c, nil
		}
		err := suits(c)
		if err == nil {
			return c, nil
		}
		why = err.Error()
	}
	return nil, fmt.Errorf("experiment %s needs a column %s: %s", experiment, strings.Join(names, " or "), why)
}

// Attributes finds several columns, each by a list of names like "race or region".
func (r *Run) Attributes(experiment string, lists ...string) ([]*anonymize.Column, error) {
	columns := make([]*anonymize.Column, len(lists))
	for i, list := range lists {
		c, err := r.Attribute(experiment, nil, strings.Split(list, " or ")...)
		if err != nil {
			return nil, err
		}
		columns[i] = c
	}
	return columns, nil
}

// Random is a source for one purpose, and more numbers if it has several: the same for
// the same seed.
func (r *Run) Random(purpose string, more ...uint64) *rand.Rand {
	mixed := r.Seed
	for _, c := range []byte(purpose) {
		mixed = mixed*1099511628211 + uint64(c)
	}
	for _, n := range more {
		mixed = mixed*1099511628211 + n + 1
	}
	return rand.New(rand.NewPCG(mixed, r.Seed))
}

// Repetitions is n, or 1 where the run is to be quick.
func (r *Run) Repetitions(n int) int {
	if r.Quick {
		return 1
	}
	return n
}

// Numeric suits columns of numbers: Attribute asks it.
func Numeric(c *anonymize.Column) error {
	if !c.IsNumeric() {
		return fmt.Errorf("%s is not of numbers", c.Name)
	}
	return nil
}
