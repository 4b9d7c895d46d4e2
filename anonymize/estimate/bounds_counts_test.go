package estimate

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// COUNTs have the bounds that the walk over all combinations finds, which is compared with
// all tables elsewhere; questions across fragments have no way of their own.
func TestCountBounds(t *testing.T) {
	taken, byPlanes := 0, 0
	for trial := range 4_000 {
		random := rand.New(rand.NewPCG(uint64(trial), 31))
		r := randomRelease(random, trial%8 == 0)
		if trial%5 == 0 {
			r.Forged = random.IntN(2)
		}
		q, _ := randomQuestion(random, r)
		q.Aggregates = q.Aggregates[:2]
		answer, err := askByGroups(t.Context(), r, q)
		if err != nil || answer.Exact {
			continue
		}
		sides := mustSides(t, r, q)
		want := &groups.Bounds{GroupTerms: groups.NewGroupTerms(t.Context(), q, sides), Thinned: figures.ThinningOf(r)}
		ranges := planes.NewStore(r, planes.NewLayout(r)).NewCounter(r, q, sides).Ranges
		for _, by := range []groups.RangeCounter{nil, func(ctx context.Context, sides []*question.Side) (low, high []int64, err error) {
			low, high, err = ranges(ctx, sides)
			byPlanes += len(low)
			return low, high, err
		}} {
			totals, err := (&groups.Counter{Release: r, Question: q, Sides: sides, Ranges: by}).CountTotals(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if totals == nil {
				break
			}
			got := want.Thinned.AllBounds(q, answer, totals)
			taken++
			if by == nil {
				if err := want.AddGroups(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range want.Thinned.AllBounds(q, answer, want.TotalOf) {
				if !slices.Equal(got[i], want) {
					t.Fatalf("trial %d, row %v: %v, want %v", trial, answer.Rows[i], got[i], want)
				}
			}
		}
	}
	if taken < 1_000 || byPlanes < 1_000 {
		t.Errorf("%d answers were compared, with %d combinations of planes", taken, byPlanes)
	}
}

func TestCountBoundsStop(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r := benchedRelease(200_000, 2)
	c, err := Prepare(r).WithTables(t.Context(), benchedCompletion(r, 2))
	if err != nil {
		t.Fatal(err)
	}
	q := completedBenchmarks()["GROUP_BY/keys=2"]
	answer, err := c.Ask(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("the client has left")
	cancel(gone)
	sides, err := question.SidesOf(t.Context(), r, q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&groups.Counter{Release: r, Question: q, Sides: sides}).CountTotals(ctx); err != gone {
		t.Errorf("%v, want %v", err, gone)
	}
	// A key that no record can have.
	nobody := AnswerRow{Keys: []anonymize.Value{anonymize.IntegerValue(-1), anonymize.IntegerValue(-1)}, Figures: []anonymize.Value{anonymize.RealValue(0)}}
	bounds, err := c.Bounds(t.Context(), q, &Answer{Fragments: answer.Fragments, Rows: []AnswerRow{nobody}})
	if err != nil || bounds[0][0] != (Bound{Low: anonymize.RealValue(0), High: anonymize.RealValue(0)}) {
		t.Errorf("%v, %v", bounds, err)
	}
}
