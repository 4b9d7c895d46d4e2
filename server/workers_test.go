package server

import (
	"context"
	"errors"
	"testing"
)

// A statement that waits while a worker leaves another one's handing over unanswered ends with its own context.
func TestWaitingForAHandingOverEnds(t *testing.T) {
	d := &desk{handing: make(chan struct{}, 1)}
	if err := d.takeTurn(t.Context()); err != nil {
		t.Fatal(err)
	}
	killed := errors.New("killed")
	ctx, kill := context.WithCancelCause(t.Context())
	kill(killed)
	if err := d.takeTurn(ctx); !errors.Is(err, killed) {
		t.Errorf("it waited, and got %v", err)
	}
	d.endTurn()
	if err := d.takeTurn(t.Context()); err != nil {
		t.Error(err)
	}
}
