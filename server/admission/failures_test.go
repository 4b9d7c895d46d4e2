package admission

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A clock is set by the test.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time { return c.now }

func waits(t *testing.T, f *Failures, from, account string) time.Duration {
	t.Helper()
	wait, done, ok := f.Wait(address(from), account, time.Minute)
	if !ok {
		t.Fatalf("%s from %s is refused", account, from)
	}
	done()
	return wait
}

// The delay doubles up to a bound, for the account at the address alone.
func TestDelays(t *testing.T) {
	f := NewFailures(time.Now)
	for i, want := range []int{0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 4000, 4000} {
		if got := waits(t, f, "10.0.0.1", "root"); got != time.Duration(want)*time.Millisecond {
			t.Errorf("after %d failures %v, want %d ms", i, got, want)
		}
		f.Failed(address("10.0.0.1"), "root")
	}
	if got := waits(t, f, "10.0.0.2", "root") + waits(t, f, "10.0.0.1", "ana"); got != 0 {
		t.Errorf("others wait %v", got)
	}
	if wait, done, ok := f.Wait(address("10.0.0.1"), "root", time.Second); wait != time.Second || !ok {
		t.Errorf("it waits %v, at most a second is wanted", wait)
	} else {
		done()
	}
	f.Succeeded(address("10.0.0.1"), "root")
	if got := waits(t, f, "10.0.0.1", "root"); got != 0 || f.Len() != 0 {
		t.Errorf("after a right password it waits %v, and %d are remembered", got, f.Len())
	}
}

// Failures are forgotten after a time.
func TestForgotten(t *testing.T) {
	c := newClock()
	f := NewFailures(c.time)
	for range 20 {
		f.Failed(address("10.0.0.1"), "root")
	}
	c.now = c.now.Add(remembered)
	if got := waits(t, f, "10.0.0.1", "root"); got != longestDelay {
		t.Errorf("it waits %v", got)
	}
	c.now = c.now.Add(1)
	if got := waits(t, f, "10.0.0.1", "root"); got != 0 {
		t.Errorf("it waits %v still", got)
	}
	f.Failed(address("10.0.0.1"), "root")
	if got := waits(t, f, "10.0.0.1", "root"); got != 0 {
		t.Errorf("it waits %v after one failure", got)
	}
}

// Guesses side by side are not more guesses.
func TestMostWaiting(t *testing.T) {
	f := NewFailures(time.Now)
	for range freeFailures {
		f.Failed(address("10.0.0.1"), "root")
	}
	var release []func()
	for range maxWaiting {
		_, done, ok := f.Wait(address("10.0.0.1"), "root", time.Minute)
		if !ok {
			t.Fatal("refused")
		}
		release = append(release, done)
	}
	if _, _, ok := f.Wait(address("10.0.0.1"), "root", time.Minute); ok {
		t.Error("one too many waits")
	}
	waits(t, f, "10.0.0.2", "root")
	release[0]()
	waits(t, f, "10.0.0.1", "root")
}

// The table is bounded, however many names and however long are tried, and they
// do not push out the account that was guessed at.
func TestFailuresAreBounded(t *testing.T) {
	f := NewFailures(time.Now)
	for range 20 {
		f.Failed(address("10.0.0.1"), "root")
	}
	long := strings.Repeat("x", 1000)
	for i := range 3 * maxFailures {
		f.Failed(address("10.0.0.1"), fmt.Sprint(i, long))
	}
	if f.Len() > maxFailures {
		t.Errorf("%d are remembered", f.Len())
	}
	for key := range f.entries {
		if len(key.account) > keptName {
			t.Fatalf("a name of %d bytes is kept", len(key.account))
		}
	}
	if got := waits(t, f, "10.0.0.1", "root"); got != longestDelay {
		t.Errorf("the account waits %v", got)
	}
}

// Few events are written one by one, the others as their number; none is lost.
func TestTally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var written []Event
		write := func(e Event) {
			mu.Lock()
			defer mu.Unlock()
			written = append(written, e)
		}
		tally := NewTally(write)
		note := func(e Event) {
			if tally.Note(e) {
				write(e)
			}
		}
		const flood = 100_000
		for i := range flood {
			note(Event{Account: fmt.Sprint("u", i), Host: "10.0.0.1", Number: 1045, Count: 1})
		}
		time.Sleep(tallyEvery + 1) // of the bubble's clock, as below
		synctest.Wait()
		mu.Lock()
		if len(written) != atOnce+1 || written[atOnce] != (Event{Host: "10.0.0.1", Number: 1045, Count: flood - atOnce}) {
			t.Fatalf("%d entries, the last is %+v", len(written), written[len(written)-1])
		}
		mu.Unlock()
		// A day of it.
		for range 24 * 3600 {
			time.Sleep(time.Second)
			note(Event{Account: "root", Host: "10.0.0.1", Number: 1045, Count: 1})
		}
		tally.Flush()
		tally.Flush()
		mu.Lock()
		defer mu.Unlock()
		var sum int64
		for _, e := range written {
			sum += e.Count
		}
		if sum != flood+24*3600 || len(written) > 17_500 {
			t.Errorf("%d entries for %d events", len(written), sum)
		}
	})
}
