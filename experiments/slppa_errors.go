package experiments

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// A span is a range of numbers of quasi-identifiers in a query.
type span struct{ low, high int }

func (s span) String() string {
	if s.low == s.high {
		return fmt.Sprint(s.low)
	}
	return fmt.Sprintf("%d to %d", s.low, s.high)
}

// spansOf returns the ranges of Fig. 6 for a number of quasi-identifiers; the last range takes the rest.
func spansOf(attributes int) []span {
	var list []span
	for low := 1; low <= attributes && len(list) < 4; low += 3 {
		s := span{low, min(low+2, attributes)}
		if low == 10 {
			s.high = attributes
		}
		list = append(list, s)
	}
	return list
}

// queries is the size of a workload: the paper's, or smaller in a quick run.
func (p *publisher) queries() int {
	if p.Quick {
		return 100
	}
	return 1000
}

// queriesNote says how queries are drawn: alike for all arms, but not the same,
// since attributes are drawn in the order of the release.
func (p *publisher) queriesNote() string {
	return fmt.Sprintf(
		"Each point is the median over repetitions, with groups and queries of their own, of the mean relative error (Eq. 13) of %s queries on %s records. "+
			"A query asks for the values of a random record, numbers within 10 percent of their domain on either side, and for its sensitive value; the paper does not say how its queries are drawn. All methods are asked the same queries.",
		evaluation.Number(float64(p.queries())),
		evaluation.Number(float64(p.whole.Rows)),
	)
}

// relativeErrors adds the errors of a release, by range.
func (p *publisher) relativeErrors(ctx context.Context, r *anonymize.Release, spans []span, repetition int, add func(i int, mean float64)) error {
	prepared := estimate.Prepare(r)
	for i, s := range spans {
		seed := p.Random("queries", uint64(repetition), uint64(i)).Uint64()
		e, err := utility.Evaluate(ctx, prepared, p.whole, utility.Workload{Queries: p.queries(), Low: s.low, High: s.high, Seed: seed}, nil, nil)
		if err != nil {
			return err
		}
		add(i, e.Estimate.Mean)
	}
	return nil
}

// errorsOf measures arms in the ranges.
func (p *publisher) errorsOf(ctx context.Context, arms []arm, roles anonymize.Roles, spans []span, repetitions int) (evaluation.Tally, error) {
	var t evaluation.Tally
	for repetition := range p.Repetitions(repetitions) {
		for _, a := range arms {
			r, err := p.publish(ctx, a, roles, repetition)
			if err != nil {
				return t, err
			}
			err = p.relativeErrors(ctx, r, spans, repetition, func(i int, mean float64) { t.Add(a.label, float64(i), mean) })
			if err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// errorArms are the settled arms with Slicing's buckets made by the local check:
// Fig. 5 has the numbers of both.
func (p *publisher) errorArms(arms []arm) []arm {
	var list []arm
	for _, a := range arms {
		switch a.label {
		case slicingArm:
			continue
		case slicingLocal:
			a.label = slicingArm
		}
		list = append(list, a)
	}
	return list
}

const errorAxis = "mean relative error"
const spanAxis = "quasi-identifiers in a query"

const checkNote = "Slicing's buckets are those of the local check, which takes less time; Fig. 5 has the numbers of both."

// errorsByRange is Fig. 6.
func (p *publisher) errorsByRange(ctx context.Context) ([]evaluation.Figure, error) {
	arms, spans := p.errorArms(p.setting), spansOf(len(p.roles.QuasiIdentifiers))
	t, err := p.errorsOf(ctx, arms, p.roles, spans, 5)
	if err != nil {
		return nil, err
	}
	f := p.errorFigure("slppa-fig06a", "Fig. 6 (a)", "Relative error of COUNT queries", spans, &t)
	f.PaperShows = "ASN has the largest error, Slicing the smallest; between SLPPA and Slicing the difference is small. The error increases with the number of quasi-identifiers."
	f.Notes = append(f.Notes, settings(arms), checkNote)
	judgeErrors(&f)
	return []evaluation.Figure{f}, nil
}

func (p *publisher) errorFigure(name, printed, title string, spans []span, t *evaluation.Tally) evaluation.Figure {
	f := evaluation.Figure{
		Name:    name,
		Printed: printed,
		Title:   title,
		X:       spanAxis,
		Y:       errorAxis,
		Series:  t.Series(),
		Notes:   append(slices.Clone(p.notes), p.queriesNote()),
	}
	for _, s := range spans {
		f.Categories = append(f.Categories, s.String())
	}
	return f
}

// smallDifference is the share up to which a difference of errors counts as small.
const smallDifference = 0.2

func judgeErrors(f *evaluation.Figure) {
	r := f.Read("quasi-identifiers")
	f.Conclude(r.Summary(f.Labels()...), []evaluation.Claim{
		r.ClaimAbove(asnArm, slppaArm, 1), r.ClaimAbove(slppaArm, slicingArm, 1), r.ClaimNear(slppaArm, slicingArm, smallDifference),
		r.Rises(slppaArm, 0), r.Rises(slicingArm, 0), r.Rises(asnArm, 0),
	}, r.Ratio(slppaArm, slicingArm), r.Ratio(asnArm, slppaArm))
}

// errorsByNumber measures the errors for every number of quasi-identifiers.
func (p *publisher) errorsByNumber(ctx context.Context) ([]evaluation.Figure, error) {
	var spans []span
	for n := range len(p.roles.QuasiIdentifiers) {
		spans = append(spans, span{n + 1, n + 1})
	}
	arms := p.errorArms(p.setting)
	t, err := p.errorsOf(ctx, arms, p.roles, spans, 3)
	if err != nil {
		return nil, err
	}
	f := p.errorFigure("slppa-fig06-by-number", "Fig. 6, by number", "Relative error by number of quasi-identifiers", spans, &t)
	f.Categories = nil
	for _, s := range f.Series {
		for i := range s.Points {
			s.Points[i].X++
		}
	}
	f.PaperShows = "The error increases with the number of quasi-identifiers in the query."
	f.Notes = append(f.Notes, settings(arms), checkNote, "Not a figure of the paper: Fig. 6 has three ranges.")
	r := f.Read("quasi-identifiers")
	f.Conclude(r.Summary(f.Labels()...), []evaluation.Claim{r.Rises(slppaArm, 0), r.Rises(slicingArm, 0), r.Rises(asnArm, 0)})
	return []evaluation.Figure{f}, nil
}

// errorsWithMore is Fig. 7: with the extra quasi-identifiers.
func (p *publisher) errorsWithMore(ctx context.Context) ([]evaluation.Figure, error) {
	roles := anonymize.Roles{QuasiIdentifiers: slices.Concat(p.roles.QuasiIdentifiers, p.extra), Sensitive: p.roles.Sensitive}
	arms, notes, err := p.feasible(ctx, p.errorArms(divisionArms()), roles, p.whole)
	if err != nil {
		return nil, err
	}
	spans := spansOf(len(roles.QuasiIdentifiers))
	t, err := p.errorsOf(ctx, arms, roles, spans, 3)
	if err != nil {
		return nil, err
	}
	f := p.errorFigure("slppa-fig07a", "Fig. 7 (a)", "Relative error with more quasi-identifiers", spans, &t)
	f.PaperShows = "With more quasi-identifiers the result is similar to that of Fig. 6."
	f.Notes = append(append(f.Notes, notes...), settings(arms), checkNote, "Quasi-identifiers more than in Fig. 6: "+listed(p.extra)+".")
	f.Notes = unrepeated(f.Notes)
	judgeErrors(&f)
	return []evaluation.Figure{f}, nil
}
