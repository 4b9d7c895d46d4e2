package sqlerror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"
	kinds "gopkg.in/src-d/go-errors.v1"

	"github.com/anonsql/anonsql/catalog"
)

// A failure is an error of the engine.
type failure struct {
	error
	early bool // before the statement executed: the server sees the text alone
}

// message is the text that the engine's handler leaves of it.
func (f failure) message() string { return sql.CastSQLError(f.error).Message }

// kind is nil for an error without one.
func (f failure) kind() *kinds.Error {
	var kind *kinds.Error
	errors.As(sql.UnwrapError(f.error), &kind)
	return kind
}

// Every provocation has its number, its SQLSTATE and its sentence, by its type where the
// server sees the type, and by its text where it does not.
func TestProvocations(t *testing.T) {
	for _, p := range provocations {
		f := provoke(t, p)
		if f.error == nil {
			t.Errorf("%s: no error, want %d (%s)", p.statements, p.number, p.says)
			continue
		}
		var seen []error
		if !f.early {
			seen = append(seen, f.error, sql.CastSQLError(Numbered(f.error)))
		}
		if f.early || f.kind() == nil {
			seen = append(seen, sql.CastSQLError(f.error))
		}
		for _, err := range seen {
			var told *mysql.SQLError
			if !errors.As(ToClient(err), &told) || told.Num != p.number || told.Message != p.says || told.State != New(p.number, "").State {
				t.Errorf("%s: %T %q is %v to the client, want %d (%s)", p.statements, err, err, told, p.number, p.says)
			}
		}
	}
}

// Every row of the tables has a provocation. Errors that the engine raises before execution are recognised by their
// text, and no others that have a kind.
func TestEveryRowIsProvoked(t *testing.T) {
	byType, byText, texts, worded := map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, p := range provocations {
		f := provoke(t, p)
		if f.error == nil {
			continue // TestProvocations reports it
		}
		for i, k := range kindNumbers {
			if kind := f.kind(); kind == nil || !k.kind.Is(kind) {
				continue
			}
			byType[i] = byType[i] || !f.early
			byText[i] = byText[i] || f.early && earlyTexts[i] != nil && earlyTexts[i].MatchString(f.message())
			if f.early && !k.early {
				t.Errorf("%s: %q is raised before execution, its row does not say so", p.statements, k.kind.Message)
			}
		}
		number := NumberOf(f.error)
		for i, e := range engineTexts {
			texts[i] = texts[i] || number == e.number && strings.Contains(f.message(), e.text)
		}
		for i, w := range wordings {
			worded[i] = worded[i] || (w.of == 0 || w.of == number) && w.engine.MatchString(f.message())
		}
	}
	for i, k := range kindNumbers {
		if k.early && !byText[i] || !k.early && !byType[i] {
			t.Errorf("%d %q, early %v, is not provoked", k.number, k.kind.Message, k.early)
		}
	}
	for i, e := range engineTexts {
		if !texts[i] {
			t.Errorf("%d %q is not provoked", e.number, e.text)
		}
	}
	for i, w := range wordings {
		if !worded[i] {
			t.Errorf("the wording of %s is not provoked", w.engine)
		}
	}
}

// The engine's own numbers are MySQL's, and no kind has one here too.
func TestEnginesNumbers(t *testing.T) {
	for kind, number := range map[*kinds.Kind]int{
		sql.ErrDatabaseExists: 1007, sql.ErrInsertIntoNonNullableProvidedNull: 1048, sql.ErrDatabaseNotFound: 1049, sql.ErrUnknownColumn: 1054,
		sql.ErrPrimaryKeyViolation: 1062, sql.ErrUniqueKeyViolation: 1062, sql.ErrDuplicateEntry: 1062, sql.ErrMultiplePrimaryKeysDefined: 1068,
		sql.ErrKeyColumnDoesNotExist: 1072, sql.ErrWrongAutoKey: 1075, sql.ErrCantDropFieldOrKey: 1091, sql.ErrColumnSpecifiedTwice: 1110,
		sql.ErrNonAggregatedColumnWithoutGroupBy: 1140, sql.ErrTableNotFound: 1146, sql.ErrLockDeadlock: 1213, sql.ErrInvalidOperandColumns: 1241,
		sql.ErrExpectedSingleRow: 1242, sql.ErrInvalidValue: 1366, sql.ErrForeignKeyParentViolation: 1451, sql.ErrForeignKeyChildViolation: 1452,
		sql.ErrPartitionNotFound: 1526, sql.ErrCantDropIndex: 1553, sql.ErrReadOnlyTransaction: 1792, sql.ErrInvalidJSONText: 3141,
	} {
		for _, err := range []error{kind.New(), fmt.Errorf("%w", kind.New()), sql.NewWrappedInsertError(nil, kind.New())} {
			if n := NumberOf(err); n != number {
				t.Errorf("%T %v has number %d, want %d", err, err, n, number)
			}
		}
	}
	for _, k := range kindNumbers {
		if n := sql.CastSQLError(k.kind.New()).Num; n != Unknown {
			t.Errorf("%q has number %d by itself: its row is not needed", k.kind.Message, n)
		}
	}
}

// Our own errors that reach the client as texts. Tests of their packages check that the texts are current.
func TestOwnTexts(t *testing.T) {
	covered := map[textNumber]bool{}
	for _, c := range []struct {
		number int
		says   string
	}{
		{1021, "cannot insert rows: the disk is full; nothing of the statement is stored, what was committed before is: make room and repeat it"},
		{1021, "the transaction was rolled back when one of its writes failed; nothing of it is stored: ROLLBACK and repeat it"},
		{1030, "cannot insert rows: the disk does not do what it is asked for (disk I/O error); nothing of the statement is stored: the system's log says " +
			"what is the matter with the disk; anonsql check --data-dir says whether the catalog is whole"},
		{1036, "cannot insert rows: the catalog's files cannot be written; nothing of the statement is stored: the server needs to write into its data " +
			"directory; mount it for writing and give it to the account that runs the server"},
		{1044, `database name "anonsql" is kept for the server: choose another`},
		{1877, "cannot read rows: the catalog's file is damaged; anonsql check --data-dir says what else is damaged, with the server stopped; " +
			"anonsql restore puts a backup in its place"},
	} {
		for _, t := range ownTexts {
			if t.number == c.number && strings.Contains(c.says, t.text) {
				covered[t] = true
			}
		}
		var told *mysql.SQLError
		if !errors.As(ToClient(sql.CastSQLError(errors.New(c.says))), &told) || told.Num != c.number || told.Message != c.says {
			t.Errorf("%s is %v to the client, want number %d", c.says, told, c.number)
		}
	}
	for _, own := range ownTexts {
		if !covered[own] {
			t.Errorf("%d %q has no case", own.number, own.text)
		}
	}
}

// plain hides everything that the database supports except tables.
type plain struct{ sql.Database }

// executes notes when the engine is done with analysis.
type executes struct {
	next sql.NodeExecBuilder
	*bool
}

func (e executes) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	*e.bool = true
	return e.next.Build(ctx, n, row)
}

// provoke runs the statements in a separate engine; all except the last must succeed.
func provoke(t *testing.T, p provocation) failure {
	t.Helper()
	engine, session := newEngine(t, p.where)
	executing := false
	engine.Analyzer.ExecBuilder = executes{engine.Analyzer.ExecBuilder, &executing}
	statements := strings.Split(p.statements, "; ")
	for i, statement := range statements {
		last := i == len(statements)-1
		parent, end := context.WithCancel(context.Background())
		defer end()
		ctx := sql.NewContext(parent, sql.WithSession(session))
		session.SetClient(sql.Client{User: "root", Address: "localhost"})
		switch {
		case last && p.where == byNobody:
			session.SetClient(sql.Client{User: "nobody", Address: "localhost"})
		case last && p.where == cancelled:
			end()
		}
		executing = false
		if err := run(ctx, engine, statement); err != nil || last {
			if !last {
				t.Errorf("%s: %v", statement, err)
			}
			return failure{err, !executing}
		}
	}
	return failure{}
}

func run(ctx *sql.Context, engine *sqle.Engine, statement string) (err error) {
	if command, ok := ctx.Session.(sql.LifecycleAwareSession); ok {
		if err := command.CommandBegin(); err != nil {
			return err
		}
		defer command.CommandEnd()
	}
	_, rows, _, err := engine.Query(ctx, statement)
	for err == nil {
		_, err = rows.Next(ctx)
	}
	if rows == nil {
		return err
	}
	closed := rows.Close(ctx)
	if err == io.EOF {
		return closed
	}
	return err
}

func newEngine(t *testing.T, where place) (*sqle.Engine, sql.Session) {
	t.Helper()
	if where == inCatalog {
		c, err := catalog.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		engine := sqle.New(analyzer.NewBuilder(c.Provider()).Build(), nil)
		session := c.NewSession(sql.NewBaseSession())
		if err := run(sql.NewContext(context.Background(), sql.WithSession(session)), engine, "CREATE DATABASE d"); err != nil {
			t.Fatal(err)
		}
		session.SetCurrentDatabase("d")
		return engine, session
	}
	provider := memory.NewDBProvider(memory.NewDatabase("d"), plain{memory.NewDatabase("plain")})
	engine := sqle.NewDefault(provider)
	session := memory.NewSession(sql.NewBaseSession(), provider)
	session.SetCurrentDatabase("d")
	accounts := engine.Analyzer.Catalog.MySQLDb
	accounts.SetPersister(&mysql_db.NoopPersister{})
	editor := accounts.Editor()
	accounts.AddSuperUser(editor, "root", "localhost", "")
	editor.Close()
	session.SetClient(sql.Client{User: "root", Address: "localhost"})
	if err := run(sql.NewContext(context.Background(), sql.WithSession(session)), engine, "CREATE USER nobody@localhost"); err != nil {
		t.Fatal(err)
	}
	return engine, session
}
