package answers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/server/answers/own"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/scope"
	"github.com/anonsql/anonsql/server/matching"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/values"
)

// This room's tests query two engines, without a server or a socket: the bare one, and one with the room's rewrites.
// Both have the same tables in memory.

// An asked is an engine with one session.
type asked struct {
	*sqle.Engine
	ctx   context.Context // decides whose rewrites apply (rewritten)
	own   sql.Session
	rooms bool
	at    time.Time // the moment of statements, the zero time for now
}

type rewrittenKey struct{}

// rewritten recognises a context of an engine with the room.
func rewritten(ctx context.Context) bool { return ctx.Value(rewrittenKey{}) != nil }

// setUp sets the engine's state of the process as a server does, but without affecting the bare engine.
var setUp = sync.OnceFunc(func() {
	sql.GlobalParser = roomParser{sql.NewMysqlParser()}
	if err := sql.SystemVariables.AssignValues(map[string]any{"max_allowed_packet": int64(maxPacket)}); err != nil {
		panic(err)
	}
	analyzer.AlwaysBeforeDefault = append(analyzer.AlwaysBeforeDefault, analyzer.Rule{Id: roomRuleID, Apply: roomRule})
})

const maxPacket = 1 << 20 // bytes of a value

const roomRuleID analyzer.RuleId = 10001

func roomRule(ctx *sql.Context, a *analyzer.Analyzer, n sql.Node, _ *plan.Scope,
	_ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
	if !rewritten(ctx) {
		return n, transform.SameTree, nil
	}
	return Bound(ctx, a, n)
}

// roomParser is the engine's, with the rewrites of texts and trees.
type roomParser struct{ *sql.MysqlParser }

var _ sql.Parser = roomParser{}

func (p roomParser) Parse(ctx *sql.Context, query string, multi bool) (sqlparser.Statement, string, string, error) {
	return p.ParseWithOptions(ctx, query, ';', multi, sql.LoadSqlMode(ctx).ParserOptions())
}

func (p roomParser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool,
	options sqlparser.ParserOptions) (sqlparser.Statement, string, string, error) {
	if rewritten(ctx) {
		query = Text(query)
	}
	statement, read, rest, err := p.MysqlParser.ParseWithOptions(ctx, query, delimiter, multi, options)
	if err == nil && rewritten(ctx) {
		err = Tree(ctx, statement, strings.ToLower(read), ownNames)
	}
	return statement, read, rest, err
}

func (p roomParser) ParseOneWithOptions(ctx context.Context, query string, options sqlparser.ParserOptions) (sqlparser.Statement, int, error) {
	if rewritten(ctx) {
		query = Text(query)
	}
	statement, next, err := p.MysqlParser.ParseOneWithOptions(ctx, query, options)
	if err == nil && rewritten(ctx) {
		err = Tree(ctx, statement, strings.ToLower(query), ownNames)
	}
	return statement, next, err
}

// roomProvider has the room's functions, and those that its rewrites write.
type roomProvider struct {
	*memory.DbProvider
	functions map[string]sql.Function
}

func newRoomProvider(databases *memory.DbProvider) *roomProvider {
	p := &roomProvider{databases, map[string]sql.Function{}}
	bounds := matching.Bounds{Most: values.MaxPacket, TooLong: values.TooLong}
	for _, f := range slices.Concat(Functions(), matching.Functions(bounds)) {
		p.functions[strings.ToLower(f.FunctionName())] = f
	}
	for _, f := range function.BuiltIns {
		if name := strings.ToLower(f.FunctionName()); p.functions[name] == nil && name != "char" {
			p.functions[name] = f
		}
	}
	for name, f := range p.functions {
		p.functions[name] = scalar.Written(values.Function(f))
	}
	for _, f := range slices.Concat(argument.Functions(), Markers()) {
		p.functions[strings.ToLower(f.FunctionName())] = f
	}
	return p
}

// Function implements sql.FunctionProvider.
func (p *roomProvider) Function(_ *sql.Context, name string) (sql.Function, bool) {
	f, ok := p.functions[strings.ToLower(name)]
	return f, ok
}

// newAsked is an engine over the tables that the statements make.
func newAsked(t testing.TB, rooms bool, statements ...string) *asked {
	t.Helper()
	setUp()
	database := memory.NewDatabase("d")
	database.EnablePrimaryKeyIndexes()
	databases := memory.NewDBProvider(database)
	databases.WithOption(memory.NativeIndexProvider(true))
	with, err := databases.WithTableFunctions(echo{})
	if err != nil {
		t.Fatal(err)
	}
	databases = with.(*memory.DbProvider)
	a := &asked{ctx: t.Context(), own: memory.NewSession(sql.NewBaseSession(), databases), rooms: rooms}
	if rooms {
		a.ctx = context.WithValue(a.ctx, rewrittenKey{}, true)
		rules := Superseding(analyzer.NewBuilder(newRoomProvider(databases))).AddPreAnalyzeRule(roomRuleID, roomRule).Build()
		a.Engine = sqle.New(rules, nil)
		a.ctx = scope.WithEngine(a.ctx, a.Analyzer)
		Install(a.Analyzer, rowexec.NewOverrideBuilder(roomExecution{}))
	} else {
		a.Engine = sqle.NewDefault(databases)
	}
	a.own.SetCurrentDatabase("d")
	for _, statement := range statements {
		if _, err := a.rows(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return a
}

// roomExecution executes the room's nodes.
type roomExecution struct{}

// Build implements sql.NodeExecBuilder.
func (e roomExecution) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if _, ok := n.(*plan.Values); ok {
		return nil, nil
	}
	rows, _, err := Build(ctx, n, row, rowexec.NewOverrideBuilder(e))
	if own, ok := n.(sql.ExecSourceRel); ok && rows == nil && err == nil {
		return own.RowIter(ctx, row)
	}
	return rows, err
}

// ask is the answer as a text: rows with "; " between them and cells with " | ", or the
// error's sentence. A panic is an error.
func (a *asked) ask(query string) string {
	rows, err := a.rows(query)
	if err != nil {
		return "error: " + err.Error()
	}
	return strings.Join(rows, "; ")
}

// askAll is the answer to the last of several statements with "; " between them.
func (a *asked) askAll(queries string) (last string) {
	for query := range strings.SplitSeq(queries, "; ") {
		last = a.ask(query)
	}
	return last
}

func (a *asked) rows(query string) (texts []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	parent := a.ctx
	if a.rooms {
		statement := running.New("", query)
		var cancel context.CancelCauseFunc
		parent, cancel = statement.NewContext(parent)
		defer cancel(nil)
	}
	ctx := sql.NewContext(parent, sql.WithSession(a.own))
	if !a.at.IsZero() {
		ctx.SetQueryTime(a.at)
	}
	schema, rows, _, err := a.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close(ctx)
	for {
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		if types.IsOkResult(row) {
			texts = append(texts, fmt.Sprint(types.GetOkResult(row).RowsAffected))
			continue
		}
		cells := make([]string, len(row))
		for i, value := range row {
			if cells[i], err = cellText(ctx, schema, i, value); err != nil {
				return nil, err
			}
		}
		texts = append(texts, strings.Join(cells, " | "))
	}
}

// cellText returns the text that a client gets.
func cellText(ctx *sql.Context, schema sql.Schema, i int, value any) (string, error) {
	if i >= len(schema) || value == nil {
		if value == nil {
			return "NULL", nil
		}
		return fmt.Sprint(value), nil
	}
	sent, err := schema[i].Type.SQL(ctx, nil, value)
	return sent.ToString(), err
}

const echoName = "echo"

// ownNames are the tests' names: one of the engine's procedures takes another as a task.
var ownNames = own.Names{TableFunctions: map[string]bool{echoName: true}, Tasks: map[string]string{"memory_variadic_byte_slice": "memory_variadic_add"}}

// echo is a table function with one row: its argument.
type echo struct {
	memory.TableFunc
	db    sql.Database
	given string
}

// NewInstance implements sql.TableFunction.
func (echo) NewInstance(_ *sql.Context, db sql.Database, given []sql.Expression) (sql.Node, error) {
	if len(given) == 0 {
		return nil, sql.ErrInvalidArgumentNumber.New(echoName, 1, 0)
	}
	ref, ok := given[0].(*argument.Ref)
	if !ok {
		return nil, fmt.Errorf("%s is no name", given[0])
	}
	return echo{db: db, given: ref.Name}, nil
}

func (echo) Name() string { return echoName }

func (e echo) String() string { return echoName + "(" + e.given + ")" }

func (e echo) Schema() sql.Schema {
	return sql.Schema{{Name: "given", Source: echoName, DatabaseSource: e.db.Name(), Type: types.LongText}}
}

// RowIter implements sql.ExecSourceRel.
func (e echo) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return sql.RowsToRowIter(sql.Row{e.given}), nil
}

func (e echo) WithChildren(...sql.Node) (sql.Node, error) { return e, nil }

func (e echo) WithExpressions(...sql.Expression) (sql.Node, error) { return e, nil }

func (e echo) Database() sql.Database { return e.db }

func (e echo) WithDatabase(db sql.Database) (sql.Node, error) {
	return echo{db: db, given: e.given}, nil
}
