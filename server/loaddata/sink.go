package loaddata

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
)

// A sink takes complete rows. close completes the statement; abort undoes it.
type sink interface {
	write(ctx *sql.Context, row sql.Row) (deleted int, err error)
	close(ctx *sql.Context) error
	abort(ctx *sql.Context, cause error)
}

// editor is the sink for any table of the engine. It writes row by row.
type editor struct {
	inserter sql.RowInserter
	replacer sql.RowReplacer // nil without REPLACE
}

func newEditor(ctx *sql.Context, table sql.InsertableTable, replace bool) (*editor, error) {
	e := &editor{}
	if replace {
		r, ok := table.(sql.ReplaceableTable)
		if !ok {
			return nil, plan.ErrReplaceIntoNotSupported.New()
		}
		e.replacer = r.Replacer(ctx)
		e.inserter = e.replacer
	} else {
		e.inserter = table.Inserter(ctx)
	}
	e.inserter.StatementBegin(ctx)
	return e, nil
}

// maxReplaced bounds the rows that one row may replace: one for each unique key, of which MySQL allows 64.
const maxReplaced = 64

func (e *editor) write(ctx *sql.Context, row sql.Row) (int, error) {
	deleted := 0
	for {
		err := e.inserter.Insert(ctx, row)
		if err == nil || e.replacer == nil || deleted >= maxReplaced || !isDuplicate(err) {
			return deleted, err
		}
		existing, ok := existingRow(err)
		if !ok {
			return deleted, err
		}
		if err := e.replacer.Delete(ctx, existing); err != nil {
			return deleted, err
		}
		deleted++
	}
}

func (e *editor) close(ctx *sql.Context) error {
	if err := e.inserter.StatementComplete(ctx); err != nil {
		e.inserter.Close(ctx)
		return err
	}
	return e.inserter.Close(ctx)
}

func (e *editor) abort(ctx *sql.Context, cause error) {
	_ = e.inserter.DiscardChanges(ctx, cause)
	_ = e.inserter.Close(ctx)
}

func isDuplicate(err error) bool {
	return sql.ErrPrimaryKeyViolation.Is(err) || sql.ErrUniqueKeyViolation.Is(err) || sql.ErrDuplicateEntry.Is(err)
}

// existingRow returns the row that already has the key.
func existingRow(err error) (sql.Row, bool) {
	cause, ok := err.(interface{ Cause() error })
	if !ok {
		return nil, false
	}
	u, ok := cause.Cause().(sql.UniqueKeyError)
	return u.Existing, ok && u.Existing != nil
}

// placed adds the position to an error of the table and keeps its number. exact is false for a bulk load, which
// notices an error some rows later.
func placed(err error, where position, exact bool) error {
	e := sql.CastSQLError(err)
	at := "at"
	if !exact {
		at = "at or shortly before"
	}
	return mysql.NewSQLError(e.Num, e.State, "%s, %s %s", e.Message, at, where)
}
