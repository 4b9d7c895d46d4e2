package admission

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// freeFailures is the number of failures before logins must wait: people mistype.
	freeFailures = 5
	// firstDelay is the first wait. Every failure doubles it, up to longestDelay.
	firstDelay   = 100 * time.Millisecond
	longestDelay = 4 * time.Second
	// maxWaiting bounds the logins of an account from an address that wait at once.
	// With longestDelay it limits guessing to 2 passwords a second.
	maxWaiting = 8
	// remembered is how long failures count after the last one.
	remembered = 15 * time.Minute
	// maxFailures bounds the table of failures: some 5 MB.
	maxFailures = 20_000
	// looked is the number of entries compared when one must be evicted.
	looked = 16
	// keptName bounds the stored names, in bytes. Clients may send anything; no
	// account's name is longer.
	keptName = 64
)

// Failures counts failed logins by account and address. Make it with NewFailures.
type Failures struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[failureKey]*failure
}

type failureKey struct {
	origin  netip.Prefix
	account string
}

type failure struct {
	count   int
	last    time.Time
	waiting int
}

// NewFailures makes an empty table. now is time.Now except in tests.
func NewFailures(now func() time.Time) *Failures {
	return &Failures{now: now, entries: map[failureKey]*failure{}}
}

func keyOf(from netip.Addr, account string) failureKey {
	return failureKey{Origin(from), account[:min(len(account), keptName)]}
}

// Wait returns how long a login must wait before its password is checked, at most the
// given time. The caller calls done after the wait. If too many logins wait already, ok
// is false and done is nil: refuse the login.
func (f *Failures) Wait(from netip.Addr, account string, atMost time.Duration) (wait time.Duration, done func(), ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.entries[keyOf(from, account)]
	if e == nil || e.count < freeFailures || f.now().Sub(e.last) > remembered {
		return 0, func() {}, true
	}
	if e.waiting == maxWaiting {
		return 0, nil, false
	}
	e.waiting++
	return min(delayAfter(e.count), atMost), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		e.waiting--
	}, true
}

// delayAfter returns the wait after a number of failures, at least freeFailures.
func delayAfter(failures int) time.Duration {
	doubled := min(failures-freeFailures, 30) // no overflow
	return min(firstDelay<<doubled, longestDelay)
}

// Failed notes a failed login.
func (f *Failures) Failed(from netip.Addr, account string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := keyOf(from, account)
	now := f.now()
	e := f.entries[key]
	if e == nil {
		if len(f.entries) >= maxFailures {
			f.forgetOne(now)
		}
		e = &failure{}
		key.account = string([]byte(key.account)) // a copy, so that the client's packet can be freed
		f.entries[key] = e
	} else if now.Sub(e.last) > remembered {
		e.count = 0
	}
	e.count++
	e.last = now
}

// forgetOne evicts an expired entry among some, else the one with the fewest failures.
// So a flood of names does not evict an account that was attacked more often.
func (f *Failures) forgetOne(now time.Time) {
	var worst failureKey
	var least *failure
	seen := 0
	for key, e := range f.entries { // begins anywhere
		switch {
		case now.Sub(e.last) > remembered:
			delete(f.entries, key)
			return
		case e.waiting > 0:
		case least == nil || e.count < least.count || e.count == least.count && e.last.Before(least.last):
			worst, least = key, e
		}
		if seen++; seen >= looked && least != nil {
			break
		}
	}
	delete(f.entries, worst)
}

// Succeeded forgets the failures of an account from an address.
func (f *Failures) Succeeded(from netip.Addr, account string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.entries, keyOf(from, account))
}

// Len returns the number of pairs of account and address with failures.
func (f *Failures) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.entries)
}
