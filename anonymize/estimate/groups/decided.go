package groups

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A question to one fragment that leaves nothing open is exact without counterfeits. With
// counterfeits, only their identity is open: the figures of all records are known, and groups
// do not matter.

// eachDecided visits the combinations of classes that count, with their numbers of records.
func (t *GroupTerms) eachDecided(ctx context.Context, r *anonymize.Release, visit func(key int32, figures []question.Contribution, records float64)) error {
	w, err := Join(ctx, r, t.Sides)
	if err != nil {
		return err
	}
	return w.VisitPositive(func(classes []uint32, weight float64) error {
		entry, err := t.EntryOf(classes)
		if err == nil && t.Key[entry] >= 0 {
			visit(t.Key[entry], t.Figures[entry], math.Round(weight)) // shares of a cell add up to about 1
		}
		return err
	})
}

// addMeans adds the moments of all groups: they have means and no variances.
func (m *moments) addMeans(ctx context.Context, r *anonymize.Release) error {
	return m.eachDecided(ctx, r, func(key int32, terms []question.Contribution, records float64) {
		m.growTo(key)
		for a, f := range terms {
			if f.Records > 0 && m.Question.Aggregates[a].Kind.HasSpread() {
				m.sums[key][a].Add(figures.SecondMoments{MeanN: records, MeanS: records * f.Sum, Squares: records * f.Sum * f.Sum})
			}
		}
	})
}

// addWhole makes one span of all groups, in which all records count.
func (b *Bounds) addWhole(ctx context.Context, r *anonymize.Release) error {
	err := b.eachDecided(ctx, r, func(key int32, terms []question.Contribution, records float64) {
		b.growTo(key)
		for a, f := range terms {
			if kind := b.Question.Aggregates[a].Kind; f.Records > 0 && kind.HasSpread() {
				b.totals[key][a].AddKnown(kind, int(records), f.Sum)
			}
		}
	})
	for _, totals := range b.totals {
		for a := range totals {
			for i := range totals[a].Spans {
				slices.Sort(totals[a].Spans[i].Least)
			}
		}
	}
	return err
}
