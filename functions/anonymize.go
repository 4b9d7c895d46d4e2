package functions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
)

var anonymizeSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "method", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "status", Type: types.LongText},
	{Name: "rows", Type: types.Int64},
	{Name: "groups", Type: types.Int64},
	{Name: "guarantees", Type: types.LongText},
	{Name: "facts", Type: types.LongText},
	{Name: "utility", Type: types.LongText},
	{Name: "seconds", Type: types.Float64},
}

// publishingOptions are those of anonymize that no method has.
var publishingOptions = []string{"qi", "sa", "seed", "publish", "replace", "private", "allow_composition", "dry_run", "calibrate", "attacks", "updates", "auto_refresh"}

// CALL anonymize('census.adult', 'slppa', 'sa=occupation', 'beta=0.2',
// 'publish=adult') anonymizes a raw table, verifies the release and stores it,
// all or nothing. The work is done while the one result row is read, so it can
// be killed and ends when the client goes away.
func (e *Environment) anonymize(ctx *sql.Context, table, method string, arguments ...string) (sql.RowIter, error) {
	name, err := parseTableName(ctx, table)
	if err != nil {
		return nil, err
	}
	raw, err := e.table(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := e.methodNamed(method)
	if err != nil {
		return nil, err
	}
	given, err := parseOptions(arguments)
	if err != nil {
		return nil, err
	}
	known := slices.Clone(publishingOptions)
	for _, parameter := range m.Parameters {
		known = append(known, parameter.Name)
	}
	if err := given.refuseUnknown(known...); err != nil {
		return nil, err
	}
	r, err := e.newRun(raw, m, given)
	if err != nil {
		return nil, err
	}
	p := &publication{run: r, Publication: catalog.Publication{Record: catalog.ReleaseRecord{
		Name: raw.Name(), Method: m.Name, SourceTable: raw.ID(), Database: raw.Database(), Table: raw.Name()}}}
	if err := p.readOptions(given); err != nil {
		return nil, err
	}
	if !p.dryRun {
		if _, err := e.Releases.Admit(ctx, &p.Publication); err != nil {
			return nil, err
		}
	}
	return rowOf(p.perform), nil
}

// A publication is a CALL anonymize.
type publication struct {
	*run
	catalog.Publication
	dryRun bool
	// calibrate is "true" or "false" when the owner said so; else the number
	// of records decides whether the release is measured before it is stored.
	calibrate string
	// attacks likewise, whether attackers are let loose on it.
	attacks string
	following
}

func (p *publication) readOptions(given options) (err error) {
	if name, ok := given.take("publish"); ok {
		p.Record.Name = strings.Trim(name, "`")
	}
	for _, option := range []struct {
		name string
		to   *bool
	}{{"replace", &p.Replace}, {"private", &p.Record.Private}, {"allow_composition", &p.AllowComposition}, {"dry_run", &p.dryRun}} {
		if *option.to, err = given.takeBool(option.name); err != nil {
			return err
		}
	}
	if p.calibrate, err = given.takeChoice("calibrate"); err != nil {
		return err
	}
	if p.attacks, err = given.takeChoice("attacks"); err != nil {
		return err
	}
	if p.following, err = given.takeFollowing(p.Record.Method, p.Record.Private); err == nil && p.follows() {
		p.Record.Live = &catalog.LiveRecord{Updates: p.updates, AutoRefresh: p.auto}
	}
	return err
}

// takeChoice removes a yes-or-no option that is decided otherwise when it is not
// given: "true", "false" or "".
func (o options) takeChoice(name string) (string, error) {
	if _, explicit := o[name]; !explicit {
		return "", nil
	}
	wanted, err := o.takeBool(name)
	return strconv.FormatBool(wanted), err
}

func (p *publication) perform(ctx *sql.Context) (row sql.Row, err error) {
	err = p.environment.asJob(ctx, ctx.Session.Client().User, "anonymize", p.table.Database(), p.table.Name(), func(progress func(string, int, int)) error {
		p.progress = progress
		row, err = p.publish(ctx)
		return err
	})
	return row, err
}

// publish commits what the session has open, as DDL does: a release is of
// committed rows.
func (p *publication) publish(ctx *sql.Context) (_ sql.Row, err error) {
	if err := raw.CommitOpen(ctx); err != nil {
		return nil, err
	}
	p.listens = true
	if p.follows() {
		stop, err := p.startFollowing(ctx)
		if err != nil {
			return nil, err
		}
		defer stop(&err)
	}
	if err := p.do(ctx); err != nil {
		return nil, err
	}
	if err := checkNames(p.release); err != nil {
		return nil, err
	}
	record := &p.Record
	record.SourceVersion = p.version
	record.QuasiIdentifiers, record.Sensitive = p.roles.QuasiIdentifiers, p.roles.Sensitive
	record.Parameters = p.resolved
	record.Guarantees, record.Facts = p.guarantees, p.release.Facts
	if p.follows() {
		if err := p.makeLive(); err != nil {
			return nil, err
		}
	}
	loss, err := p.measureLink(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.intersect(ctx); err != nil {
		return nil, err
	}
	record.Columns, record.Seconds = p.viewColumns(), p.seconds
	record.Rows, record.Groups = p.release.Rows, p.release.Groups()
	status := "dry run"
	if !p.dryRun {
		if record.Calibration, err = p.calibration(ctx); err != nil {
			return nil, err
		}
		p.report("store", 0, 1)
		if p.Records, err = p.records(ctx); err != nil {
			return nil, err
		}
		p.Release = p.release
		stored, err := p.environment.Releases.Publish(ctx, &p.Publication)
		if err != nil {
			return nil, err
		}
		record, status = stored, stored.Status()
		if !record.Private {
			if err := warnOfOneValue(ctx, p.release, record.Sensitive); err != nil {
				return nil, err
			}
		}
		if p.seed != "" {
			ctx.Warn(mysql.ERUnknownError, "the release was made with a given seed: whoever learns or guesses the seed can undo the grouping; leave seed out when you publish")
		}
	}
	return sql.Row{record.Name, record.Method, int32(record.Version), status, int64(record.Rows), int64(record.Groups),
		guaranteesText(record.Guarantees), factsText(record.Facts), lossText(loss), record.Seconds}, nil
}

// checkNames refuses attributes that have the name of a column of ours.
func checkNames(r *anonymize.Release) error {
	for _, f := range r.Fragments {
		names := catalog.RelationColumns(f)
		for _, c := range f.Columns {
			named := func(name string) bool { return strings.EqualFold(name, c.Name) }
			at := slices.IndexFunc(names, named)
			if at >= 0 && !slices.ContainsFunc(names[at+1:], named) {
				continue
			}
			ours := "every published relation has a column gid and a column count"
			if !strings.EqualFold(c.Name, "gid") && !strings.EqualFold(c.Name, "count") {
				ours = "a generalized column of numbers, x, has columns x_low and x_high beside it"
			}
			return &anonymize.DataError{Reason: fmt.Sprintf("column %q cannot be released under its name: %s. ALTER TABLE ... RENAME COLUMN gives it another", c.Name, ours)}
		}
	}
	return nil
}

// guaranteesText is one line a guarantee: name, achieved, required.
func guaranteesText(guarantees []anonymize.Guarantee) string {
	lines := make([]string, len(guarantees))
	for i, g := range guarantees {
		lines[i] = fmt.Sprintf("%s %.4g", g.Name, g.Achieved)
		if g.Required != nil {
			lines[i] += fmt.Sprintf(" (required %s)", g.Required)
		}
	}
	return strings.Join(lines, "; ")
}

func factsText(facts []anonymize.Fact) string {
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = f.Name + " " + f.Value
	}
	return strings.Join(lines, "; ")
}
