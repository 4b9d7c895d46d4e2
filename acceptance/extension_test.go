package acceptance

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/functions/argument"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

func all(t *testing.T, db *dbsql.DB, query string) string {
	t.Helper()
	var out strings.Builder
	for _, row := range rowsAsText(t, db, query) {
		for _, v := range row {
			fmt.Fprint(&out, v.String, " ")
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

// ask is a function of constant texts.
type ask struct {
	arguments []sql.Expression
	answer    func(*sql.Context, []string) any
}

func (a *ask) String() string             { return "ask" }
func (a *ask) Type() sql.Type             { return types.LongText }
func (a *ask) Resolved() bool             { return true }
func (a *ask) IsNullable() bool           { return true }
func (a *ask) Children() []sql.Expression { return a.arguments }
func (a *ask) WithChildren(c ...sql.Expression) (sql.Expression, error) {
	return &ask{c, a.answer}, nil
}
func (a *ask) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	texts := make([]string, len(a.arguments))
	for i, e := range a.arguments {
		v, err := e.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		texts[i] = fmt.Sprint(v)
	}
	return a.answer(ctx, texts), nil
}

// echo is a table function that returns its arguments, one row each.
type echo struct{ arguments []sql.Expression }

var _ sql.ExecSourceRel = (*echo)(nil)

func (e *echo) Name() string                                          { return "echo_arguments" }
func (e *echo) String() string                                        { return "echo_arguments" }
func (e *echo) Resolved() bool                                        { return true }
func (e *echo) IsReadOnly() bool                                      { return true }
func (e *echo) Database() sql.Database                                { return nil }
func (e *echo) WithDatabase(sql.Database) (sql.Node, error)           { return e, nil }
func (e *echo) Children() []sql.Node                                  { return nil }
func (e *echo) WithChildren(...sql.Node) (sql.Node, error)            { return e, nil }
func (e *echo) Expressions() []sql.Expression                         { return e.arguments }
func (e *echo) WithExpressions(x ...sql.Expression) (sql.Node, error) { return &echo{x}, nil }
func (e *echo) Schema() sql.Schema {
	return sql.Schema{{Name: "kind", Type: types.LongText, Source: "echo_arguments"}, {Name: "value", Type: types.LongText, Source: "echo_arguments"}}
}
func (e *echo) NewInstance(_ *sql.Context, _ sql.Database, arguments []sql.Expression) (sql.Node, error) {
	if len(arguments) == 0 {
		return nil, errors.New("echo_arguments needs an argument")
	}
	return &echo{arguments}, nil
}
func (e *echo) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	var rows []sql.Row
	for _, a := range e.arguments {
		kind := "value"
		switch a.(type) {
		case *argument.Ref:
			kind = "ref"
		case *argument.Named:
			kind = "named"
		}
		v, err := a.Eval(ctx, nil)
		if err != nil {
			return nil, err
		}
		rows = append(rows, sql.NewRow(kind, fmt.Sprint(a, " is ", v)))
	}
	return sql.RowsToRowIter(rows...), nil
}

func TestTableFunctionArguments(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: func(server.Host) (server.Extensions, error) {
		return server.Extensions{TableFunctions: []sql.TableFunction{&echo{}}}, nil
	}})
	db := s.Open(t, servertest.Root)
	want := "ref adult is adult \nref census.adult is census.adult \nref my table is my table \nvalue 0.5 is 0.5 \n" +
		"named k = 3 is 3 \nnamed sens = job is job \nnamed x = 'y' is y \n"
	if got := all(t, db, "SELECT * FROM Echo_Arguments(adult, census.adult, `my table`, 0.5, k = 3, sens = job, x = 'y')"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	rows, err := db.Query("SELECT value FROM echo_arguments(adult, k = ?)", 7)
	if err != nil {
		t.Fatal(err)
	}
	rows.Close()
	_, err = db.Exec("SELECT * FROM echo_arguments()")
	if err == nil || !strings.Contains(err.Error(), "needs an argument") {
		t.Errorf("the error of binding is lost: %v", err)
	}
}

// endless is a procedure that works forever before its first row, and reports when it was stopped.
type endless struct{ running, stopped atomic.Int32 }

func (e *endless) procedure() sql.ExternalStoredProcedureDetails {
	return sql.ExternalStoredProcedureDetails{
		Name:     "work",
		Schema:   sql.Schema{{Name: "n", Type: types.Int64}},
		Function: func(*sql.Context) (sql.RowIter, error) { return e, nil },
	}
}
func (e *endless) Next(ctx *sql.Context) (sql.Row, error) {
	e.running.Add(1)
	<-ctx.Done()
	e.stopped.Add(1)
	return nil, ctx.Err()
}
func (e *endless) Close(*sql.Context) error { return nil }

// A stoppable server has a procedure work() that ends only when it is stopped.
type stoppable struct {
	*endless
	server  *servertest.Server
	root    *dbsql.DB
	account servertest.Account
}

// An account's running statement ends by its own KILL QUERY, when its client leaves, and when the server stops.
// Nobody else sees or ends it.
func TestStoppingStatements(t *testing.T) {
	t.Parallel()
	s := &stoppable{endless: &endless{}}
	extend := func(h server.Host) (server.Extensions, error) {
		x, err := withPublished(h)
		x.Procedures = []sql.ExternalStoredProcedureDetails{s.procedure()}
		return x, err
	}
	s.server = servertest.Start(t, server.Config{Extend: extend, ShutdownGrace: 50 * time.Millisecond})
	s.root, s.account = s.server.Open(t, servertest.Root), analyst(t, s.server)
	servertest.Exec(t, s.root, "GRANT EXECUTE ON published.* TO ana")
	t.Run("KILL QUERY", s.endsByItsOwnKill)
	t.Run("others", s.isNobodyElses)
	t.Run("shutdown", s.endsWithTheServer)
}

// start calls work() and returns once it runs.
func (s *stoppable) start(t *testing.T) (conn *dbsql.Conn, id int, cancel context.CancelFunc, done chan error) {
	t.Helper()
	conn, err := s.server.Open(t, s.account).Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	id, before := one[int](t, conn, "SELECT CONNECTION_ID()"), s.running.Load()
	ctx, cancel := context.WithCancel(context.Background())
	done = make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(ctx, "CALL work()")
		done <- err
	}()
	servertest.Eventually(t, "the statement runs", func() bool { return s.running.Load() > before })
	return conn, id, cancel, done
}

func (s *stoppable) endsByItsOwnKill(t *testing.T) {
	conn, id, cancel, done := s.start(t)
	defer cancel()
	servertest.Exec(t, s.server.Open(t, s.account), fmt.Sprintf("KILL QUERY %d", id)) // without SUPER
	number(t, <-done, 1317)
	if one[int](t, conn, "SELECT 3") != 3 {
		t.Error("the connection did not survive")
	}
}

// isNobodyElses lets bob look and try to kill it, and ends when the client leaves.
func (s *stoppable) isNobodyElses(t *testing.T) {
	_, id, cancel, done := s.start(t)
	defer cancel()
	servertest.Exec(t, s.root, "CREATE USER bob IDENTIFIED BY 'b'", "GRANT SELECT ON published.* TO bob")
	bob := s.server.Open(t, servertest.Account{User: "bob", Password: "b"})
	_, err := bob.Exec(fmt.Sprintf("KILL QUERY %d", id))
	number(t, err, 1095)
	for _, query := range []string{"SHOW PROCESSLIST", "SELECT * FROM information_schema.processlist"} {
		if seen := all(t, bob, query); strings.Contains(seen, "work") || !strings.Contains(seen, "bob") {
			t.Errorf("%s shows bob\n%s", query, seen)
		}
		if seen := all(t, s.root, query); !strings.Contains(seen, "CALL work") {
			t.Errorf("%s shows root\n%s", query, seen)
		}
	}
	before := s.stopped.Load()
	cancel() // the driver closes the connection
	<-done
	servertest.Eventually(t, "the statement of a client that left stops", func() bool { return s.stopped.Load() > before })
}

func (s *stoppable) endsWithTheServer(t *testing.T) {
	_, _, cancel, done := s.start(t)
	defer cancel()
	s.server.Stop(t)
	if err := <-done; err == nil {
		t.Error("the statement succeeded")
	}
}

// brittle panics or fails after some rows.
type brittle struct {
	rows int
	end  func() error
}

func (b *brittle) Next(*sql.Context) (sql.Row, error) {
	if b.rows--; b.rows < 0 {
		return nil, b.end()
	}
	return sql.NewRow(int64(b.rows)), nil
}
func (b *brittle) Close(*sql.Context) error { return nil }

func TestErrorsBetweenRows(t *testing.T) {
	t.Parallel()
	procedure := func(name string, end func() error) sql.ExternalStoredProcedureDetails {
		return sql.ExternalStoredProcedureDetails{Name: name, Schema: sql.Schema{{Name: "n", Type: types.Int64}},
			Function: func(_ *sql.Context, rows int64) (sql.RowIter, error) { return &brittle{int(rows), end}, nil }}
	}
	s := servertest.Start(t, server.Config{Extend: func(server.Host) (server.Extensions, error) {
		return server.Extensions{Procedures: []sql.ExternalStoredProcedureDetails{
			procedure("fails", func() error { return errors.New("no more") }),
			procedure("panics", func() error { panic("between rows") }),
			procedure("ends", func() error { return io.EOF }),
		}}, nil
	}})
	conn := s.Connect(t, servertest.Root)
	for _, call := range []string{"CALL fails(0)", "CALL fails(1000)", "CALL panics(0)", "CALL panics(1000)"} {
		rows, err := conn.QueryContext(context.Background(), call)
		if err == nil {
			rows.Close()
			t.Errorf("%s succeeded", call)
			continue
		}
		number(t, err, 1105)
	}
	for _, n := range []int{0, 1, 127, 128, 129, 4095, 4096, 4097, 20000} {
		rows, err := conn.QueryContext(context.Background(), fmt.Sprintf("CALL ends(%d)", n))
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for rows.Next() {
			got++
		}
		if err := rows.Err(); err != nil || got != n {
			t.Errorf("%d rows, want %d, error %v", got, n, err)
		}
		rows.Close()
	}
	if !strings.Contains(s.Log(), "between rows") {
		t.Error("the panic is not in the log")
	}
}

var half = expression.NewAlias("half", expression.NewLiteral(0.5, types.Float64))

// If a rule makes a column a DOUBLE, the metadata of PREPARE says so.
func TestPrepareShowsTheTypesOfRules(t *testing.T) {
	t.Parallel()
	var seen atomic.Int32
	rule := func(_ *sql.Context, _ *analyzer.Analyzer, n sql.Node, _ *plan.Scope, _ analyzer.RuleSelector, _ *sql.QueryFlags) (sql.Node, transform.TreeIdentity, error) {
		project, ok := n.(*plan.Project)
		if !ok || n.Schema()[0].Name != "make_double" {
			return n, transform.SameTree, nil
		}
		seen.Add(1)
		return plan.NewProject([]sql.Expression{half}, project.Child), transform.NewTree, nil
	}
	s := servertest.Start(t, server.Config{Extend: func(server.Host) (server.Extensions, error) {
		return server.Extensions{Rules: []analyzer.RuleFunc{rule}}, nil
	}})
	db := s.Open(t, servertest.Root)
	statement, err := db.Prepare("SELECT 1 AS make_double")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	if seen.Load() == 0 {
		t.Error("PREPARE did not apply the rule")
	}
	var v float64
	if err := statement.QueryRow().Scan(&v); err != nil || v != 0.5 {
		t.Errorf("got %v, error %v", v, err)
	}
}
