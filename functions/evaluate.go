package functions

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var evaluateSchema = sql.Schema{
	{Name: "aggregate", Type: types.LongText},
	{Name: "qi", Type: types.LongText},
	{Name: "queries", Type: types.Int32},
	{Name: "estimator", Type: types.LongText},
	{Name: "mean", Type: types.Float64},
	{Name: "median", Type: types.Float64},
	{Name: "p95", Type: types.Float64},
	{Name: "zero_share", Type: types.Float64},
	{Name: "coverage", Type: types.Float64, Nullable: true},
	{Name: "width", Type: types.Float64, Nullable: true},
}

// CALL evaluate('adult', 'queries=1000', 'qi=1-3,4-6', 'seed=1') runs random COUNT queries on a release and on its raw table. It returns, one row per band of
// numbers of quasi-identifiers (Yao et al. 2021, section 6.2), the relative error, the coverage of the 95 percent interval, and its mean half width relative to
// the actual answer, to three digits. A release with completed tables has two rows per band, the default estimator first; 'estimator=independent' leaves one.
// With 'aggregate=sum', 'of=income' the queries are SUM(income) over random predicates (the paper on cross-bucket generalization, section 4.2), with
// 'aggregate=avg(income)' AVG(income). anonsql.evaluations keeps the result, in full and with the error of the hard bounds; for a release with counterfeits its
// columns uncorrected_ have the relative error of estimates that count these as records, otherwise NULL. It is for accounts that may read the raw table.
func (e *Environment) evaluate(ctx *sql.Context, release string, arguments ...string) (sql.RowIter, error) {
	written, err := options.Parse(arguments)
	if err != nil {
		return nil, err
	}
	if err := refuseTask(written, releaseName(release)); err != nil {
		return nil, err
	}
	given, err := options.Evaluate.Resolve(written)
	if err != nil {
		return nil, err
	}
	w, err := readWorkloads(given)
	if err != nil {
		return nil, err
	}
	view, err := e.Releases.View(ctx, releaseName(release))
	if err != nil {
		return nil, err
	}
	if err := view.CheckSourceAccess(ctx); err != nil {
		return nil, err
	}
	if !e.holdsSource(ctx, "evaluate", view.Published()) {
		return nil, e.deniedSource(ctx, "EVALUATE", view.Published(), "SELECT and ALTER on its raw table, since what it measures is kept")
	}
	it := &evaluation{environment: e, view: view, workloads: w}
	if it.estimators, err = evaluated(view.Record(), options.Estimator.Read(given)); err != nil {
		return nil, err
	}
	return rowsOf(it.perform), nil
}

// refuseTask names another task's procedure. The server did not call it, because a placeholder hides the task, and its rows have other columns.
func refuseTask(written options.Given, release string) error {
	task, asked := written[options.Task.Name()]
	if !asked {
		return nil
	}
	rule := "which is none: evaluate asks counts, sums and averages, and CALL classify trains models"
	if strings.EqualFold(task, "classify") {
		rule = fmt.Sprintf("which is a procedure of its own, with rows of its own: CALL classify('%s', 'target=...')", release)
	}
	return &anonymize.ParameterError{Parameter: "task", Value: "'" + task + "'", Rule: rule}
}

// evaluated are the measured estimators: all that a release has, its default first, or the requested one.
func evaluated(record *catalog.ReleaseRecord, asked string) ([]string, error) {
	switch {
	case asked == catalog.Imputed && record.Completion == nil:
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("release %s has no completed tables: CALL fit_release('%[1]s') makes them", record.Name)}
	case asked != "":
		return []string{asked}, nil
	case record.Completion == nil:
		return []string{catalog.Independent}, nil
	case record.Estimator() == catalog.Independent:
		return []string{catalog.Independent, catalog.Imputed}, nil
	}
	return []string{catalog.Imputed, catalog.Independent}, nil
}

// readWorkloads reads the options, and returns one workload per band.
func readWorkloads(given anonymize.Settings) ([]utility.Workload, error) {
	of, average, err := readSummand(given)
	if err != nil {
		return nil, err
	}
	bands := options.Bands.Read(given)
	if len(bands) == 0 {
		bands = []options.Band{{Low: 1, High: 3}}
		if of != "" {
			bands = []options.Band{{Low: 3, High: 3}} // as in the paper
		}
	}
	workloads := make([]utility.Workload, len(bands))
	for i, band := range bands {
		workloads[i] = utility.Workload{Queries: options.Queries.Read(given), Of: of, Average: average, AndSensitive: true,
			Seed: uint64(options.QuerySeed.Read(given))}
		workloads[i].Low, workloads[i].High = band.Low, band.High
	}
	return workloads, nil
}

// readSummand reads the options of the aggregate: it returns the attribute of a sum or an
// average, "" for COUNT. 'aggregate=avg(age)' is 'aggregate=avg', 'of=age'.
func readSummand(given anonymize.Settings) (of string, average bool, err error) {
	asked, said := options.Summed.Given(given)
	if !said {
		asked = "count"
	}
	aggregate, inside, called := strings.Cut(strings.TrimSuffix(strings.TrimSpace(asked), ")"), "(")
	of, named := options.Of.Given(given)
	if called && named {
		rule := fmt.Sprintf("must be left out: aggregate=%s names the attribute", asked)
		return "", false, &anonymize.ParameterError{Parameter: "of", Value: "'" + of + "'", Rule: rule}
	}
	if called {
		of, named = strings.TrimSpace(inside), true
	}
	of = strings.Trim(of, "`")
	switch aggregate = strings.ToLower(strings.TrimSpace(aggregate)); aggregate {
	case "sum", "avg":
		if of == "" {
			return "", false, &anonymize.ParameterError{
				Parameter: "of",
				Value:     "'" + of + "'",
				Rule:      fmt.Sprintf("must name the attribute that aggregate=%s asks of, such as of=age", aggregate),
			}
		}
		return of, aggregate == "avg", nil
	case "count":
		if named && of != "*" {
			return "", false, &anonymize.ParameterError{Parameter: "of", Value: "'" + of + "'", Rule: "is for aggregate=sum and aggregate=avg; COUNT(*) counts records"}
		}
		return "", false, nil
	}
	return "", false, &anonymize.ParameterError{Parameter: "aggregate", Value: "'" + asked + "'", Rule: "must be count, sum or avg, such as avg(age)"}
}

// An evaluation is a CALL evaluate.
type evaluation struct {
	environment *Environment
	view        *catalog.PublishedView
	workloads   []utility.Workload
	estimators  []string
	records     []catalog.EvaluationRecord // what was measured
	rows        []sql.Row
}

// perform measures everything before the first row, so that the stored result is complete.
func (it *evaluation) perform(ctx *sql.Context) ([]sql.Row, error) {
	err := it.environment.asJobOn(ctx, ctx.Session.Client().User, "evaluate", it.view.Published(), func(progress func(string, int, int)) error {
		return it.measure(ctx, progress)
	})
	return it.rows, err
}

func (it *evaluation) measure(ctx *sql.Context, progress func(phase string, done, total int)) error {
	progress("read the release and the table", 0, 1)
	of, err := it.subject(ctx)
	if err != nil {
		return err
	}
	progress("read the release and the table", 1, 1)
	var records []catalog.EvaluationRecord
	for _, w := range it.workloads {
		for _, estimator := range it.estimators {
			phase := fmt.Sprintf("evaluate %d-%d, %s", w.Low, w.High, estimator)
			progress(phase, 0, w.Queries)
			e, err := of.evaluate(ctx, estimator, w, func(done, total int) { progress(phase, done, total) })
			if err != nil {
				return err
			}
			records = append(records, recordOf(w, estimator, e))
		}
	}
	if err := it.environment.Releases.StoreEvaluations(ctx, it.view.Published(), records); err != nil {
		return err
	}
	it.records = records
	for _, r := range records {
		it.rows = append(it.rows, evaluationRow(r))
	}
	return nil
}

// evaluationRow is the part that fits a terminal; anonsql.evaluations has everything.
func evaluationRow(r catalog.EvaluationRecord) sql.Row {
	rounded := func(x *float64) any {
		if x == nil {
			return nil
		}
		return texts.Thousandths(*x)
	}
	zero := float64(r.Zero) / float64(r.Queries)
	return sql.Row{
		r.Aggregate(), fmt.Sprintf("%d-%d", r.Low, r.High), int32(r.Queries), r.Estimator,
		texts.Thousandths(r.Mean), texts.Thousandths(r.Median), texts.Thousandths(r.P95), texts.Thousandths(zero),
		rounded(r.Coverage), rounded(r.Width),
	}
}

// An evaluatedRelease is a release and its raw table.
type evaluatedRelease struct {
	release *estimate.Prepared
	tables  *estimate.Completed // nil unless they are asked
	misfit  utility.Misfit
	widths  *interval.Widths
	table   *anonymize.Microdata
}

func (it *evaluation) subject(ctx *sql.Context) (of *evaluatedRelease, err error) {
	of = &evaluatedRelease{}
	if of.release, err = it.view.Prepared(ctx); err != nil {
		return nil, err
	}
	if slices.Contains(it.estimators, catalog.Imputed) {
		if of.tables, err = it.view.Completed(ctx); err != nil {
			return nil, err
		}
		if of.misfit, err = misfitOf(it.view); err != nil {
			return nil, err
		}
	}
	if of.widths, err = interval.Decode(it.view.Record().Calibration); err != nil {
		return nil, err
	}
	if of.table, err = it.view.SourceMicrodata(ctx, slices.Clone(it.view.Record().Columns)); err != nil {
		return nil, err
	}
	of.table.Columns = of.release.Release().Recode(it.view.InClasses(of.table.Columns))
	return of, nil
}

// misfitOf is the misfit of a release's completed tables that its answers use.
func misfitOf(view *catalog.PublishedView) (utility.Misfit, error) {
	m, err := view.Misfit()
	if err != nil || m == nil {
		return interval.Unmeasured(catalog.UnmeasuredMisfit), err
	}
	return m, nil
}

func (of *evaluatedRelease) evaluate(ctx *sql.Context, estimator string, w utility.Workload, progress func(done, total int)) (*utility.Evaluation, error) {
	if estimator == catalog.Imputed {
		return utility.EvaluateCompleted(ctx, of.tables, of.table, w, of.misfit, of.widths, progress)
	}
	return utility.Evaluate(ctx, of.release, of.table, w, of.widths, progress)
}

func recordOf(w utility.Workload, estimator string, e *utility.Evaluation) catalog.EvaluationRecord {
	record := catalog.EvaluationRecord{Estimator: estimator, Of: e.Of, Average: e.Average, Low: e.Low, High: e.High, Queries: e.Queries, Seed: w.Seed,
		Mean: e.Estimate.Mean, Median: e.Estimate.Median, P95: e.Estimate.P95, Zero: e.Zero, Estimates: e.Estimates,
		Bounds:    &catalog.BoundsRecord{Mean: e.Bounds.Mean, Median: e.Bounds.Median, P95: e.Bounds.P95, Held: e.Held},
		Evaluated: time.Now().UTC().Truncate(time.Second)}
	if e.Uncorrected != nil {
		record.UncorrectedMean, record.UncorrectedMedian = &e.Uncorrected.Mean, &e.Uncorrected.Median
	}
	if !math.IsNaN(e.Coverage) {
		record.Coverage = &e.Coverage
	}
	if !math.IsNaN(e.Width) {
		record.Width = &e.Width
	}
	return record
}
