package locks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// sessions are clients of one book.
type sessions struct {
	t    *testing.T
	book *Book
	ctx  context.Context
}

func newSessions(t *testing.T) *sessions { return &sessions{t, NewBook(), t.Context()} }

// call is the value of a function for a session.
func (s *sessions) call(session uint32, function string, arguments ...any) (any, error) {
	s.t.Helper()
	ctx := sql.NewContext(s.ctx, sql.WithSession(sql.NewBaseSessionWithClientServer("", sql.Client{}, session)))
	literals := make([]sql.Expression, len(arguments))
	for i, a := range arguments {
		literals[i] = expression.NewLiteral(a, types.ApproximateTypeFromValue(a))
	}
	for _, f := range s.book.Functions() {
		if f.FunctionName() == function {
			made, err := f.NewInstance(literals)
			if err != nil {
				return nil, err
			}
			return made.Eval(ctx, nil)
		}
	}
	s.t.Fatalf("there is no %s", function)
	return nil, nil
}

// A lock is its owner's, by its name without case, until it is released as often as it was taken; then it is forgotten.
func TestLocks(t *testing.T) {
	s := newSessions(t)
	long := strings.Repeat("é", maxName)
	for i, c := range []struct {
		session   uint32
		function  string
		arguments []any
		want      string
	}{
		{1, "get_lock", []any{"a", 0}, "1"}, {1, "get_lock", []any{"A", 0}, "1"}, {2, "get_lock", []any{"a", 0}, "0"},
		{1, "release_lock", []any{"a"}, "1"}, {2, "is_free_lock", []any{"a"}, "0"}, {2, "is_used_lock", []any{"a"}, "1"},
		{2, "release_lock", []any{"a"}, "0"}, {1, "release_lock", []any{"a"}, "1"}, {1, "release_lock", []any{"a"}, "<nil>"},
		{2, "is_free_lock", []any{"a"}, "1"}, {2, "is_used_lock", []any{"a"}, "<nil>"},
		{2, "get_lock", []any{"a", -1}, "1"}, {2, "get_lock", []any{"a", 0}, "1"}, {2, "get_lock", []any{long, 0}, "1"},
		{1, "release_all_locks", nil, "0"}, {2, "release_all_locks", nil, "3"}, {1, "is_free_lock", []any{long}, "1"},
		{1, "get_lock", []any{nil, 0}, "<nil>"}, {1, "get_lock", []any{"a", nil}, "<nil>"}, {1, "is_free_lock", []any{nil}, "<nil>"},
		{1, "get_lock", []any{7, "0"}, "1"}, {1, "release_all_locks", nil, "1"},
	} {
		if got, err := s.call(c.session, c.function, c.arguments...); fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%d: session %d, %s%v: %v, %v, want %s", i, c.session, c.function, c.arguments, got, err, c.want)
		}
	}
	if len(s.book.locks)+len(s.book.held)+len(s.book.waits) != 0 {
		t.Errorf("locks that are free are kept: %v, %v, %v", s.book.locks, s.book.held, s.book.waits)
	}
	for function, arguments := range map[string][]any{"get_lock": {long + "é", 0}, "release_lock": {""}, "is_free_lock": {strings.Repeat("a", 65)},
		"is_used_lock": {strings.Repeat("a", 60_000_000)}} {
		if _, err := s.call(1, function, arguments...); sqlerror.Number(err) != sqlerror.WrongLockName || len(err.Error()) > 300 {
			t.Errorf("%s of a name of %d bytes: %.300v", function, len(arguments[0].(string)), err)
		}
	}
}

// A session holds a limited number of locks.
func TestLocksOfASessionAreBounded(t *testing.T) {
	s := newSessions(t)
	for n := range maxOfSession {
		if got, err := s.call(1, "get_lock", n, 0); got != int8(1) || err != nil {
			t.Fatalf("lock %d: %v, %v", n, got, err)
		}
	}
	if _, err := s.call(1, "get_lock", "more", 0); sqlerror.Number(err) != sqlerror.TooManyLocks {
		t.Errorf("one more: %v", err)
	}
	for session, name := range map[uint32]any{1: 5, 2: "more"} {
		if got, err := s.call(session, "get_lock", name, 0); got != int8(1) || err != nil {
			t.Errorf("session %d, lock %v: %v, %v", session, name, got, err)
		}
	}
}

// A waiting session gets the lock when it is free, and nothing after a timeout; the end of its statement is an error.
func TestWaitingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		s.ctx = ctx
		began := time.Now()
		if got, err := s.call(1, "get_lock", "a", -1); got != int8(1) || err != nil {
			t.Fatalf("%v, %v", got, err)
		}
		if got, err := s.call(2, "get_lock", "a", 5); got != int8(0) || err != nil || time.Since(began) != 5*time.Second {
			t.Errorf("after 5 s: %v, %v, in %v", got, err, time.Since(began))
		}
		type answer struct {
			got any
			err error
		}
		waits := func(session uint32) <-chan answer {
			answers := make(chan answer, 1)
			go func() {
				got, err := s.call(session, "get_lock", "a", -1)
				answers <- answer{got, err}
			}()
			synctest.Wait()
			return answers
		}
		second := waits(2)
		if times := s.book.ReleaseAll(1); times != 1 { // its session ends
			t.Errorf("%d locks are released", times)
		}
		if a := <-second; a.got != int8(1) || a.err != nil {
			t.Errorf("when it is free: %v, %v", a.got, a.err)
		}
		third, killed := waits(3), errors.New("killed")
		cancel(killed)
		if a := <-third; a.err != killed {
			t.Errorf("when it is killed: %v, %v", a.got, a.err)
		}
	})
}

// The session that would close a circle of waiting sessions gets an error. It waits again when it has released its own lock; without waiting there is no circle.
func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(t)
		for session := range uint32(3) {
			if got, err := s.call(session, "get_lock", fmt.Sprint("of ", session), -1); got != int8(1) || err != nil {
				t.Fatalf("session %d: %v, %v", session, got, err)
			}
		}
		var all sync.WaitGroup
		for session := range uint32(2) { // 0 waits for 1, which waits for 2
			all.Go(func() {
				if got, err := s.call(session, "get_lock", fmt.Sprint("of ", session+1), -1); got != int8(1) || err != nil {
					t.Errorf("session %d waits: %v, %v", session, got, err)
				}
				s.book.ReleaseAll(session)
			})
			synctest.Wait()
		}
		for name, want := range map[string]int{"of 0": sqlerror.LockDeadlock, "of 1": sqlerror.LockDeadlock} {
			if got, err := s.call(2, "get_lock", name, 5); sqlerror.Number(err) != want {
				t.Errorf("session 2 waits for %s: %v, %v", name, got, err)
			}
			if got, err := s.call(2, "get_lock", name, 0); got != int8(0) || err != nil {
				t.Errorf("session 2 asks for %s without waiting: %v, %v", name, got, err)
			}
		}
		if got, err := s.call(3, "get_lock", "of 0", 5); got != int8(0) || err != nil {
			t.Errorf("session 3, for which nobody waits: %v, %v", got, err)
		}
		s.book.ReleaseAll(2)
		if got, err := s.call(2, "get_lock", "of 0", -1); got != int8(1) || err != nil {
			t.Errorf("session 2, which holds nothing: %v, %v", got, err)
		}
		all.Wait()
		s.book.ReleaseAll(2)
		if len(s.book.locks)+len(s.book.held)+len(s.book.waits) != 0 {
			t.Errorf("what is over is kept: %v, %v, %v", s.book.locks, s.book.held, s.book.waits)
		}
	})
}
