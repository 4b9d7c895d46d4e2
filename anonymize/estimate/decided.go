package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A question to one fragment that leaves nothing open is exact, unless there are
// counterfeits. Then all that is open is which records these are: the figures of
// all records are known, and groups do not matter.

// eachDecided visits the combinations of classes that count, with their numbers of
// records.
func (t *groupTerms) eachDecided(ctx context.Context, r *anonymize.Release, visit func(key int32, figures []contribution, records float64)) error {
	w, err := join(ctx, r, t.sides)
	if err != nil {
		return err
	}
	return w.visitPositive(func(classes []uint32, weight float64) error {
		entry, err := t.entryOf(classes)
		if err == nil && t.key[entry] >= 0 {
			visit(t.key[entry], t.figures[entry], math.Round(weight)) // shares of a cell add up to about 1
		}
		return err
	})
}

// addMeans adds the moments of all groups: means without variances.
func (m *moments) addMeans(ctx context.Context, r *anonymize.Release) error {
	return m.eachDecided(ctx, r, func(key int32, figures []contribution, records float64) {
		m.growTo(key)
		for a, f := range figures {
			if f.records > 0 && m.question.Aggregates[a].Kind.hasSpread() {
				m.sums[key][a].add(secondMoments{meanN: records, meanS: records * f.sum, squares: records * f.sum * f.sum})
			}
		}
	})
}

// addWhole makes one span of all groups: all of its records count.
func (b *bounds) addWhole(ctx context.Context, r *anonymize.Release) error {
	err := b.eachDecided(ctx, r, func(key int32, figures []contribution, records float64) {
		b.growTo(key)
		for a, f := range figures {
			if kind := b.question.Aggregates[a].Kind; f.records > 0 && kind.hasSpread() {
				b.totals[key][a].addKnown(kind, int(records), f.sum)
			}
		}
	})
	for _, totals := range b.totals {
		for a := range totals {
			for i := range totals[a].spans {
				slices.Sort(totals[a].spans[i].least)
			}
		}
	}
	return err
}

// addKnown adds records that count, of one value. Least and greatest values are
// the same, and so their list.
func (t *total) addKnown(kind Kind, records int, value float64) {
	t.low += float64(records)
	t.high += float64(records)
	if kind == Count {
		return
	}
	if t.spans == nil {
		t.spans = []span{{}}
	}
	s := &t.spans[0]
	s.low, s.high = s.low+records, s.high+records
	s.least = append(s.least, slices.Repeat([]float64{value}, records)...)
	s.greatest = s.least
}
