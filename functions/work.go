package functions

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/tree"
)

func rowsOf(work func(*sql.Context) ([]sql.Row, error)) sql.RowIter { return tree.Collect(work, nil) }

// rowOf returns the one row of work, rowsOf its rows.
func rowOf(work func(*sql.Context) (sql.Row, error)) sql.RowIter {
	return rowsOf(func(ctx *sql.Context) ([]sql.Row, error) {
		row, err := work(ctx)
		return []sql.Row{row}, err
	})
}

// errPanicked is the error of a job that panicked.
var errPanicked = errors.New("internal error: the server's log has the details")

// doOwn does work that no statement waits for. It turns a panic into an error, as for a statement: a line, then the stack, for the log.
func (e *Environment) doOwn(ctx *sql.Context, work func(*sql.Context) (sql.Row, error)) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v\n\n%s", errPanicked, cause, debug.Stack())
		}
	}()
	_, err = work(ctx)
	return err
}

// asJob runs work on a raw table as a job in anonsql.jobs, under the name of a user.
func (e *Environment) asJob(ctx *sql.Context, user, kind, database, table string, work func(progress func(phase string, done, total int)) error) error {
	job := e.Jobs.Start(user, kind, database, table)
	err := errPanicked
	defer func() { job.End(err) }()
	progress := newProgress(ctx, job)
	progress("prepare", 0, 1) // until the work names its first phase
	err = work(progress)
	return err
}

// asJobOn is asJob for a release. It is listed with the release's raw table, or if that has none, under the release's name, as an import.
func (e *Environment) asJobOn(ctx *sql.Context, user, kind string, p *catalog.Published, work func(progress func(phase string, done, total int)) error) error {
	database, table := p.Source()
	if table == "" {
		database, table = importSubject, p.Record().Name
	}
	return e.asJob(ctx, user, kind, database, table, work)
}
