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

// An Environment has the services for the SQL names.
type Environment struct {
	Catalog  *catalog.Catalog
	Releases *catalog.Releases
	Jobs     *jobs.Jobs
	// Leftovers lists the tables made by store=upstream.
	Leftovers *leftovers.List
	// CanRead reports whether the session's account may SELECT from a table.
	CanRead catalog.Access
	// Holds reports whether the session's account has all the privileges on a table.
	Holds func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
	// ExportDir is the directory below which releases are exported and imported; "" for none.
	ExportDir string
	// Method finds a method by its name for CALL anonymize; nil for methods.ByName.
	Method func(name string) (anonymize.Method, error)
	// someToFit wakes FitWhenAsked, which looks for releases that await completed tables.
	someToFit chan struct{}
	fitting   sync.Once
	// CreateReader creates an account that may only SELECT from the databases; it returns host:port for the account's clients. Options are
	// limits of the form name=value.
	CreateReader func(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address string, err error)
	// SetLimits changes limits of an account, and returns all its limits.
	SetLimits func(ctx *sql.Context, user, host string, options ...string) (limits string, err error)
	// SetDefaults changes initial session variables of an account, and returns all of them.
	SetDefaults func(ctx *sql.Context, user, host string, options ...string) (defaults string, err error)
}

func (e *Environment) methodNamed(name string) (anonymize.Method, error) {
	if e.Method != nil {
		return e.Method(name)
	}
	return methods.ByName(name)
}

// Procedures are called with CALL. Those that are not ReadOnly write the catalog, and
// first commit the session's open transaction, as DDL does (server/implicit).
func (e *Environment) Procedures() []sql.ExternalStoredProcedureDetails {
	procedures := []struct {
		name     string
		schema   sql.Schema
		function any
		readOnly bool
		// example is the usage for a wrong number of arguments; "" if the function takes any number.
		example string
	}{
		{"set_attributes", setAttributesSchema, e.setAttributes, false, "CALL set_attributes('census.adult', 'qi=age,zipcode', 'sa=disease', 'ei=name')"},
		{"set_taxonomy", setTaxonomySchema, e.setTaxonomy, false, "CALL set_taxonomy('census.adult', 'education', 'table=census.education_tree')"},
		{"anonymize", anonymizeSchema, e.anonymize, false, "CALL anonymize('census.people', 'anatomy', 'l=4', 'size=50', 'model=counts', 'publish=people')"},
		{"refresh_release", refreshReleaseSchema, e.refreshRelease, false, "CALL refresh_release('patients')"},
		{"fit_release", fitReleaseSchema, e.fitRelease, false, "CALL fit_release('adult')"},
		{"drop_release", dropReleaseSchema, e.dropRelease, false, "CALL drop_release('adult')"},
		{"evaluate", evaluateSchema, e.evaluate, true, "CALL evaluate('adult', 'queries=1000', 'qi=1-3')"},
		{"classify", classifySchema, e.classify, true, "CALL classify('adult', 'target=occupation')"},
		{"report", reportSchema, e.report, true, "CALL report('adult', 'compare=adult_a,adult_b')"},
		{"tune", tuneSchema, e.tune, true, "CALL tune('census.adult', 'methods=slppa,arp', 'l=3', 'target=relative_error')"},
		{"advise", adviseSchema, e.advise, true, "CALL advise('census.adult')"},
		{"explain_sql", explainSQLSchema, e.explainSQL, true, "CALL explain_sql('SELECT COUNT(*) FROM published.adult')"},
		{"export_release", exportReleaseSchema, e.exportRelease, true, "CALL export_release('adult', 'format=csv', 'dir=adult')"},
		{"import_release", importReleaseSchema, e.importRelease, false, "CALL import_release('adult', 'publish=adult')"},
		{"create_analyst", createAnalystSchema, e.createAnalyst, false, ""},
		{"set_limits", setLimitsSchema, e.setLimits, false, ""},
		{"set_defaults", setDefaultsSchema, e.setDefaults, false, ""},
	}
	var list []sql.ExternalStoredProcedureDetails
	for _, p := range procedures {
		list = append(list, sql.ExternalStoredProcedureDetails{Name: p.name, Schema: p.schema, Function: p.function, ReadOnly: p.readOnly})
		if p.example != "" {
			list = append(list, sql.ExternalStoredProcedureDetails{Name: p.name, Schema: p.schema, Function: usage(p.example), ReadOnly: p.readOnly})
		}
	}
	return list
}

// usage refuses a call with a wrong number of arguments.
func usage(example string) func(*sql.Context, ...string) (sql.RowIter, error) {
	return func(_ *sql.Context, arguments ...string) (sql.RowIter, error) {
		return nil, &anonymize.ParameterError{Parameter: "the number of arguments", Value: strconv.Itoa(len(arguments)), Rule: "write " + example}
	}
}

// TableFunctions are relations with arguments: SELECT * FROM SLPPA(adult, ...). Every method is one.
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
		// An owner's own server decides what the account may know: that there is no such table, or that a view is broken.
		if home := source.HomeOf(ctx); home != nil && name.database != "" && !strings.EqualFold(name.database, catalog.PublishedDatabaseName) {
			if _, err := home.Table(ctx, name.database, name.table); err != nil {
				return nil, e.endedOr(ctx, err)
			}
		}
		return nil, name.denied(ctx, "SELECT")
	}
	table, err := e.Catalog.RawTable(ctx, name.database, name.table)
	if sql.ErrTableNotFound.Is(err) || sql.ErrDatabaseNotFound.Is(err) && strings.EqualFold(name.database, catalog.PublishedDatabaseName) {
		return nil, e.missing(ctx, name)
	}
	return table, err
}

// missing is the error for an unknown table, with similar tables that the account may read.
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

// storedRoles are the stored roles of a raw table's columns.
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
