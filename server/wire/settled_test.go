package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anonsql/anonsql/server/running"
)

// busy is a connection that runs a statement, and the statement's context.
func busy(t *testing.T, c *Connections) (*connection, context.Context) {
	t.Helper()
	socket, client := net.Pipe()
	t.Cleanup(func() { socket.Close(); client.Close() })
	go func() { _, _ = io.Copy(io.Discard, client) }() // until it is closed
	st := running.New("call", "CALL anonymize('t')")
	ctx, cancel := st.NewContext(t.Context())
	t.Cleanup(func() { cancel(nil) })
	one := &connection{socket: socket, running: st}
	c.clients[1] = one
	return one, ctx
}

// The guard of the memory and a server that stops end a statement, unless it has settled:
// then it answers within its own time, and the next statement of a routine ends.
func TestSettledStatementsAnswer(t *testing.T) {
	short := errors.New("memory is short")
	for _, c := range []struct {
		name string
		end  func(*Connections, *connection)
		why  error
	}{
		{"the guard of the memory", func(c *Connections, _ *connection) { c.endBusiest(short) }, short},
		{"a server that stops", func(c *Connections, _ *connection) {
			if left := c.Drain(time.Second); left != 1 {
				t.Errorf("%d connections are left, want the one that runs", left)
			}
		}, errShutdown},
	} {
		for _, settled := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				connections := NewConnections()
				one, ctx := busy(t, connections)
				if settled {
					if err := one.running.Settle(ctx); err != nil {
						t.Fatal(err)
					}
				}
				c.end(connections, one)
				if ended := running.Ended(ctx); settled && ended != nil || !settled && ended != c.why {
					t.Errorf("%s, settled %v: ended by %v", c.name, settled, ended)
				}
				if settled {
					time.Sleep(time.Hour) // of the bubble's clock
					if _, err := one.socket.Write([]byte("answer")); err != nil {
						t.Errorf("%s: its answer is not sent: %v", c.name, err)
					}
					one.running.Next()
				}
				if ended := running.Ended(ctx); ended != c.why {
					t.Errorf("%s: the next statement is ended by %v", c.name, ended)
				}
			})
		}
	}
}
