package ledger

import "sync/atomic"

// step is how much a Tally takes at once, in bytes.
const step = 64 << 10

// A Tally is what one statement keeps in many small parts: rows, groups, elements of
// an aggregate. It takes from the session in steps, and gives all back at the end.
// Methods may be called from any goroutine, and on nil, which counts nothing.
type Tally struct {
	session     *Session
	used, taken atomic.Int64
}

// Tally begins one.
func (s *Session) Tally() *Tally {
	if s == nil {
		return nil
	}
	return &Tally{session: s}
}

// Take counts bytes that are kept, or returns an *Exceeded.
func (t *Tally) Take(bytes int64) error {
	if t == nil {
		return nil
	}
	used := t.used.Add(bytes)
	taken := t.taken.Load()
	if used <= taken {
		return nil
	}
	more := (used - taken + step - 1) / step * step
	if !t.taken.CompareAndSwap(taken, taken+more) {
		t.used.Add(-bytes)
		return t.Take(bytes)
	}
	if err := t.session.Take(more); err != nil {
		t.taken.Add(-more)
		t.used.Add(-bytes)
		return err
	}
	return nil
}

// Give says that bytes are not kept any more. The statement may keep others in their
// place; the session has them back at the end.
func (t *Tally) Give(bytes int64) {
	if t != nil {
		t.used.Add(-bytes)
	}
}

// End gives everything back. The tally counts nothing after it.
func (t *Tally) End() {
	if t != nil {
		t.session.Give(t.taken.Swap(0))
	}
}
