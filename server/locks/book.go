package locks

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// maxOfSession is the number of locks that a session may hold.
const maxOfSession = 1000

// A Book has the held locks of one server.
type Book struct {
	mu    sync.Mutex
	locks map[string]*lock
	held  map[uint32]int    // number of locks, by session
	waits map[uint32]string // the lock that a session waits for
}

type lock struct {
	owner uint32
	times int           // how many times the owner has taken it
	freed chan struct{} // closed when the lock is free
}

// NewBook returns a book without locks.
func NewBook() *Book {
	return &Book{locks: map[string]*lock{}, held: map[uint32]int{}, waits: map[uint32]string{}}
}

// get waits for a lock for some seconds, without limit if they are negative. got is false after a timeout.
func (b *Book) get(ctx context.Context, name string, session uint32, seconds int64) (got bool, err error) {
	var over <-chan time.Time
	if seconds >= 0 {
		timer := time.NewTimer(time.Duration(min(seconds, math.MaxInt32)) * time.Second)
		defer timer.Stop()
		over = timer.C
	}
	defer b.leave(session)
	for {
		freed, err := b.take(name, session, seconds != 0)
		if freed == nil || err != nil {
			return err == nil, err
		}
		select {
		case <-freed:
		case <-over:
			return false, nil
		case <-ctx.Done():
			return false, running.Ended(ctx)
		}
	}
}

// take takes a lock and returns nil, or returns a channel that is closed when another session's lock is free. It fails if the session waits and
// the owner already waits for the session.
func (b *Book) take(name string, session uint32, waits bool) (freed <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waits, session) // who takes a lock waits for none, so that only a waiting session can close a circle
	l := b.locks[name]
	switch {
	case l == nil && b.held[session] >= maxOfSession:
		return nil, sqlerror.New(sqlerror.TooManyLocks, fmt.Sprintf(
			"The total number of locks exceeds the lock table size: a session holds at most %d named locks; release those that are not needed (RELEASE_LOCK)", maxOfSession))
	case l == nil:
		b.locks[name] = &lock{owner: session, times: 1, freed: make(chan struct{})}
		b.held[session]++
	case l.owner == session:
		l.times++
	case waits && b.waitsFor(l.owner, session):
		return nil, sqlerror.New(sqlerror.LockDeadlock,
			"Deadlock found when trying to get user-level lock; try rolling back transaction/releasing locks and restarting lock acquisition.")
	case waits:
		b.waits[session] = name
		return l.freed, nil
	default:
		return l.freed, nil
	}
	return nil, nil
}

// waitsFor reports whether a session waits for a lock of another one, or for a session that does. It must be called with mu held.
func (b *Book) waitsFor(session, other uint32) bool {
	for session != other {
		l := b.locks[b.waits[session]] // no lock has an empty name
		if l == nil {
			return false
		}
		session = l.owner
	}
	return true
}

func (b *Book) leave(session uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waits, session)
}

// ownerOf returns the session that holds a lock; found is false if the lock is free.
func (b *Book) ownerOf(name string) (session uint32, found bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.locks[name]; l != nil {
		return l.owner, true
	}
	return 0, false
}

// Holds reports whether a session holds a lock.
func (b *Book) Holds(session uint32) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held[session] > 0
}

// release gives back what its owner has taken once.
func (b *Book) release(name string, session uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.locks[name]
	if l == nil || l.owner != session {
		return
	}
	if l.times--; l.times == 0 {
		b.free(name, l)
	}
}

// ReleaseAll frees the locks of a session, and returns how many times it had taken them.
func (b *Book) ReleaseAll(session uint32) (times int32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[session] == 0 {
		return 0
	}
	for name, l := range b.locks {
		if l.owner == session {
			times += int32(l.times)
			b.free(name, l)
		}
	}
	return times
}

// free must be called with mu held.
func (b *Book) free(name string, l *lock) {
	delete(b.locks, name)
	close(l.freed)
	if b.held[l.owner]--; b.held[l.owner] == 0 {
		delete(b.held, l.owner)
	}
}
