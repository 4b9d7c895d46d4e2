package imputation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// The two estimators, by their labels.
const (
	byEquation = "Eq. 11"
	byTables   = "imputed"
)

var estimators = []string{byEquation, byTables}

// errorsOf returns the errors of an estimator, by kind of question.
func (o *outcome) errorsOf(estimator string) []utility.Distribution {
	if estimator == byTables {
		return o.imputed
	}
	return o.independent
}

// averages are the two averages of a distribution of errors.
var averages = []struct {
	name string
	of   func(utility.Distribution) float64
}{
	{"mean", func(d utility.Distribution) float64 { return d.Mean }},
	{"median", func(d utility.Distribution) float64 { return d.Median }},
}

const (
	errorAxis = "relative error"
	// worseBy is the share by which an error of completed tables may exceed that of Eq. (11).
	worseBy  = 0.05
	notWorse = "Completed tables are nowhere worse than Eq. (11) by more than 5 percent"
)

// point is a place with one measurement.
func point(x, y float64) evaluation.Point { return evaluation.NewPoint(x, []float64{y}) }

// fileName turns a label into a part of a figure's name.
func fileName(label string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(label), ",", ""), " ", "-")
}

// figureNotes describe how a figure was made.
func (p *publisher) figureNotes() []string {
	queries := fmt.Sprintf(
		"%s queries, at l = %d of %s,",
		evaluation.Number(float64(p.queries(0))),
		p.compared,
		evaluation.Number(float64(p.queries(p.compared))),
	)
	return append(
		slices.Clone(p.notes),
		fmt.Sprintf("Sensitive is %s; quasi-identifiers are %s. beta is 1/l, the other parameters are the methods' defaults. Alike: homogeneous=true.",
			p.roles.Sensitive[0], strings.Join(p.roles.QuasiIdentifiers, ", ")),
		fmt.Sprintf(
			"An error is that of %s on a release of %s records, relative to the actual answer, over queries whose actual answer is not 0. Both estimators are asked the same queries of the same releases.",
			queries,
			evaluation.Number(float64(p.table.Rows)),
		),
		fmt.Sprintf("A record's values: those of a random record, numbers within 10 percent of their domain on either side, and its sensitive value. "+
			"Ranges: of every attribute, the sensitive one included, as many values as leave %s percent of the records where attributes are independent; of numbers they follow each other (Xiao and Tao 2006).",
			evaluation.Number(100*selectivity)),
	)
}
