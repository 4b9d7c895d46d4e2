package utility

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// An Evaluation is the error of a release on one workload. Errors are relative to the actual
// answer, over the queries whose actual answer is not 0 and at least the workload's Least.
type Evaluation struct {
	// Of is the attribute that was added up, as the table spells it; "" if the queries counted.
	// Average says that they asked for AVG.
	Of        string
	Average   bool
	Low, High int // quasi-identifiers per query
	Queries   int
	// Estimate is |actual - estimate| / actual (Yao et al. 2021, Eq. 13).
	Estimate Distribution
	// Uncorrected is the error of estimates that take counterfeits for records, for comparison
	// with the correction; nil without counterfeits.
	Uncorrected *Distribution
	// Bounds is (upper - lower) / actual for the hard bounds: the error of the paper on
	// cross-bucket generalization, section 4.2.
	Bounds Distribution
	// Held is the share of queries whose actual answer is within the hard bounds: 1 if the
	// table is the published one. A release that follows its table lacks the waiting records,
	// so its bounds may not hold.
	Held float64
	// Zero is the number of queries without an error: the actual answer is 0 or below Workload.Least, or an AVG is NULL in the table or the estimate.
	Zero int
	// Estimates is the number of answers that Coverage is based on.
	Estimates int
	// Coverage is the share of estimated (not exact) answers whose 95 percent interval contains
	// the actual value; NaN without intervals or such answers.
	Coverage float64
	// Width is the mean of (high - low) / 2 / |actual| of these intervals, over those with an
	// actual answer other than 0; NaN without any. An interval may cover because it is wide.
	Width float64
}

// A Distribution describes numbers; zero if there are none.
type Distribution struct {
	Mean, Median float64
	P95          float64 // 95th percentile, by nearest rank
}

// coverageLevel is the level at which coverage is measured.
const coverageLevel = 0.95

// Evaluate asks the workload of the release and of the raw table, on all cores. The result
// depends only on its arguments. Cost per query: an estimate with its standard error and
// bounds, and a pass over the touched columns of the table. widths determine the intervals of
// the coverage; nil means no intervals. progress may be nil; several goroutines call it.
func Evaluate(
	ctx context.Context,
	r *estimate.Prepared,
	table *anonymize.Microdata,
	w Workload,
	widths *interval.Widths,
	progress func(done, total int),
) (*Evaluation, error) {
	return evaluate(ctx, &evaluator{prepared: r, widths: widths}, table, w, progress)
}

// A Misfit says, for a question over some attributes, how wrong completed tables are, and
// whether the choice of groups invents most of what they say.
type Misfit interface {
	interval.Misfit
	Independent(columns []string) bool
}

// EvaluateCompleted is Evaluate for the estimator of completed tables, with its own intervals
// ([interval.OfCompleted]). The queries are the same. misfit may be nil for none. As elsewhere,
// the fragments answer what would be invented, if they have intervals.
func EvaluateCompleted(
	ctx context.Context,
	c *estimate.Completed,
	table *anonymize.Microdata,
	w Workload,
	misfit Misfit,
	widths *interval.Widths,
	progress func(done, total int),
) (*Evaluation, error) {
	if misfit == nil {
		misfit = interval.Unmeasured(0)
	}
	return evaluate(ctx, &evaluator{prepared: c.Prepared(), tables: c, misfit: misfit, widths: widths}, table, w, progress)
}

func evaluate(ctx context.Context, e *evaluator, table *anonymize.Microdata, w Workload, progress func(done, total int)) (*Evaluation, error) {
	release := e.prepared.Release()
	a, err := attributesOf(release, table)
	if err != nil {
		return nil, err
	}
	of, err := w.check(a, table)
	if err != nil {
		return nil, err
	}
	e.least = w.Least * float64(table.Rows)
	e.asker, e.rows, e.kind, e.uncorrected = newAsker(release, a), table.Rows, estimate.Count, 1
	if release.Rows > release.Forged && !w.Average {
		e.uncorrected = float64(release.Rows) / float64(release.Rows-release.Forged)
	}
	if of != nil {
		e.kind, w.Of = estimate.Sum, of.Name
		if w.Average {
			e.kind = estimate.Average
		}
	}
	queries, err := w.queries(ctx, a, of, table.Rows)
	if err != nil {
		return nil, err
	}
	outcomes := make([]queryOutcome, len(queries))
	done := parallel.NewCounter(len(queries), progress)
	if err := parallel.Run(ctx, len(queries), func(i int) (err error) {
		defer done.Add(1)
		outcomes[i], err = e.ask(ctx, queries[i])
		return err
	}); err != nil {
		return nil, err
	}
	return summarize(w, outcomes, release.Forged > 0), nil
}

// check refuses a workload that the release does not allow, clips High, and returns the column
// to add up: nil for COUNT.
func (w *Workload) check(a *attributes, table *anonymize.Microdata) (of *anonymize.Column, err error) {
	most, rule := len(a.quasi), "the quasi-identifiers of the release"
	if w.Of != "" {
		if of, err = a.summand(w.Of); err != nil {
			return nil, err
		}
		if slices.Contains(a.quasi, of) {
			most, rule = most-1, "the quasi-identifiers of the release other than "+of.Name
		}
	}
	if w.Low < 1 || w.Low > min(w.High, most) {
		return nil, &anonymize.ParameterError{
			Parameter: "qi",
			Value:     fmt.Sprintf("%d-%d", w.Low, w.High),
			Rule:      fmt.Sprintf("must be within 1-%d, %s", most, rule),
		}
	}
	if w.AndSensitive && of != nil && len(a.sensitive) == 0 {
		return nil, &anonymize.ParameterError{Parameter: "of", Value: "'" + w.Of + "'",
			Rule: "must be an attribute of a release with a sensitive attribute: questions about quasi-identifiers alone need no estimate"}
	}
	w.High = min(w.High, most)
	if w.Selectivity != 0 && (of != nil || !(w.Selectivity > 0 && w.Selectivity < 1)) {
		return nil, &anonymize.ParameterError{Parameter: "selectivity", Value: fmt.Sprint(w.Selectivity), Rule: "must be above 0 and below 1, and 0 of a SUM"}
	}
	if w.Least != 0 && (of != nil || !(w.Least > 0 && w.Least < 1)) {
		return nil, &anonymize.ParameterError{Parameter: "least", Value: fmt.Sprint(w.Least), Rule: "must be above 0 and below 1, and 0 of a SUM"}
	}
	if w.Queries < 1 {
		return nil, &anonymize.ParameterError{Parameter: "queries", Value: strconv.Itoa(w.Queries), Rule: "must be at least 1"}
	}
	if table.Rows == 0 {
		return nil, &anonymize.DataError{Reason: "the raw table is empty: there is nothing to compare with"}
	}
	return of, nil
}

// queries draws the workload.
func (w *Workload) queries(ctx context.Context, a *attributes, of *anonymize.Column, rows int) ([]query, error) {
	random := rand.New(rand.NewPCG(w.Seed, 0))
	queries := make([]query, w.Queries)
	for i := range queries {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case of != nil:
			queries[i] = a.predicates(random, w.Low, w.High, of)
			if w.AndSensitive && slices.Contains(a.quasi, of) {
				c := a.sensitive[random.IntN(len(a.sensitive))]
				queries[i].where = append(queries[i].where, a.predicate(random, c))
			}
		case w.Selectivity > 0:
			queries[i] = a.ranges(random, w.Low, w.High, w.Selectivity)
		default:
			queries[i] = conjunction(a.draw(random, w.Low, w.High, rows))
		}
	}
	return queries, nil
}

// An evaluator asks queries of the release and of the raw table.
type evaluator struct {
	*asker
	prepared *estimate.Prepared
	tables   *estimate.Completed // nil: prepared answers
	misfit   Misfit              // of the tables
	rows     int
	widths   *interval.Widths // nil: prepared has no intervals
	kind     estimate.Kind    // Count, Sum or Average
	least    float64          // actual answers below it have no error
	// uncorrected is the factor from a figure of the real records to one of all published records.
	uncorrected float64
}

// A queryOutcome is the outcome of one query.
type queryOutcome struct {
	// relative errors; -1 if the actual answer is 0 or an AVG is NULL
	estimate, uncorrected, bounds float64
	held                          bool // the bounds
	measured, inside              bool // of the interval
	// half is the interval's half width relative to the actual answer; -1 if that is 0 or there
	// is no interval.
	half float64
}

func (e *evaluator) ask(ctx context.Context, asked query) (queryOutcome, error) {
	actual := asked.actual(e.rows)[e.kind]
	q := e.question(asked, e.kind)
	if math.IsNaN(actual) { // AVG over no record: nothing to compare
		return queryOutcome{estimate: -1, uncorrected: -1, bounds: -1, half: -1, held: true}, nil
	}
	answer, spread, err := e.answer(ctx, asked, q)
	if err != nil {
		return queryOutcome{}, err
	}
	// A SUM that can have no record is NULL, as are its bounds; its number is 0.
	figure, _ := answer.Rows[0].Figures[0].Number()
	bound := spread.Bounds[0][0]
	if e.tables != nil && answer.Rows[0].Figures[0].IsNull() { // no completed table has such a record, but another table may
		if bound, err = e.hardBound(ctx, q); err != nil {
			return queryOutcome{}, err
		}
	}
	low, _ := bound.Low.Number()
	high, _ := bound.High.Number()
	slack := 1e-9 * max(1, math.Abs(low), math.Abs(high)) // for sums of floats
	o := queryOutcome{estimate: -1, uncorrected: -1, bounds: -1, half: -1, held: low-slack <= actual && actual <= high+slack}
	if e.kind == estimate.Average && answer.Rows[0].Figures[0].IsNull() {
		return o, nil // there is no estimate: 0 is not one
	}
	if actual != 0 && math.Abs(actual) >= e.least {
		o.estimate, o.bounds = math.Abs((actual-figure)/actual), (high-low)/math.Abs(actual)
		o.uncorrected = math.Abs((actual - e.uncorrected*figure) / actual)
	}
	if answer.Exact {
		return o, nil
	}
	if low, high, ok := spread.Interval(e.widths, 0, 0, coverageLevel); ok {
		o.measured, o.inside = true, low-slack <= actual && actual <= high+slack
		if actual != 0 {
			o.half = (high - low) / 2 / math.Abs(actual)
		}
	}
	return o, nil
}

// hardBound returns the bound of the release, regardless of completed tables.
func (e *evaluator) hardBound(ctx context.Context, q *estimate.Question) (estimate.Bound, error) {
	answer, err := e.prepared.Ask(ctx, q)
	if err != nil {
		return estimate.Bound{}, err
	}
	bounds, err := e.prepared.Bounds(ctx, q, answer)
	if err != nil {
		return estimate.Bound{}, err
	}
	return bounds[0][0], nil
}

// answer asks the evaluated estimator.
func (e *evaluator) answer(ctx context.Context, asked query, q *estimate.Question) (answer *estimate.Answer, spread *interval.Spread, err error) {
	if e.tables != nil {
		if !e.misfit.Independent(e.touched(asked)) || e.widths == nil {
			if answer, err = e.tables.AskWithSpread(ctx, q); err != nil {
				return nil, nil, err
			}
			spread, err = interval.OfCompleted(ctx, e.tables, q, answer, interval.Parts{Bounds: true, Intervals: true}, e.misfit)
			return answer, spread, err
		}
	}
	if answer, err = e.prepared.AskWithSpread(ctx, q); err != nil {
		return nil, nil, err
	}
	spread, err = interval.Compute(ctx, e.prepared, q, answer, interval.Parts{Bounds: true, Intervals: e.widths != nil})
	return answer, spread, err
}

func summarize(w Workload, outcomes []queryOutcome, forged bool) *Evaluation {
	e := &Evaluation{Of: w.Of, Average: w.Average, Low: w.Low, High: w.High, Queries: w.Queries, Coverage: math.NaN(), Width: math.NaN()}
	var errors, widths, uncorrected, halves []float64
	measured, inside, held := 0, 0, 0
	for _, o := range outcomes {
		if o.estimate >= 0 {
			errors, widths, uncorrected = append(errors, o.estimate), append(widths, o.bounds), append(uncorrected, o.uncorrected)
		}
		if o.held {
			held++
		}
		if o.measured {
			measured++
			if o.inside {
				inside++
			}
			if o.half >= 0 {
				halves = append(halves, o.half)
			}
		}
	}
	if len(halves) > 0 {
		e.Width = distribution(halves).Mean
	}
	if measured > 0 {
		e.Coverage, e.Estimates = float64(inside)/float64(measured), measured
	}
	e.Held = float64(held) / float64(len(outcomes))
	e.Zero = len(outcomes) - len(errors)
	e.Estimate, e.Bounds = distribution(errors), distribution(widths)
	if forged {
		d := distribution(uncorrected)
		e.Uncorrected = &d
	}
	return e
}

func distribution(numbers []float64) (d Distribution) {
	n := len(numbers)
	if n == 0 {
		return d
	}
	for _, x := range numbers {
		d.Mean += x / float64(n)
	}
	slices.Sort(numbers)
	d.Median = (numbers[(n-1)/2] + numbers[n/2]) / 2
	d.P95 = numbers[int(math.Ceil(0.95*float64(n)))-1]
	return d
}
