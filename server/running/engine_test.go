package running

import (
	"errors"
	"io"
	"strings"
	"testing"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/anonsql/anonsql/server/ledger"
)

// An asked is the engine over tables in memory, whose nodes the room's Builder is asked
// for, without a server or a socket.
type asked struct {
	*sqle.Engine
	databases *memory.DbProvider
	built     *[]sql.RowIter // what the room has built
}

// executing asks the room for every node.
type executing struct {
	keeps Builder
	built *[]sql.RowIter
}

// Build implements sql.NodeExecBuilder.
func (e executing) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	rows, ok, err := e.keeps.Build(ctx, n, row, func(b Builder) sql.NodeExecBuilder {
		return rowexec.NewOverrideBuilder(executing{b, e.built})
	})
	if ok && err == nil {
		*e.built = append(*e.built, rows)
	}
	return rows, err
}

// newAsked has the table t of 100 rows: n from 0 to 99, k = n % 10 and a text.
func newAsked(t *testing.T) *asked {
	t.Helper()
	database := memory.NewDatabase("d")
	databases := memory.NewDBProvider(database)
	a := &asked{sqle.NewDefault(databases), databases, new([]sql.RowIter)}
	a.Analyzer.ExecBuilder = rowexec.NewOverrideBuilder(executing{built: a.built})
	rows := make([]string, 100)
	for i := range rows {
		rows[i] = "(" + decimal(i) + ", " + decimal(i%10) + ", 'some text')"
	}
	for _, statement := range []string{"CREATE TABLE t (n INT, k INT, s VARCHAR(100))", "INSERT INTO t VALUES " + strings.Join(rows, ", ")} {
		if _, err := a.run(t, New("create", statement), nil); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return a
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + decimal(n%10)
}

// run runs the statement's text, and calls each with every row.
func (a *asked) run(t *testing.T, st *Statement, each func(sql.Row)) (rows int, err error) {
	t.Helper()
	*a.built = nil
	parent, cancel := st.With(t.Context())
	defer cancel(nil)
	session := memory.NewSession(sql.NewBaseSession(), a.databases)
	session.SetCurrentDatabase("d")
	ctx := sql.NewContext(parent, sql.WithSession(session))
	if st.Held != nil {
		ctx.Memory = sql.NewMemoryManager(st.Held)
	}
	_, iterator, _, err := a.Query(ctx, st.Text)
	if err != nil {
		return 0, err
	}
	for {
		row, err := iterator.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, iterator.Close(ctx)
		}
		if err != nil {
			return rows, errors.Join(err, iterator.Close(ctx))
		}
		if rows++; each != nil {
			each(row)
		}
	}
}

// keeping is a statement that may keep so many rows and bytes, in a session of so many
// bytes; 0 is no bound.
func keeping(text string, rows, bytes, session int64) *Statement {
	st := New("select", text)
	st.Ledger = new(ledger.Book).Open()
	st.Ledger.Of("ana", session)
	st.Tally = st.Ledger.Tally()
	st.KeepsAtMost(rows, bytes, false)
	return st
}
