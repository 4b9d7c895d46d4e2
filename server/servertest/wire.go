package servertest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// A Wire forwards connections to an address. Cut breaks them all. A connection also breaks after Most bytes from the address, if Most is above 0.
type Wire struct {
	net.Listener
	Most, Passed atomic.Int64 // Passed counts the bytes of the last connection
	mu           sync.Mutex
	conns        []net.Conn
}

// Lay creates a wire to an address. It listens at another address, or at any for "". It is cut when the test ends.
func Lay(t testing.TB, at, to string) *Wire {
	t.Helper()
	if at == "" {
		at = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{Listener: l}
	t.Cleanup(w.Cut)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			w.mu.Lock()
			w.conns = append(w.conns, near, far)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(far, near); far.Close() }()
			go func() { w.pass(near, far); near.Close() }()
		}
	}()
	return w
}

func (w *Wire) pass(near io.Writer, far io.Reader) {
	w.Passed.Store(0)
	buffer := make([]byte, 1500)
	for {
		n, err := far.Read(buffer)
		if most := w.Most.Load(); most > 0 && w.Passed.Load()+int64(n) >= most {
			_, _ = near.Write(buffer[:max(0, most-w.Passed.Load())])
			return
		}
		w.Passed.Add(int64(n))
		if _, failed := near.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

// Cut ends the wire and all its connections.
func (w *Wire) Cut() {
	w.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		c.Close()
	}
}
