package functions

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic"
	"github.com/anonsql/anonsql/anonymize/dynamic/sequence"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

var refreshReleaseSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "status", Type: types.LongText},
	{Name: "rows", Type: types.Int64},
	{Name: "groups", Type: types.Int64},
	{Name: "inserted", Type: types.Int64},
	{Name: "deleted", Type: types.Int64},
	{Name: "modified", Type: types.Int64},
	{Name: "waiting", Type: types.Int64},
	{Name: "forged", Type: types.Int64},
	{Name: "seconds", Type: types.Float64},
}

// CALL refresh_release('patients') publishes a new version of a release that follows its table, with the rows inserted, deleted and modified since
// the last one. The promises are those of the first version, and those over all versions: a broken promise ends the statement, and the last version
// stays. It is for accounts that may publish the raw table (needs). It works while the one result row is read, so it can be killed and ends when the
// client disconnects.
func (e *Environment) refreshRelease(ctx *sql.Context, name string, arguments ...string) (sql.RowIter, error) {
	given, err := options.RefreshRelease.Read(arguments)
	if err != nil {
		return nil, err
	}
	p, err := e.releaseFor(ctx, "refresh_release", "REFRESH", name)
	if err != nil {
		return nil, err
	}
	r := &refresh{environment: e, name: p.Record().Name, of: p, user: ctx.Session.Client().User,
		dryRun: options.DryRun.Read(given), calibrate: options.Calibrate.Read(given), seed: options.Seed.Read(given)}
	return rowOf(r.perform), nil
}

// A refresh is a CALL refresh_release, or an automatic one.
type refresh struct {
	environment *Environment
	name        string
	of          *catalog.Published // whose privileges were checked; nil for the server's own work
	dryRun      bool
	// calibrate is the owner's "true" or "false"; see due.
	calibrate string
	seed      string
	user      string // whose job it is
	problem   string // result: what the owner of an automatic refresh should know, "" for nothing
	progress  func(phase string, done, total int)
}

func (r *refresh) perform(ctx *sql.Context) (row sql.Row, err error) {
	if err := raw.CommitOpen(ctx); err != nil {
		return nil, err
	}
	published, err := r.of, error(nil)
	if published == nil {
		published, err = r.environment.Releases.Named(r.name)
	}
	if err != nil {
		return nil, err
	}
	err = r.environment.asJobOn(ctx, r.user, "refresh", published, func(progress func(string, int, int)) error {
		r.progress = progress
		progress("read the changes", 0, 1)
		pending, err := r.environment.Releases.Changes(ctx, r.name)
		if err != nil {
			return err
		}
		u, err := r.unitsOf(ctx, pending)
		if err != nil {
			return err
		}
		err = r.environment.Releases.ReadAgain(ctx, pending, u.suspects, func(done, total int) { progress("read the table", done, total) })
		if err != nil {
			return err
		}
		if err := r.refuseRepeated(ctx, pending, u); err != nil {
			return err
		}
		row, err = r.publish(ctx, pending)
		return err
	})
	return row, err
}

// unitsOf refuses a table whose units have changed since the publication. The result has columns that may name units if rows are promised for.
func (r *refresh) unitsOf(ctx *sql.Context, pending *catalog.Pending) (*unitReading, error) {
	table, err := r.environment.Catalog.RawTableByID(ctx, pending.Record.SourceTable)
	if err != nil {
		return nil, err
	}
	stored, err := r.environment.roles(table)
	if err != nil {
		return nil, err
	}
	unit := pending.NamesNow(pending.Record.Unit)
	for _, column := range stored.unit.columns {
		if slices.Contains(unit, column) {
			continue
		}
		counted := "rows"
		if len(unit) > 0 {
			counted = "units of " + texts.JoinNames(unit)
		}
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("column %s of %s.%s names units now, and versions of release %s count %s: "+
			"CALL drop_release, and publish anew", column, table.Database(), table.Name(), r.name, counted)}
	}
	u := &unitReading{table: table, unit: stored.unit, identifiers: stored.identifiers}
	if len(unit) == 0 && !pending.Record.Live.EachRow {
		u.columnsToRead(pending.NamesNow(pending.Record.Columns))
	}
	return u, nil
}

// refuseRepeated refuses a table in which persons have several rows now, each of which the promises would count as a person.
func (r *refresh) refuseRepeated(ctx *sql.Context, pending *catalog.Pending, u *unitReading) error {
	if len(u.suspects) == 0 {
		return nil
	}
	whole, err := pending.Beside, error(nil)
	if pending.Beside = nil; whole == nil {
		columns := u.columnsToRead(pending.NamesNow(pending.Record.Columns))
		whole, err = u.table.Microdata(ctx, columns, func(done, total int) { r.progress("look for repeated persons", done, total) })
	}
	if err != nil {
		return err
	}
	found, repeated := u.findRepeated(whole)
	if !repeated {
		for _, said := range texts.Warnings(u.repeated) {
			r.problem = said
			ctx.Warn(mysql.ERUnknownError, "%s", said)
		}
		return nil
	}
	return &anonymize.DataError{Reason: fmt.Sprintf("column %s of %s.%s has %s now: a person may have several rows, and release %s promises for rows. "+
		"CALL drop_release, and publish anew with 'unit=%s'; or CALL set_attributes with 'unit=%s' if every row is a person of its own",
		found.Column, u.table.Database(), u.table.Name(), found, r.name, texts.JoinNames([]string{found.Column}), options.EachRow)}
}

func (r *refresh) publish(ctx *sql.Context, pending *catalog.Pending) (sql.Row, error) {
	started := time.Now()
	o, next, err := r.next(ctx, pending)
	if err != nil {
		return nil, err
	}
	record := &next.Record
	record.Seconds = time.Since(started).Seconds()
	status := "dry run"
	rows, groups, waiting, forged := o.Release.Rows, o.Release.Groups(), o.Waiting, o.Release.Forged
	switch {
	case r.dryRun:
	case o.Inserted+o.Deleted+o.Modified == 0 && r.calibrate != "true": // else the owner gets a version with widths
		if err := r.forget(ctx, pending, o); err != nil {
			return nil, err
		}
		status = "nothing changed"
		kept := pending.Record // the stored record, not the attempted one
		rows, groups, waiting, forged = kept.Rows, kept.Groups, kept.Live.Waiting, kept.Forged
	default:
		if err := r.recalibrate(ctx, o, record); err != nil {
			return nil, err
		}
		record.Seconds = time.Since(started).Seconds()
		r.progress("store", 0, 1)
		if record, err = r.environment.Releases.Refresh(ctx, pending, next); err != nil {
			return nil, err
		}
		status = record.Status()
		if err := warnOfConcerns(ctx, o.Release, record, nil, true); err != nil {
			return nil, err
		}
	}
	if r.dryRun {
		tellDryRun(ctx, record, append(slices.Clip(record.Guarantees), record.Sequence...), "")
	}
	return sql.Row{r.name, int32(record.Version), status, int64(rows), int64(groups),
		int64(o.Inserted), int64(o.Deleted), int64(o.Modified), int64(waiting), int64(forged), texts.Thousandths(record.Seconds)}, nil
}

// attempts is how often new groups of changed units are tried. Units without a group wait.
const attempts = 8

// next is the next version, ready to be stored. A changed unit that would reveal a value to an attacker who follows it waits on, and the others of
// its new group get other groups. If new groups break a promise, all waiting units wait on, and the owner is told why.
func (r *refresh) next(ctx *sql.Context, pending *catalog.Pending) (*dynamic.Outcome, *catalog.Publication, error) {
	update := dynamic.Options{Held: make(map[int64]bool)}
	for attempt := 1; ; attempt++ {
		o, err := r.update(ctx, pending, update)
		if err != nil {
			return nil, nil, err
		}
		next, certain, err := r.verify(ctx, pending, o)
		var broken *privacy.BrokenError
		switch {
		case err == nil:
			if o.Why != nil && o.Waiting > 0 {
				r.problem = fmt.Sprintf("%d records of %s wait on, since groups of them would not keep the release's promises: %v", o.Waiting, r.name, o.Why)
				ctx.Warn(mysql.ERUnknownError, "%s", r.problem)
			}
			return o, next, nil
		case update.Closed || o.New == nil:
			return nil, nil, err
		case len(certain) > 0:
			update.Kept, update.Closed = o.ExcludeUnits(certain), attempt == attempts
			for _, unit := range certain {
				update.Held[unit] = true
			}
		case errors.As(err, &broken):
			update.Kept, update.Closed, update.Why = nil, true, broken
		default:
			return nil, nil, err
		}
	}
}

// update runs the update with which the release was published, with options that say which units wait.
func (r *refresh) update(ctx *sql.Context, pending *catalog.Pending, update dynamic.Options) (*dynamic.Outcome, error) {
	source, err := randomSource(r.seed)
	if err != nil {
		return nil, err
	}
	record := pending.Record
	if update.Method, err = r.environment.methodNamed(record.Method); err != nil {
		return nil, err
	}
	update.Arguments, update.Domains, update.NotSensitive = record.Parameters, pending.Domains, anonymize.NotSensitiveOf(record.Guarantees)
	update.Random, update.Progress = source, r.progress
	update.Before, update.Promises, update.Asked = pending.Release, privacy.Promised(record.Guarantees), privacy.Asked(record.Guarantees)
	if record.Live.Updates == options.Paper {
		return dynamic.Printed(ctx, pending.Live, pending.Changed, update)
	}
	return dynamic.Sealed(ctx, pending.Live, pending.Changed, update)
}

// verify recomputes the promises of the new version from its fragments, and those of its new groups alone, since readers of the last version can
// distinguish them. It compares the fragments with the records, and checks the promises over all versions. If the latter fail, certain are the
// units of which an attacker who follows them would know a value for sure.
func (r *refresh) verify(ctx *sql.Context, pending *catalog.Pending, o *dynamic.Outcome) (_ *catalog.Publication, certain []int64, _ error) {
	r.progress("verify", 0, 2)
	for _, promise := range privacy.Asked(pending.Record.Guarantees) {
		o.Release.Promises = privacy.AddPromise(o.Release.Promises, promise)
	}
	guarantees, err := privacy.Keeps(o.Release)
	if err == nil && o.New != nil {
		_, err = privacy.Keeps(o.New)
	}
	if err == nil {
		err = privacy.Complete(o.Release, publishedColumns(o.Live))
	}
	if err != nil {
		return nil, nil, r.refused(err)
	}
	r.progress("verify", 1, 2)
	told, history, err := r.verifySequence(ctx, pending, o)
	if err != nil {
		if history != nil {
			certain = history.CertainUnits()
		}
		return nil, certain, err
	}
	text, err := json.Marshal(history)
	if err != nil {
		return nil, nil, err
	}
	next := &catalog.Publication{Record: *pending.Record, Release: o.Release, Live: o.Live, History: text, Key: pending.Key}
	next.Record.Guarantees, next.Record.Sequence, next.Record.Facts = guarantees, told, recomputed(o.Release.Facts, o.Release)
	next.Record.SourceVersion, next.Record.Digests = pending.SourceVersion, pending.Digests
	// Figures measured with the first version's link do not hold for this one.
	next.Record.Loss, next.Record.Completion = nil, nil
	r.progress("verify", 2, 2)
	return next, nil, nil
}

// verifySequence checks what an attacker with all versions learns. It returns the history even if the check fails.
func (r *refresh) verifySequence(ctx *sql.Context, pending *catalog.Pending, o *dynamic.Outcome) ([]anonymize.Guarantee, *sequence.History, error) {
	history, err := r.history(pending, o.Rewritten)
	if err != nil {
		return nil, nil, err
	}
	t := &sequence.Transition{Before: pending.Release, After: o.Release, BeforeLive: o.Rewritten.Renumber(pending.Live), AfterLive: o.Live,
		From: o.From, K: pending.Record.Live.K}
	guarantees, history, err := sequence.Verify(ctx, t, history, pending.Record.Live.Updates == options.Sealed)
	if err == nil {
		err = privacy.FirstBroken(guarantees)
	}
	if err != nil {
		return nil, history, r.refused(err)
	}
	return guarantees, history, nil
}

// history returns what the versions have revealed so far about records, by current key; nil if nothing.
func (r *refresh) history(pending *catalog.Pending, rewritten dynamic.Keys) (*sequence.History, error) {
	if len(pending.History) == 0 {
		return nil, nil
	}
	history := new(sequence.History)
	if err := json.Unmarshal(pending.History, history); err != nil {
		return nil, fmt.Errorf("release %s: what its versions tell cannot be read: %w", r.name, err)
	}
	return history, history.Rename(rewritten.Current, pending.Live)
}

// forget drops changes that do not affect the release: rows that have the released values again, or still, and rows that were deleted and inserted again.
func (r *refresh) forget(ctx *sql.Context, pending *catalog.Pending, o *dynamic.Outcome) error {
	if len(o.Rewritten) > 0 {
		history, err := r.history(pending, o.Rewritten)
		if err != nil {
			return err
		}
		if history != nil {
			if pending.History, err = json.Marshal(history); err != nil {
				return err
			}
		}
		pending.Live, pending.Rewritten = o.Rewritten.Renumber(pending.Live), true
	}
	return r.environment.Releases.Forget(ctx, pending)
}

func (r *refresh) refused(err error) error {
	return fmt.Errorf("the refresh of %s was not accepted, the last version stays: %w", r.name, err)
}

// recalibrated: a refresh measures the intervals again if one in so many records has changed; that costs as much as some tens of refreshes.
const recalibrated = 20

// recalibrate measures the new version if the owner says so, or, unless the owner published it with calibrate=false, if the release was
// measured, enough records have changed since, and it still has enough units.
func (r *refresh) recalibrate(ctx *sql.Context, o *dynamic.Outcome, record *catalog.ReleaseRecord) (err error) {
	live := *record.Live
	live.Uncalibrated += o.Inserted + o.Deleted + o.Modified
	due := r.calibrate == "" && !live.MeasuredWhenAsked && len(record.Calibration) > 0 && recalibrated*live.Uncalibrated > o.Release.Rows
	if few := r.environment.fewUnits(ctx, o.Release, r.calibrate == "true" && !record.Private); due && !few || r.calibrate == "true" {
		if record.Calibration, err = r.measure(ctx, o); err != nil {
			return err
		}
		live.Uncalibrated = 0
	}
	record.Live = &live
	return nil
}

// measure calibrates the new version against its records, including counterfeits.
func (r *refresh) measure(ctx *sql.Context, o *dynamic.Outcome) (json.RawMessage, error) {
	records, err := anonymize.NewMicrodata(publishedColumns(o.Live)...)
	if err != nil {
		return nil, err
	}
	return r.environment.measureWidths(ctx, r.seed, o.Release, records, r.progress)
}

// publishedColumns are the records of a release, including counterfeits.
func publishedColumns(l *anonymize.Live) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(l.Released()))
	for i, c := range l.Released() {
		columns[i] = &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: make([]uint32, 0, len(c.Codes))}
		for record, code := range c.Codes {
			if l.Group[record] != anonymize.Waiting {
				columns[i].Codes = append(columns[i].Codes, code)
			}
		}
	}
	return columns
}
