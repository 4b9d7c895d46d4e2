package experiments

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// A clock records when the phases of a method begin.
type clock struct {
	mutex sync.Mutex
	began map[string]time.Time
}

func (c *clock) hear(phase string, _, _ int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, known := c.began[phase]; !known {
		c.began[phase] = time.Now()
	}
}

// The phases at which the methods begin their divisions. A table division ends where the group division begins, and a
// group division where the phase "fragments" begins.
var tableDivision = map[string]string{"slppa": "table division", "slicing": "column groups"}
var groupDivision = map[string]string{"slppa": "group division", "slicing": "buckets", "asn": "groups"}

// laps are the milliseconds of the two divisions; tables is 0 for ASN.
type laps struct{ tables, groups float64 }

// timed runs a method once, after a garbage collection, so that its time does not include another method's garbage.
func timed(ctx context.Context, a arm, in *anonymize.Input) (*anonymize.Release, laps, error) {
	runtime.GC()
	c := clock{began: make(map[string]time.Time)}
	in.Progress = c.hear
	r, err := a.method.Run(ctx, in, a.arguments)
	if err != nil {
		return nil, laps{}, err
	}
	middle, end := c.began[groupDivision[a.method.Name]], c.began["fragments"]
	l := laps{groups: milliseconds(end.Sub(middle))}
	if phase := tableDivision[a.method.Name]; phase != "" {
		l.tables = milliseconds(middle.Sub(c.began[phase]))
	}
	return r, l, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
