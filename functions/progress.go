package functions

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/jobs"
)

// stages shows the progress of a statement that is no job only in the State of SHOW PROCESSLIST, which only its account and administrators see.
func stages(ctx *sql.Context) func(phase string, done, total int) { return newProgress(ctx, nil) }

// reading is the progress callback for readers of raw tables.
func reading(progress func(phase string, done, total int)) func(done, total int) {
	return func(done, total int) { progress("read the table", done, total) }
}

// newProgress shows the progress of a statement in anonsql.jobs, unless job is nil, and in
// the State of SHOW PROCESSLIST. The result may be called from any goroutine.
func newProgress(ctx *sql.Context, job *jobs.Job) func(phase string, done, total int) {
	var (
		mu     sync.Mutex
		named  string
		at, of int
	)
	return func(phase string, done, total int) {
		if job != nil {
			job.Progress(phase, done, total)
		}
		mu.Lock()
		defer mu.Unlock()
		if phase != named || total != of { // a phase may learn its total late: the list does not change one
			if named != "" {
				ctx.ProcessList.RemoveTableProgress(ctx.Pid(), named)
			}
			ctx.ProcessList.AddTableProgress(ctx.Pid(), phase, int64(total))
			named, at, of = phase, 0, total
		}
		ctx.ProcessList.UpdateTableProgress(ctx.Pid(), phase, int64(done-at))
		at = done
	}
}
