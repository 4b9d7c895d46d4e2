package functions

import (
	"errors"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
)

// working are the rows of a procedure. Its work is done, once, when the first row is
// read: KILL, a timeout and a client that leaves stop it then.
type working struct {
	work func(*sql.Context) ([]sql.Row, error) // nil when it is done
	rows []sql.Row
}

// rowsOf returns the rows of work.
func rowsOf(work func(*sql.Context) ([]sql.Row, error)) sql.RowIter { return &working{work: work} }

// rowOf returns the one row of work.
func rowOf(work func(*sql.Context) (sql.Row, error)) sql.RowIter {
	return rowsOf(func(ctx *sql.Context) ([]sql.Row, error) {
		row, err := work(ctx)
		return []sql.Row{row}, err
	})
}

// Next implements sql.RowIter.
func (w *working) Next(ctx *sql.Context) (sql.Row, error) {
	if work := w.work; work != nil {
		w.work = nil
		rows, err := work(ctx)
		if err != nil {
			return nil, err
		}
		w.rows = rows
	}
	if len(w.rows) == 0 {
		return nil, io.EOF
	}
	row := w.rows[0]
	w.rows = w.rows[1:]
	return row, nil
}

// Close implements sql.RowIter.
func (w *working) Close(*sql.Context) error { return nil }

// errPanicked is how a job ended that did not return.
var errPanicked = errors.New("internal error: the server's log has the details")

// asJob does work on a raw table, shown in anonsql.jobs under the name of a user.
func (e *Environment) asJob(ctx *sql.Context, user, kind, database, table string, work func(progress func(phase string, done, total int)) error) error {
	job := e.Jobs.Start(user, kind, database, table)
	err := errPanicked
	defer func() { job.End(err) }()
	progress := newProgress(ctx, job)
	progress("prepare", 0, 1) // until the work names its first phase
	err = work(progress)
	return err
}

// asJobOn is asJob on a release. It is shown beside its raw table, or where it has none under its own name, as an import.
func (e *Environment) asJobOn(ctx *sql.Context, user, kind string, p *catalog.Published, work func(progress func(phase string, done, total int)) error) error {
	database, table := p.Source()
	if table == "" {
		database, table = importSubject, p.Record().Name
	}
	return e.asJob(ctx, user, kind, database, table, work)
}
