package experiments

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/slppa"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// errorsByParameter is Fig. 8: one parameter of Table 7 changed.
func (p *publisher) errorsByParameter(ctx context.Context) ([]evaluation.Figure, error) {
	panels := []struct {
		letter string
		change map[string]anonymize.Arguments // by method
	}{
		{"a", map[string]anonymize.Arguments{"slppa": {"alpha": "0.05"}}},
		{"c", map[string]anonymize.Arguments{"slppa": {"beta": "0.1"}, "asn": {"beta": "0.1"}, "slicing": {"l": "10"}}},
		{"e", map[string]anonymize.Arguments{"slppa": {"gamma": "0.01"}, "asn": {"alpha": "0.01"}}},
		{"g", map[string]anonymize.Arguments{"slppa": {"delta": "0.02"}}},
	}
	spans := spansOf(len(p.roles.QuasiIdentifiers))
	var figures []evaluation.Figure
	for _, panel := range panels {
		c, err := p.changed(ctx, panel.change)
		if err != nil {
			return nil, err
		}
		t, err := p.errorsOf(ctx, c.arms, p.roles, spans, 3)
		if err != nil {
			return nil, err
		}
		f := p.errorFigure("slppa-fig08"+panel.letter, "Fig. 8 ("+panel.letter+")", "Relative error with another "+c.title, spans, &t)
		f.PaperShows = "The parameters make no obvious difference to Fig. 6."
		f.Notes = append(f.Notes, c.notes...)
		judgeParameter(&f, c.pairs)
		figures = append(figures, f)
	}
	return figures, nil
}

// A comparison has arms with changed parameters, and as before.
type comparison struct {
	arms  []arm
	pairs [][2]string // labels: changed, as before
	title string
	notes []string
}

// changed sets parameters of the settled arms, by method, or the nearest values that the table admits.
func (p *publisher) changed(ctx context.Context, change map[string]anonymize.Arguments) (*comparison, error) {
	c := &comparison{}
	for _, a := range p.errorArms(p.setting) {
		if change[a.method.Name] == nil || a.label == algorithm1 || a.label == slppaAlike {
			continue
		}
		asked := a
		asked.arguments = a.argumentsWith(change[a.method.Name])
		feasible, why, err := p.relax(ctx, asked, p.roles, []*anonymize.Microdata{p.whole})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for name, value := range change[a.method.Name] { // one
			if err != nil {
				c.notes = append(c.notes, fmt.Sprintf("%s with %s = %s is left out: %v.", a.label, name, value, err))
				continue
			}
			c.notes = append(c.notes, changes(a.label, why, feasible)...)
			feasible.label = fmt.Sprintf("%s, %s = %s", a.label, name, feasible.arguments[name])
			c.title += fmt.Sprintf(", %s of %s", name, a.label)
			a.label += ", as in Fig. 6"
			c.arms = append(c.arms, a, feasible)
			c.pairs = append(c.pairs, [2]string{feasible.label, a.label})
		}
	}
	c.title = strings.TrimPrefix(c.title, ", ")
	return c, nil
}

// obvious is the share from which a difference of errors counts as obvious.
const obvious = 0.1

func judgeParameter(f *evaluation.Figure, pairs [][2]string) {
	r := f.Read("quasi-identifiers")
	var claims []evaluation.Claim
	shows := ""
	for _, pair := range pairs {
		claims = append(claims, r.ClaimNear(pair[0], pair[1], obvious))
		shows += r.Summary(pair[0], pair[1]) + " "
	}
	f.Conclude(strings.TrimSpace(shows), claims)
}

// errorsByTables is Fig. 9.
func (p *publisher) errorsByTables(ctx context.Context) ([]evaluation.Figure, error) {
	spans := spansOf(len(p.roles.QuasiIdentifiers))
	base, ok := armOf(p.setting, slppaArm)
	if !ok {
		return nil, nil
	}
	most := len(p.roles.QuasiIdentifiers)
	a, notes, err := p.forAllTables(ctx, base, most)
	if err != nil {
		return nil, err
	}
	var t evaluation.Tally
	for repetition := range p.Repetitions(3) {
		for k := 1; k <= most; k++ {
			a.arguments = a.argumentsWith(anonymize.Arguments{"tables": strconv.Itoa(k)})
			r, err := p.publish(ctx, a, p.roles, repetition)
			if err != nil {
				return nil, err
			}
			err = p.relativeErrors(ctx, r, spans, repetition, func(i int, mean float64) { t.Add(spanLabel(spans[i]), float64(k), mean) })
			if err != nil {
				return nil, err
			}
		}
	}
	f := evaluation.Figure{
		Name:       "slppa-fig09a",
		Printed:    "Fig. 9 (a)",
		Title:      "Relative error of SLPPA by number of QI tables",
		X:          "QI tables k",
		Y:          errorAxis,
		Series:     t.Series(),
		Notes:      slices.Concat(p.notes, notes, []string{p.queriesNote()}),
		PaperShows: "The utility of the data decreases with the number of tables.",
	}
	judgeRising(&f, "k")
	return []evaluation.Figure{f}, nil
}

// forAllTables finds parameters that are feasible for every number of tables, so that nothing else varies.
func (p *publisher) forAllTables(ctx context.Context, a arm, most int) (arm, []string, error) {
	var notes []string
	for k := 1; k <= most; k++ {
		a.arguments = a.argumentsWith(anonymize.Arguments{"tables": strconv.Itoa(k)})
		relaxed, why, err := p.relax(ctx, a, p.roles, []*anonymize.Microdata{p.whole})
		if err != nil {
			return a, nil, err
		}
		notes = append(notes, changes(fmt.Sprintf("With %d tables", k), why, relaxed)...)
		a = relaxed
	}
	return a, notes, nil
}

func spanLabel(s span) string { return "queries with " + s.String() + " quasi-identifiers" }

// flicker is the share by which an error may fall between neighbouring places of a rising series: other queries cause
// such differences.
const flicker = 0.03

func judgeRising(f *evaluation.Figure, x string) {
	r := f.Read(x)
	var claims []evaluation.Claim
	for _, label := range f.Labels() {
		claims = append(claims, r.Rises(label, flicker), r.Grows(label))
	}
	f.Conclude(r.Summary(f.Labels()...), claims)
}

// errorsByGroupSize is Fig. 10: delta = 1/N makes groups of about N records.
func (p *publisher) errorsByGroupSize(ctx context.Context) ([]evaluation.Figure, error) {
	spans := spansOf(len(p.roles.QuasiIdentifiers))
	sizes := []int{2, 5, 10, 20, 50, 100, 200}
	if p.Quick {
		sizes = []int{2, 10, 50, 200}
	}
	var t evaluation.Tally
	for repetition := range p.Repetitions(3) {
		for _, size := range sizes {
			a := arm{
				slppaArm,
				slppa.Method(),
				anonymize.Arguments{"division": "seed", "bins": "0", "tables": "3", "beta": "1", "delta": fmt.Sprintf("1/%d", size)},
			}
			r, err := p.publish(ctx, a, p.roles, repetition)
			if err != nil {
				return nil, err
			}
			x := float64(p.whole.Rows) / float64(r.Groups())
			err = p.relativeErrors(ctx, r, spans, repetition, func(i int, mean float64) { t.Add(spanLabel(spans[i]), x, mean) })
			if err != nil {
				return nil, err
			}
		}
	}
	f := evaluation.Figure{
		Name:    "slppa-fig10a",
		Printed: "Fig. 10 (a)",
		Title:   "Relative error of SLPPA by group size",
		X:       "mean records of a group",
		Y:       errorAxis,
		LogX:    true,
		Series:  t.Series(),
		Notes: append(
			slices.Clone(p.notes),
			"delta = 1/N makes groups of about N records; alpha, beta and gamma are off, so that only the size of groups varies.",
			p.queriesNote(),
		),
		PaperShows: "The utility of the data decreases with the size of groups.",
	}
	judgeRising(&f, "group size")
	return []evaluation.Figure{f}, nil
}
