package admission

import (
	"sync"
	"time"
)

const (
	// atOnce is how many events are written down one by one in a row,
	// and tallyEvery the time after which one more is, and in which the others
	// are summed up. They bound a day's events to some 17,000 entries.
	atOnce     = 100
	tallyEvery = 10 * time.Second
)

// An Event is a failed login, or a statement that was refused, or Count of them: then Account and Host are empty
// where they differ.
type Event struct {
	Account, Host string
	Number        int // MySQL's, of the error; the first one's
	Count         int64
}

// A Tally has few events written down one by one, and writes the others as sums, so that
// whoever can connect cannot fill a disk. Make it with NewTally.
type Tally struct {
	write func(Event)

	mu     sync.Mutex
	free   int // events that may still be written one by one
	filled time.Time
	sum    Event
	timer  *time.Timer // runs while sum is not empty
}

// NewTally makes a tally. write is called with sums, with no lock held, from any goroutine.
func NewTally(write func(Event)) *Tally {
	return &Tally{write: write, free: atOnce, filled: time.Now()}
}

// Note takes an event of Count 1, and tells whether its caller is to write it by itself.
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

// Flush writes the sum of what was not written.
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
