package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/asn"
	"github.com/anonsql/anonsql/anonymize/slicing"
	"github.com/anonsql/anonsql/anonymize/slppa"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// SLPPA is section 6 of Yao et al.: table division, group division and the
// relative error of COUNT queries, beside Slicing and ASN.
func SLPPA() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    "slppa",
		Paper:   "Yao et al. 2021",
		Title:   "Yao, Chen, Wang, Liu, Wu: Sensitive Label Privacy Preservation with Anatomization for Data Publishing, 2021",
		Figures: slppaFigures,
	}
}

// The methods, by their labels. The paper's figures come from comparing with the first column of a table
// (division=seed); its text compares with all columns.
const (
	slppaArm     = "SLPPA"
	algorithm1   = "SLPPA, Algorithm 1 as printed"
	slppaAlike   = "SLPPA, alike records (ours)"
	slicingArm   = "Slicing"
	slicingLocal = "Slicing, local check (ours)"
	asnArm       = "ASN"
)

// table7 are the parameters of Table 7, by method.
var table7 = map[string]anonymize.Arguments{
	"slppa":   {"alpha": "0.5", "beta": "0.05", "gamma": "0.005", "delta": "0.05", "tables": "3"},
	"slicing": {"l": "20", "tables": "3"},
	"asn":     {"alpha": "0.005", "beta": "0.05"},
}

// divisionArms are the methods of Figs. 4 and 5.
func divisionArms() []arm {
	list := []arm{
		{slppaArm, slppa.Method(), anonymize.Arguments{"division": "seed", "bins": "0"}},
		{algorithm1, slppa.Method(), anonymize.Arguments{"division": "seed", "bins": "0", "order": "paper"}},
		{slppaAlike, slppa.Method(), anonymize.Arguments{"division": "seed", "bins": "0", "homogeneous": "true"}},
		{slicingArm, slicing.Method(), anonymize.Arguments{"bins": "0", "check": "global", "split": "any"}},
		{slicingLocal, slicing.Method(), anonymize.Arguments{"bins": "0", "check": "local", "split": "any"}},
		{asnArm, asn.Method(), anonymize.Arguments{}},
	}
	for i := range list {
		list[i].arguments = list[i].argumentsWith(table7[list[i].method.Name])
	}
	return list
}

// A publisher is the table of the experiment with its roles.
type publisher struct {
	*evaluation.Run
	// printed are the roles of Table 5. roles are the roles in use, with which the parameters of Table 7 are feasible, or
	// nearly.
	printed, roles anonymize.Roles
	extra          []string // Figs. 3c and 7
	sizes          []int
	samples        []*anonymize.Microdata // of these sizes, each in the next
	whole          *anonymize.Microdata   // for the errors
	notes          []string               // of all figures
	setting        []arm                  // of Figs. 4 to 8, feasible
	done, all      int
}

func newPublisher(run *evaluation.Run) (*publisher, error) {
	quasi, err := run.Attributes("slppa", "age", "workclass", "education", "marital_status", "occupation",
		"relationship or region", "race or zip", "sex", "hours_per_week")
	if err != nil {
		return nil, err
	}
	sensitive, err := run.Attribute("slppa", nil, "native_country", "disease")
	if err != nil {
		return nil, err
	}
	p := &publisher{Run: run, all: 10, printed: anonymize.Roles{QuasiIdentifiers: evaluation.Names(quasi), Sensitive: []string{sensitive.Name}}}
	for _, name := range []string{"fnlwgt", "education_num", "capital_gain", "capital_loss", "income"} {
		if c := run.Table.Column(name); c != nil && (name != "income" || c.IsNumeric()) {
			p.extra = append(p.extra, name)
			quasi = append(quasi, c)
		}
	}
	p.sizes = []int{5000, 10_000, 15_000, 20_000, 25_000}
	if run.Quick {
		p.sizes = []int{500, 1000, 1500, 2000}
	}
	most := p.sizes[len(p.sizes)-1]
	if run.Table.Rows < most {
		return nil, fmt.Errorf("experiment slppa needs %d complete records, the table has %d", most, run.Table.Rows)
	}
	all := append(quasi, sensitive)
	for _, n := range p.sizes {
		p.samples = append(p.samples, evaluation.Drawn(all, n, p.Random("samples")))
	}
	if evaluation.Names(quasi)[5] != "relationship" || evaluation.Names(quasi)[6] != "race" {
		p.notes = append(
			p.notes,
			fmt.Sprintf(
				"The table is not the paper's: %s stands for relationship, %s for race, and %s is sensitive.",
				quasi[5].Name,
				quasi[6].Name,
				sensitive.Name,
			),
		)
	}
	p.whole = &anonymize.Microdata{Columns: all, Rows: run.Table.Rows}
	if run.Quick {
		p.whole = p.samples[len(p.samples)-1]
	}
	return p, nil
}

func (p *publisher) step(figure string) {
	p.done++
	p.ReportProgress("slppa: "+figure, p.done, p.all)
}

func slppaFigures(ctx context.Context, run *evaluation.Run) (figures []evaluation.Figure, err error) {
	p, err := newPublisher(run)
	if err != nil {
		return nil, err
	}
	p.ReportProgress("slppa: settings", 0, p.all)
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	for _, make := range []struct {
		figures func(context.Context) ([]evaluation.Figure, error)
		name    string
	}{
		{p.divisionTimes, "Fig. 2"}, {p.distribution, "Fig. 3"}, {p.groupDivision, "Figs. 4 and 5"}, {p.printedSensitive, "Fig. 5, printed attribute"},
		{p.errorsByRange, "Fig. 6"}, {p.errorsByNumber, "Fig. 6, by number"}, {p.errorsWithMore, "Fig. 7"},
		{p.errorsByParameter, "Fig. 8"}, {p.errorsByTables, "Fig. 9"}, {p.errorsByGroupSize, "Fig. 10"},
	} {
		made, err := make.figures(ctx)
		if err != nil {
			return figures, err
		}
		for i := range made {
			made[i].Notes = slices.Concat(made[i].Notes, p.censusNote(made[i].Printed))
		}
		figures = append(figures, made...)
		p.step(make.name)
	}
	return figures, nil
}

// censusNote explains missing panels, which need the paper's other data.
func (p *publisher) censusNote(printed string) []string {
	if !strings.HasSuffix(printed, ")") {
		return nil
	}
	return []string{"The panel beside it in the paper is of Census-Income (KDD), which is not the table of this run."}
}
