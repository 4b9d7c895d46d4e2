package experiments

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/slicing"
	"github.com/anonsql/anonsql/anonymize/slppa"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// The arms of Figs. 2 and 3: SLPPA as in the figures, and as in the text.
const (
	byFirst = "SLPPA, by first column"
	byMean  = "SLPPA, by mean of columns"
)

func tableArms() []arm {
	return []arm{
		{byFirst, slppa.Method(), anonymize.Arguments{"division": "seed", "bins": "0", "beta": "1"}},
		{byMean, slppa.Method(), anonymize.Arguments{"division": "average", "bins": "0", "beta": "1"}},
		{slicingArm, slicing.Method(), anonymize.Arguments{"bins": "0", "l": "2"}},
	}
}

// standIn is the name of a column with two equally frequent values. The division of the quasi-identifiers ignores the
// sensitive attribute, so with this one all methods can be measured on Table 5's quasi-identifiers.
const standIn = "any sensitive attribute"

const standInNote = "The division of the quasi-identifiers does not depend on the sensitive attribute. A column of two values stands for it, since Slicing refuses attributes on which there is no l-diverse release. Quasi-identifiers: "

func withStandIn(table *anonymize.Microdata) *anonymize.Microdata {
	codes := make([]uint32, table.Rows)
	for i := range codes {
		codes[i] = uint32(i % 2)
	}
	column := &anonymize.Column{Name: standIn, Dictionary: []anonymize.Value{anonymize.IntegerValue(0), anonymize.IntegerValue(1)}, Codes: codes}
	return &anonymize.Microdata{Columns: append(slices.Clone(table.Columns), column), Rows: table.Rows}
}

// divide runs the table division of an arm.
func (p *publisher) divide(ctx context.Context, a arm, table *anonymize.Microdata, quasi []string, k int) (*anonymize.Release, laps, error) {
	in, err := anonymize.NewInput(withStandIn(table), anonymize.Roles{QuasiIdentifiers: quasi, Sensitive: []string{standIn}}, p.Random("division"))
	if err != nil {
		return nil, laps{}, err
	}
	a.arguments = a.argumentsWith(anonymize.Arguments{"tables": fmt.Sprint(k)})
	return timed(ctx, a, in)
}

// divisionTimes is Fig. 2.
func (p *publisher) divisionTimes(ctx context.Context) ([]evaluation.Figure, error) {
	var byRecords, byTables evaluation.Tally
	quasi := p.printed.QuasiIdentifiers
	largest := p.samples[len(p.samples)-1]
	most := len(quasi) - 1
	if p.Quick {
		most = 5
	}
	for repetition := range p.Repetitions(5) + 1 {
		for _, a := range tableArms() {
			measure := func(to *evaluation.Tally, x float64, table *anonymize.Microdata, k int) error {
				_, l, err := p.divide(ctx, a, table, quasi, k)
				if err == nil && repetition > 0 { // the first one warms up
					to.Add(a.label, x, l.tables)
				}
				return err
			}
			for _, sample := range p.samples {
				if err := measure(&byRecords, float64(sample.Rows), sample, 3); err != nil {
					return nil, err
				}
			}
			for k := 2; k <= most; k++ {
				if err := measure(&byTables, float64(k), largest, k); err != nil {
					return nil, err
				}
			}
		}
	}
	notes := []string{standInNote + listed(quasi) + ".", "The time includes numbering the sub-tuples of every table, for all methods."}
	a := evaluation.Figure{Name: "slppa-fig02a", Printed: "Fig. 2 (a)", Title: "Time of table division, k = 3", X: "records n", Y: timeAxis,
		Series: byRecords.Series(), Notes: notes,
		PaperShows: "The time of both schemes increases with the size of the data; SLPPA takes slightly less than Slicing."}
	judgeDivisionByRecords(&a)
	c := evaluation.Figure{
		Name:       "slppa-fig02c",
		Printed:    "Fig. 2 (c)",
		Title:      fmt.Sprintf("Time of table division, n = %s", evaluation.Number(float64(largest.Rows))),
		X:          "QI tables k",
		Y:          timeAxis,
		Series:     byTables.Series(),
		Notes:      notes,
		PaperShows: "The time of SLPPA decreases with k, since only correlations with the first column of each table are computed; Slicing's is stable.",
	}
	judgeDivisionByTables(&c)
	return []evaluation.Figure{a, c}, nil
}

// clockNoise is the share up to which times count as equal.
const clockNoise = 0.1

func judgeDivisionByRecords(f *evaluation.Figure) {
	r := f.Read("n")
	f.Conclude(r.Summary(byFirst, byMean, slicingArm), []evaluation.Claim{
		r.Rises(byFirst, clockNoise), r.Rises(slicingArm, clockNoise), r.ClaimBelow(byFirst, slicingArm, clockNoise),
	}, r.Ratio(byFirst, slicingArm))
}

func judgeDivisionByTables(f *evaluation.Figure) {
	r := f.Read("k")
	f.Conclude(
		r.Summary(byFirst, byMean, slicingArm),
		[]evaluation.Claim{r.Falls(byFirst, clockNoise), r.Flat(slicingArm, 3*clockNoise)},
		"Here both methods compute phi^2 of all pairs, once and side by side on all cores, so that k hardly matters for them; what remains is numbering the sub-tuples of k tables",
	)
}

// distribution is Fig. 3.
func (p *publisher) distribution(ctx context.Context) ([]evaluation.Figure, error) {
	largest := p.samples[len(p.samples)-1]
	panels := []struct {
		letter string
		k      int
		quasi  []string
		more   string
	}{
		{"a", 3, p.printed.QuasiIdentifiers, ""},
		{"c", 3, slices.Concat(p.printed.QuasiIdentifiers, p.extra), ", more attributes"},
		{"e", 4, slices.Concat(p.printed.QuasiIdentifiers, p.extra), ", more attributes"},
	}
	var figures []evaluation.Figure
	for _, panel := range panels {
		f := evaluation.Figure{Name: "slppa-fig03" + panel.letter, Printed: "Fig. 3 (" + panel.letter + ")",
			Title: fmt.Sprintf(
				"Attributes of the %d tables%s, n = %s",
				panel.k,
				panel.more,
				evaluation.Number(float64(largest.Rows)),
			), X: "table, by size", Y: "attributes",
			Notes:      []string{standInNote + listed(panel.quasi) + "."},
			PaperShows: "SLPPA has a more even distribution of attributes; Slicing leaves tables with one attribute."}
		for i := range panel.k {
			f.Categories = append(f.Categories, fmt.Sprint("table ", i+1))
		}
		for _, a := range tableArms() {
			r, _, err := p.divide(ctx, a, largest, panel.quasi, panel.k)
			if err != nil {
				return nil, err
			}
			s := evaluation.Series{Label: a.label}
			for i, n := range tableSizes(r) {
				s.Points = append(s.Points, evaluation.NewPoint(float64(i), []float64{n}))
			}
			f.Series = append(f.Series, s)
		}
		judgeDistribution(&f, panel.letter == "a" && len(panel.quasi) == 9)
		figures = append(figures, f)
	}
	return figures, nil
}

// tableSizes returns the numbers of attributes of the QI tables, ascending.
func tableSizes(r *anonymize.Release) []float64 {
	var sizes []float64
	for _, f := range r.Fragments {
		if f.Role == anonymize.QuasiIdentifying {
			sizes = append(sizes, float64(len(f.Columns)))
		}
	}
	slices.Sort(sizes)
	return sizes
}

func judgeDistribution(f *evaluation.Figure, printed bool) {
	r := f.Read("table")
	claims := []evaluation.Claim{r.Evener(byFirst, slicingArm)}
	if printed {
		f.PaperShows += " The three tables of SLPPA have 2, 3 and 4 attributes."
		claims = append(claims, r.ClaimValues(byFirst, 2, 3, 4))
	}
	shows := ""
	for _, s := range f.Series {
		var sizes []float64
		for _, point := range s.Points {
			sizes = append(sizes, point.Y)
		}
		shows += fmt.Sprintf("%s: %s attributes. ", s.Label, evaluation.List(sizes))
	}
	causes := ""
	if low, _ := r.Span(slicingArm); low == 1 {
		causes = "Slicing does leave a table with one attribute"
	}
	f.Conclude(strings.TrimSpace(shows), claims, causes)
}

// listed joins names with commas.
func listed(names []string) string { return strings.Join(names, ", ") }
