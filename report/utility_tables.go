package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/quoting"
)

// A lossTable shows the loss of association between a sensitive attribute and the
// quasi-identifiers.
type lossTable struct {
	Attribute    string
	Figures      []measure
	Correlations []correlation
}

// A correlation is phi^2 in the table and in the release, with bars.
type correlation struct {
	Attribute               string
	Before                  *Figure // nil if the reader may not know it
	After                   Figure
	BeforeWidth, AfterWidth string
}

func (v *view) losses() {
	if g := utility.GeneralizationOf(v.Release); g != nil {
		v.Spent = append(
			v.Spent,
			measure{"Generalization", share(g.Mean), "of an attribute's domain is spanned by a record's cell, on average (certainty penalty, GCP)"},
			measure{
				"Equivalence classes",
				count(g.Classes),
				"of records shown with the same quasi-identifiers, of " + trimmed(g.MeanClass, 1) + " records on average",
			},
			measure{"Discernibility", number(g.Discernibility), "sum of the squared sizes of these classes (C_DM)"},
		)
	}
	if v.Loss == nil {
		return
	}
	most := 0.0
	for _, a := range v.Loss.Attributes {
		for _, c := range a.Correlations {
			most = max(most, c.Before, c.After)
		}
	}
	for _, a := range v.Loss.Attributes {
		t := lossTable{Attribute: clean(a.Attribute)}
		if a.GLP != nil {
			t.Figures = append(
				t.Figures,
				measure{"Correspondence loss (GLP)", share(*a.GLP), "mean probability of values that nobody with these quasi-identifiers has"},
			)
		}
		if p := a.Probability; p != nil {
			t.Figures = append(t.Figures, measure{"Probability of the actual value", share(p.Mean), fmt.Sprintf("on average, %s at most", percent(p.Greatest))})
		}
		for _, c := range a.Correlations {
			line := correlation{Attribute: clean(c.Attribute), After: number(c.After), AfterWidth: position(c.After, most)}
			if !v.Loss.Shown {
				before := number(c.Before)
				line.Before, line.BeforeWidth = &before, position(c.Before, most)
			}
			t.Correlations = append(t.Correlations, line)
		}
		v.Losses = append(v.Losses, t)
	}
}

// An errorChart shows the measured relative error by number of quasi-identifiers: one line per
// workload, from the median to the 95th percentile.
type errorChart struct {
	ID    string // its title's in the page
	Lines []errorLine
	X     []tick
	Title string
	Cut   bool // the axis ends before the greatest percentile
	Both  bool // both estimators were measured
}

type errorLine struct {
	Evaluation
	Band                          string
	MedianText, MeanText, P95Text Figure
	Held, Half                    *Figure
	By                            string // the estimator, if there are two
	// Positions in percent.
	MedianAt, MeanAt, Span string
}

func newErrorChart(id string, evaluations []Evaluation) *errorChart {
	if len(evaluations) == 0 {
		return nil
	}
	c := &errorChart{ID: id}
	most, middle := 0.0, 0.0
	for _, e := range evaluations {
		most, middle = max(most, e.P95, e.Mean), max(middle, e.Mean, e.Median)
	}
	// A few hopeless queries must not compress all others.
	if middle > 0 && most > 6*middle {
		most, c.Cut = 6*middle, true
	}
	top, step := niceTop(most)
	c.X = ticksAcross(top, step, percent)
	if len(c.X) > 6 { // a telephone's width
		c.X = everySecond(c.X)
	}
	c.Title = "Relative error of random queries, from the median to the 95th percentile."
	c.Both = slices.ContainsFunc(evaluations, func(e Evaluation) bool { return e.Estimator == imputed })
	for _, e := range evaluations {
		l := errorLine{Evaluation: e, Band: quasiIdentifiers(e.Low, e.High), MedianText: share(e.Median), MeanText: share(e.Mean), P95Text: share(e.P95),
			MedianAt: position(e.Median, top), MeanAt: position(e.Mean, top), Span: position(max(0, min(e.P95, top)-e.Median), top)}
		l.Aggregate = clean(e.Aggregate)
		if e.Coverage != nil {
			f := share(*e.Coverage)
			l.Held = &f
		}
		if e.Width != nil {
			f := share(*e.Width)
			l.Half = &f
		}
		asked := l.Band
		if c.Both {
			l.By = estimatorText(e.Estimator)
			asked += ", " + l.By
		}
		c.Title += fmt.Sprintf(" %s of %s: median %s, mean %s.", l.Aggregate, asked, l.MedianText.Text, l.MeanText.Text)
		c.Lines = append(c.Lines, l)
	}
	return c
}

func everySecond(ticks []tick) []tick {
	var kept []tick
	for i := 0; i < len(ticks); i += 2 {
		kept = append(kept, ticks[i])
	}
	return kept
}

// A coverageLine says how often intervals contained the truth at publication.
type coverageLine struct {
	Aggregate string
	Estimates Figure
	Before    Figure
	After     *Figure
	RMS       Figure
}

// An imputedLine says how often intervals around imputed answers contained the truth, over all
// estimates of the queries; nil if there were none.
type imputedLine struct {
	Aggregate       string
	Estimates, Held *Figure
	Statement       string // measures it
}

// imputedLines returns those of COUNT, SUM and AVG. Only owners may see what was measured with the raw table.
func imputedLines(s *Subject) []imputedLine {
	if !s.Owner || s.Estimator != imputed {
		return nil
	}
	var lines []imputedLine
	for _, kind := range []string{"COUNT", "SUM", "AVG"} {
		asked := "count"
		if number := newExamples(s).number; kind != "COUNT" && number != "" {
			asked = strings.ToLower(kind) + "(" + number + ")"
		} else if kind != "COUNT" {
			continue
		}
		line := imputedLine{Aggregate: kind, Statement: "CALL evaluate(" + quoting.Text(s.Name) + ", " + quoting.Text("aggregate="+asked) + ")"}
		inside, estimates := 0.0, 0
		for _, e := range s.Evaluations {
			if e.Estimator == imputed && e.Coverage != nil && strings.HasPrefix(e.Aggregate, kind+"(") {
				of := e.Estimates
				if of == 0 { // it was not counted
					of = e.Queries
				}
				inside, estimates = inside+*e.Coverage*float64(of), estimates+of
			}
		}
		if estimates > 0 {
			asked, held := count(estimates), share(inside/float64(estimates))
			line.Estimates, line.Held = &asked, &held
		}
		lines = append(lines, line)
	}
	return lines
}

func (v *view) coverage() {
	v.Default = imputedLines(v.Subject)
	if v.Calibration == nil {
		return
	}
	for _, c := range v.Calibration.Coverage {
		line := coverageLine{Aggregate: c.Aggregate, Estimates: count(c.Estimates), Before: share(c.Before)}
		if c.After > 0 {
			f := share(c.After)
			line.After = &f
		}
		squares, n := 0.0, 0
		for _, cell := range v.Calibration.Cells {
			if cell.Aggregate == c.Aggregate {
				squares, n = squares+cell.RMS*cell.RMS*float64(cell.Estimates), n+cell.Estimates
			}
		}
		if n > 0 {
			line.RMS = number(math.Round(1000*math.Sqrt(squares/float64(n))) / 1000)
		}
		v.Coverage = append(v.Coverage, line)
	}
}
