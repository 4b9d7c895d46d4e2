// Package parallel runs the tasks of one computation on several cores.
//
// Principles:
//
//  1. Results depend neither on the number of cores nor on which worker ran which task: tasks write
//     to places of their own and draw random numbers from sources of their own, and results of
//     workers are merged by operations whose order does not matter (integers, sets), or by task.
//  2. Tasks begin in order. If several fail, the error is that of the first of them.
//  3. When the context ends, no further task begins, and the error is the context's cause,
//     whatever tasks return. A long task checks the context itself.
//  4. A panic of a task becomes a panic of the caller, who can recover it, so no statement ends the server.
//  5. It allocates per worker, not per task.
//
// It imports the standard library only.
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// All means all available cores.
const All = 0

// Cores returns n, or the number of available cores for All.
func Cores(n int) int {
	if n == All {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// Run runs tasks 0 .. tasks-1 on all cores.
func Run(ctx context.Context, tasks int, run func(task int) error) error {
	return RunOn(ctx, All, tasks, run)
}

// RunOn is Run on a number of cores.
func RunOn(ctx context.Context, cores, tasks int, run func(task int) error) error {
	_, err := Collect(ctx, cores, tasks, func(int) struct{} { return struct{}{} }, func(_ struct{}, task int) error { return run(task) })
	return err
}

// Collect is RunOn for tasks that need scratch space or add to sums: every core makes one
// worker, from its number below cores, for all its tasks. Collect returns the workers.
func Collect[W any](ctx context.Context, cores, tasks int, newWorker func(number int) W, run func(w W, task int) error) ([]W, error) {
	workers := make([]W, min(Cores(cores), tasks))
	q := queue{ctx: ctx, tasks: int64(tasks)}
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() {
			defer q.catch()
			workers[i] = newWorker(i)
			for task, ok := q.take(); ok; task, ok = q.take() {
				if err := run(workers[i], task); err != nil {
					q.fail(task, err)
				}
			}
		})
	}
	wait.Wait()
	return workers, q.end()
}

// A queue distributes tasks until one fails or the context ends.
type queue struct {
	ctx     context.Context
	tasks   int64
	next    atomic.Int64
	stopped atomic.Bool

	lock     sync.Mutex
	failed   int // the task of err
	err      error
	panicked error
}

func (q *queue) take() (task int, ok bool) {
	if q.stopped.Load() || q.ctx.Err() != nil {
		return 0, false
	}
	next := q.next.Add(1)
	return int(next) - 1, next <= q.tasks
}

func (q *queue) fail(task int, err error) {
	q.stopped.Store(true)
	q.lock.Lock()
	defer q.lock.Unlock()
	if q.err == nil || task < q.failed {
		q.failed, q.err = task, err
	}
}

// catch keeps a worker's panic with its stack, which the caller's stack lacks.
func (q *queue) catch() {
	reason := recover()
	if reason == nil {
		return
	}
	q.stopped.Store(true)
	q.lock.Lock()
	defer q.lock.Unlock()
	q.panicked = fmt.Errorf("%v\n\nin a worker:\n%s", reason, debug.Stack())
}

func (q *queue) end() error {
	if q.panicked != nil {
		panic(q.panicked)
	}
	if q.ctx.Err() != nil {
		return context.Cause(q.ctx)
	}
	return q.err
}

// A Counter reports finished work from several goroutines, one report at a time.
type Counter struct {
	total int
	tell  func(done, total int)
	lock  sync.Mutex
	done  int
}

// NewCounter returns a counter up to total; tell may be nil.
func NewCounter(total int, tell func(done, total int)) *Counter {
	return &Counter{total: total, tell: tell}
}

// Add counts n more units.
func (c *Counter) Add(n int) {
	if c.tell == nil {
		return
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.done += n
	c.tell(c.done, c.total)
}
