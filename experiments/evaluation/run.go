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
	// Source names the data in the output.
	Source string
	// Quick reduces records, settings and repetitions: minutes become seconds, while the shapes remain.
	Quick bool
	// Seed is the seed of all random sources.
	Seed uint64
	// Progress is called with finished work; it may be nil.
	Progress func(phase string, done, total int)
}

// An Experiment is the evaluation of one paper, or one of this project's own.
type Experiment struct {
	// Name is the name of the method that the paper proposes, for example "slppa". It begins the names of files and
	// figures.
	Name string
	// Paper has the authors and, if it is stated, the year, for example "Yao et al. 2021".
	Paper string
	// Title is the paper's title, with authors and year.
	Title string
	// Figures runs the experiment. Every figure is complete, including its verdict. If ctx ends, Figures returns its
	// error and the finished figures.
	Figures func(ctx context.Context, run *Run) ([]Figure, error)
}

// ReportProgress calls Progress, if it is set.
func (r *Run) ReportProgress(phase string, done, total int) {
	if r.Progress != nil {
		r.Progress(phase, done, total)
	}
}

// Attribute finds the column of an experiment: the first of the names that the table has and for which suits, unless
// nil, returns no error.
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

// Random returns a random source for a purpose, with numbers to distinguish several sources. It depends only on these
// and the seed.
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

// Repetitions returns n, or 1 in a quick run.
func (r *Run) Repetitions(n int) int {
	if r.Quick {
		return 1
	}
	return n
}

// Numeric accepts numeric columns: it is a parameter of Attribute.
func Numeric(c *anonymize.Column) error {
	if !c.IsNumeric() {
		return fmt.Errorf("%s is not of numbers", c.Name)
	}
	return nil
}
