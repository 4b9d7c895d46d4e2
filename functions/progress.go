package functions

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/jobs"
)

// newProgress shows the progress of a statement in anonsql.jobs and in the
// State of SHOW PROCESSLIST. The result may be called from any goroutine.
func newProgress(ctx *sql.Context, job *jobs.Job) func(phase string, done, total int) {
	var (
		mu    sync.Mutex
		shown string
		at    int
	)
	return func(phase string, done, total int) {
		job.Progress(phase, done, total)
		mu.Lock()
		defer mu.Unlock()
		if phase != shown {
			if shown != "" {
				ctx.ProcessList.RemoveTableProgress(ctx.Pid(), shown)
			}
			ctx.ProcessList.AddTableProgress(ctx.Pid(), phase, int64(total))
			shown, at = phase, 0
		}
		ctx.ProcessList.UpdateTableProgress(ctx.Pid(), phase, int64(done-at))
		at = done
	}
}
