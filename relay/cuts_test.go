package relay

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/testsize"
)

// A cutting connection reads and writes in pieces of random sizes, from one byte on: TCP may split anywhere.
type cutting struct {
	net.Conn
	reads, writes *rand.Rand // one for the goroutine that reads, one for the one that writes
	most          int        // bytes of a piece
}

func cut(c net.Conn, seed uint64, most int) net.Conn {
	return &cutting{Conn: c, reads: rand.New(rand.NewPCG(seed, 1)), writes: rand.New(rand.NewPCG(seed, 2)), most: most}
}

func (c *cutting) Read(p []byte) (int, error) {
	return c.Conn.Read(p[:min(len(p), 1+c.reads.IntN(c.most))])
}

func (c *cutting) Write(p []byte) (n int, err error) {
	for len(p) > n && err == nil {
		var k int
		k, err = c.Conn.Write(p[n:min(len(p), n+1+c.writes.IntN(c.most))])
		n += k
	}
	return n, err
}

// A cutter is a listener of such connections.
type cutter struct {
	net.Listener
	seed uint64
	most int
}

func (c cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return cut(conn, c.seed, c.most), nil
}

// However TCP cuts the bytes, in both directions and on both sides, a session has the same bytes, and commands for the router are found among
// them.
func TestRandomCuts(t *testing.T) {
	t.Parallel()
	server := mariaDB(t)
	want := map[protocol.Capabilities][]byte{}
	for _, c := range dialects {
		want[c] = recordShort(t, server.Address, c, false)
	}
	for seed, most := range testsize.Of([]int{10, 100}, []int{3, 100, 3000, 10, 1}) {
		t.Run(fmt.Sprintf("pieces of at most %d bytes", most), func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			serveRelay(t, server.Address, cutter{listener, uint64(seed), most}, func(c *Config) {
				c.Router = func(s *Session) Router { return &here{session: s, closed: make(chan struct{})} }
				c.dial = func(ctx context.Context) (net.Conn, error) {
					conn, err := new(net.Dialer).DialContext(ctx, "tcp", server.Address)
					if err != nil {
						return nil, err
					}
					return cut(conn, uint64(seed)+100, most), nil
				}
			})
			for name, c := range dialects {
				if got := recordShort(t, listener.Addr().String(), c, true); !bytes.Equal(got, want[c]) {
					t.Errorf("%s: seed %d: %d bytes, must be %d", name, seed, len(got), len(want[c]))
				}
			}
		})
	}
}

// recordShort is record without long values. With ours, it adds a statement of ours after each step and does not record it.
func recordShort(t *testing.T, address string, c protocol.Capabilities, ours bool) []byte {
	w := dialWire(t, address, c)
	w.query("DROP DATABASE IF EXISTS recorded")
	w.got = nil
	for _, step := range []func(*wire){recordedText, recordedErrors, recordedPrepared, recordedCursor, recordedFile, recordedProcedures, recordedOther, recordedUser} {
		step(w)
		if !ours {
			continue
		}
		before := len(w.got)
		if got := value(w.must("ours"), c); !strings.HasPrefix(got, "here") {
			t.Errorf("ours is %q", got)
		}
		w.got = w.got[:before]
	}
	return w.got
}
