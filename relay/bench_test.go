package relay

import (
	"io"
	"net"
	"testing"

	"github.com/anonsql/anonsql/relay/protocol"
)

// ways are direct, through a copy of bytes that reads nothing, and through the relay: in one run, since a machine that is busy is slower for
// all of them.
func ways(b *testing.B) map[string]string {
	server := mariaDB(b)
	return map[string]string{"1 direct": server.Address, "2 copy": copying(b, server.Address), "3 relay": startRelay(b, server.Address, nil)}
}

// copying is the least that stands between: io.Copy both ways.
func copying(b *testing.B, upstream string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", upstream)
			if err != nil {
				client.Close()
				continue
			}
			// Wrapped, so that the kernel does not copy past the program (splice).
			go func() { _, _ = io.Copy(struct{ io.Writer }{server}, struct{ io.Reader }{client}); server.Close() }()
			go func() { _, _ = io.Copy(struct{ io.Writer }{client}, struct{ io.Reader }{server}); client.Close() }()
		}
	}()
	return listener.Addr().String()
}

// BenchmarkRows reads 1M rows of 12 columns: MB/s, by a client that does not look at them.
func BenchmarkRows(b *testing.B) {
	const text = "SELECT seq, seq + 1, seq * 2, seq / 3, 'text', seq % 7, 'more text', seq + 5, 'x', seq, 'yy', seq % 100 FROM mysql.seq_1_to_1000000"
	of := ways(b)
	for _, name := range []string{"1 direct", "2 copy", "3 relay"} {
		b.Run(name, func(b *testing.B) {
			w := dialWire(b, of[name], everything|protocol.DeprecateEOF)
			n := int64(0)
			for b.Loop() {
				w.send(0, append([]byte{byte(protocol.Query)}, text...))
				n = w.skip(b)
			}
			b.SetBytes(n)
		})
	}
}

// BenchmarkPoint asks for one row by a text statement.
func BenchmarkPoint(b *testing.B) {
	of := ways(b)
	for _, name := range []string{"1 direct", "2 copy", "3 relay"} {
		b.Run(name, func(b *testing.B) {
			w := dialWire(b, of[name], everything|protocol.DeprecateEOF)
			for b.Loop() {
				w.must("SELECT 1")
				w.got = w.got[:0]
			}
		})
	}
}

// skip reads an answer and returns its size.
func (w *wire) skip(b *testing.B) (size int64) {
	a, stream := protocol.NewAnswer(protocol.Query, w.capabilities), protocol.Stream{}
	p := make([]byte, 256<<10)
	for {
		n, err := w.conn.Read(p)
		if err != nil {
			b.Fatal(err)
		}
		size += int64(n)
		for at := 0; at < n; {
			k, packet, whole := stream.Next(p[at:n])
			at += k
			if !whole || a.Read(packet) != protocol.Ended {
				continue
			}
			if a.Failed() {
				b.Fatalf("%q", packet.Head)
			}
			return size
		}
	}
}
