package admission

import (
	"sync"
	"time"
)

const (
	// atOnce events in a row are written one by one, then one more per tallyEvery. The
	// others of that time are summed up. This bounds a day's entries to some 17,000.
	atOnce     = 100
	tallyEvery = 10 * time.Second
)

// An Event is a failed login or a refused statement, or the sum of Count such events. Account and Host of a sum
// are empty if they differ.
type Event struct {
	Account, Host string
	Number        int // MySQL's error number; of a sum, the first one's
	Count         int64
}

// A Tally lets few events be written one by one, and writes the others as sums, so that
// a client without an account cannot fill the disk. Make it with NewTally.
type Tally struct {
	write func(Event)

	mu     sync.Mutex
	free   int // events that may still be written one by one
	filled time.Time
	sum    Event
	timer  *time.Timer // runs while sum is not empty
}

// NewTally makes a Tally. It calls write with sums, from any goroutine and without holding a lock.
func NewTally(write func(Event)) *Tally {
	return &Tally{write: write, free: atOnce, filled: time.Now()}
}

// Note takes an event of Count 1, and reports whether the caller must write it.
func (t *Tally) Note(e Event) (alone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if filled := int(time.Since(t.filled) / tallyEvery); filled > 0 {
		t.free = min(atOnce, t.free+filled)
		t.filled = t.filled.Add(time.Duration(filled) * tallyEvery)
	}
	if t.free > 0 {
		t.free--
		return true
	}
	if t.sum.Count == 0 {
		t.sum = e
		t.timer = time.AfterFunc(tallyEvery, t.Flush)
		return false
	}
	t.sum.Count += e.Count
	if t.sum.Account != e.Account {
		t.sum.Account = ""
	}
	if t.sum.Host != e.Host {
		t.sum.Host = ""
	}
	return false
}

// Flush writes the current sum, if any.
func (t *Tally) Flush() {
	t.mu.Lock()
	sum := t.sum
	t.sum = Event{}
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	if sum.Count > 0 {
		t.write(sum)
	}
}
