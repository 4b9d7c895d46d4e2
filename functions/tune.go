package functions

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/tuning"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/quoting"
)

var tuneSchema = sql.Schema{
	{Name: "frontier", Type: types.Boolean},
	{Name: "risk", Type: types.Float64, Nullable: true},
	{Name: "loss", Type: types.Float64, Nullable: true},
	{Name: "groups", Type: types.Int64, Nullable: true},
	{Name: "statement", Type: types.LongText},
}

// CALL tune('census.adult', 'methods=slppa,arp,cross_bucket', 'l=3', 'target=relative_error') tries methods with several parameters on a raw table, or on
// a sample of it, and returns the choices: those of the risk-utility frontier first, each with the statement that publishes it. Every choice must promise
// the options named like guarantees (l=3, k=5, breach=0.4, ...). A note counts the trials that cannot be published; with 'all=true', or if there is no
// choice, one note per trial says why. Nothing is stored. It is for accounts that may read the raw table.
func (e *Environment) tune(ctx *sql.Context, table string, arguments ...string) (sql.RowIter, error) {
	raw, _, err := e.tableFor(ctx, "tune", table)
	if err != nil {
		return nil, err
	}
	given, err := options.Parse(arguments)
	if err != nil {
		return nil, err
	}
	t := &tuningRun{environment: e, unitReading: unitReading{table: raw}}
	if err := t.readOptions(given); err != nil {
		return nil, err
	}
	return rowsOf(t.perform), nil
}

// A tuningRun is a CALL tune.
type tuningRun struct {
	unitReading
	environment *Environment
	roles       anonymize.Roles
	// stated are the options qi, sa, unit and weight, repeated in statements; promised are the required guarantees that are options of anonymize.
	stated   []string
	promised []string
	seed     string
	sample   int
	all      bool // failures are noted each
	options  tuning.Options
	trials   []tuning.Trial
	rows     []sql.Row
}

func (t *tuningRun) readOptions(written options.Given) (err error) {
	if err = t.takeValues(written); err != nil {
		return err
	}
	given, err := options.Tune.Resolve(written)
	if err != nil {
		return err
	}
	for _, column := range []anonymize.Param[[]string]{options.QI, options.SA, options.Unit, options.Weight} {
		if list, ok := column.Given(given); ok {
			t.stated = append(t.stated, column.Name()+"="+list)
		}
	}
	// The roles are read as anonymize reads them.
	r, err := t.environment.newRun(t.table, anonymize.Method{}, given, nil)
	if err != nil {
		return err
	}
	t.roles, t.unitReading, t.seed = r.roles, r.unitReading, r.seed
	for _, name := range options.Guarantees {
		if text, ok := given.Text[name]; ok {
			if err := t.require(name, text); err != nil {
				return err
			}
		}
	}
	if list, ok := options.NotSensitive.Given(given); ok {
		t.stated = append(t.stated, options.NotSensitive.Name()+"="+list)
	}
	if t.options.LeftOut = options.LeftOut.Read(given); t.options.LeftOut.Num > 0 {
		t.stated = append(t.stated, options.LeftOut.Name()+"="+t.options.LeftOut.Text())
	}
	t.all, t.sample = options.Failures.Read(given), options.Sample.Read(given)
	band := options.QICount.Read(given)
	t.options.Low, t.options.High = band.Low, band.High
	t.options.Loss, t.options.Risk = tuning.Loss(options.Loss.Read(given)), tuning.Risk(options.Risk.Read(given))
	t.options.Queries = options.Trials.Read(given)
	return t.checkModeled()
}

// checkModeled refuses to compare methods without groups by figures of groups.
func (t *tuningRun) checkModeled() error {
	if i := slices.IndexFunc(t.options.Methods, isModeled); i >= 0 && (t.options.Risk != tuning.Learned || t.options.Loss != tuning.ImputedError) {
		return &anonymize.ParameterError{Parameter: "methods", Value: "'" + t.options.Methods[i].Name + "'",
			Rule: "which publishes no groups and is answered from its model: say risk=learned and target=imputed_error, or leave it out"}
	}
	return nil
}

// require reads a guarantee. One that is an option of every method goes into the statements, too.
func (t *tuningRun) require(name, text string) error {
	if option, ok := privacy.OptionNamed(name); ok {
		promise, err := option.Promise(text)
		t.options.Required = append(t.options.Required, promise)
		t.promised = append(t.promised, name+"="+text)
		return err
	}
	bound, err := anonymize.ParseRatio(text)
	if err != nil || bound.Num == 0 {
		return &anonymize.ParameterError{Parameter: name, Value: "'" + text + "'", Rule: "must be a bound above 0 such as 3, 0.2 or 1/3"}
	}
	t.options.Required = append(t.options.Required, anonymize.Promise{Guarantee: name, Bound: bound})
	return nil
}

// takeValues removes the options of methods: which methods, and which values of their parameters.
func (t *tuningRun) takeValues(given options.Given) error {
	t.options.Methods = slices.DeleteFunc(methods.All(), isModeled)
	if names, ok := given[options.Methods.Name()]; ok {
		t.options.Methods = nil
		for _, name := range distinct(texts.SplitNames(names)) {
			m, err := methods.ByName(name)
			if err != nil {
				return err
			}
			t.options.Methods = append(t.options.Methods, m)
		}
		if len(t.options.Methods) == 0 {
			return &anonymize.ParameterError{Parameter: "methods", Value: "''", Rule: "must name the methods to try, such as slppa,arp; leave it out for all"}
		}
	}
	t.options.Values = make(map[string]map[string][]string)
	for _, option := range slices.Sorted(maps.Keys(given)) {
		method, parameter, dotted := strings.Cut(option, ".")
		if !dotted {
			continue
		}
		if !slices.ContainsFunc(t.options.Methods, func(m anonymize.Method) bool { return m.Name == method }) {
			return &anonymize.ParameterError{
				Parameter: option,
				Value:     "'" + given[option] + "'",
				Rule:      "is about a method that is not tried; name it in methods=",
			}
		}
		values := strings.Split(given[option], "|")
		delete(given, option)
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		if t.options.Values[method] == nil {
			t.options.Values[method] = make(map[string][]string)
		}
		t.options.Values[method][parameter] = values
	}
	return nil
}

// isModeled reports whether a method publishes no groups.
func isModeled(m anonymize.Method) bool { return m.Alone }

func (t *tuningRun) perform(ctx *sql.Context) ([]sql.Row, error) {
	err := t.environment.asJob(ctx, ctx.Session.Client().User, "tune", t.table.Database(), t.table.Name(), func(progress func(string, int, int)) error {
		return t.run(ctx, progress)
	})
	return t.rows, err
}

func (t *tuningRun) run(ctx *sql.Context, progress func(phase string, done, total int)) error {
	if len(t.roles.Sensitive) == 0 {
		return &anonymize.DataError{Reason: "no sensitive attribute is given: say sa=column. Without one there is nothing that attackers could learn, and no trade-off to tune"}
	}
	columns := distinct(append(slices.Clone(t.roles.QuasiIdentifiers), t.roles.Sensitive...))
	whole, err := t.table.Microdata(ctx, t.columnsToRead(columns), func(done, total int) { progress("read the table", done, total) })
	if err != nil {
		return err
	}
	whole, _ = unpadded(whole, t.roles.Sensitive)
	table, units, err := t.separateUnits(whole, columns)
	if err != nil {
		return err
	}
	if table, err = t.coarsen(table, units, anonymize.Settings{}, nil); err != nil {
		return err
	}
	source, err := randomSource(t.seed)
	if err != nil {
		return err
	}
	table, units = tuning.Sample(table, t.sample, units, source)
	input, err := anonymize.NewInput(table, t.roles, nil)
	if err != nil {
		return texts.Emptied(err, t.table.Database(), t.table.Name())
	}
	if err := checkNotSensitive(input.NotSensitive, []*anonymize.Column{whole.Column(t.roles.Sensitive[0])}); err != nil {
		return err
	}
	input.Units = units
	if input.Domains, err = t.environment.Catalog.Domains(ctx, t.table, t.notWeight(table.Columns)); err != nil {
		return err
	}
	// A trial's source depends on its number, not on which core came first.
	random := rand.New(source)
	t.options.Seed = random.Uint64()
	key := random.Uint64()
	t.options.Random = func(trial int) rand.Source {
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:8], key)
		binary.LittleEndian.PutUint64(b[8:], uint64(trial))
		return rand.NewChaCha8(sha256.Sum256(b[:]))
	}
	started := time.Now()
	t.options.Progress = func(done, total int) { progress("try", done, total) }
	trials, err := tuning.Run(ctx, table, input, t.options)
	if err != nil {
		return err
	}
	if table.Rows < whole.Rows {
		ctx.Warn(mysql.ERUnknownError, "tried on a sample of %d records in %.1f s; sample=N takes more. Errors of the whole table are usually smaller", table.Rows, time.Since(started).Seconds())
	}
	t.trials = trials
	t.list(ctx)
	return nil
}

// list makes the rows, and counts the trials that can be published.
func (t *tuningRun) list(ctx *sql.Context) {
	var failures []string
	for i := range t.trials {
		if trial := &t.trials[i]; trial.Failure != "" {
			failures = append(failures, fmt.Sprintf("no choice: %s: %s", t.statement(trial), trial.Failure))
		} else {
			risk, loss := texts.Thousandths(trial.Risk), texts.Thousandths(trial.Loss)
			t.rows = append(t.rows, sql.Row{trial.Frontier, risk, loss, int64(trial.Groups), t.statement(trial)})
		}
	}
	ctx.Warn(mysql.ERUnknownError, "%d of %d trials meet what is asked for%s", len(t.rows), len(t.trials),
		map[bool]string{true: "; all=true says why the others do not"}[len(failures) > 0 && !t.all && len(t.rows) > 0])
	if t.all || len(t.rows) == 0 {
		for _, failure := range failures {
			ctx.Warn(mysql.ERUnknownError, "%s", failure)
		}
	}
}

// statement is the CALL that publishes a trial's choice, with the parameters that differ from the method's defaults. The release is named like its table.
func (t *tuningRun) statement(trial *tuning.Trial) string {
	arguments := []string{t.table.Database() + "." + t.table.Name(), trial.Method.Name}
	arguments = append(arguments, t.stated...)
	for _, p := range append(slices.Clone(trial.Method.Parameters), tuning.Beside...) {
		if value, ok := trial.Arguments[p.Name]; ok && value != p.Default {
			arguments = append(arguments, p.Name+"="+value)
		}
	}
	for _, promise := range t.promised {
		if name, _, _ := strings.Cut(promise, "="); trial.Arguments[name] == "" {
			arguments = append(arguments, promise)
		}
	}
	return fmt.Sprintf("CALL anonymize(%s)", quoting.Texts(arguments...))
}
