package anontest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// figures are an estimator's answer with its standard errors and bounds.
type figures struct {
	answer *estimate.Answer
	errors [][]anonymize.Value
	bounds [][]estimate.Bound
}

// ask answers a question, with or without side structures.
func ask(r *anonymize.Release, q *estimate.Question, sides bool) (f figures, err error) {
	ctx, p := context.Background(), estimate.PrepareTuples(r)
	if sides {
		p = estimate.Prepare(r)
	}
	if f.answer, err = p.AskWithSpread(ctx, q); err != nil {
		return f, err
	}
	if f.errors, err = p.StandardErrors(ctx, q, f.answer); err != nil {
		return f, err
	}
	f.bounds, err = p.Bounds(ctx, q, f.answer)
	return f, err
}

// estimates: on releases of tiny tables, the estimator's answers equal the enumeration of all tables that agree with
// the release: expectations and standard errors. No table is outside the bounds.
func (b battery) estimates(t *testing.T) {
	compared, uncertain := 0, 0
	for i := range b.Tables {
		random := rand.New(rand.NewPCG(uint64(i), 31))
		in := b.table(2+random.IntN(6), uint64(i))
		arguments := b.Options.Arguments(random, in)
		r, err := b.Run(context.Background(), in, arguments)
		if err != nil {
			continue // randomTables looks at errors
		}
		for n := range 4 {
			q := randomQuestion(random, r)
			f, err := ask(r, q.estimator(), n%2 == 0)
			if err != nil {
				t.Fatalf("table %d, %v, %v: %v", i, arguments, q, err)
			}
			done, spread, err := compare(r, q, f)
			if err != nil {
				t.Fatalf("table %d, %v, %v: %v", i, arguments, q, err)
			}
			compared += done
			uncertain += spread
		}
	}
	t.Logf("%d answers compared, %d of them uncertain", compared, uncertain)
	if compared < b.Tables/6 || uncertain < b.Tables/30 {
		t.Errorf("only %d answers, %d of them uncertain, were compared: the arguments test nothing", compared, uncertain)
	}
}

// compare returns the number of compared answers, and how many of them have a count that varies.
func compare(r *anonymize.Release, q *question, f figures) (compared, uncertain int, err error) {
	answered := 0
	for _, key := range q.keys(r) {
		e, ok := enumerate(r, q, key)
		if !ok {
			return 0, 0, nil
		}
		count := e.sumOverGroups(func(t tally) float64 { return t.records })
		row := slices.IndexFunc(f.answer.Rows, func(row estimate.AnswerRow) bool { return q.key == nil || row.Keys[0] == key })
		switch {
		case row < 0 && count.mean > 1e-12:
			return 0, 0, fmt.Errorf("key %v is missing, its count is %v", key, count.mean)
		case row < 0:
			continue
		}
		if err := q.compareRow(e, f, row, points(r)); err != nil {
			return 0, 0, fmt.Errorf("key %v: %w", key, err)
		}
		compared++
		answered++
		if count.variance > 1e-12 {
			uncertain++
		}
	}
	if answered != len(f.answer.Rows) {
		return 0, 0, fmt.Errorf("there are %d rows, the enumeration has %d", len(f.answer.Rows), answered)
	}
	return compared, uncertain, nil
}

// compareRow compares COUNT(*), COUNT(x), SUM(x) and AVG(x) of one key.
func (q *question) compareRow(e *enumeration, f figures, row int, points bool) error {
	present := e.sumOverGroups(func(t tally) float64 { return t.present })
	for i, figure := range f.answer.Rows[row].Figures {
		var want spread
		visited := true
		switch i {
		case 0:
			want = e.sumOverGroups(func(t tally) float64 { return t.records })
		case 1:
			want = present
		case 2:
			want = e.sumOverGroups(func(t tally) float64 { return t.sum })
		case 3:
			if present.mean > 0 {
				want, visited = e.ratio()
			}
		}
		name := []string{"COUNT(*)", "COUNT(x)", "SUM(x)", "AVG(x)"}[i]
		if i > 1 && present.mean == 0 {
			if !figure.IsNull() {
				return fmt.Errorf("%s of nothing is %v, not NULL", name, figure)
			}
			continue
		}
		attained := i < 2 && points && q.conjunctive()
		if err := want.differs(figure, f.errors[row][i], f.bounds[row][i], attained, visited); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// differs compares one figure. It checks the extremes only if the enumeration visited them, and that bounds are
// attained only if they must be.
func (s spread) differs(figure, deviation anonymize.Value, bound estimate.Bound, attained, visited bool) error {
	// A standard error is the root of a difference of squares: half the digits.
	rounding := 1e-6 * (1 + math.Abs(s.mean))
	if math.Abs(figure.Float-s.mean) > rounding {
		return fmt.Errorf("the estimate is %v, the enumeration has %v", figure.Float, s.mean)
	}
	if math.Abs(deviation.Float-math.Sqrt(s.variance)) > rounding {
		return fmt.Errorf("the standard error is %v, the enumeration has %v", deviation.Float, math.Sqrt(s.variance))
	}
	low, high := bound.Low.Float, bound.High.Float
	if visited && (low > s.low+rounding || high < s.high-rounding) {
		return fmt.Errorf("the bounds are %v to %v, there are tables from %v to %v", low, high, s.low, s.high)
	}
	if attained && (low < s.low-rounding || high > s.high+rounding) {
		return fmt.Errorf("the bounds %v to %v are not attained, tables are from %v to %v", low, high, s.low, s.high)
	}
	return nil
}

// points reports whether every cell of r is a single value.
func points(r *anonymize.Release) bool {
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			if !c.IsPoint() {
				return false
			}
		}
	}
	return true
}
