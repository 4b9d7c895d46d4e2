package functions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/detection"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/report"
)

// storeEngine is the value of store that publishes a table in the engine that keeps it.
const storeEngine = "engine"

// notInEngine are the options without effect there, which values are accepted (nil: none), and the reasons.
var notInEngine = []struct {
	option interface {
		Given(anonymize.Settings) (string, bool)
		Name() string
	}
	allows  func(given anonymize.Settings) bool
	because string
}{
	{options.Seed, nil, "but the engine makes a key that nobody knows: leave it out"},
	{options.Calibrate, func(given anonymize.Settings) bool { return options.Calibrate.Read(given) == "false" }, "but errors are not measured in the engine: leave it out; intervals are those of completed tables"},
	{options.Fit, func(given anonymize.Settings) bool { return fitOf(given).when != "async" }, "but completed tables of a release in the engine are drawn before it is stored: leave it out, or say fit=false"},
	{options.Population, nil, noPopulation},
	{options.PopulationSize, nil, noPopulation},
	{options.KMap, nil, noPopulation},
	{options.DeltaPresence, nil, noPopulation},
	{options.MaxRecords, nil, "but every row is a person of its own in the engine: leave it out, or publish a view of fewer rows here"},
	{options.Shift, nil, "but in the engine nobody can be moved: leave it out, or publish a view of fewer rows here"},
	{options.NotSensitive, nil, "but in the engine all values are secrets: leave it out, or publish a view of fewer rows here"},
	{options.Updates, func(given anonymize.Settings) bool { return options.Updates.Read(given) == options.NoUpdates }, "but the engine that keeps the table does not say which of its rows change: say updates=none"},
	{options.AutoRefresh, func(given anonymize.Settings) bool { return options.AutoRefresh.Read(given) == 0 }, "but the engine that keeps the table does not say which of its rows change: leave it out"},
}

const noPopulation = "but releases are not compared with a population in the engine: leave it out, or publish a view of fewer rows here"

// publisherOf is the engine in which a table will be published, nil if the table is read instead: the engine publishes if the owner
// says so, or if the table has more rows than the limit.
func (e *Environment) publisherOf(ctx *sql.Context, r *run, given anonymize.Settings) (source.Publisher, error) {
	store, stores := options.Store.Given(given)
	asked := stores && strings.EqualFold(store, storeEngine)
	publisher, ok := source.HomeForDatabase(ctx, r.table.Database()).(source.Publisher)
	switch {
	case asked && !ok:
		return nil, &anonymize.ParameterError{Parameter: "store", Value: "'" + store + "'",
			Rule: fmt.Sprintf("but table %s.%s is in no engine: leave it out", r.table.Database(), r.table.Name())}
	case asked:
		return publisher, nil
	case !ok || stores:
		return nil, nil
	}
	rows, beyond, err := publisher.ExceedsLimit(ctx, r.table)
	if err != nil || !beyond {
		return nil, err
	}
	if known := publisher.Methods(); !slices.Contains(known, r.method.Name) {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("table %v has %d rows, more than are read here (--engine-rows), and %s does not run in the engine: take %s, "+
			"or publish a view of fewer rows", r.table, rows, r.method.Name, strings.Join(known, " or "))}
	}
	return publisher, nil
}

// An enginePublication is a CALL anonymize whose relations an engine makes and keeps.
type enginePublication struct {
	*run
	catalog.Publication
	admission *catalog.Admission
	trial
	asksAttacks
	model     modelAsked
	fit       fit
	publisher source.Publisher

	// Results of the steps.
	attempt source.Attempt
	written *source.Written
	linked  *source.Linked         // nil where no attacks are measured, and when they are
	stored  *catalog.ReleaseRecord // nil before, and for a dry run
}

// anonymizeInEngine reads the options, and returns the work.
func (e *Environment) anonymizeInEngine(ctx *sql.Context, r *run, publisher source.Publisher, given anonymize.Settings) (sql.RowIter, error) {
	p := &enginePublication{run: r, publisher: publisher, Publication: catalog.Publication{Record: catalog.ReleaseRecord{Maker: catalog.AccountOf(ctx),
		Name: r.table.Name(), Method: r.method.Name, SourceTable: r.table.ID(), Database: r.table.Database(), Table: r.table.Name(),
		QuasiIdentifiers: r.roles.QuasiIdentifiers, Sensitive: r.roles.Sensitive, Parameters: r.settings.Text}}}
	if err := p.refuseOptions(given); err != nil {
		return nil, err
	}
	if err := r.refuseWeight(true, "but an engine makes no classes of weights: say weight= without a column, or publish a view of fewer rows here"); err != nil {
		return nil, err
	}
	p.readAdmission(&p.Publication, given)
	p.fit = fitOf(given)
	for _, check := range []func(*sql.Context) error{p.checkRoles, p.checkUnit} {
		if err := check(ctx); err != nil {
			return nil, err
		}
	}
	err := p.readAttacks(given, p.roles.Sensitive)
	if err != nil {
		return nil, err
	}
	if p.model, p.Spends, err = p.askedModel(given); err != nil {
		return nil, err
	}
	if err := p.model.refuseLimit(p.maxAttack); err != nil {
		return nil, err
	}
	if p.admission, err = e.Releases.Admit(ctx, &p.Publication); p.refuse(err) != nil {
		return nil, err
	}
	return rowOf(func(ctx *sql.Context) (sql.Row, error) { return p.asPublication(ctx, p.jobKind(), p.publish) }), nil
}

func (*enginePublication) refuseOptions(given anonymize.Settings) error {
	for _, not := range notInEngine {
		if value, ok := not.option.Given(given); ok && (not.allows == nil || !not.allows(given)) {
			if value = "'" + value + "'"; not.option.Name() == options.Seed.Name() {
				value = "given" // it must not be repeated
			}
			return &anonymize.ParameterError{Parameter: not.option.Name(), Value: value, Rule: not.because}
		}
	}
	return nil
}

// checkRoles refuses columns that are missing, named twice, or have a reserved name.
func (p *enginePublication) checkRoles(*sql.Context) error {
	columns := slices.Concat(p.roles.QuasiIdentifiers, p.roles.Sensitive)
	if len(p.roles.Sensitive) == 0 {
		return &anonymize.DataError{Reason: "no sensitive attribute is given: say sa=column. In an engine every method needs one"}
	}
	if len(p.roles.QuasiIdentifiers) == 0 {
		if _, err := anonymize.NewInput(&anonymize.Microdata{}, p.roles, nil); err != nil {
			return err // names what is missing
		}
	}
	if once := distinct(columns); len(once) < len(columns) {
		return &anonymize.ParameterError{Parameter: "qi", Value: "'" + strings.Join(p.roles.QuasiIdentifiers, ",") + "'",
			Rule: "must name every column once, and none of sa"}
	}
	f := &anonymize.Fragment{Columns: make([]*anonymize.FragmentColumn, len(columns))}
	for i, name := range columns {
		f.Columns[i] = &anonymize.FragmentColumn{Name: name}
	}
	return checkNames(&anonymize.Release{Fragments: []*anonymize.Fragment{f}})
}

// checkUnit refuses units and, like [unitReading], refuses or warns of a table in which persons seem to have several rows, by counts of the engine. Counts do
// not distinguish repeated persons from namesakes, so texts that nobody calls identifiers, by name or declaration, are ignored.
func (p *enginePublication) checkUnit(ctx *sql.Context) error {
	if err := p.refuseUnit("groups in the engine are of rows", "publish a view of fewer rows here, or one with a row a unit there"); err != nil || p.unit.said {
		return err
	}
	table, ok := p.table.(source.Answering)
	if !ok {
		return nil
	}
	for _, c := range p.table.Schema() {
		declared := slices.Contains(p.identifiers, c.Name) && (types.IsNumber(c.Type) || types.IsText(c.Type))
		if !declared && !detection.NamesPersons(c.Name) || slices.Contains(p.roles.QuasiIdentifiers, c.Name) || slices.Contains(p.roles.Sensitive, c.Name) {
			continue
		}
		counts := []source.Aggregate{{Function: source.CountDistinct, Column: c.Name}, {Function: "COUNT", Column: c.Name}}
		groups, ok, err := table.Aggregate(ctx, &source.Question{Aggregates: counts})
		if err != nil {
			return err
		}
		if !ok || len(groups) != 1 {
			p.repeated = append(p.repeated, anonymize.Fact{Name: "warning", Value: "column " + c.Name + " may say whose a row is, and the engine does not count its values"})
			continue
		}
		persons, _ := groups[0].Figures[0].Number()
		rows, _ := groups[0].Figures[1].Number()
		found := detection.Repetition{Column: c.Name, Values: int(persons), Rows: int(rows)}
		if found.IsClear() {
			return p.refuseRepeated(found.Column, found.String())
		}
		if found.Values < found.Rows {
			p.warnOfRepeated(found)
		}
	}
	return nil
}

// publish runs the steps of CALL anonymize in an engine (ARCHITECTURE.md), one per line, with the package that does the work. The first step
// that fails ends it, and leaves nothing behind.
func (p *enginePublication) publish(ctx *sql.Context) (_ sql.Row, err error) {
	defer func() { p.admission, p.release, p.linked = nil, nil, nil }() // as in publication
	defer func() { err = p.end(ctx, err) }()
	for _, step := range []func(*sql.Context) error{
		raw.CommitOpen, // raw: what the session has open, as DDL does
		p.plan,         // engine/publication: counts, and groups that are planned on them
		p.assign,       // the engine: groups by a closed form, and relations
		p.verify,       // SQL over all groups, and privacy over a sample of whole groups
		p.describe,     // the record, as far as the relations determine it
		p.tellModel,    // contingency: two-way tables beside the groups, if the owner wants them, from counts by the engine
		p.readLinked,   // the engine: a sample of whole groups with the records of these groups, for attacks
		p.close,        // the engine: drops the link from records to groups
		p.measureLink,  // attack: needs the link of the sample, then drops it
		p.limitAttack,  // attack: refuses as for a table that is read
		p.complete,     // impute and misfit: from the relations alone; if the release is not read, the engine draws the tables
		p.store,        // catalog: checks the admission again, in its turn; the engine moves relations where readers may be; stores the record and their place
		p.warn,         // what the owner should know
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return p.environment.anonymizedRow(&p.Record, p.stored), nil
}

// end drops the relations of an unpublished release: moved ones before others may publish. Then a sweep drops what could not be dropped,
// here or by a step. It skips unfinished work.
func (p *enginePublication) end(ctx *sql.Context, failed error) error {
	if p.attempt == nil {
		return failed
	}
	if p.stored == nil {
		defer p.environment.Releases.AskSweep()
	}
	defer func() { p.attempt.Done(); p.attempt = nil }()
	if p.stored != nil || p.Record.Place != nil && p.environment.Releases.HasPlace(p.Record.Place.Name) {
		return failed
	}
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), catalog.DropPatience)
	defer cancel()
	if err := p.attempt.Discard(waiting); err != nil {
		return errors.Join(failed, fmt.Errorf("what the publication has left in the engine is dropped later: %w", err))
	}
	return failed
}

func (p *enginePublication) plan(ctx *sql.Context) (err error) {
	p.report("plan groups on counts", 0, 1)
	p.started, p.version = time.Now(), p.table.Version()
	w := source.Wanted{
		Method:           p.method.Name,
		QuasiIdentifiers: p.roles.QuasiIdentifiers,
		Sensitive:        p.roles.Sensitive,
		Identifiers:      p.identifiers,
		Parameters:       p.settings.Text,
		Asked:            p.asked,
	}
	for name := range p.arguments {
		w.Given = append(w.Given, name)
	}
	slices.Sort(w.Given)
	p.attempt, err = p.publisher.Plan(ctx, p.table, w)
	return err
}

func (p *enginePublication) assign(ctx *sql.Context) error {
	return p.attempt.Assign(ctx, func(done, total int) { p.report("form groups in the engine", done, total) })
}

func (p *enginePublication) verify(ctx *sql.Context) (err error) {
	p.report("verify", 0, 1)
	p.guarantees, err = p.attempt.Verify(ctx)
	return err
}

func (p *enginePublication) describe(ctx *sql.Context) error {
	written, err := p.attempt.Written(ctx)
	if err != nil {
		return err
	}
	p.written = written
	r := &p.Record
	r.Write(written)
	r.SourceVersion, r.Guarantees, r.Facts = p.version, p.guarantees, append(r.Facts, p.repeated...)
	for _, c := range p.table.Schema() {
		if slices.Contains(p.roles.QuasiIdentifiers, c.Name) || slices.Contains(p.roles.Sensitive, c.Name) {
			r.Columns = append(r.Columns, c.Name)
		}
	}
	return nil
}

// readLinked reads the sample for measuring attacks, if they are measured.
func (p *enginePublication) readLinked(ctx *sql.Context) error {
	if !p.attacksOf(p.Record.Rows) {
		return nil
	}
	p.report("sample", 0, 1)
	linked, err := p.attempt.Linked(ctx, p.written)
	var tooMany *anonymize.DataError
	switch {
	case err == nil:
		p.linked = linked
	case errors.As(err, &tooMany):
		p.unlearned = tooMany.Reason
		ctx.Warn(mysql.ERUnknownError, "attacks are not measured: %s", tooMany.Reason)
	default:
		return err
	}
	return nil
}

func (p *enginePublication) close(ctx *sql.Context) error {
	p.report("store", 0, 1)
	return p.attempt.Close(ctx)
}

// measureLink attacks the sample as a release of its own, and then drops its records.
func (p *enginePublication) measureLink(ctx *sql.Context) error {
	if p.linked == nil {
		return nil
	}
	defer func() { p.linked, p.input, p.gidOf, p.alone = nil, nil, nil, nil }()
	source, err := p.source()
	if err != nil {
		return err
	}
	if p.input, err = anonymize.NewInput(p.linked.Records, p.roles, source); err != nil {
		return err
	}
	p.release, p.gidOf, p.alone = p.linked.Release, p.linked.GroupOf, p.linked.Alone
	p.release.Model = p.Record.Model
	if p.sampledOf, p.shared = p.Record.Rows, p.linked.Shared; p.shared {
		ctx.Warn(mysql.ERUnknownError, "attacks on groups are not measured: some groups show the same ranges")
	}
	figures, err := p.attack(ctx)
	p.Record.Guarantees = append(p.Record.Guarantees, figures...)
	if err == nil && p.linked.Whole {
		figures, err = p.matchRecords(ctx, new(utility.LossReport)) // cells of groups outside the sample match, too
		p.Record.Guarantees = append(p.Record.Guarantees, figures...)
	}
	return err
}

// complete draws completed tables of a release that gets some. A release that is read is completed here like others; for
// another one, anonsql learns from a sample of whole groups, and the engine draws.
func (p *enginePublication) complete(ctx *sql.Context) error {
	if p.fit.when == "false" || p.dryRun && p.fit.when != "true" { // only fit=true can be refused
		return nil
	}
	p.report("sample", 0, 1)
	sample, whole, err := p.attempt.Sample(ctx, p.written)
	if err != nil {
		return p.refuse(err)
	}
	if sample == nil {
		if p.fit.when == "true" {
			return p.refuse(&anonymize.ParameterError{Parameter: "fit", Value: "'true'", Rule: fmt.Sprintf("but %s publishes ranges, which are not completed: leave it out", p.method.Name)})
		}
		return nil
	}
	sample.Model = p.Record.Model
	if now, err := p.fit.fitsAtOnce(sample); err != nil || !now || p.dryRun {
		return p.refuse(err)
	}
	if whole {
		p.Completion, p.Record.Completion, err = p.environment.complete(ctx, p.fit, sample, &p.Record, p.report)
		return err
	}
	fitted, err := impute.CompleteSample(ctx, sample, impute.Options{Tables: impute.TablesOf(p.Record.Rows), Progress: p.report})
	if err != nil {
		return err
	}
	described := &catalog.CompletionRecord{Tables: len(fitted.Theta), Estimator: p.fit.estimator}
	if described.Misfit, err = p.environment.misfitOf(ctx, p.fit, sample, fitted.Completion, &p.Record, p.attempt.Republisher, p.report); err != nil {
		return err
	}
	err = p.attempt.Complete(ctx, p.written, fitted, func(done, total int) { p.report("complete in the engine", done, total) })
	if refused := (*anonymize.DataError)(nil); errors.As(err, &refused) && p.fit.when != "true" {
		ctx.Warn(mysql.ERUnknownError, "the release has no completed tables, and answers come from its fragments: %s", refused.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	p.Record.Completion = described
	return nil
}

func (p *enginePublication) store(ctx *sql.Context) (err error) {
	p.Record.Seconds = time.Since(p.started).Seconds()
	if p.dryRun {
		return nil
	}
	if err = p.environment.requirePrivilege(ctx, "anonymize", tableName{p.Record.Database, p.Record.Table}); err != nil {
		return err
	}
	if !p.Record.Private {
		p.Move = func(store func() error) error {
			err := p.attempt.Publish(ctx, p.written)
			if err == nil {
				err = store()
			}
			if err != nil {
				err = p.end(ctx, err)
			}
			return err
		}
	}
	p.stored, err = p.environment.Releases.Publish(ctx, p.admission)
	return err
}

func (p *enginePublication) warn(ctx *sql.Context) error {
	p.tellRefusals(ctx)
	for _, said := range texts.Warnings(p.Record.Facts) {
		ctx.Warn(mysql.ERUnknownError, "%s", said)
	}
	now := report.Situation{Rows: p.Record.Rows, Sensitive: len(p.Record.Sensitive), Model: p.Record.Model != nil}
	for _, c := range report.OfAttacks(now, p.Record.Guarantees) {
		warnOfConcern(ctx, c)
	}
	for _, g := range p.guarantees {
		if g.Name == report.OneValue {
			warnOfConcern(ctx, report.Concern{Severe: true, Text: g.Detail, Remedy: "Ask for diversity (l or beta, as the method has them)"})
		}
	}
	if beside, before := p.admission.OtherReleases(); len(beside)+len(before) > 0 && !p.Record.Private {
		ctx.Warn(mysql.ERUnknownError, "not measured in the engine: what readers learn who compare this release with the other releases of the table that are or were public (%d)", len(beside)+len(before))
	}
	if p.dryRun {
		tellDryRun(ctx, &p.Record, p.Record.Guarantees, "")
	}
	ctx.Warn(mysql.ERUnknownError, "not measured in the engine: losses and errors; "+
		"and a copy of the table under another name will not be recognised")
	return nil
}
