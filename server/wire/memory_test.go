package wire

import (
	"errors"
	"io"
	"net"
	"testing"

	"github.com/anonsql/anonsql/server/running"
)

// The guard ends the session whose statement has the largest share, among the running ones of this process.
func TestTheBusiestEnds(t *testing.T) {
	c, short := NewConnections(), errors.New("memory is short")
	for id, of := range []struct {
		account   string
		share     uint64
		elsewhere bool
	}{{"small", 10, false}, {"analyst", 1000, true}, {"large", 100, false}} {
		socket, client := net.Pipe()
		t.Cleanup(func() { socket.Close(); client.Close() })
		go func() { _, _ = io.Copy(io.Discard, client) }() // until it is closed
		st := running.New("select", "SELECT 1")
		_, cancel := st.NewContext(t.Context())
		t.Cleanup(func() { cancel(nil) })
		st.Share = of.share
		st.Elsewhere.Store(of.elsewhere)
		c.clients[uint32(id)] = &connection{socket: socket, running: st, account: of.account}
	}
	c.clients[9] = &connection{account: "idle"}
	for _, want := range []string{"large", "small", ""} {
		if got, found := c.endBusiest(short); got != want || found != (want != "") {
			t.Errorf("%q is ended, want %q", got, want)
		}
	}
}
