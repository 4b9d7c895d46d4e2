package functions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/report"
)

var anonymizeSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "method", Type: types.LongText},
	{Name: "version", Type: types.Int32},
	{Name: "status", Type: types.LongText},
	{Name: "rows", Type: types.Int64},
	{Name: "groups", Type: types.Int64},
	{Name: "guarantees", Type: types.LongText}, // see texts.WithPromises
	{Name: "seconds", Type: types.Float64},     // see clock
}

// CALL anonymize('census.adult', 'slppa', 'sa=occupation', 'beta=0.2', 'publish=adult') anonymizes a raw table, verifies the release and stores it
// atomically. It works while the one result row is read, so it can be killed and ends when the client disconnects.
func (e *Environment) anonymize(ctx *sql.Context, named, method string, arguments ...string) (sql.RowIter, error) {
	table, name, err := e.tableFor(ctx, "anonymize", named)
	if err != nil {
		return nil, err
	}
	m, err := e.methodNamed(method)
	if err != nil {
		return nil, err
	}
	written, err := options.Parse(arguments)
	if err != nil {
		return nil, err
	}
	statement := name.statement(m.Name, written)
	asked := takePromises(written)
	given, parameters, err := options.Anonymize.ResolveMethod(m, written)
	if err != nil {
		return nil, err
	}
	r, err := e.newRun(table, m, given, parameters)
	if err != nil {
		return nil, err
	}
	if err := r.ask(asked); err != nil {
		return nil, err
	}
	publisher, err := e.publisherOf(ctx, r, given)
	if err != nil {
		return nil, err
	}
	if publisher != nil {
		return e.anonymizeInEngine(ctx, r, publisher, given)
	}
	p := &publication{run: r, Publication: catalog.Publication{Record: catalog.ReleaseRecord{Maker: catalog.AccountOf(ctx),
		Statement: statement, Name: table.Name(), Method: m.Name, SourceTable: table.ID(), Database: table.Database(), Table: table.Name()}}}
	r.wantsGroups = true // its figures are measured
	if err := p.readOptions(given); err != nil {
		return nil, err
	}
	if err := p.readStore(ctx, given); err != nil {
		return nil, err
	}
	if err := p.readPopulation(ctx, given); err != nil {
		return nil, err
	}
	if p.admission, err = e.Releases.Admit(ctx, &p.Publication); p.refuse(err) != nil {
		return nil, err
	}
	if err := p.refuse(p.refuseMovedAgain()); err != nil {
		return nil, err
	}
	return rowOf(func(ctx *sql.Context) (sql.Row, error) { return p.asPublication(ctx, p.jobKind(), p.publish) }), nil
}

// statement is the CALL without its seed, with which an attacker could reproduce the grouping.
func (n tableName) statement(method string, written options.Given) string {
	arguments := []string{n.String(), method}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if name != options.Seed.Name() {
			arguments = append(arguments, name+"="+written[name])
		}
	}
	for i, argument := range arguments {
		arguments[i] = quoting.Text(argument)
	}
	return "CALL anonymize(" + strings.Join(arguments, ", ") + ")"
}

// A publication is a CALL anonymize.
type publication struct {
	*run
	catalog.Publication
	admission *catalog.Admission
	trial
	// calibrate is the owner's "true" or "false"; otherwise the number of records decides whether the release is measured before it is stored.
	calibrate string
	asksAttacks
	compared comparison
	model    modelAsked
	fit      fit
	following
	home source.Keeper // that keeps the relations too, nil for none

	// Results of the steps.
	loss      *utility.LossReport
	relations []source.Relation      // that home keeps
	stored    *catalog.ReleaseRecord // nil before, and for a dry run
	measured  []report.Evaluation    // of the stored release's answers; nil where they were not asked
	// replacedTell warns of what the release reveals together with those that it replaces.
	replacedTell []string
}

func (p *publication) readOptions(given anonymize.Settings) (err error) {
	p.readAdmission(&p.Publication, given)
	p.calibrate, p.fit = options.Calibrate.Read(given), fitOf(given)
	if err = p.readAttacks(given, p.roles.Sensitive); err != nil {
		return err
	}
	if p.following, err = p.readFollowing(given); err != nil {
		return err
	}
	if p.updates == options.Paper {
		if err := p.refuseUnit("updates as printed move single records, and a unit's would be in several groups", "say updates="+options.Sealed); err != nil {
			return err
		}
	}
	if err := p.readMaxRecords(given); err != nil {
		return err
	}
	if err := p.refuseWeight(p.updates != options.NoUpdates, "but classes of weights change with the table, and groups that stay would show old ones: say updates=none"); err != nil {
		return err
	}
	if err := p.readShift(given); err != nil {
		return err
	}
	if p.keepsBlanks = p.follows(); p.follows() {
		p.Record.Live = &catalog.LiveRecord{Updates: p.updates, AutoRefresh: p.auto, EachRow: p.unit.said && len(p.unit.columns) == 0,
			MeasuredWhenAsked: p.calibrate == "false"}
	}
	if err := p.readModel(given); err != nil {
		return err
	}
	return p.refuseFollowed()
}

// readMaxRecords reads the maximum number of published records per unit.
func (p *publication) readMaxRecords(given anonymize.Settings) error {
	text, said := options.MaxRecords.Given(given)
	refused := func(rule string) error {
		return &anonymize.ParameterError{Parameter: options.MaxRecords.Name(), Value: text, Rule: rule}
	}
	switch {
	case !said:
		return nil
	case len(p.unit.columns) == 0:
		return refused("but every row is a person of its own: say " + options.Unit.Name() + "=, too")
	case p.updates != options.NoUpdates:
		return refused("but a release that follows its table publishes all records of a unit, whose draw would be another one with every change: say updates=" + options.NoUpdates)
	}
	p.maxRecords = options.MaxRecords.Read(given)
	return nil
}

// readAdmission reads a release's name, whether others may stand beside it, and whether it is public.
func (t *trial) readAdmission(p *catalog.Publication, given anonymize.Settings) {
	if _, ok := options.Publish.Given(given); ok {
		p.Record.Name = options.Publish.Read(given)
	}
	t.dryRun, p.Replace, p.Record.Private = options.DryRun.Read(given), options.Replace.Read(given), options.Private.Read(given)
	p.AllowComposition = options.AllowComposition.Read(given)
}

// publish runs the steps of CALL anonymize (ARCHITECTURE.md), one per line, with the
// package that does the work. The first step that fails ends it, and nothing is stored.
func (p *publication) publish(ctx *sql.Context) (_ sql.Row, err error) {
	// A session keeps its last statement, which must not keep dropped releases, nor the shifts of dates.
	defer func() { p.admission, p.moves = nil, nil }()
	defer func() { err = p.stopFollowing(ctx, err) }()
	defer p.endKeeping()
	for _, step := range []func(*sql.Context) error{
		raw.CommitOpen,  // raw: what the session has open, as DDL does: a release is of committed rows
		p.startFollow,   // raw: changes of a table that is followed are recorded before it is read
		p.readTable,     // raw: columns, dictionary-encoded; identifiers tell units, and go
		p.runMethod,     // the method: groups, and fragments of tuples with counts
		p.tellModel,     // contingency: two-way tables beside the groups, if the owner wants them
		p.promise,       // privacy: the owner's further demands
		p.verify,        // privacy: every promise again, and that the release is the table
		p.describe,      // the record, as far as the release determines it
		p.refuseCopy,    // catalog: before the long work, refuses a copy of a published table
		p.inPopulation,  // risk: the classes in a population, if the owner has one
		p.makeLive,      // dynamic: the private side of a release that follows its table
		p.measureLink,   // utility, attack: needs the link from records to groups, then drops it
		p.limitAttack,   // attack: refuses if a learner gets farther than the owner allows
		p.intersect,     // privacy: what it reveals beside the table's other public releases
		p.measureErrors, // utility: the width of intervals
		p.complete,      // impute: completed tables, from public data alone
		p.keepElsewhere, // the owner's server: relations as tables, if the owner wants them
		p.clock,         // how long all of this took
		p.store,         // catalog: checks the admission again, then makes it visible
		p.fitLater,      // the server: completed tables, if they come later
		p.evaluate,      // utility: how wrong its answers are, for the owner's report
		p.warn,          // report: what the owner of a public release should know
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p.environment.anonymizedRow(&p.Record, p.stored), nil
}

// describe fills in the record after the verification.
func (p *publication) describe(*sql.Context) error {
	if err := checkNames(p.release); err != nil {
		return err
	}
	r := &p.Record
	r.SourceVersion, r.Parameters = p.version, p.settings.Text
	r.QuasiIdentifiers, r.Sensitive = p.roles.QuasiIdentifiers, p.roles.Sensitive
	r.Weight, r.Partial = p.classes, p.leftOut.Num > 0 || p.maxRecords > 0
	if p.input.Units != nil {
		r.Unit = p.unit.columns
	}
	r.Guarantees, r.Facts = p.guarantees, recomputed(p.release.Facts, p.release)
	r.Columns = p.viewColumns()
	if !source.Counted(p.table) {
		r.Digests = make(map[string]string)
		for _, c := range p.whole.Columns {
			r.Digests[c.Name] = source.Digest(c)
		}
	}
	r.Rows, r.Groups = p.release.Rows, p.release.Groups()
	return nil
}

// clock records with the release how long the statement took: reading the table, the method, its verification, measurements (loss, attacks,
// intervals), completed tables unless they come later, and relations on the owner's server. Only storing is not included.
func (p *publication) clock(*sql.Context) error {
	p.Record.Seconds = time.Since(p.started).Seconds()
	return nil
}

// store publishes the release, except in a dry run.
func (p *publication) store(ctx *sql.Context) (err error) {
	if p.dryRun {
		return nil
	}
	p.report("store", 0, 1)
	if err := p.environment.requirePrivilege(ctx, "anonymize", tableName{p.Record.Database, p.Record.Table}); err != nil {
		return err // a privilege was revoked while the statement ran
	}
	p.Release = p.release
	p.stored, err = p.publishKept(ctx)
	return err
}

// warn adds the owner's warnings about the stored release, or in a dry run all rows of ANON_PRIVACY and ANON_UTILITY.
func (p *publication) warn(ctx *sql.Context) error {
	if err := warnOfConcerns(ctx, p.release, &p.Record, p.measured, p.stored != nil); err != nil {
		return err
	}
	for _, said := range p.replacedTell {
		ctx.Warn(mysql.ERUnknownError, "%s", said)
	}
	p.warnOfTexts(ctx)
	if p.dryRun {
		p.tellRefusals(ctx)
		tellDryRun(ctx, &p.Record, p.Record.Guarantees, lossText(p.loss))
		return nil
	}
	if p.seed != "" {
		ctx.Warn(mysql.ERUnknownError, "the release was made with a given seed: whoever learns or guesses the seed can undo the grouping; leave seed out when you publish")
	}
	return nil
}

// anonymizedRow is the result of CALL anonymize; stored is nil for a dry run.
func (e *Environment) anonymizedRow(record, stored *catalog.ReleaseRecord) sql.Row {
	status := "dry run"
	if stored != nil {
		record, status = stored, stored.Status()
	}
	row := sql.Row{record.Name, record.Method, int32(record.Version), status, int64(record.Rows), int64(record.Groups), nil, texts.Thousandths(record.Seconds)}
	return texts.WithPromises(anonymizeSchema, row, 6, record.Guarantees)
}

// checkNames refuses attributes with reserved names, those of our own columns.
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
			switch {
			case strings.EqualFold(c.Name, "units"):
				ours = "every published relation of a release with units has a column units"
			case !strings.EqualFold(c.Name, "gid") && !strings.EqualFold(c.Name, "count"):
				ours = "a generalized column of numbers, x, has columns x_low and x_high beside it"
			}
			return &anonymize.DataError{Reason: fmt.Sprintf("column %q cannot be released under its name: %s. ALTER TABLE ... RENAME COLUMN gives it another", c.Name, ours)}
		}
	}
	return nil
}
