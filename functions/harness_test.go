package functions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/jobs"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/functions/argument"
)

// The names of this room on an engine of their own: no socket, no server, no
// planner. An aggregate over a published relation is therefore the engine's, of the
// rows that the relation has, which is what a reader of the release can compute.

// patients is the table of every bench, in database hospital: small enough to be
// held in the head. Ann and Gus are 30, Ben and Hal 33; every disease is there twice.
const patients = `
CREATE DATABASE hospital;
CREATE TABLE hospital.patients (
  name VARCHAR(20), age INT, sex VARCHAR(6), zip VARCHAR(5), disease VARCHAR(20), charge DECIMAL(8,2));
INSERT INTO hospital.patients VALUES
 ('Ann', 30, 'F', '11100', 'flu', 10.5), ('Ben', 33, 'M', '12200', 'cold', 20), ('Cem', 45, 'M', '12200', 'gout', 30),
 ('Dan', 42, 'M', '11100', 'flu', 40), ('Eva', 32, 'F', '25300', 'asthma', 50), ('Fay', 44, 'F', '23200', 'cold', 60),
 ('Gus', 30, 'M', '11100', 'gout', 70), ('Hal', 33, 'M', NULL, 'asthma', 80)`

// rights are the privileges of the accounts of a bench. root has all of them.
var rights = map[string]struct {
	reads  []string // databases on which it has SELECT
	alters []string // databases on whose tables it has ALTER
	files  bool     // the privilege FILE
}{
	"analyst": {reads: []string{catalog.PublishedDatabaseName, catalog.SystemDatabaseName}},
	"courier": {reads: []string{catalog.PublishedDatabaseName, catalog.SystemDatabaseName}, files: true},
	"clerk":   {reads: []string{"hospital", catalog.PublishedDatabaseName, catalog.SystemDatabaseName}}, // but may not ALTER
	"steward": {reads: []string{"hospital", catalog.PublishedDatabaseName, catalog.SystemDatabaseName}, alters: []string{"hospital"}},
	"nobody":  {},
}

// A bench is a catalog in its own directory, and an engine on it.
type bench struct {
	t           testing.TB
	dir         string
	catalog     *catalog.Catalog
	environment *Environment
	engine      *sqle.Engine
	sessions    map[string]*raw.Session
	// granted are the calls of CreateReader, SetLimits and SetDefaults.
	granted []string
}

// newBench has table hospital.patients, and an empty directory for exports.
func newBench(t testing.TB) *bench {
	t.Helper()
	dir := t.TempDir()
	store, err := catalog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	b := &bench{t: t, dir: dir, catalog: store, sessions: map[string]*raw.Session{}}
	releases, err := catalog.OpenReleases(store, b.canRead)
	if err != nil {
		t.Fatal(err)
	}
	b.serve(releases)
	b.run("root", patients)
	return b
}

// handedOver is a bench with only those files of the releases of b that an analyst may know.
func (b *bench) handedOver() *bench {
	b.t.Helper()
	store, err := catalog.InMemory()
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { store.Close() })
	there := &bench{t: b.t, catalog: store, sessions: map[string]*raw.Session{}}
	releases := catalog.ReceivedReleases(store, there.canRead, func(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
		return b.environment.Releases.HandPart(sql.NewContext(ctx), part, pass)
	})
	if err := releases.Receive(b.environment.Releases.Hand(b.context(context.Background(), "analyst", ""), func(string) bool { return true })); err != nil {
		b.t.Fatal(err)
	}
	there.serve(releases)
	return there
}

// serve puts an engine on the catalog.
func (b *bench) serve(releases *catalog.Releases) {
	releases.Importers(func(ctx *sql.Context) bool { return b.holds(ctx, "", "", sql.PrivilegeType_File) })
	releases.Clock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) })
	b.environment = &Environment{Catalog: b.catalog, Releases: releases, Jobs: &jobs.Jobs{}, CanRead: b.canRead, Holds: b.holds,
		ExportDir: b.t.TempDir(), Method: methodOrOrder, CreateReader: b.createReader, SetLimits: b.setLimits, SetDefaults: b.setLimits}
	databases := b.catalog.Provider()
	databases.AddSystemDatabase(releases.PublishedDatabase())
	databases.AddSystemDatabase(releases.SystemDatabase(b.environment.Jobs))
	b.engine = sqle.New(analyzer.NewBuilder(newNames(databases, b.environment)).AddPreAnalyzeRule(20001, CreateTableRule).Build(), nil)
	b.engine.Parser = namesParser{b.engine.Parser}
}

func userOf(ctx *sql.Context) string { return ctx.Session.Client().User }

func (b *bench) canRead(ctx *sql.Context, database, table string) bool {
	user := userOf(ctx)
	return ctx.Err() == nil && (user == "root" || user == "" || slices.Contains(rights[user].reads, strings.ToLower(database)))
}

func (b *bench) holds(ctx *sql.Context, database, _ string, privileges ...sql.PrivilegeType) bool {
	file := database == "" && slices.Equal(privileges, []sql.PrivilegeType{sql.PrivilegeType_File})
	alter := slices.Equal(privileges, []sql.PrivilegeType{sql.PrivilegeType_Alter}) && slices.Contains(rights[userOf(ctx)].alters, strings.ToLower(database))
	return ctx.Err() == nil && (userOf(ctx) == "root" || file && rights[userOf(ctx)].files || alter)
}

// createReader stands for the server's accounts, which functions only hand things to.
func (b *bench) createReader(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address string, err error) {
	if userOf(ctx) != "root" {
		return "", mysql.NewSQLError(accessDenied, "42000", "%s may not CREATE USER", userOf(ctx))
	}
	b.granted = append(b.granted, fmt.Sprintf("%s %s %s %q reads %q", user, host, password, options, databases))
	return "db.example:3307", nil
}

func (b *bench) setLimits(ctx *sql.Context, user, host string, options ...string) (limits string, err error) {
	if userOf(ctx) != "root" {
		return "", mysql.NewSQLError(accessDenied, "42000", "%s may not CREATE USER", userOf(ctx))
	}
	b.granted = append(b.granted, fmt.Sprintf("%s %s %q", user, host, options))
	return "options " + strings.Join(options, " "), nil
}

// names is what the engine asks for databases, functions and procedures; compare
// server.Provider.
type names struct {
	*raw.Provider
	functions      map[string]sql.Function
	tableFunctions map[string]sql.TableFunction
	procedures     []sql.ExternalStoredProcedureDetails
}

func newNames(databases *raw.Provider, e *Environment) *names {
	n := &names{Provider: databases, procedures: e.Procedures(),
		functions: map[string]sql.Function{}, tableFunctions: map[string]sql.TableFunction{}}
	for _, f := range append(Scalars(), argument.Functions()...) {
		n.functions[f.FunctionName()] = f
	}
	for _, f := range e.TableFunctions() {
		n.tableFunctions[f.Name()] = f
	}
	return n
}

func (n *names) Function(_ *sql.Context, name string) (sql.Function, bool) {
	f, ok := n.functions[strings.ToLower(name)]
	return f, ok
}

func (n *names) TableFunction(_ *sql.Context, name string) (sql.TableFunction, bool) {
	f, ok := n.tableFunctions[strings.ToLower(name)]
	return f, ok
}

func (n *names) WithTableFunctions(...sql.TableFunction) (sql.TableFunctionProvider, error) {
	return n, nil
}

func (n *names) ExternalStoredProcedure(_ *sql.Context, name string, arguments int) (*sql.ExternalStoredProcedureDetails, error) {
	for _, d := range n.procedures {
		t := reflect.TypeOf(d.Function)
		if fixed := t.NumIn() - 1; strings.EqualFold(d.Name, name) && (fixed == arguments || t.IsVariadic() && arguments >= fixed-1) {
			return &d, nil
		}
	}
	return nil, nil
}

func (n *names) ExternalStoredProcedures(_ *sql.Context, name string) ([]sql.ExternalStoredProcedureDetails, error) {
	return slices.DeleteFunc(slices.Clone(n.procedures), func(d sql.ExternalStoredProcedureDetails) bool {
		return !strings.EqualFold(d.Name, name)
	}), nil
}

// namesParser writes the arguments of table functions as package argument says.
type namesParser struct {
	sql.Parser
}

func (p namesParser) ParseWithOptions(
	ctx context.Context, query string, delimiter rune, multi bool, options sqlparser.ParserOptions,
) (sqlparser.Statement, string, string, error) {
	statement, parsed, rest, err := p.Parser.ParseWithOptions(ctx, query, delimiter, multi, options)
	if err != nil {
		return nil, parsed, rest, err
	}
	var node sqlparser.SQLNode = statement
	if explain, ok := statement.(*sqlparser.Explain); ok { // which Walk leaves out, as it does the SELECT of a CREATE
		node = explain.Statement
	}
	if ddl, ok := statement.(*sqlparser.DDL); ok && ddl.OptSelect != nil {
		node = ddl.OptSelect.Select
	}
	return statement, parsed, rest, sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		call, ok := node.(*sqlparser.TableFuncExpr)
		if !ok {
			return true, nil
		}
		for _, given := range call.Exprs {
			if e, ok := given.(*sqlparser.AliasedExpr); ok {
				e.Expr = marked(e.Expr)
			}
		}
		return false, nil
	}, node)
}

// marked makes the markers of name = value and of a name.
func marked(e sqlparser.Expr) sqlparser.Expr {
	if c, ok := e.(*sqlparser.ComparisonExpr); ok && c.Operator == sqlparser.EqualStr {
		if name, ok := c.Left.(*sqlparser.ColName); ok && name.Qualifier.IsEmpty() {
			return markerCall(argument.NamedMarker, quoted(name.Name.String()), marked(c.Right))
		}
	}
	if name, ok := e.(*sqlparser.ColName); ok {
		return markerCall(argument.RefMarker, quoted(name.Qualifier.Name.String()), quoted(name.Name.String()))
	}
	return e
}

func quoted(text string) sqlparser.Expr { return sqlparser.NewStrVal([]byte(text)) }

func markerCall(name string, arguments ...sqlparser.Expr) sqlparser.Expr {
	call := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name)}
	for _, e := range arguments {
		call.Exprs = append(call.Exprs, &sqlparser.AliasedExpr{Expr: e})
	}
	return call
}

var lastConnection atomic.Uint32

func (b *bench) session(user string) *raw.Session {
	s, ok := b.sessions[user]
	if !ok {
		base := sql.NewBaseSessionWithClientServer("test", sql.Client{User: user, Address: "localhost"}, lastConnection.Add(1))
		s = b.catalog.NewSession(base)
		s.SetCurrentDatabase(catalog.PublishedDatabaseName)
		b.sessions[user] = s
	}
	return s
}

// context returns the context of one statement.
func (b *bench) context(of context.Context, user, statement string) *sql.Context {
	return sql.NewContext(of, sql.WithSession(b.session(user)), sql.WithQuery(statement), sql.WithProcessList(b.engine.ProcessList))
}

// A result is the outcome of a statement: the names of its columns, its rows, and its warnings in their order.
type result struct {
	columns []string
	rows    []sql.Row
	notes   []string
}

// ask runs one statement and reads its rows.
func (b *bench) ask(of context.Context, user, statement string) (*result, error) {
	ctx := b.context(of, user, statement)
	session := b.session(user)
	if err := session.CommandBegin(); err != nil {
		return nil, err
	}
	defer session.CommandEnd()
	schema, iter, _, err := b.engine.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	rows, err := sql.RowIterToRows(ctx, iter)
	if err != nil {
		return nil, err
	}
	r := &result{rows: rows}
	for _, c := range schema {
		r.columns = append(r.columns, c.Name)
	}
	for _, w := range slices.Backward(session.Warnings()) { // the last one is first
		r.notes = append(r.notes, w.Message)
	}
	return r, nil
}

// run runs statements, separated by ;, and returns the result of the last.
func (b *bench) run(user, statements string) *result {
	b.t.Helper()
	r, err := b.try(user, statements)
	if err != nil {
		b.t.Fatalf("%s\n%v", statements, err)
	}
	return r
}

func (b *bench) try(user, statements string) (r *result, err error) {
	pieces, err := sqlparser.SplitStatementToPieces(statements)
	for _, piece := range pieces {
		if err == nil {
			r, err = b.ask(context.Background(), user, piece)
		}
	}
	return r, err
}

// number is the one number that a query of root returns.
func (b *bench) number(query string) float64 {
	b.t.Helper()
	rows := b.run("root", query).rows
	if len(rows) != 1 || len(rows[0]) != 1 {
		b.t.Fatalf("%s\nreturned %v", query, rows)
	}
	v, _, err := types.Float64.Convert(sql.NewEmptyContext(), rows[0][0])
	if err != nil || v == nil {
		b.t.Fatalf("%s\nreturned %v, %v", query, rows, err)
	}
	return v.(float64)
}

// guarantee returns the value that ANON_PRIVACY shows root as achieved.
func (b *bench) guarantee(release, name string) float64 {
	b.t.Helper()
	return b.number("SELECT achieved FROM ANON_PRIVACY(" + release + ") WHERE guarantee = '" + name + "'")
}

// measure returns the row of ANON_UTILITY for root whose detail begins with about.
func (b *bench) measure(release, name, about string) float64 {
	b.t.Helper()
	return b.number("SELECT value FROM ANON_UTILITY(" + release + ") WHERE measure = '" + name + "' AND detail LIKE '" + about + "%'")
}

var groupRecords = anonymize.Int("records", 1, 1000, "records in a group").Default("2")

// inOrder is a method that puts so many records, as they stand in the table, into a group, with a
// fragment of the quasi-identifiers and one of every sensitive attribute: an oracle
// that knows the order of the table knows every group. It promises nothing.
var inOrder = anonymize.Method{
	Name:       "in_order",
	Parameters: anonymize.Declare(groupRecords),
	Algorithm: func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
		groups := &bucketization.Partition{Start: []uint32{0}}
		for i := range in.Rows {
			groups.Member = append(groups.Member, uint32(i))
		}
		for at := 0; at < in.Rows; {
			at = min(at+groupRecords.Read(s), in.Rows)
			groups.Start = append(groups.Start, uint32(at))
		}
		quasi, err := bucketization.NewProjection(ctx, in.QuasiIdentifiers)
		if err != nil {
			return nil, err
		}
		tables := []bucketization.Table{bucketization.QuasiIdentifierTable(0, quasi)}
		for _, c := range in.Sensitive {
			tables = append(tables, bucketization.SensitiveTable(c))
		}
		return bucketization.Publish(ctx, "in_order", in, groups, tables, rand.New(in.Random))
	},
}

func methodOrOrder(name string) (anonymize.Method, error) {
	if name == inOrder.Name {
		return inOrder, nil
	}
	return methods.ByName(name)
}

// TestNames runs testdata: a file a SQL name, each on a bench of its own. With
// -rewrite the files are rewritten with what is answered.
//
// Directives, each with SQL as input:
//
//	exec   the statements must succeed; the output is "ok" and the notes of the last
//	query  the result of the last: a line of column names, a line for each row with |
//	       between fields, and its notes. Seconds, and bytes of files, are shown as "-"
//	error  the statement must fail; the output is the number or the kind of the
//	       error, and its message
//
// Arguments: user=name, one of rights, else root; sort for rows in the order of their
// text.
func TestNames(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".test" {
			return
		}
		b := newBench(t) // sequential: creating the engine sets variables of the process
		datadriven.RunTest(t, path, b.directive)
	})
}

func (b *bench) directive(t *testing.T, d *datadriven.TestData) string {
	user := "root"
	d.MaybeScanArgs(t, "user", &user)
	r, err := b.try(user, d.Input)
	if user == "analyst" && d.Cmd != "exec" {
		b.sameHandedOver(t, d, r, err)
	}
	if d.Cmd == "error" {
		if err == nil {
			d.Fatalf(t, "%s\nsucceeded:\n%s", d.Input, r.text(d))
		}
		return failure(err) + "\n"
	}
	if err != nil {
		d.Fatalf(t, "%s\n%v", d.Input, err)
	}
	switch d.Cmd {
	case "exec":
		return "ok\n" + r.noted()
	case "query":
		return r.text(d) + r.noted()
	}
	d.Fatalf(t, "unknown directive %q: use exec, query or error", d.Cmd)
	return ""
}

// sameHandedOver fails if a server that has only the published releases answers the analyst differently.
func (b *bench) sameHandedOver(t *testing.T, d *datadriven.TestData, here *result, failed error) {
	t.Helper()
	there, failedThere := b.handedOver().try("analyst", d.Input)
	switch {
	case (failed == nil) != (failedThere == nil), failed != nil && failure(failed) != failure(failedThere):
		t.Errorf("%s\nhere: %v\nhanded over: %v", d.Input, failed, failedThere)
	case failed == nil && here.text(d)+here.noted() != there.text(d)+there.noted():
		t.Errorf("%s\nhere:\n%shanded over:\n%s", d.Input, here.text(d)+here.noted(), there.text(d)+there.noted())
	}
}

// failure prints the kind of an error, from which the server makes a number, or its number.
func failure(err error) string {
	var (
		numbered   *mysql.SQLError
		parameter  *anonymize.ParameterError
		data       *anonymize.DataError
		infeasible *anonymize.InfeasibleError
	)
	kind := "other"
	switch {
	case errors.As(err, &numbered):
		return fmt.Sprintf("%d (%s): %s", numbered.Num, numbered.State, numbered.Message)
	case errors.As(err, &parameter):
		kind = "parameter"
	case errors.As(err, &data):
		kind = "data"
	case errors.As(err, &infeasible):
		kind = "infeasible"
	}
	return kind + ": " + err.Error()
}

var elapsed = regexp.MustCompile(` in [0-9.]+ s\b`)

func (r *result) noted() string {
	var out strings.Builder
	for _, note := range r.notes {
		fmt.Fprintln(&out, "note:", elapsed.ReplaceAllString(note, " in - s"))
	}
	return out.String()
}

func (r *result) text(d *datadriven.TestData) string {
	lines := r.lines()
	if d.HasArg("sort") {
		sort.Strings(lines)
	}
	return strings.Join(append([]string{strings.Join(r.columns, "|")}, lines...), "\n") + "\n"
}

func (r *result) lines() []string {
	lines := make([]string, len(r.rows))
	for i, row := range r.rows {
		texts := make([]string, len(row))
		for at, v := range row {
			if texts[at] = shownText(v); r.columns[at] == "seconds" || r.columns[at] == "bytes" {
				texts[at] = "-"
			}
		}
		lines[i] = strings.Join(texts, "|")
	}
	return lines
}

func shownText(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []byte:
		return string(v)
	case time.Time:
		return v.Format(time.DateTime)
	case types.OkResult:
		return fmt.Sprintf("%d rows", v.RowsAffected)
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(value)
}

// drained reads rows to their end, and returns the error that ended them.
func drained(ctx *sql.Context, rows sql.RowIter) error {
	for {
		if _, err := rows.Next(ctx); err == io.EOF {
			return rows.Close(ctx)
		} else if err != nil {
			return errors.Join(err, rows.Close(ctx))
		}
	}
}
