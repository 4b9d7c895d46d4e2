// Package plannertest runs statements over published views without a server. It has an engine over a catalog in a
// temporary folder, with package planner's rule and the functions and procedures of package functions, and a runner
// of text files with recorded answers.
//
// It lacks accounts, limits, and the server's corrections of ordinary statements. The account "analyst" may not read
// raw tables, every other account may.
package plannertest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/jobs"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/planner"
)

// Analyst is the account that may not read raw tables.
const Analyst = "analyst"

// An Engine is an engine over its own catalog.
type Engine struct {
	catalog  *catalog.Catalog
	releases *catalog.Releases
	engine   *sqle.Engine
}

// setUpProcess sets the engine's variables, once for the process.
var setUpProcess = sync.OnceValue(func() error {
	sql.SystemVariables.AddSystemVariables(planner.Variables())
	sql.SystemVariables.AddSystemVariables(catalog.Variables())
	return sql.SystemVariables.AssignValues(map[string]any{"collation_server": raw.DefaultCollation.Name()})
})

// New starts an engine over an empty catalog, until the test ends.
func New(t testing.TB) *Engine {
	t.Helper()
	if err := setUpProcess(); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	releases, err := catalog.OpenReleases(c, canRead)
	if err != nil {
		t.Fatal(err)
	}
	return newEngine(c, releases)
}

func canRead(ctx *sql.Context, _, _ string) bool { return ctx.Session.Client().User != Analyst }

// newEngine returns an engine over a catalog with releases.
func newEngine(c *catalog.Catalog, releases *catalog.Releases) *Engine {
	names := &functions.Environment{Catalog: c, Releases: releases, Jobs: &jobs.Jobs{}, CanRead: canRead,
		Holds: func(*sql.Context, string, string, ...sql.PrivilegeType) bool { return true }}
	databases := c.Provider()
	databases.AddSystemDatabase(releases.PublishedDatabase())
	p := &provider{Provider: databases, functions: slices.Concat(functions.Scalars(), planner.Functions()), procedures: names.Procedures()}
	e := &Engine{c, releases, sqle.New(analyzer.NewBuilder(p).AddPreAnalyzeRule(planner.RuleId, planner.Rule).Build(), nil)}
	e.engine.Parser, e.engine.Analyzer.Parser = parser{sql.NewMysqlParser()}, parser{sql.NewMysqlParser()}
	return e
}

// A parser is the engine's. Like the server's, it writes the marker for WITH ROLLUP, but for these words anywhere.
type parser struct{ *sql.MysqlParser }

func marked(query string) string {
	return strings.ReplaceAll(query, " WITH ROLLUP", ", "+planner.RollupMarker+"()")
}

// Parse implements sql.Parser.
func (p parser) Parse(ctx *sql.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.MysqlParser.Parse(ctx, marked(query), multi)
}

// ParseWithOptions implements sql.Parser.
func (p parser) ParseWithOptions(
	ctx context.Context,
	query string,
	end rune,
	multi bool,
	options sqlparser.ParserOptions,
) (sqlparser.Statement, string, string, error) {
	return p.MysqlParser.ParseWithOptions(ctx, marked(query), end, multi, options)
}

// ParseOneWithOptions implements sql.Parser.
func (p parser) ParseOneWithOptions(ctx context.Context, query string, options sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	return p.MysqlParser.ParseOneWithOptions(ctx, marked(query), options)
}

// Hospital returns a session of a fresh engine with the release patients of setups/hospital.sql.
func Hospital(t testing.TB) *Session {
	t.Helper()
	return SetUp(t, "hospital")
}

// SetUp returns a session of a fresh engine that has run a file of setups.
func SetUp(t testing.TB, name string) *Session {
	t.Helper()
	s := New(t).Session("owner")
	if err := s.setUp(name); err != nil {
		t.Fatal(err)
	}
	return s
}

// A provider adds the names of package functions to the catalog's databases.
type provider struct {
	*raw.Provider
	functions  []sql.Function
	procedures []sql.ExternalStoredProcedureDetails
}

// Function implements sql.FunctionProvider.
func (p *provider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	for _, f := range p.functions {
		if strings.EqualFold(f.FunctionName(), name) {
			return f, true
		}
	}
	return nil, false
}

// ExternalStoredProcedure implements sql.ExternalStoredProcedureProvider. It ignores the number of arguments.
func (p *provider) ExternalStoredProcedure(_ *sql.Context, name string, _ int) (*sql.ExternalStoredProcedureDetails, error) {
	for _, d := range p.procedures {
		if strings.EqualFold(d.Name, name) {
			return &d, nil
		}
	}
	return nil, nil
}

// ExternalStoredProcedures implements sql.ExternalStoredProcedureProvider.
func (p *provider) ExternalStoredProcedures(*sql.Context, string) ([]sql.ExternalStoredProcedureDetails, error) {
	return p.procedures, nil
}

// A Session is the session of one connection.
type Session struct {
	*Engine
	session *raw.Session
	pid     uint64
	// At is the start time of statements; zero means now.
	At time.Time
}

// Session opens a session of an account, in the database published.
func (e *Engine) Session(account string) *Session {
	base := sql.NewBaseSessionWithClientServer("test", sql.Client{User: account, Address: "localhost"}, 1)
	s := &Session{Engine: e, session: e.catalog.NewSession(base)}
	s.session.SetCurrentDatabase(catalog.PublishedDatabaseName)
	return s
}

// statement returns the context of the session's next statement.
func (s *Session) statement(query string) *sql.Context {
	s.pid++
	ctx := sql.NewContext(context.Background(), sql.WithSession(s.session), sql.WithPid(s.pid), sql.WithQuery(query))
	ctx.Session.ClearWarnings()
	if !s.At.IsZero() {
		ctx.SetQueryTime(s.At)
	}
	return ctx
}

// A Result is the answer to a statement.
type Result struct {
	Schema sql.Schema
	Rows   []sql.Row
	Notes  []string
}

// Query runs a statement. bindings are the values of its parameters.
func (s *Session) Query(query string, bindings ...sqlparser.Expr) (*Result, error) {
	ctx := s.statement(query)
	if err := s.session.CommandBegin(); err != nil {
		return nil, err
	}
	defer s.session.CommandEnd()
	given := make(map[string]sqlparser.Expr)
	for i, value := range bindings {
		given["v"+string(rune('1'+i))] = value
	}
	schema, iter, _, err := s.engine.QueryWithBindings(ctx, query, nil, given, nil)
	if err != nil {
		return nil, err
	}
	result := &Result{Schema: schema}
	if result.Rows, err = sql.RowIterToRows(ctx, iter); err != nil {
		return nil, err
	}
	for _, w := range ctx.Session.Warnings() {
		result.Notes = append(result.Notes, w.Message)
	}
	return result, nil
}

// Bind parses and binds a statement. It returns the plan before any rule.
func (s *Session) Bind(query string) (*sql.Context, sql.Node, error) {
	ctx := s.statement(query)
	if err := s.session.CommandBegin(); err != nil {
		return nil, nil, err
	}
	defer s.session.CommandEnd()
	a := s.engine.Analyzer
	parsed, _, _, err := a.Parser.Parse(ctx, query, false)
	if err != nil {
		return nil, nil, err
	}
	bound, _, err := planbuilder.New(ctx, a.Catalog, nil, a.Parser).BindOnly(parsed, query, nil)
	return ctx, bound, err
}

// Plan returns a statement's plan after the planner's rule, before any rule of the engine.
func (s *Session) Plan(query string) (*sql.Context, sql.Node, error) {
	ctx, bound, err := s.Bind(query)
	if err != nil {
		return nil, nil, err
	}
	node, _, err := planner.Rule(ctx, s.engine.Analyzer, bound, &plan.Scope{}, nil, nil)
	return ctx, node, err
}

// Publish stores a release that a test has made from a table, under its own name.
func (s *Session) Publish(t testing.TB, table string, p *catalog.Publication) {
	t.Helper()
	ctx := s.statement("CALL anonymize")
	if err := s.session.CommandBegin(); err != nil {
		t.Fatal(err)
	}
	defer s.session.CommandEnd()
	database, name, _ := strings.Cut(table, ".")
	found, err := s.catalog.RawTable(ctx, database, name)
	if err != nil {
		t.Fatal(err)
	}
	p.Record.SourceTable, p.Record.Database, p.Record.Table = found.ID(), database, name
	admission, err := s.releases.Admit(ctx, p)
	if err == nil {
		_, err = s.releases.Publish(ctx, admission)
	}
	if err != nil {
		t.Fatal(err)
	}
}
