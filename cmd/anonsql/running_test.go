package main

import (
	"bytes"
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/anonsql/anonsql/cmd/program"
)

// A watched text is written by a command while the test reads it.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed at the next Write; nil if nobody waits
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
	return w.text.Write(p)
}

// look returns the text, and a channel that is closed when there is more.
func (w *watched) look() (text string, more <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.more == nil {
		w.more = make(chan struct{})
	}
	return w.text.String(), w.more
}

func (w *watched) String() string {
	text, _ := w.look()
	return text
}

// A command runs in parallel with the test.
type command struct {
	errs watched // its output and errors
	exit int
	done chan struct{} // closed when exit is known
}

// begin runs a command line until it ends or ctx does; the test waits for it.
func begin(ctx context.Context, t *testing.T, arguments ...string) *command {
	t.Helper()
	ctx, stop := context.WithCancel(ctx)
	c := &command{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.exit = program.Run(ctx, newRoot(), arguments, &c.errs, &c.errs)
	}()
	t.Cleanup(func() {
		stop()
		<-c.done
	})
	return c
}

// code returns the exit code after the end. The test fails if that takes a minute.
func (c *command) code(t *testing.T) int {
	t.Helper()
	select {
	case <-c.done:
	case <-time.After(patience):
		t.Fatalf("it has not ended in %v: %s", patience, c.errs.String())
	}
	return c.exit
}

// patience is how long a test waits for a command: no test passes by it.
const patience = 5 * time.Minute

// await waits until the command has written pattern and returns the match and its groups. The test fails if the
// command ends first, or after a minute.
func (c *command) await(t *testing.T, pattern string) []string {
	t.Helper()
	compiled, late := regexp.MustCompile(pattern), time.After(patience)
	for {
		text, more := c.errs.look()
		if found := compiled.FindStringSubmatch(text); found != nil {
			return found
		}
		select {
		case <-more:
		case <-c.done:
			if compiled.MatchString(c.errs.String()) {
				continue
			}
			t.Fatalf("it ended with %d and has not written %q: %s", c.exit, pattern, c.errs.String())
		case <-late:
			t.Fatalf("it has not written %q in %v: %s", pattern, patience, c.errs.String())
		}
	}
}

// until polls for an effect of the command that it does not announce. The test fails if the command ends first, or
// after a minute.
func (c *command) until(t *testing.T, what string, there func() bool) {
	t.Helper()
	look, late := time.NewTicker(time.Millisecond), time.After(patience)
	defer look.Stop()
	for !there() {
		select {
		case <-look.C:
		case <-c.done:
			if !there() {
				t.Fatalf("it ended with %d without %s: %s", c.exit, what, c.errs.String())
			}
		case <-late:
			t.Fatalf("no %s in %v: %s", what, patience, c.errs.String())
		}
	}
}
