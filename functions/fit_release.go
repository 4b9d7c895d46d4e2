package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/misfit"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/datapackage"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var fitReleaseSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "rows", Type: types.Int64},
	{Name: "completed_tables", Type: types.Int32},
	{Name: "estimator", Type: types.LongText},
	{Name: "seconds", Type: types.Float64},
}

// fewFitted is the number of records below which a release gets no completed tables unless the owner insists: a model learns little from few groups.
const fewFitted = 1000

// A fit has the options fit and estimator.
type fit struct {
	// when is "true", "false", "async", or "" if the release decides.
	when string
	// estimator is the release's default.
	estimator string
	// unmeasured: the misfit of the tables is not measured.
	unmeasured bool
}

func fitOf(given anonymize.Settings) fit {
	return fit{when: options.Fit.Read(given), estimator: options.Estimator.Read(given), unmeasured: !options.Misfit.Read(given)}
}

// answersOf is the estimator for readers of a release, now or once its completed tables are drawn.
func (e *Environment) answersOf(r *catalog.ReleaseRecord) *datapackage.Answers {
	for _, waits := range e.Releases.AwaitTables() {
		if estimator, unmeasured := waits.Awaits(); waits.Record().Name == r.Name {
			return &datapackage.Answers{Completed: true, Misfit: !unmeasured, Estimator: estimator}
		}
	}
	return &datapackage.Answers{Completed: r.Completion != nil, Misfit: r.Completion != nil && len(r.Completion.Misfit) > 0, Estimator: r.Estimator()}
}

// asAnswered is f with the package's settings, nil for none, where the owner of the import has given no options.
func (f fit) asAnswered(a *datapackage.Answers, rows int, given anonymize.Settings) fit {
	if a == nil {
		return f
	}
	if _, said := options.Fit.Given(given); !said {
		switch {
		case !a.Completed:
			f.when = "false"
		case rows < fewFitted:
			f.when = "true"
		}
	}
	if _, said := options.Estimator.Given(given); !said && a.Completed {
		f.estimator = a.Estimator
	}
	if _, said := options.Misfit.Given(given); !said && a.Completed {
		f.unmeasured = !a.Misfit
	}
	return f
}

// fitsAtOnce reports whether a release gets completed tables before it is stored. It fails if the owner insists on something impossible.
func (f fit) fitsAtOnce(r *anonymize.Release) (bool, error) {
	if f.when == "false" {
		return false, nil
	}
	if refused := impute.Refuse(r); refused != nil {
		if f.when == "" {
			return false, nil
		}
		return false, &anonymize.DataError{Reason: refused.Error() + ": leave fit out, and answers come from its fragments"}
	}
	return f.when == "true" || f.when == "" && r.Rows >= fewFitted, nil
}

// complete draws completed tables of a release, measures how wrong they are, and describes them. It reads only public parts of the release.
func (e *Environment) complete(
	ctx *sql.Context, f fit, r *anonymize.Release, record *catalog.ReleaseRecord, progress func(phase string, done, total int),
) (completion *anonymize.Completion, described *catalog.CompletionRecord, err error) {
	if completion, err = impute.Complete(ctx, r, impute.Options{Progress: progress}); err != nil {
		return nil, nil, err
	}
	described = &catalog.CompletionRecord{Tables: completion.Tables, Estimator: f.estimator}
	described.Misfit, err = e.misfitOf(ctx, f, r, completion, record, nil, progress)
	return completion, described, err
}

// misfitOf is the misfit of completed tables, nil if it is not wanted, or if it cannot be measured and was not requested.
func (e *Environment) misfitOf(
	ctx *sql.Context,
	f fit,
	r *anonymize.Release,
	c *anonymize.Completion,
	record *catalog.ReleaseRecord,
	again func(anonymize.Method) anonymize.Method,
	progress func(phase string, done, total int),
) (measured json.RawMessage, err error) {
	if f.unmeasured {
		return nil, nil
	}
	measured, err = e.measureMisfit(ctx, r, c, record, again, progress)
	if err != nil && f.when == "" && ctx.Err() == nil {
		ctx.Warn(mysql.ERUnknownError, "%s; intervals allow for a usual one", err)
		return nil, nil
	}
	return measured, err
}

// measureMisfit measures how wrong completed tables are, from public data. again, if not nil, makes the method form groups like the release's.
func (e *Environment) measureMisfit(
	ctx context.Context,
	r *anonymize.Release,
	c *anonymize.Completion,
	record *catalog.ReleaseRecord,
	again func(anonymize.Method) anonymize.Method,
	progress func(phase string, done, total int),
) (json.RawMessage, error) {
	method, err := e.methodNamed(record.Method)
	if err != nil {
		return nil, err
	}
	if again != nil {
		method = again(method)
	}
	roles := anonymize.Roles{QuasiIdentifiers: record.QuasiIdentifiers, Sensitive: record.Sensitive, NotSensitive: anonymize.NotSensitiveOf(record.Guarantees)}
	by := misfit.Recipe{Method: method, Parameters: record.Parameters, Roles: roles, Asked: privacy.Asked(record.Guarantees)}
	m, err := misfit.Measure(ctx, r, c, by, misfit.Options{Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("the misfit of the completed tables cannot be measured (misfit=false leaves that out): %w", err)
	}
	return m.Encode(), nil
}

// complete draws the completed tables of a release that gets some, from public data only.
func (p *publication) complete(ctx *sql.Context) error {
	if p.Record.Live != nil && (p.fit.when == "" || p.fit.when == "false") {
		return nil
	}
	if p.Record.Live != nil {
		return p.refuse(&anonymize.ParameterError{
			Parameter: "fit",
			Value:     p.fit.when,
			Rule:      "must be false where updates= makes the release follow its table: its counterfeits would be rows of every completed table",
		})
	}
	now, err := p.fit.fitsAtOnce(p.release)
	if p.dryRun {
		return p.refuse(err)
	}
	if err == nil && p.fit.when == "async" {
		p.Record.AwaitsTables, p.Record.AwaitsUnmeasured = p.fit.estimator, p.fit.unmeasured
	}
	if err != nil || !now {
		return err
	}
	p.Completion, p.Record.Completion, err = p.environment.complete(ctx, p.fit, p.release, &p.Record, p.progress)
	return err
}

// fitLater leaves the release to the server, which draws its completed tables (fit=async).
func (p *publication) fitLater(*sql.Context) error {
	if !p.dryRun && p.fit.when == "async" {
		select {
		case p.environment.toFit() <- struct{}{}:
		default: // the server looks at all of them anyway
		}
	}
	return nil
}

// toFit is signalled when a release awaits its completed tables.
func (e *Environment) toFit() chan struct{} {
	e.fitting.Do(func() { e.someToFit = make(chan struct{}, 1) })
	return e.someToFit
}

// FitWhenAsked draws completed tables of releases that were published with fit=async, also before the server's last start, one release after
// the other, until ctx ends. Outcomes are in anonsql.jobs. A failed one is tried again together with the next one.
func (e *Environment) FitWhenAsked(ctx context.Context, ended func(release string, started time.Time, err error)) {
	failed := make(map[string]bool)
	for {
		for _, p := range e.Releases.AwaitTables() {
			name := p.Record().Name
			if failed[name] || ctx.Err() != nil {
				continue
			}
			started := time.Now()
			f := &fitting{environment: e, of: p, user: "fit", fit: fit{when: "true"}}
			f.estimator, f.unmeasured = p.Awaits()
			err := e.doOwn(sql.NewContext(ctx), f.perform)
			if failed[name] = err != nil; err == nil || ctx.Err() == nil {
				ended(name, started, err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-e.toFit():
			clear(failed)
		}
	}
}

// CALL fit_release('adult') draws completed tables of a release that has none, from the release alone, so that its answers are imputed, and measures how wrong
// they are, unless 'misfit=false'; 'estimator=independent' keeps the other estimator as its default, and 'refit=true' draws the tables again, which gives the
// same ones unless another version of the program drew them. It is for accounts that may publish the raw table, or import. It works while the one result row is
// read.
func (e *Environment) fitRelease(ctx *sql.Context, name string, arguments ...string) (sql.RowIter, error) {
	given, err := options.FitRelease.Read(arguments)
	if err != nil {
		return nil, err
	}
	p, err := e.releaseFor(ctx, "fit_release", "FIT", name)
	if err != nil {
		return nil, err
	}
	f := &fitting{environment: e, of: p, user: ctx.Session.Client().User, again: options.Refit.Read(given), fit: fitOf(given)}
	f.fit.when = "true"
	return rowOf(f.perform), nil
}

// A fitting is a CALL fit_release.
type fitting struct {
	environment *Environment
	of          *catalog.Published // whose privileges were checked
	user        string
	again       bool
	fit
}

func (f *fitting) perform(ctx *sql.Context) (row sql.Row, err error) {
	if err := raw.CommitOpen(ctx); err != nil {
		return nil, err
	}
	published, err := f.environment.Releases.CurrentOf(f.of)
	if err != nil {
		return nil, err
	}
	err = f.environment.asJobOn(ctx, f.user, "fit", published, func(progress func(string, int, int)) error {
		row, err = f.run(ctx, published, progress)
		return err
	})
	return row, err
}

// tables are the completed tables to store, nil for the existing ones, and their description.
func (f *fitting) tables(
	ctx *sql.Context,
	p *catalog.Published,
	release *anonymize.Release,
	progress func(phase string, done, total int),
) (*anonymize.Completion, *catalog.CompletionRecord, error) {
	had := p.Record().Completion
	if had == nil || f.again {
		if _, err := f.fitsAtOnce(release); err != nil {
			return nil, nil, err
		}
		return f.environment.complete(ctx, f.fit, release, p.Record(), progress)
	}
	described := &catalog.CompletionRecord{Tables: had.Tables, Misfit: had.Misfit, Estimator: f.estimator}
	if len(had.Misfit) > 0 || f.unmeasured {
		return nil, described, nil
	}
	stored, err := p.Completed(ctx)
	if err != nil {
		return nil, nil, err
	}
	described.Misfit, err = f.environment.measureMisfit(ctx, release, stored.Completion(), p.Record(), nil, progress)
	return nil, described, err
}

func (f *fitting) run(ctx *sql.Context, p *catalog.Published, progress func(phase string, done, total int)) (sql.Row, error) {
	started := time.Now()
	if err := p.CheckCompletable(); err != nil {
		return nil, err
	}
	release, err := p.Release(ctx)
	if err != nil {
		return nil, err
	}
	completion, described, err := f.tables(ctx, p, release, progress)
	if err != nil {
		return nil, err
	}
	record, err := f.environment.Releases.Complete(ctx, p, completion, *described)
	if err != nil {
		return nil, err
	}
	return sql.Row{record.Name, int32(record.Version), int64(record.Rows), int32(described.Tables), described.Estimator,
		texts.Thousandths(time.Since(started).Seconds())}, nil
}
