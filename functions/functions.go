package functions

import (
	"strconv"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/jobs"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/catalog/source"
)

// An Environment is what the names work on.
type Environment struct {
	Catalog  *catalog.Catalog
	Releases *catalog.Releases
	Jobs     *jobs.Jobs
	// Leftovers are what store=upstream has made.
	Leftovers *leftovers.List
	// CanRead tells whether the session's account may SELECT from a table.
	CanRead catalog.Access
	// Holds tells whether the session's account has all the privileges on a table.
	Holds func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
	// ExportDir is the directory below which releases are exported and imported;
	// "" for none.
	ExportDir string
	// Method finds a method by its name for CALL anonymize; nil for methods.ByName.
	Method func(name string) (anonymize.Method, error)
	// someToFit tells FitWhenAsked to look for releases that await completed tables.
	someToFit chan struct{}
	fitting   sync.Once
	// CreateReader makes an account that may SELECT from the databases and do
	// nothing else; it returns host:port for the account's clients.
	// Options are the account's limits, name=value each.
	CreateReader func(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address string, err error)
	// SetLimits changes the limits of an account, and returns all that it has.
	SetLimits func(ctx *sql.Context, user, host string, options ...string) (limits string, err error)
	// SetDefaults changes how sessions of an account begin, and returns all that is set.
	SetDefaults func(ctx *sql.Context, user, host string, options ...string) (defaults string, err error)
}

func (e *Environment) methodNamed(name string) (anonymize.Method, error) {
	if e.Method != nil {
		return e.Method(name)
	}
	return methods.ByName(name)
}

// Procedures are called with CALL. Those that are not ReadOnly write the catalog, and
// commit what the session has open first, as DDL does (server/implicit).
func (e *Environment) Procedures() []sql.ExternalStoredProcedureDetails {
	return []sql.ExternalStoredProcedureDetails{
		{Name: "set_attributes", Schema: setAttributesSchema, Function: e.setAttributes},
		{Name: "set_taxonomy", Schema: setTaxonomySchema, Function: e.setTaxonomy},
		{Name: "anonymize", Schema: anonymizeSchema, Function: e.anonymize},
		{Name: "refresh_release", Schema: refreshReleaseSchema, Function: e.refreshRelease},
		{Name: "fit_release", Schema: fitReleaseSchema, Function: e.fitRelease},
		{Name: "drop_release", Schema: dropReleaseSchema, Function: e.dropRelease},
		{Name: "evaluate", Schema: evaluateSchema, Function: e.evaluate, ReadOnly: true},
		{Name: "classify", Schema: classifySchema, Function: e.classify, ReadOnly: true},
		{Name: "report", Schema: reportSchema, Function: e.report, ReadOnly: true},
		{Name: "tune", Schema: tuneSchema, Function: e.tune, ReadOnly: true},
		{Name: "advise", Schema: adviseSchema, Function: e.advise, ReadOnly: true},
		{Name: "explain_sql", Schema: explainSQLSchema, Function: e.explainSQL, ReadOnly: true},
		{Name: "export_release", Schema: exportReleaseSchema, Function: e.exportRelease, ReadOnly: true},
		{Name: "import_release", Schema: importReleaseSchema, Function: e.importRelease},
		{Name: "create_analyst", Schema: createAnalystSchema, Function: e.createAnalyst},
		{Name: "set_limits", Schema: setLimitsSchema, Function: e.setLimits},
		{Name: "set_defaults", Schema: setDefaultsSchema, Function: e.setDefaults},
		// Any other number of arguments.
		{
			Name:     "set_attributes",
			Schema:   setAttributesSchema,
			Function: usage("CALL set_attributes('census.adult', 'qi=age,zipcode', 'sa=disease', 'ei=name')"),
		},
		{Name: "set_taxonomy", Schema: setTaxonomySchema, Function: usage("CALL set_taxonomy('census.adult', 'education', 'table=census.education_tree')")},
		{Name: "anonymize", Schema: anonymizeSchema, Function: usage("CALL anonymize('census.adult', 'slppa', 'beta=0.2', 'publish=adult')")},
		{Name: "refresh_release", Schema: refreshReleaseSchema, Function: usage("CALL refresh_release('patients')")},
		{Name: "fit_release", Schema: fitReleaseSchema, Function: usage("CALL fit_release('adult')")},
		{Name: "drop_release", Schema: dropReleaseSchema, Function: usage("CALL drop_release('adult')")},
		{Name: "export_release", Schema: exportReleaseSchema, Function: usage("CALL export_release('adult', 'format=csv', 'dir=adult')"), ReadOnly: true},
		{Name: "import_release", Schema: importReleaseSchema, Function: usage("CALL import_release('adult', 'publish=adult')")},
		{Name: "evaluate", Schema: evaluateSchema, Function: usage("CALL evaluate('adult', 'queries=1000', 'qi=1-3')"), ReadOnly: true},
		{Name: "tune", Schema: tuneSchema, Function: usage("CALL tune('census.adult', 'methods=slppa,arp', 'l=3', 'target=relative_error')"), ReadOnly: true},
		{Name: "advise", Schema: adviseSchema, Function: usage("CALL advise('census.adult')"), ReadOnly: true},
		{Name: "classify", Schema: classifySchema, Function: usage("CALL classify('adult', 'target=occupation')"), ReadOnly: true},
		{Name: "report", Schema: reportSchema, Function: usage("CALL report('adult', 'compare=adult_a,adult_b')"), ReadOnly: true},
		{Name: "explain_sql", Schema: explainSQLSchema, Function: usage("CALL explain_sql('SELECT COUNT(*) FROM published.adult')"), ReadOnly: true},
	}
}

// usage refuses a call with a wrong number of arguments.
func usage(example string) func(*sql.Context, ...string) (sql.RowIter, error) {
	return func(_ *sql.Context, arguments ...string) (sql.RowIter, error) {
		return nil, &anonymize.ParameterError{Parameter: "the number of arguments", Value: strconv.Itoa(len(arguments)), Rule: "write " + example}
	}
}

// TableFunctions are relations with arguments: SELECT * FROM SLPPA(adult, ...).
// Every method is one.
func (e *Environment) TableFunctions() []sql.TableFunction {
	functions := []sql.TableFunction{
		newTableFunction("anon_privacy", e.bindPrivacy),
		newTableFunction("anon_utility", e.bindUtility),
		newTableFunction("anon_detect", e.bindDetect),
		newTableFunction("anon_risk", e.bindRisk),
		newTableFunction("anon_qi_weights", e.bindWeights),
		newTableFunction("anon_association", e.bindAssociation),
	}
	for _, m := range methods.All() {
		functions = append(functions, newTableFunction(m.Name, e.bindMethod(m)))
	}
	return functions
}

// Scalars stand in expressions.
func Scalars() []sql.Function {
	return []sql.Function{
		aggregateMarker("anon_actual"),
		aggregateMarker("anon_relative_error"),
		aggregateMarker("anon_stderr"),
		aggregateMarker("anon_low"),
		aggregateMarker("anon_high"),
		intervalMarker("anon_interval_low"),
		intervalMarker("anon_interval_high"),
	}
}

// table opens a raw table that the session may read, wherever it lives.
func (e *Environment) table(ctx *sql.Context, name tableName) (source.Table, error) {
	if !e.CanRead(ctx, name.database, name.table) {
		return nil, name.denied(ctx, "SELECT")
	}
	table, err := e.Catalog.RawTable(ctx, name.database, name.table)
	if sql.ErrTableNotFound.Is(err) || sql.ErrDatabaseNotFound.Is(err) && strings.EqualFold(name.database, catalog.PublishedDatabaseName) {
		return nil, e.missing(ctx, name)
	}
	return table, err
}

// missing says which table there is not, and which the account may mean: one that it may read.
func (e *Environment) missing(ctx *sql.Context, name tableName) error {
	if strings.EqualFold(name.database, catalog.PublishedDatabaseName) {
		return sql.ErrTableNotFound.New(name.String() + "; releases are no raw tables: name a table as in 'census.people'")
	}
	if strings.EqualFold(name.table, ctx.GetCurrentDatabase()) {
		return sql.ErrTableNotFound.New(name.String() + "; database and table are one text: 'database.table'")
	}
	var names []string
	if db, err := e.Catalog.Provider().Database(ctx, name.database); err == nil {
		all, _ := db.GetTableNames(ctx)
		for _, other := range all {
			if e.CanRead(ctx, name.database, other) {
				names = append(names, other)
			}
		}
	}
	return sql.ErrTableNotFound.New(name.String() + anonymize.DidYouMean(name.table, names))
}

// storedRoles are what the owner has said of a raw table's columns.
type storedRoles struct {
	anonymize.Roles
	identifiers []string
	unit        unit
	weight      string
}

func (e *Environment) roles(table source.Table) (roles storedRoles, err error) {
	stored, err := e.Catalog.Attributes(table.Database(), table.Name())
	for _, a := range stored {
		switch a.Role {
		case attributes.QuasiIdentifier:
			roles.QuasiIdentifiers = append(roles.QuasiIdentifiers, a.Column)
		case attributes.SensitiveAttribute:
			roles.Sensitive = append(roles.Sensitive, a.Column)
		case attributes.ExplicitIdentifier:
			roles.identifiers = append(roles.identifiers, a.Column)
		case attributes.Weight:
			roles.weight = a.Column
		case attributes.Unit:
			roles.unit.said = true
			if a.Column != attributes.EachRow {
				roles.unit.columns = append(roles.unit.columns, a.Column)
			}
		}
	}
	return roles, err
}
