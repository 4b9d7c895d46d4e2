package server

import (
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/functions/texts"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/defaults"
	"github.com/anonsql/anonsql/server/loaddata"
	"github.com/anonsql/anonsql/server/locks"
	"github.com/anonsql/anonsql/server/matching"
	"github.com/anonsql/anonsql/server/operators"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/values"
)

// Provider gives the engine databases, functions, table functions and procedures: the
// catalog's databases and the names of Extensions.
type Provider struct {
	*raw.Provider
	logger         *slog.Logger
	locks          *locks.Book
	functions      map[string]sql.Function
	tableFunctions map[string]sql.TableFunction
	procedures     map[string][]sql.ExternalStoredProcedureDetails
	rules          []analyzer.RuleFunc
	system         map[string]bool // databases of Extensions, in lower case
	// distributed is the home of tables in an engine, nil for none.
	distributed source.Beside
	// sees is nil until the accounts are known.
	sees *accounts.Visibility
	// own has the names of the server's own tables, their columns, and collations, in
	// lower case.
	own map[string]bool
}

var (
	_ sql.DatabaseProvider                = (*Provider)(nil)
	_ sql.FunctionProvider                = (*Provider)(nil)
	_ sql.TableFunctionProvider           = (*Provider)(nil)
	_ sql.ExternalStoredProcedureProvider = (*Provider)(nil)
)

func newProvider(databases *raw.Provider, logger *slog.Logger) *Provider {
	p := &Provider{
		Provider: databases, logger: logger, locks: locks.NewBook(),
		functions:      map[string]sql.Function{},
		tableFunctions: map[string]sql.TableFunction{},
		procedures:     map[string][]sql.ExternalStoredProcedureDetails{},
		system:         map[string]bool{},
	}
	bounds := matching.Bounds{Most: values.MaxPacket, TooLong: values.TooLong}
	for _, f := range slices.Concat(answers.Functions(), matching.Functions(bounds), operators.Functions(), p.locks.Functions()) {
		p.functions[strings.ToLower(f.FunctionName())] = f
	}
	for _, f := range function.BuiltIns {
		if name := strings.ToLower(f.FunctionName()); p.functions[name] == nil && name != "char" { // the binder needs the engine's own CHAR
			p.functions[name] = f
		}
	}
	for name, f := range p.functions {
		p.functions[name] = operators.Texts(scalar.Written(values.Function(f)))
	}
	for _, f := range slices.Concat(argument.Functions(), answers.Markers(), loaddata.Functions()) { // not wrapped: others look for these expressions
		p.functions[strings.ToLower(f.FunctionName())] = operators.Texts(f)
	}
	return p
}

// extend adds the names of Extensions. It must be called before the server listens; the
// provider does not change afterwards.
func (p *Provider) extend(x Extensions) {
	for _, db := range x.SystemDatabases {
		p.AddSystemDatabase(accounts.Seal(db))
		p.system[strings.ToLower(db.Name())] = true
	}
	for _, f := range x.Functions {
		p.functions[strings.ToLower(f.FunctionName())] = f
	}
	for _, f := range x.TableFunctions {
		p.tableFunctions[strings.ToLower(f.Name())] = mappedTableFunction{f}
	}
	for _, d := range x.Procedures {
		name := strings.ToLower(d.Name)
		d.Function = mapProcedureErrors(name, d.Function, p.logger)
		p.procedures[name] = append(p.procedures[name], d)
	}
	p.rules = append(p.rules, x.Rules...)
}

// VisibleNames is nil until the accounts are known.
func (p *Provider) VisibleNames() *accounts.Visibility { return p.sees }

// Keeps reports whether a database is one of Extensions.
func (p *Provider) Keeps(database string) bool { return p.system[strings.ToLower(database)] }

// Database implements sql.DatabaseProvider. A database that the account does not see is
// denied, whether or not it exists.
func (p *Provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if err := running.Ended(ctx); err != nil {
		return nil, err
	}
	if p.sees != nil && !p.sees.Database(ctx, name) {
		return nil, accounts.DatabaseDenied(ctx, name)
	}
	if p.isUpstream(ctx, name) {
		return foreign{name: name}, nil
	}
	if home := source.BesideOf(ctx); home != nil && home.Names(name) {
		return inBeside(ctx, home, name)
	}
	return p.Provider.Database(ctx, name)
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(ctx *sql.Context, name string) bool {
	if p.sees != nil && !p.sees.Database(ctx, name) {
		return false
	}
	if home := source.BesideOf(ctx); home != nil && home.Names(name) {
		_, err := inBeside(ctx, home, name)
		return err == nil
	}
	return p.isUpstream(ctx, name) || p.Provider.HasDatabase(ctx, name)
}

// AllDatabases implements sql.DatabaseProvider.
func (p *Provider) AllDatabases(ctx *sql.Context) []sql.Database {
	all := p.Provider.AllDatabases(ctx)
	if p.sees == nil {
		return all
	}
	return slices.DeleteFunc(all, func(db sql.Database) bool { return p.isUpstream(ctx, db.Name()) || !p.sees.Database(ctx, db.Name()) })
}

// Function implements sql.FunctionProvider.
func (p *Provider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	f, ok := p.functions[strings.ToLower(name)]
	return f, ok
}

// TableFunction implements sql.TableFunctionProvider.
func (p *Provider) TableFunction(_ *sql.Context, name string) (sql.TableFunction, bool) {
	f, ok := p.tableFunctions[strings.ToLower(name)]
	return f, ok
}

// WithTableFunctions implements sql.TableFunctionProvider.
func (p *Provider) WithTableFunctions(functions ...sql.TableFunction) (sql.TableFunctionProvider, error) {
	changed := *p
	changed.tableFunctions = map[string]sql.TableFunction{}
	for _, f := range functions {
		changed.tableFunctions[strings.ToLower(f.Name())] = f
	}
	return &changed, nil
}

// ExternalStoredProcedure implements sql.ExternalStoredProcedureProvider. A procedure
// with a variadic last parameter takes any larger number of arguments.
func (p *Provider) ExternalStoredProcedure(_ *sql.Context, name string, arguments int) (*sql.ExternalStoredProcedureDetails, error) {
	for _, d := range p.procedures[strings.ToLower(name)] {
		t := reflect.TypeOf(d.Function)
		fixed := t.NumIn() - 1
		if fixed == arguments || t.IsVariadic() && arguments >= fixed-1 {
			return &d, nil
		}
	}
	return nil, nil
}

// ExternalStoredProcedures implements sql.ExternalStoredProcedureProvider.
func (p *Provider) ExternalStoredProcedures(_ *sql.Context, name string) ([]sql.ExternalStoredProcedureDetails, error) {
	return p.procedures[strings.ToLower(name)], nil
}

// rewritten returns the names for which trees are rewritten.
func (p *Provider) rewritten(x Extensions) own.Names {
	names := own.Names{TableFunctions: map[string]bool{}, Tasks: x.Tasks}
	for name := range p.tableFunctions {
		names.TableFunctions[name] = true
	}
	return names
}

// wayOut adds to an error the likely meaning of a misspelled or unquoted name: one of
// ours, or a database, table or column whose name the account sees.
func (p *Provider) wayOut(ctx *sql.Context, text string, err error) error {
	var known *mysql.SQLError
	if !errors.As(err, &known) {
		return err
	}
	if way := texts.WayOut(text, known.Num, known.Message, p.meantNames(ctx)); way != "" {
		return sqlerror.New(known.Num, known.Message+way)
	}
	return err
}

// An onlooker is a session for looking up names: it opens no snapshot in the session's
// transaction, and sees committed data.
type onlooker struct{ sql.Session }

// meantNames are the names that a statement may have meant. Names are looked up lazily, and
// never on another server.
func (p *Provider) meantNames(ctx *sql.Context) texts.Names {
	here := source.HomeOf(ctx) == nil
	ctx = sql.NewContext(ctx.Context, sql.WithSession(onlooker{ctx.Session}))
	var ours []string // few of all functions, so that an error need not sort the engine's
	for name := range p.functions {
		if strings.HasPrefix(name, "anon_") {
			ours = append(ours, name)
		}
	}
	slices.Sort(ours)
	return texts.Names{
		Procedures: slices.Sorted(maps.Keys(p.procedures)), Relations: slices.Sorted(maps.Keys(p.tableFunctions)), Functions: ours,
		Variables: strings.Split(defaults.Names(), ", "),
		Databases: func() (names []string) {
			for _, db := range p.AllDatabases(ctx) {
				if here {
					names = append(names, db.Name())
				}
			}
			return names
		},
		Tables:    func(database string) []string { return p.seenTables(ctx, here, database) },
		Columns:   func(database, table string) []string { return p.seenColumns(ctx, here, database, table) },
		Published: catalog.PublishedDatabaseName, Current: ctx.GetCurrentDatabase(),
	}
}

// seenTables are the tables of a database whose names the account sees; none if it does
// not see the database, or if the tables are on another server.
func (p *Provider) seenTables(ctx *sql.Context, here bool, database string) []string {
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	db, err := p.Database(ctx, database)
	if !here || database == "" || err != nil {
		return nil
	}
	names, err := db.GetTableNames(ctx)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return p.sees != nil && !p.sees.Table(ctx, database, name) })
}

// seenColumns are the columns of a table, if the account sees it.
func (p *Provider) seenColumns(ctx *sql.Context, here bool, database, table string) (columns []string) {
	if database == "" {
		database = ctx.GetCurrentDatabase()
	}
	if !slices.ContainsFunc(p.seenTables(ctx, here, database), func(name string) bool { return strings.EqualFold(name, table) }) {
		return nil
	}
	db, err := p.Database(ctx, database)
	if err != nil {
		return nil
	}
	found, ok, err := db.GetTableInsensitive(ctx, table)
	if err != nil || !ok {
		return nil
	}
	for _, c := range found.Schema() {
		columns = append(columns, c.Name)
	}
	return columns
}
