package impute

import (
	"context"
	"sync"
	"sync/atomic"
)

// parallel calls work for 0 .. n-1 on some cores, in any order, and says which worker,
// below workers, does it. When the context ends it calls no more, and returns the context's error.
func parallel(ctx context.Context, workers, n int, work func(worker, i int)) error {
	var next atomic.Int64
	each := func(worker int) {
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			work(worker, i)
		}
	}
	var wait sync.WaitGroup
	for worker := 1; worker < min(workers, n); worker++ {
		wait.Go(func() { each(worker) })
	}
	each(0)
	wait.Wait()
	return context.Cause(ctx)
}

// A counter tells of finished work, from several goroutines, one at a time.
type counter struct {
	mutex sync.Mutex
	done  int
	said  func(done int)
}

func (c *counter) tell(progress func(phase string, done, total int), phase string, total int) {
	if progress != nil {
		c.said = func(done int) { progress(phase, done, total) }
	}
}

// one counts one unit more.
func (c *counter) one() {
	if c.said == nil {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.done++
	c.said(c.done)
}
