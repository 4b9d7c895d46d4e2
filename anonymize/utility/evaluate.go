package utility

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// An Evaluation is the relative error of one workload: |actual - estimate| /
// actual per query (Yao et al. 2021, Eq. 13), over the queries whose actual
// answer is not 0.
type Evaluation struct {
	Low, High int // quasi-identifiers per query
	Queries   int
	Mean      float64
	Median    float64
	P95       float64 // 95th percentile, by nearest rank
	Zero      int     // queries with actual answer 0: the table changed since
	// Coverage is the share of estimated (not exact) answers whose actual value
	// is within the calibrated 95 percent interval, NaN without a calibration
	// or without such answers.
	Coverage float64
}

// coverageLevel is the level at which coverage is measured.
const coverageLevel = 0.95

// Evaluate asks the workload of the release and of the raw table, over all
// cores. The result depends on nothing but its arguments. Cost per query: a
// pass over the touched columns of both, and a standard error where a
// calibration is given; nil is none. progress may be nil; it is called from
// several goroutines.
func Evaluate(ctx context.Context, r *estimate.Prepared, table *anonymize.Microdata, w Workload, c *Calibration, progress func(done, total int)) (*Evaluation, error) {
	a, err := attributesOf(r.Release(), table)
	if err != nil {
		return nil, err
	}
	if w.Low < 1 || w.Low > min(w.High, len(a.quasi)) {
		return nil, &anonymize.ParameterError{Parameter: "qi", Value: fmt.Sprintf("%d-%d", w.Low, w.High),
			Rule: fmt.Sprintf("must be within 1-%d, the quasi-identifiers of the release", len(a.quasi))}
	}
	w.High = min(w.High, len(a.quasi))
	if w.Queries < 1 {
		return nil, &anonymize.ParameterError{Parameter: "queries", Value: strconv.Itoa(w.Queries), Rule: "must be at least 1"}
	}
	if table.Rows == 0 {
		return nil, &anonymize.DataError{Reason: "the raw table is empty: there is nothing to compare with"}
	}
	random := rand.New(rand.NewPCG(w.Seed, 0))
	queries := make([][]*condition, w.Queries)
	for i := range queries {
		queries[i] = a.draw(random, w.Low, w.High, table.Rows)
	}
	outcomes := make([]queryOutcome, len(queries))
	if err := inParallel(ctx, len(queries), progress, func(i int) (err error) {
		outcomes[i], err = askBoth(ctx, r, queries[i], table.Rows, c)
		return err
	}); err != nil {
		return nil, err
	}
	return summarize(w, outcomes), nil
}

// A queryOutcome is what one query showed.
type queryOutcome struct {
	relative         float64 // -1 where the actual answer is 0
	measured, inside bool    // of the interval
}

func askBoth(ctx context.Context, r *estimate.Prepared, query []*condition, rows int, c *Calibration) (queryOutcome, error) {
	truth := float64(actual(query, rows))
	q := questionOf(r.Release(), query)
	answer, err := r.Ask(ctx, q)
	if err != nil {
		return queryOutcome{}, err
	}
	figure := answer.Rows[0].Figures[0].Float
	outcome := queryOutcome{relative: -1}
	if truth > 0 {
		outcome.relative = math.Abs(truth-figure) / truth
	}
	if c == nil || answer.Exact {
		return outcome, nil
	}
	deviations, err := r.StandardErrors(ctx, q, answer)
	if err != nil {
		return outcome, err
	}
	half, ok := c.Width(estimate.Count, FragmentsTouched(q, 0), figure, deviations[0][0].Float, coverageLevel)
	outcome.measured, outcome.inside = ok, math.Abs(truth-figure) <= half
	return outcome, nil
}

// questionOf asks the release for the count of a conjunction.
func questionOf(r *anonymize.Release, query []*condition) *estimate.Question {
	q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	for _, c := range query {
		fragment, column, _ := r.Locate(c.column.Name)
		q.Where = append(q.Where, estimate.Expression{Leaves: []int{len(q.Leaves)}})
		q.Leaves = append(q.Leaves, estimate.Where(fragment, column, c.holds))
	}
	return q
}

func summarize(w Workload, outcomes []queryOutcome) *Evaluation {
	e := &Evaluation{Low: w.Low, High: w.High, Queries: w.Queries, Coverage: math.NaN()}
	var defined []float64
	measured, inside := 0, 0
	for _, o := range outcomes {
		if o.relative >= 0 {
			defined = append(defined, o.relative)
		}
		if o.measured {
			measured++
			if o.inside {
				inside++
			}
		}
	}
	if measured > 0 {
		e.Coverage = float64(inside) / float64(measured)
	}
	e.Zero = len(outcomes) - len(defined)
	if len(defined) == 0 {
		return e
	}
	for _, x := range defined {
		e.Mean += x / float64(len(defined))
	}
	slices.Sort(defined)
	e.Median = (defined[(len(defined)-1)/2] + defined[len(defined)/2]) / 2
	e.P95 = defined[int(math.Ceil(0.95*float64(len(defined))))-1]
	return e
}

// inParallel does n pieces of work on all cores and returns the first error.
func inParallel(ctx context.Context, n int, progress func(done, total int), work func(i int) error) error {
	var (
		next, done atomic.Int64
		wait       sync.WaitGroup
		once       sync.Once
		failure    error
	)
	for range min(runtime.GOMAXPROCS(0), n) {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				if err := work(i); err != nil {
					once.Do(func() { failure = err })
					next.Store(int64(n))
					return
				}
				if finished := done.Add(1); progress != nil {
					progress(int(finished), n)
				}
			}
		})
	}
	wait.Wait()
	if failure == nil {
		failure = context.Cause(ctx)
	}
	return failure
}
