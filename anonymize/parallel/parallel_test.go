package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// TestEveryTaskRunsOnce on any number of cores, and of tasks.
func TestEveryTaskRunsOnce(t *testing.T) {
	for _, cores := range []int{parallel.All, 1, 2, 7} {
		for _, tasks := range []int{0, 1, 2, 1000} {
			ran := make([]int, tasks)
			workers, err := parallel.Collect(t.Context(), cores, tasks, func(int) *int { return new(int) }, func(sum *int, task int) error {
				ran[task]++
				*sum += task
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for task, n := range ran {
				if n != 1 {
					t.Errorf("%d cores, %d tasks: task %d ran %d times", cores, tasks, task, n)
				}
			}
			sum := 0
			for _, part := range workers {
				sum += *part
			}
			if sum != tasks*(tasks-1)/2 {
				t.Errorf("%d cores, %d tasks: the workers' sums are %d", cores, tasks, sum)
			}
			if cores != parallel.All && len(workers) > cores {
				t.Errorf("%d workers on %d cores", len(workers), cores)
			}
		}
	}
}

// TestErrorOfFirstTask: every task from 10 on fails; the error is always that of task 10, and
// tasks that were not begun by then are not run.
func TestErrorOfFirstTask(t *testing.T) {
	for range 200 {
		var ran atomic.Int64
		err := parallel.RunOn(t.Context(), 4, 100_000, func(task int) error {
			ran.Add(1)
			if task >= 10 {
				return fmt.Errorf("task %d", task)
			}
			return nil
		})
		if err == nil || err.Error() != "task 10" {
			t.Fatalf("the error is %v", err)
		}
		if ran.Load() > 14 {
			t.Fatalf("%d tasks ran", ran.Load())
		}
	}
}

// TestEndOfContext: no task begins afterwards, and the error is the cause.
func TestEndOfContext(t *testing.T) {
	reason := errors.New("the owner left")
	ctx, cancel := context.WithCancelCause(t.Context())
	var ran atomic.Int64
	err := parallel.RunOn(ctx, 3, 1000, func(int) error {
		if ran.Add(1) == 20 {
			cancel(reason)
		}
		return ctx.Err()
	})
	if err != reason || ran.Load() > 22 {
		t.Errorf("error %v after %d tasks", err, ran.Load())
	}
	if err := parallel.Run(ctx, 1, func(int) error { t.Error("a task ran"); return nil }); err != reason {
		t.Errorf("the error is %v", err)
	}
}

// TestPanicReachesCaller, with the stack of the task.
func TestPanicReachesCaller(t *testing.T) {
	defer func() {
		text := fmt.Sprint(recover())
		if !strings.HasPrefix(text, "lost") || !strings.Contains(text, "panickingTask") {
			t.Errorf("the caller recovers %q", text)
		}
	}()
	err := parallel.Run(t.Context(), 8, panickingTask)
	t.Errorf("no panic, error %v", err)
}

func panickingTask(task int) error {
	if task == 5 {
		panic("lost")
	}
	return nil
}

// TestNothingIsAllocatedForATask.
func TestNothingIsAllocatedForATask(t *testing.T) {
	allocations := func(tasks int) float64 {
		return testing.AllocsPerRun(20, func() {
			if err := parallel.RunOn(t.Context(), 2, tasks, func(int) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	if few, many := allocations(4), allocations(100_000); many > few+10 {
		t.Errorf("%v allocations for 4 tasks, %v for 100,000", few, many)
	}
}

// TestCounterTellsInOrder, from several goroutines.
func TestCounterTellsInOrder(t *testing.T) {
	var told []int
	c := parallel.NewCounter(100, func(done, total int) {
		if total != 100 {
			t.Errorf("the total is %d", total)
		}
		told = append(told, done)
	})
	if err := parallel.RunOn(t.Context(), 4, 50, func(int) error { c.Add(2); return nil }); err != nil {
		t.Fatal(err)
	}
	for i, done := range told {
		if done != 2*(i+1) {
			t.Fatalf("told %v", told)
		}
	}
	parallel.NewCounter(3, nil).Add(1)
}
