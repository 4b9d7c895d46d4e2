package functions

import (
	crand "crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// A run applies a method to a raw table: the common part of CALL anonymize and the table functions.
type run struct {
	environment *Environment
	method      anonymize.Method
	roles       anonymize.Roles
	unitReading
	arguments anonymize.Arguments
	// asked are the promises that the owner demands beside the method's.
	asked []anonymize.Promise
	// leftOut is how many records may be omitted so that units have equally many.
	leftOut anonymize.Ratio
	// maxRecords is the maximum number of published records per unit; 0: all.
	maxRecords int
	drawn      []uint32         // the table's rows that it kept, nil for all
	capped     []anonymize.Fact // what is left out beyond
	// hidesLabels: published data depend on sensitive values only through noise.
	hidesLabels bool
	// hidden are columns on which no published error of weights may depend, since they have noise.
	hidden []string
	// seed is empty for a random run.
	seed string
	// progress may be nil.
	progress func(phase string, done, total int)
	// Whether gidOf and keys are wanted.
	wantsGroups, wantsKeys bool
	key                    *source.Key // of a table that another server keeps

	// Results of execute.
	started    time.Time
	version    int64 // of the raw table
	whole      *anonymize.Microdata
	microdata  *anonymize.Microdata // without records that are left out
	recoded    *anonymize.Microdata // with the numbers that the release can show; see recode
	input      *anonymize.Input
	unitOf     []uint32         // of its records, even if they are hidden from the method; nil if each is a unit
	all        *anonymize.Input // with records that are left out
	published  []uint32         // the others of them; nil for all
	gidOf      []uint32         // the group of every record; never kept, see measure.go
	keys       []int64          // the lasting number of every record's row
	release    *anonymize.Release
	guarantees []anonymize.Guarantee
	settings   anonymize.Settings
	// keepsBlanks keeps trailing spaces of sensitive texts, since later versions of a followed table have them, too; blank are the attributes that lost some.
	keepsBlanks bool
	blank       []string
	// shift is the maximum shift of published dates in days; 0: none. moves are the units' shifts, which are stored nowhere.
	shift int
	moves units.Moves
	// sampledOf is the number of records of a release in an engine, if release, input and gidOf are a sample of its whole groups, else 0. alone
	// marks the sample's records that are unique in the table; shared: some of its groups show the same values.
	sampledOf int
	alone     []bool
	shared    bool
	// unlearned is the reason why the attack by completion did not run.
	unlearned string
}

// asPublication runs a publication as a job in anonsql.jobs.
func (r *run) asPublication(ctx *sql.Context, kind string, publish func(*sql.Context) (sql.Row, error)) (row sql.Row, err error) {
	err = r.environment.asJob(ctx, ctx.Session.Client().User, kind, r.table.Database(), r.table.Name(), func(progress func(string, int, int)) error {
		r.progress = progress
		row, err = publish(ctx)
		return err
	})
	return row, err
}

// newRun reads the roles, the seed and the method's parameters.
func (e *Environment) newRun(table source.Table, method anonymize.Method, given anonymize.Settings, parameters anonymize.Arguments) (*run, error) {
	stored, err := e.roles(table)
	if err != nil {
		return nil, err
	}
	r := &run{environment: e, method: method, arguments: parameters, seed: options.Seed.Read(given), leftOut: options.LeftOut.Read(given),
		unitReading: unitReading{table: table, unit: stored.unit, identifiers: stored.identifiers}}
	if r.roles.QuasiIdentifiers, err = r.readColumns(given, options.QI, stored.QuasiIdentifiers); err != nil {
		return nil, err
	}
	if r.roles.Sensitive, err = r.readColumns(given, options.SA, stored.Sensitive); err != nil {
		return nil, err
	}
	if _, own := options.QI.Given(given); !own {
		// A sensitive attribute of this run may be a stored quasi-identifier: it is none in this run.
		r.roles.QuasiIdentifiers = slices.DeleteFunc(r.roles.QuasiIdentifiers, func(name string) bool {
			return slices.Contains(r.roles.Sensitive, name)
		})
	}
	if err := r.readUnit(given); err != nil {
		return nil, err
	}
	if err := r.readWeight(given, stored.weight); err != nil {
		return nil, err
	}
	if err := r.readNotSensitive(given); err != nil {
		return nil, err
	}
	r.settings, err = method.Resolve(parameters)
	return r, err
}

// readColumns reads a list of columns, or falls back on the stored roles.
func (r *run) readColumns(given anonymize.Settings, option anonymize.Param[[]string], stored []string) ([]string, error) {
	if _, ok := option.Given(given); !ok {
		return stored, nil
	}
	columns := option.Read(given)
	for i, column := range columns {
		exact, err := columnName(r.table, column, option.Name())
		if err != nil {
			return nil, err
		}
		for _, never := range []struct {
			columns []string
			what    string
		}{{r.identifiers, "is an explicit identifier (ei): it is"}, {r.unit.columns, "names the unit: its values are"}} {
			if slices.Contains(never.columns, exact) {
				return nil, &anonymize.ParameterError{Parameter: option.Name(), Value: "'" + column + "'",
					Rule: "which " + never.what + " never released. CALL set_attributes to change its role"}
			}
		}
		columns[i] = exact
	}
	return columns, nil
}

// readNotSensitive reads which values of the one sensitive attribute are no secret, if records are persons.
func (r *run) readNotSensitive(given anonymize.Settings) error {
	text, said := options.NotSensitive.Given(given)
	if !said {
		return nil
	}
	refuse := func(rule string) error {
		return &anonymize.ParameterError{Parameter: options.NotSensitive.Name(), Value: "'" + text + "'", Rule: rule}
	}
	switch r.roles.NotSensitive = options.NotSensitive.Read(given); {
	case len(r.roles.NotSensitive) == 0:
		return refuse("must name values of the sensitive attribute, or be left out")
	case len(r.roles.Sensitive) != 1:
		return refuse(fmt.Sprintf("but it is about values of one sensitive attribute, %d are given: name one with sa=", len(r.roles.Sensitive)))
	case len(r.unit.columns) > 0:
		return refuse("but units have several values, of which one may be a secret and another none: leave it out")
	case r.method.Name == "drasl":
		return refuse("but drasl compares the meanings of all values: leave it out, or take another method")
	}
	return nil
}

// checkNotSensitive refuses a text that is no value of the column, since it may be misspelt.
func checkNotSensitive(notSensitive []string, sensitive []*anonymize.Column) error {
	for _, text := range notSensitive {
		if !slices.Contains(sensitive[0].CodesOf([]string{text}), true) {
			return &anonymize.ParameterError{Parameter: options.NotSensitive.Name(), Value: "'" + text + "'",
				Rule: "which is no value of " + sensitive[0].Name + ": name values as SELECT DISTINCT shows them, and NULL"}
		}
	}
	return nil
}

// execute reads the table, runs the method and verifies the release. A release that breaks a promise, or differs from the table, is an error.
func (r *run) execute(ctx *sql.Context) error {
	for _, step := range []func(*sql.Context) error{r.readTable, r.runMethod, r.verify} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readTable makes the method's input of the table as the session sees it.
func (r *run) readTable(ctx *sql.Context) error {
	r.started = time.Now()
	r.version = r.table.Version()
	columns := append(slices.Clone(r.roles.QuasiIdentifiers), r.roles.Sensitive...)
	if r.beside != "" {
		columns = append(columns, r.beside)
	}
	if len(columns) == 0 {
		_, err := anonymize.NewInput(&anonymize.Microdata{}, r.roles, nil) // names what is missing
		return err
	}
	unitOf, err := r.read(ctx, distinct(columns))
	if err != nil {
		return err
	}
	if !r.keepsBlanks {
		r.microdata, r.blank = unpadded(r.microdata, r.roles.Sensitive)
	}
	if err := r.moveDates(unitOf); err != nil {
		return err
	}
	if r.microdata, err = r.coarsen(r.microdata, unitOf, r.settings, r.hidden); err != nil {
		return err
	}
	source, err := r.source()
	if err != nil {
		return err
	}
	input, err := anonymize.NewInput(r.microdata, r.roles, source)
	if err != nil {
		return texts.Emptied(err, r.table.Database(), r.table.Name())
	}
	if input.Domains, err = r.environment.Catalog.Domains(ctx, r.table, r.notWeight(r.microdata.Columns)); err != nil {
		return err
	}
	if err := checkNotSensitive(input.NotSensitive, input.Sensitive); err != nil {
		return err
	}
	if err := r.refuseMovedTaxonomies(input); err != nil {
		return err
	}
	input.Units = unitOf
	if r.maxRecords > 0 {
		if input, r.drawn, r.capped = units.Cap(input, r.maxRecords); r.capped != nil {
			r.microdata = &anonymize.Microdata{Rows: input.Rows, Columns: slices.Concat(input.QuasiIdentifiers, input.Sensitive)}
		}
	}
	if r.unitOf = input.Units; r.hidesLabels {
		input.Units = nil // numbers of units by sensitive value would reveal it
	}
	input.Progress, input.Asked = r.report, r.asked
	if r.wantsGroups {
		input.Assigned = func(gidOf []uint32) { r.gidOf = gidOf }
	}
	r.input = input
	return nil
}

func (r *run) runMethod(ctx *sql.Context) error {
	result, err := units.Run(ctx, r.method, r.input, r.arguments, r.leftOut)
	if err != nil {
		return r.withWayOut(err)
	}
	r.all, r.published = r.input, result.Records
	if r.release = result.Release; result.Records != nil { // the method omits some records
		r.input = result.Published(r.input)
		r.unitOf = r.input.Units
		r.microdata = &anonymize.Microdata{Rows: r.input.Rows, Columns: slices.Concat(r.input.QuasiIdentifiers, r.input.Sensitive)}
	}
	r.release.Facts = slices.Concat(r.release.Facts, r.capped, r.repeated, r.movedFact())
	if partial := result.Records != nil || r.capped != nil; r.classes != nil {
		if partial {
			if err := r.classes.CheckLeft(r.microdata.Column(r.classes.Column), r.unitOf); err != nil {
				return err
			}
		}
		r.release.Facts = append(r.release.Facts, r.classes.Fact(partial))
	}
	r.recode()
	return nil
}

// withWayOut adds a hint to an error, for tables in which most records have the same sensitive value.
func (r *run) withWayOut(err error) error {
	var infeasible *anonymize.InfeasibleError
	if len(r.input.Sensitive) != 1 || !errors.As(err, &infeasible) || infeasible.Parameter != "l" && infeasible.Parameter != "beta" {
		return err
	}
	if 2*slices.Max(r.input.Sensitive[0].Histogram()) > r.input.Rows {
		infeasible.WayOut = fmt.Sprintf("If that value is no secret, name it in %s=. mondrian k=5 with t_equal= or beta_likeness= allows for what the whole table has",
			options.NotSensitive.Name())
	}
	return err
}

// recode replaces numbers of generalized columns with spanning taxonomies by the release's points, for comparisons of the two.
func (r *run) recode() {
	recoded := *r.microdata
	recoded.Columns = slices.Clone(recoded.Columns)
	for i, c := range recoded.Columns {
		if r.isMoved(c.Name) {
			recoded.Columns[i] = r.asBefore(c)
			continue
		}
		at := slices.Index(r.input.QuasiIdentifiers, c)
		if recoded.Columns[i] = r.asReleased(c); at >= 0 {
			r.input.QuasiIdentifiers[at] = recoded.Columns[i]
		}
	}
	r.recoded = &recoded
}

// asReleased is a column with only the numbers that the release can show.
func (r *run) asReleased(c *anonymize.Column) *anonymize.Column {
	fragment, column, ok := r.release.Locate(c.Name)
	d := r.input.Domains[c.Name]
	quasi := slices.Contains(r.roles.QuasiIdentifiers, c.Name)
	if ok && d != nil && quasi && !r.release.Fragments[fragment].Columns[column].IsPoint() {
		return d.Taxonomy.ToLeaves(c)
	}
	return c
}

// read reads the columns, and the row numbers if wanted. It returns the units of the records.
func (r *run) read(ctx *sql.Context, columns []string) (units []uint32, err error) {
	whole, err := r.readWhole(ctx, r.columnsToRead(columns))
	if err != nil {
		return nil, err
	}
	r.whole, units, err = r.separateUnits(whole, columns)
	r.microdata = r.whole
	return units, err
}

func (r *run) readWhole(ctx *sql.Context, columns []string) (whole *anonymize.Microdata, err error) {
	progress := func(done, total int) { r.report("read the table", done, total) }
	if !r.wantsKeys {
		return r.table.Microdata(ctx, columns, progress)
	}
	switch table := r.table.(type) {
	case *raw.Table:
		whole, r.keys, err = table.MicrodataWithKeys(ctx, columns, progress)
	case source.Keyed:
		whole, r.keys, err = table.MicrodataByKey(ctx, columns, r.key, progress)
	}
	return whole, err
}

// verify recomputes every promise from the fragments, and compares their marginals with the table's.
func (r *run) verify(ctx *sql.Context) error {
	r.report("verify", 0, 1)
	var err error
	if r.guarantees, err = privacy.Keeps(r.release); err != nil {
		return r.notAccepted(err)
	}
	columns := append(slices.Clone(r.input.QuasiIdentifiers), r.input.Sensitive...)
	if err := privacy.Complete(r.release, columns); err != nil {
		return fmt.Errorf("the release of %s was not accepted: %w", r.method.Name, err)
	}
	r.report("verify", 1, 1)
	return ctx.Err()
}

func (r *run) report(phase string, done, total int) {
	if r.progress != nil {
		r.progress(phase, done, total)
	}
}

// source makes the generator of all random choices: from the system's entropy, never stored, or from the owner's seed.
func (r *run) source() (rand.Source, error) { return randomSource(r.seed) }

func randomSource(text string) (_ rand.Source, err error) {
	seed := sha256.Sum256([]byte(text))
	if text == "" {
		_, err = crand.Read(seed[:])
	}
	return rand.NewChaCha8(seed), err
}

// viewColumns lists the released columns in the raw table's order.
func (r *run) viewColumns() []string {
	var names []string
	for _, c := range r.table.Schema() {
		if _, _, ok := r.release.Locate(c.Name); ok {
			names = append(names, c.Name)
		}
	}
	return names
}

// distinct drops repetitions; NewInput reports those across roles.
func distinct(names []string) []string {
	var list []string
	for _, name := range names {
		if !slices.ContainsFunc(list, func(n string) bool { return strings.EqualFold(n, name) }) {
			list = append(list, name)
		}
	}
	return list
}
