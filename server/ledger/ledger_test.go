package ledger

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// What is taken is given back, and no more than the budget is held.
func TestSession(t *testing.T) {
	book := &Book{}
	s := book.Open()
	s.Of("bi", 1000)
	if err := s.Take(600); err != nil {
		t.Fatal(err)
	}
	var over *Exceeded
	if err := s.Take(500); !errors.As(err, &over) || over.Of != "session" || over.Limit != 1000 || over.Held != 600 || over.Asked != 500 {
		t.Errorf("beyond the budget: %v", err)
	}
	if s.Held() != 600 {
		t.Errorf("%d bytes held, want 600", s.Held())
	}
	s.Give(600)
	if err := s.Take(1000); err != nil || s.Held() != 1000 {
		t.Errorf("%d bytes, %v", s.Held(), err)
	}
}

// An account's sessions hold three times what one may, and another account's are
// not in their way.
func TestAccount(t *testing.T) {
	book := &Book{}
	full := func(name string) error {
		s := book.Open()
		s.Of(name, 1000)
		return s.Take(1000)
	}
	for range accountShare {
		if err := full("bi"); err != nil {
			t.Fatal(err)
		}
	}
	var over *Exceeded
	if err := full("bi"); !errors.As(err, &over) || over.Of != "account" || over.Limit != 1000*accountShare {
		t.Errorf("one session more: %v", err)
	}
	if err := full("other"); err != nil {
		t.Errorf("another account: %v", err)
	}
}

// A session that ends leaves room, and what it is told late does no harm.
func TestClose(t *testing.T) {
	book := &Book{}
	for range 100 {
		s := book.Open()
		s.Of("bi", 1000)
		if err := s.Take(1000); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	if len(book.accounts) != 0 {
		t.Errorf("%d accounts are left", len(book.accounts))
	}
}

// Without a budget nothing is refused, and all is counted.
func TestNoBudget(t *testing.T) {
	book := &Book{}
	s := book.Open()
	s.Of("root", 0)
	if err := s.Take(1 << 50); err != nil || s.Held() != 1<<50 || s.Limited() {
		t.Errorf("%d bytes, %v", s.Held(), err)
	}
	var none *Session
	if err := none.Take(1 << 50); err != nil || none.Held() != 0 {
		t.Errorf("nil: %v", err)
	}
}

// Garbage makes room: a thousand values, of which one lives at a time, pass through
// a budget for ten; twenty that live do not.
func TestWatch(t *testing.T) {
	const size = 1 << 20
	book := &Book{}
	s := book.Open()
	s.Of("bi", 10*size)
	for i := range 1000 {
		if err := s.WatchText(strings.Repeat("x", size)); err != nil {
			t.Fatalf("value %d: %v", i, err)
		}
	}
	var kept []string
	var err error
	for range 20 {
		text := strings.Repeat("x", size)
		if err = s.WatchText(text); err != nil {
			break
		}
		kept = append(kept, text)
	}
	if err == nil || len(kept) < 8 {
		t.Errorf("%d values are held, %v", len(kept), err)
	}
	part := kept[0][size/2:] // keeps the whole
	kept = nil
	if err := s.Take(8 * size); err != nil {
		t.Errorf("after the values are gone: %v", err)
	}
	runtime.KeepAlive(part)
}

// Sessions take and give at once; at the end nobody holds anything.
func TestConcurrently(t *testing.T) {
	book := &Book{}
	sessions := make([]*Session, 8)
	var all sync.WaitGroup
	for i := range sessions {
		s := book.Open()
		s.Of("bi", 100)
		sessions[i] = s
		all.Go(func() {
			for range 10_000 {
				if s.TryTake(60) {
					s.Give(60)
				}
			}
		})
	}
	all.Wait()
	for _, s := range sessions {
		if s.Held() != 0 {
			t.Errorf("%d bytes are left", s.Held())
		}
	}
	if held := book.accounts["bi"].held.Load(); held != 0 {
		t.Errorf("the account is left with %d bytes", held)
	}
}

// A tally takes in steps, keeps the highest mark, and gives all back.
func TestTally(t *testing.T) {
	book := &Book{}
	s := book.Open()
	s.Of("bi", 10*step)
	tally := s.Tally()
	for range 1000 {
		if err := tally.Take(100); err != nil {
			t.Fatal(err)
		}
	}
	if s.Held() != 2*step {
		t.Errorf("%d bytes are held for 100,000, want %d", s.Held(), 2*step)
	}
	tally.Give(100_000)
	if err := tally.Take(10 * step); err != nil {
		t.Error(err)
	}
	if err := tally.Take(1); err == nil {
		t.Error("beyond the budget")
	}
	tally.End()
	if s.Held() != 0 {
		t.Errorf("%d bytes are left", s.Held())
	}
}

// One session works on much at a time, small works do not wait, and who is ended does
// not either.
func TestWork(t *testing.T) {
	book := &Book{}
	a, b := book.Open(), book.Open()
	a.Of("bi", 1000)
	b.Of("bi", 1000)
	done, err := a.Work(t.Context(), Heavy)
	if err != nil {
		t.Fatal(err)
	}
	if small, err := b.Work(t.Context(), Heavy-1); err != nil {
		t.Error(err)
	} else {
		small()
	}
	ended, cancel := context.WithCancelCause(t.Context())
	why := errors.New("killed")
	cancel(why)
	if _, err := b.Work(ended, Heavy); err != why {
		t.Errorf("an ended statement: %v", err)
	}
	done()
	if done, err = b.Work(t.Context(), Heavy); err != nil {
		t.Error(err)
	}
	done()
}
