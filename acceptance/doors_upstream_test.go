package acceptance

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/proxy"
	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A recorder stands in for the owner's own server. It records connections.
type recorder struct {
	net.Listener
	came atomic.Int64
}

// record starts a recorder that ends with the test.
func record(t *testing.T) *recorder {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &recorder{Listener: l}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r.came.Add(1)
			conn.Close()
		}
	}()
	return r
}

// behind starts next to a server what makes it stand in front of the recorder; owners receives the owners' address.
func (r *recorder) behind(owners chan<- string) func(context.Context, server.Inside) error {
	return func(ctx context.Context, inside server.Inside) error {
		p, err := proxy.New(proxy.Config{Upstream: relay.Config{Network: "tcp", Address: r.Addr().String()}, Name: "upstream:3306", Store: inside.Catalog.Store, Connect: inside.Connect,
			Database: inside.Ours, Procedure: inside.Procedure, TableFunction: inside.TableFunction, Function: inside.Function, Variable: inside.Variable,
			Databases: inside.Databases, Logger: inside.Logger})
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		owners <- l.Addr().String()
		return p.Serve(ctx, l)
	}
}

// nobody fails a test in which somebody connected.
func (r *recorder) nobody(t *testing.T) {
	t.Helper()
	if n := r.came.Load(); n > 0 {
		t.Errorf("the upstream server saw %d connections of analysts, must see none", n)
	}
}

// TestOwnersReachUpstream shows that the recorder would notice an analyst who gets through: it notices an owner.
func TestOwnersReachUpstream(t *testing.T) {
	t.Parallel()
	upstream, owners := record(t), make(chan string, 1)
	servertest.Start(t, server.Config{Extend: server.Product, Beside: upstream.behind(owners)})
	conn, err := net.Dial("tcp", <-owners)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var answer [64]byte
	n, err := conn.Read(answer[:]) // the error 1429: upstream closed the connection without a greeting
	if err != nil || n < 7 || answer[4] != 0xff {
		t.Errorf("the owner got %x, %v, want an error packet", answer[:n], err)
	}
	if upstream.came.Load() != 1 {
		t.Errorf("%d connections came, want the owner's", upstream.came.Load())
	}
}
