package bucketization

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel runs task 0 .. tasks-1 on all cores and returns an error of a task that
// failed. Tasks write to places of their own and draw no random numbers, so
// that a release does not depend on the number of cores.
func Parallel(tasks int, run func(task int) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var workers sync.WaitGroup
	for range min(tasks, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for failed.Load() == nil {
				task := int(next.Add(1)) - 1
				if task >= tasks {
					return
				}
				if err := run(task); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	workers.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}
