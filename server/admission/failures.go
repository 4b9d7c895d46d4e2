package admission

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// freeFailures are failed logins after which the next does not wait yet:
	// people mistype.
	freeFailures = 5
	// firstDelay is the wait of the first login that waits; every failure
	// doubles it, up to longestDelay.
	firstDelay   = 100 * time.Millisecond
	longestDelay = 4 * time.Second
	// maxWaiting is how many logins of an account from an address may wait at
	// once. With longestDelay it bounds guessing to 2 passwords a second.
	maxWaiting = 8
	// remembered is the time after the last failure until all are forgotten.
	remembered = 15 * time.Minute
	// maxFailures bounds the table of failures: some 5 MB.
	maxFailures = 20_000
	// looked is how many entries are compared when one must go.
	looked = 16
	// keptName is how much of a name is kept, in bytes. No account has a longer
	// one; clients may send anything.
	keptName = 64
)

// Failures are failed logins, by account and address. Make it with NewFailures.
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

// NewFailures makes an empty table. now is time.Now but in tests.
func NewFailures(now func() time.Time) *Failures {
	return &Failures{now: now, entries: map[failureKey]*failure{}}
}

func keyOf(from netip.Addr, account string) failureKey {
	return failureKey{Origin(from), account[:min(len(account), keptName)]}
}

// Wait says how long a login must wait before its password is looked at, at
// most the given time; done is called once it has waited. ok is false where so
// many wait already that this one is refused; done is nil then.
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

// delayAfter is the wait after so many failures, at least freeFailures.
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
		key.account = string([]byte(key.account)) // not a part of what the client sent
		f.entries[key] = e
	} else if now.Sub(e.last) > remembered {
		e.count = 0
	}
	e.count++
	e.last = now
}

// forgetOne forgets, of some entries, one that is too old, else the one with the
// fewest failures: who floods the table with names does not get another account
// forgotten on which he has failed more often.
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

// Len is the number of accounts and addresses with failures.
func (f *Failures) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.entries)
}
