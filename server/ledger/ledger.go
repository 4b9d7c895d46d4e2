// Package ledger counts the memory that each session of a server holds.
//
//  1. Whoever keeps something for a session takes its bytes before, and gives
//     them back after. What would go beyond the session's budget, or beyond its
//     account's, is refused with an *Exceeded.
//  2. A large value that an expression makes is taken until the collector has
//     freed it (Watch): garbage takes memory as live values do. Where there is no
//     room, the collector runs first; so what is refused is really held.
//  3. An account holds at most accountShare times what one of its sessions may
//     hold, however many sessions it has.
//  4. A budget of 0 refuses nothing; what the session holds is counted all the
//     same, for the server must know who holds the most.
//
// Counts are of the large and the many: what a session takes at rest, some ten
// kilobytes, is not counted. Methods may be called from any goroutine, and on a
// nil *Session, which takes everything.
package ledger

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	// accountShare is how many times its session's budget an account may hold.
	accountShare = 3
	// Large is the size of a value from which on Watch counts it, in bytes.
	Large = 64 << 10
	// freeing bounds how long Take waits for what the collector has freed.
	freeing = 50 * time.Millisecond
	// pauses is how many times as long as a collection took the next one waits, so that
	// sessions that make garbage leave time for the others; longestPause bounds it.
	pauses       = 4
	longestPause = time.Second
)

// Exceeded says that a budget has no room.
type Exceeded struct {
	Of                 string // "session" or "account"
	Limit, Held, Asked int64  // bytes
}

// Error implements error.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("Memory capacity of %d bytes for '%s' exceeded: it holds %d bytes, and %d more were asked for; "+
		"ask for fewer rows or shorter values at a time, or have the limit 'memory' of the account raised", e.Limit, e.Of, e.Held, e.Asked)
}

// A Book is all ledgers of a server. The zero Book is empty.
type Book struct {
	mu       sync.Mutex
	accounts map[string]*account
	turn     chan struct{} // of heavy works

	collecting  sync.Mutex
	collections atomic.Int64
	next        time.Time // when the collector may run again; of collecting
}

type account struct {
	held     atomic.Int64
	sessions int // of Book.mu
}

// A Session is what one session holds.
type Session struct {
	book    *Book
	budget  atomic.Int64
	held    atomic.Int64 // written under mu, with account.held
	watched atomic.Int64 // of held: what the collector gives back
	working atomic.Bool  // it has the turn of heavy works

	mu      sync.Mutex
	name    string   // of the account
	account *account // nil before Of, and when all is given back after Close
	closed  bool
}

// Open returns the ledger of a new session.
func (b *Book) Open() *Session { return &Session{book: b} }

// Of says whose session it is, and what it may hold, in bytes; 0 is no limit.
func (s *Session) Of(name string, budget int64) {
	if s == nil {
		return
	}
	s.budget.Store(budget)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.account != nil && s.name == name {
		return
	}
	s.leave()
	s.name, s.account = name, s.book.join(name)
	s.account.held.Add(s.held.Load())
}

func (b *Book) join(name string) *account {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.accounts == nil {
		b.accounts = map[string]*account{}
	}
	a := b.accounts[name]
	if a == nil {
		a = &account{}
		b.accounts[name] = a
	}
	a.sessions++
	return a
}

// Close says that the session has ended. What is not collected yet stays the
// account's until it is.
func (s *Session) Close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.add(s.watched.Load() - s.held.Load())
}

// add changes what is held. mu is held.
func (s *Session) add(bytes int64) {
	held := s.held.Add(bytes)
	if s.account != nil {
		s.account.held.Add(bytes)
	}
	if s.closed && held <= 0 {
		s.leave()
	}
}

// leave must be called with mu held.
func (s *Session) leave() {
	a := s.account
	if a == nil {
		return
	}
	s.account = nil
	b := s.book
	b.mu.Lock()
	defer b.mu.Unlock()
	a.held.Add(-s.held.Load())
	if a.sessions--; a.sessions == 0 {
		delete(b.accounts, s.name)
	}
}

// Held is what the session holds, in bytes.
func (s *Session) Held() int64 {
	if s == nil {
		return 0
	}
	return s.held.Load()
}

// Limited tells whether the session has a budget.
func (s *Session) Limited() bool { return s != nil && s.budget.Load() > 0 }

// Budget is what the session may hold, in bytes, 0 for no limit.
func (s *Session) Budget() int64 {
	if s == nil {
		return 0
	}
	return s.budget.Load()
}

// Take counts bytes that the session is about to hold, or returns an *Exceeded
// and counts nothing.
func (s *Session) Take(bytes int64) error {
	if s == nil || bytes <= 0 {
		return nil
	}
	if s.take(bytes) == nil {
		return nil
	}
	if budget := s.budget.Load(); bytes > budget {
		return &Exceeded{"session", budget, s.held.Load(), bytes} // which no collection helps
	}
	s.book.collect()
	for deadline := time.Now().Add(freeing); ; time.Sleep(time.Millisecond) {
		err := s.take(bytes)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func (s *Session) take(bytes int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	budget, held := s.budget.Load(), s.held.Load()
	if budget > 0 && held+bytes > budget {
		return &Exceeded{"session", budget, held, bytes}
	}
	if a := s.account; a != nil && budget > 0 {
		if all := a.held.Load(); all+bytes > budget*accountShare {
			return &Exceeded{"account", budget * accountShare, all, bytes}
		}
	}
	s.add(bytes)
	return nil
}

// TryTake is Take that asks for no collection.
func (s *Session) TryTake(bytes int64) bool { return s == nil || bytes <= 0 || s.take(bytes) == nil }

// Give gives back what was taken, in bytes.
func (s *Session) Give(bytes int64) {
	if s == nil || bytes == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // which gave back all but what is watched
		return
	}
	s.add(-bytes)
}

// WatchText takes a text that was made, until it is collected, if it is large.
func (s *Session) WatchText(text string) error {
	if len(text) < Large {
		return nil
	}
	return s.Watch(unsafe.StringData(text), int64(len(text)))
}

// WatchBytes is WatchText for bytes.
func (s *Session) WatchBytes(b []byte) error {
	if cap(b) < Large || len(b) == 0 {
		return nil
	}
	return s.Watch(unsafe.SliceData(b), int64(cap(b)))
}

// Watch takes bytes until the object that holds at is collected. at must be in the
// heap.
func (s *Session) Watch(at *byte, bytes int64) error {
	if s == nil {
		return nil
	}
	if err := s.Take(bytes); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed { // since then: what was taken is given back
		s.mu.Unlock()
		return nil
	}
	s.watched.Add(bytes)
	s.mu.Unlock()
	runtime.AddCleanup(at, watch.freed, watch{s, bytes})
	return nil
}

type watch struct {
	session *Session
	bytes   int64
}

func (w watch) freed() {
	s := w.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched.Add(-w.bytes)
	s.add(-w.bytes)
}

// collect runs the collector once for all who ask at a time. Who has waited while
// another began a collection need not begin one more.
func (b *Book) collect() {
	before := b.collections.Load()
	b.collecting.Lock()
	defer b.collecting.Unlock()
	if b.collections.Load() >= before+2 {
		return
	}
	time.Sleep(min(time.Until(b.next), longestPause))
	began := time.Now()
	runtime.GC()
	b.collections.Add(1)
	b.next = time.Now().Add(pauses * time.Since(began))
}
