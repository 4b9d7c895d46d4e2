package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Ask answers q from r. Errors: a question that does not fit the release, an
// error of one of its expressions, the context's end.
//
// A caller with several questions for one release asks a [Prepared].
func Ask(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	return ask(ctx, r, q, nil)
}

// ask answers with the kernels of a scan; nil: by the weighted join.
func ask(ctx context.Context, r *anonymize.Release, q *Question, by *scan) (*Answer, error) {
	answer, err := askFragments(ctx, r, q, by)
	if err == nil && q.ReadsNoise(r) {
		answer.Exact = false
	}
	return answer, err
}

// askFragments takes what fragments tell for the truth.
func askFragments(ctx context.Context, r *anonymize.Release, q *Question, by *scan) (*Answer, error) {
	if err := q.Check(r); err != nil {
		return nil, err
	}
	if by != nil && by.prepared.elsewhere != nil {
		return by.askElsewhere(ctx, q)
	}
	if slices.ContainsFunc(q.Touched(), func(f int) bool { return question.IsElsewhere(r.Fragments[f]) }) {
		return nil, &UnansweredError{What: "a question for the tuples"}
	}
	answer, thinned := &Answer{Fragments: q.Touched()}, figures.ThinningOf(r)
	if thinned.LeavesNone() {
		rows, err := figures.Aggregate(q, &figures.Weights{}, thinned)
		answer.Rows, answer.Exact = rows, true
		return answer, err
	}
	if by != nil && question.ReadsCells(r, q) {
		if answer, err := by.askCells(ctx, r, q); answer != nil || err != nil {
			return answer, err
		}
		if answer, err := by.askApart(ctx, r, q); answer != nil || err != nil {
			return answer, err
		}
	}
	sides, err := question.SidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	answer.Exact = len(sides) == 0 || question.Decided(sides) && thinned.IsNone()
	if answer, err := by.askValues(ctx, r, q, sides); answer != nil || err != nil {
		return answer, err
	}
	w := &figures.Weights{Dense: []float64{float64(r.Rows)}}
	if len(sides) > 0 {
		if w, err = by.join(ctx, r, sides); err != nil {
			return nil, err
		}
	}
	if answer.Rows, err = figures.Aggregate(q, w, thinned); err == nil && q.AsksDistinct() && !answer.Exact && !question.Decided(sides) {
		err = groups.CountDistinct(ctx, r, q, sides, answer.Rows)
	}
	if !answer.Exact && by != nil {
		answer.Kept = by
	}
	return answer, err
}
