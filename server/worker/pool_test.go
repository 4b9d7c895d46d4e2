package worker

import (
	"context"
	"errors"
	"io"
	"net/rpc"
	"testing"
	"time"
)

// pool has workers of this test's binary, which answer no calls.
func pool(t *testing.T, most int64) *Pool[string] {
	t.Helper()
	p := NewPool(func() (*Process, string, error) {
		process, err := Start(rpc.NewServer(), io.Discard)
		return process, "kept", err
	}, func(err error) { t.Error(err) }, most)
	t.Cleanup(p.Close)
	return p
}

func assign(t *testing.T, p *Pool[string], account string) *Member[string] {
	t.Helper()
	m, err := p.Assign(account, func(*Member[string]) {})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// holding has a session hold 256 MiB, and returns how its statement ends.
func holding(t *testing.T, s *Session) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := s.Do(t.Context(), Command{Text: "hold"}, func(Answer) error { return nil })
		ended <- err
	}()
	return ended
}

// TestPoolAssigns: an account keeps its worker while that lives, and the pool starts another one afterwards.
func TestPoolAssigns(t *testing.T) {
	p := pool(t, 0)
	a, b := assign(t, p, "ann"), assign(t, p, "bob")
	if a == b || assign(t, p, "ann") != a {
		t.Error("an account has another account's worker, or a new one")
	}
	a.Kill()
	<-a.Ended()
	if again := assign(t, p, "ann"); again == a || again == b {
		t.Error("a worker that has ended was assigned")
	}
	if n, bytes := p.Usage(); n != 2 || bytes <= 0 {
		t.Errorf("%d workers of %d bytes", n, bytes)
	}
	p.Close()
	<-b.Ended()
	if _, err := p.Assign("eve", func(*Member[string]) {}); err == nil {
		t.Error("a pool that is closed assigns workers")
	}
}

// TestPoolEndsWhoTakesTooMuch: the worker beyond its limit ends, and no other one.
func TestPoolEndsWhoTakesTooMuch(t *testing.T) {
	p := pool(t, 0)
	greedy, other := assign(t, p, "ann"), assign(t, p, "bob")
	greedy.SetLimit(128 << 20)
	other.SetLimit(128 << 20)
	ended := holding(t, open(t, greedy.Process, "ann"))
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("the statement was told %v", err)
	}
	<-greedy.Ended()
	if greedy.Exceeded() != 128<<20 || other.Exceeded() != 0 {
		t.Errorf("ended for %d and %d bytes", greedy.Exceeded(), other.Exceeded())
	}
	if rows, _, err := say(t.Context(), open(t, other.Process, "bob"), "echo a"); err != nil || len(rows) != 1 {
		t.Errorf("another account: %q, %v", rows, err)
	}
}

// TestPoolEndsTheLargest: if all workers together take too much memory, the pool ends the largest one.
func TestPoolEndsTheLargest(t *testing.T) {
	p := pool(t, 200<<20)
	small, large := assign(t, p, "ann"), assign(t, p, "bob")
	if rows, _, err := say(t.Context(), open(t, small.Process, "ann"), "echo a"); err != nil || len(rows) != 1 {
		t.Fatalf("%q, %v", rows, err)
	}
	ended := holding(t, open(t, large.Process, "bob"))
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("the statement was told %v", err)
	}
	<-large.Ended()
	if large.Exceeded() != 200<<20 || small.hasEnded() {
		t.Errorf("the largest ended for %d bytes; the smallest ended: %v", large.Exceeded(), small.hasEnded())
	}
}

// TestPoolEndsTheIdle: a worker without a session ends, one with a session stays however long it is quiet.
func TestPoolEndsTheIdle(t *testing.T) {
	p := pool(t, 0)
	quiet, busy := assign(t, p, "ann"), assign(t, p, "bob")
	session := open(t, busy.Process, "bob")
	p.look(time.Now().Add(idle / 2))
	if quiet.hasEnded() || busy.hasEnded() {
		t.Fatal("a worker ended too early")
	}
	p.look(time.Now().Add(2 * idle))
	<-quiet.Ended()
	if rows, _, err := say(t.Context(), session, "echo a"); err != nil || len(rows) != 1 {
		t.Errorf("%q, %v", rows, err)
	}
	session.Close()
	p.look(time.Now().Add(4 * idle))
	<-busy.Ended()
}

// TestGoneWorkersAreSeen: after ErrGone, the pool gives another worker.
func TestGoneWorkersAreSeen(t *testing.T) {
	p := pool(t, 0)
	for n := range 20 {
		m := assign(t, p, "ann")
		m.Kill()
		var err error
		for !errors.Is(err, ErrGone) {
			if n%2 == 0 {
				err = m.Call(t.Context(), "Nothing.Answers", 1, new(int))
			} else {
				_, err = m.Open(t.Context(), Opening{})
			}
		}
		if again := assign(t, p, "ann"); again == m {
			t.Fatalf("%d: the worker that is gone is given again", n)
		}
	}
}

// TestCallOfAStoppedWorker: a call ends with its context.
func TestCallOfAStoppedWorker(t *testing.T) {
	process := begin(t)
	stop(process)
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := process.Call(ctx, "Nothing.Answers", 1, new(int)); !errors.Is(err, ErrGone) {
		t.Errorf("the call ended with %v", err)
	}
	<-process.Ended()
}
