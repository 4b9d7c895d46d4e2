package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server/admission"
)

// A fullListener fails as often as it has errors.
type fullListener struct {
	net.Listener
	errors []error
}

func (l *fullListener) Accept() (net.Conn, error) {
	if len(l.errors) > 0 {
		err := l.errors[0]
		l.errors = l.errors[1:]
		return nil, err
	}
	client, server := net.Pipe()
	client.Close()
	return server, nil
}

// A process without free file descriptors continues to serve: unauthenticated connections give way. Another error
// ends the listener.
func TestListenerOutOfRoom(t *testing.T) {
	t.Parallel()
	door := admission.NewDoor(func() admission.Limits {
		return admission.Limits{LoggedIn: 1, Arriving: 100, ArrivingOfAddress: 100, Patience: time.Hour}
	})
	out := 0
	for range 50 {
		door.Arrive(netip.MustParseAddr("10.0.0.1"), func(admission.Reason) { out++ })
	}
	full := &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	l := &doorListener{Listener: &fullListener{errors: []error{full, full}}, door: door, metrics: newMetrics(), logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	l.opened()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if out != 2*roomMade {
		t.Errorf("%d were turned out", out)
	}
	closed := &doorListener{Listener: &fullListener{errors: []error{net.ErrClosed}}, door: door, metrics: newMetrics()}
	closed.opened()
	if _, err := closed.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener: %v", err)
	}
}
