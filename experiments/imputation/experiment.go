package imputation

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

const experiment = "imputation"

// Experiment compares the two estimators on releases whose cells are points.
func Experiment() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    experiment,
		Paper:   "anonsql",
		Title:   "Answers from completed tables beside Eq. (11), and what a learner knows: an experiment of ours",
		Figures: figures,
	}
}

// A publisher is the table of the experiment with its roles.
type publisher struct {
	*evaluation.Run
	roles anonymize.Roles
	table *anonymize.Microdata
	// ls are the values of l of the releases, ascending; compared is the one at which methods are compared.
	ls       []int
	compared int
	tables   int // completed tables of a release; 0 means package impute's default
	// printed means that the aims apply to this table.
	printed   bool
	notes     []string
	done, all int
}

func newPublisher(run *evaluation.Run) (*publisher, error) {
	quasi, err := run.Attributes(experiment, "age", "workclass", "education", "marital_status", "relationship or region",
		"race or occupation", "sex", "hours_per_week", "native_country or income")
	if err != nil {
		return nil, err
	}
	sensitive, err := run.Attribute(experiment, nil, "disease", "occupation")
	if err != nil {
		return nil, err
	}
	p := &publisher{
		Run:   run,
		ls:    []int{2, 3, 4, 5, 6, 7},
		roles: anonymize.Roles{QuasiIdentifiers: evaluation.Names(quasi), Sensitive: []string{sensitive.Name}},
	}
	p.printed = sensitive.Name == "occupation" && slices.Contains(p.roles.QuasiIdentifiers, "native_country") && !run.Quick
	rows := run.Table.Rows
	if run.Quick {
		rows, p.ls, p.tables = 400, []int{2, 4}, 4
	}
	p.table = evaluation.Drawn(append(quasi, sensitive), rows, p.Random("table"))
	if err := p.feasible(p.table.Column(sensitive.Name)); err != nil {
		return nil, err
	}
	p.all = len(arms()) * len(p.ls)
	return p, nil
}

// feasible removes the values of l that the table does not admit.
func (p *publisher) feasible(sensitive *anonymize.Column) error {
	most := p.table.Rows / slices.Max(sensitive.Histogram())
	if most < p.ls[0] {
		return fmt.Errorf("experiment %s: a value of %s has more than half of the records", experiment, sensitive.Name)
	}
	if most < p.ls[len(p.ls)-1] {
		p.notes = append(p.notes, fmt.Sprintf("l above %d cannot be met on %s.", most, sensitive.Name))
		p.ls = slices.DeleteFunc(p.ls, func(l int) bool { return l > most })
	}
	for _, l := range p.ls {
		if l <= aimedL {
			p.compared = l
		}
	}
	return nil
}

// queries is the size of a workload on a release. At the compared l it is large enough for a standard error of some 2
// percent of a mean error.
func (p *publisher) queries(l int) int {
	switch {
	case p.Quick:
		return 100
	case l == p.compared:
		return 5000
	}
	return 1000
}

func figures(ctx context.Context, run *evaluation.Run) ([]evaluation.Figure, error) {
	p, err := newPublisher(run)
	if err != nil {
		return nil, err
	}
	p.ReportProgress(experiment, 0, p.all)
	var curves []evaluation.Figure
	var measured [][]*outcome // by method and l
	for _, a := range arms() {
		var outcomes []*outcome
		for _, l := range p.ls {
			o, err := p.measure(ctx, a, l)
			if err != nil {
				return curves, err
			}
			outcomes = append(outcomes, o)
			p.done++
			p.ReportProgress(experiment, p.done, p.all)
		}
		measured = append(measured, outcomes)
		curves = append(curves, p.byL(a, outcomes)...)
	}
	return slices.Concat(p.byMethod(measured), curves, []evaluation.Figure{p.byAttack(measured)}), nil
}
