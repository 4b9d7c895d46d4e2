package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Whatever is asked can be counted group by group. What other counters find is compared with that.

// wayByGroups is that of a question.
func wayByGroups(ctx context.Context, r *anonymize.Release, q *Question) (*way, error) {
	if err := q.Check(r); err != nil {
		return nil, err
	}
	c, err := &groups.Counter{Release: r, Question: q}, error(nil)
	if !figures.ThinningOf(r).LeavesNone() {
		c.Sides, err = question.SidesOf(ctx, r, q)
	}
	exact := len(c.Sides) == 0 || question.Decided(c.Sides) && r.Forged == 0
	return &way{Counter: c, prepared: PrepareTuples(r), question: q, exact: exact}, err
}

func askByGroups(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	w, err := wayByGroups(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, false)
}

func errorsByGroups(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	w, err := wayByGroups(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return w.prepared.StandardErrors(ctx, q, &Answer{Exact: answer.Exact, Fragments: answer.Fragments, Rows: answer.Rows, Kept: w})
}

func boundsByGroups(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]Bound, error) {
	w, err := wayByGroups(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return w.prepared.Bounds(ctx, q, &Answer{Exact: answer.Exact, Fragments: answer.Fragments, Rows: answer.Rows, Kept: w})
}
