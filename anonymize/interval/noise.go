package interval

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// addNoise adds the noise of the counts of a sensitive attribute (package modeled) to the standard errors of a
// question that reads nothing else: every completed table has the same noisy counts, so other packages do not
// see the noise. With noise of variance v, a COUNT of t of the attribute's V values has the variance
//
//	v t (1 - t/V),
//
// because the counts add up to the records. It is an upper bound if counts were cut at 0. SUM and AVG then have no standard error.
func (s *Spread) addNoise(ctx context.Context, r *anonymize.Release, q *estimate.Question) error {
	if !q.ReadsNoise(r) || len(s.answer.Fragments) > 1 {
		return nil
	}
	s.noisy = true
	taken, values, err := countValues(ctx, r, q)
	if err != nil {
		return err
	}
	variance := r.Model.NoiseVariance()
	for i, row := range s.Deviations {
		for a := range row {
			if q.Aggregates[a].Kind != estimate.Count {
				row[a] = anonymize.NullValue
				continue
			}
			t := taken(s.answer.Rows[i].Keys, a)
			row[a] = anonymize.RealValue(math.Hypot(row[a].Float, math.Sqrt(variance*t*(1-t/values))))
		}
	}
	return nil
}

// countValues counts the values of the sensitive attribute that a question selects, by a question to a release that has each value once.
func countValues(
	ctx context.Context,
	r *anonymize.Release,
	q *estimate.Question,
) (taken func(keys []anonymize.Value, aggregate int) float64, values float64, err error) {
	at, position, _ := r.Locate(r.Model.Sensitive)
	column := *r.Fragments[at].Columns[position]
	n := len(column.Dictionary)
	each := &anonymize.Fragment{Name: r.Fragments[at].Name, Role: r.Fragments[at].Role, GroupStart: []uint32{0, uint32(n)}}
	each.Count = slices.Repeat([]uint32{1}, n)
	column.Codes = anonymize.Indices(n)
	each.Columns = []*anonymize.FragmentColumn{&column}
	once := &anonymize.Release{Rows: n, GroupSizes: []uint32{uint32(n)}, Fragments: slices.Clone(r.Fragments)}
	once.Fragments[at] = each
	answer, err := estimate.PrepareTuples(once).Ask(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	return func(keys []anonymize.Value, aggregate int) float64 {
		i, found := slices.BinarySearchFunc(answer.Rows, keys, func(row estimate.AnswerRow, keys []anonymize.Value) int {
			return slices.CompareFunc(row.Keys, keys, anonymize.Compare)
		})
		if !found {
			return 0
		}
		number, _ := answer.Rows[i].Figures[aggregate].Number()
		return number
	}, float64(n), nil
}
