package server

import (
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// maxPacket is max_allowed_packet, in bytes: what a client may send at once,
// and the longest text that a function may build. It is the value of the whole
// server; sessions cannot raise their own.
func maxPacket() int64 {
	if _, value, ok := sql.SystemVariables.GetGlobal("max_allowed_packet"); ok {
		switch v := value.(type) {
		case int64:
			return v
		case uint64:
			return int64(v)
		}
	}
	return defaultMaxPacket
}

const (
	// defaultMaxPacket is MySQL's.
	defaultMaxPacket = 64 << 20
	// handshakePacket bounds packets before the client is known. The attributes
	// that clients send are at most 64 KiB.
	handshakePacket = 128 << 10
	// fullPart is the length of a part after which another part of the packet
	// follows.
	fullPart = 1<<24 - 1
	// lingerFor and lingerBytes bound what is still read of a packet that was
	// refused: the client reads no answer before it has sent all, and a connection
	// that is closed over unread bytes takes the answer with it.
	lingerFor   = 10 * time.Second
	lingerBytes = 2 << 30
)

// A packetConn refuses packets that are too large with error 1153, before
// memory is taken for them: the protocol layer takes what the first bytes of a
// packet ask for. It follows the packets from their headers. Below TLS it
// cannot see them; there it counts what comes between two answers.
type packetConn struct {
	net.Conn
	known atomic.Bool // the client has authenticated
	busy  atomic.Bool // a statement runs: it may read a file of the client's

	// Of the reader.
	header  [4]byte
	have    int   // bytes of the header
	left    int64 // bytes of the part
	packet  int64 // bytes of the packet's earlier parts, and this one's
	more    bool  // another part follows
	refused bool
	// begun counts the bytes of the first packet, which asks for TLS if the
	// server offers it.
	first     bool
	begun     int
	wantsTLS  bool
	offersTLS bool
	secure    bool
	since     atomic.Int64 // bytes since the last answer
	// above is the connection over this one, to answer through TLS.
	above *mysql.Conn
}

func newPacketConn(conn net.Conn, offersTLS bool) *packetConn {
	return &packetConn{Conn: conn, offersTLS: offersTLS, first: true}
}

func (p *packetConn) limit() int64 {
	if p.known.Load() {
		return maxPacket()
	}
	return handshakePacket
}

// SyscallConn implements syscall.Conn, for watchClient.
func (p *packetConn) SyscallConn() (syscall.RawConn, error) {
	conn, ok := p.Conn.(syscall.Conn)
	if !ok {
		return nil, syscall.EINVAL
	}
	return conn.SyscallConn()
}

// Write implements net.Conn.
func (p *packetConn) Write(b []byte) (int, error) {
	p.since.Store(0)
	return p.Conn.Write(b)
}

// Read implements net.Conn.
func (p *packetConn) Read(b []byte) (int, error) {
	if p.refused {
		return 0, io.EOF
	}
	n, err := p.Conn.Read(b)
	if n == 0 {
		return n, err
	}
	if p.secure {
		// A record of at most 16 KiB has at most 277 bytes around it.
		if !p.busy.Load() && p.since.Add(int64(n)) > p.limit()/16*17+handshakePacket {
			return 0, p.refuse()
		}
		return n, err
	}
	if at := p.follow(b[:n]); at < n {
		return 0, p.refuse()
	}
	return n, err
}

// follow returns the place of the first byte that is not let through, the
// length when all is. The bytes of a TLS handshake come in a read of their own,
// since the protocol layer reads no further than the packet that asks for it.
func (p *packetConn) follow(b []byte) int {
	for i := 0; i < len(b); {
		if p.left > 0 {
			n := min(p.left, int64(len(b)-i))
			if p.first {
				p.greeting(b[i : i+int(n)])
			}
			p.left -= n
			i += int(n)
			if p.left == 0 && p.first {
				p.first, p.secure = false, p.wantsTLS
			}
			continue
		}
		p.header[p.have] = b[i]
		p.have++
		i++
		if p.have < len(p.header) {
			continue
		}
		p.have = 0
		p.left = int64(p.header[0]) | int64(p.header[1])<<8 | int64(p.header[2])<<16
		if !p.more {
			p.packet = 0
		}
		p.packet += p.left
		p.more = p.left == fullPart
		if p.packet > p.limit() {
			return i - 1
		}
	}
	return len(b)
}

// greeting looks for the flag CLIENT_SSL in the client's first packet, whose
// first bytes are the client's capabilities.
func (p *packetConn) greeting(b []byte) {
	const flagSSL = 0x08 // of the second byte
	if p.begun <= 1 && p.begun+len(b) > 1 {
		p.wantsTLS = p.offersTLS && b[1-p.begun]&flagSSL != 0
	}
	p.begun += len(b)
}

// refuse answers with the error and ends the connection, as MySQL does.
func (p *packetConn) refuse() error {
	p.refused = true
	const number = numberPacketTooLarge
	body := append([]byte{0xff, number & 0xff, number >> 8}, "#08S01Got a packet bigger than 'max_allowed_packet' bytes"...)
	sequence, to := p.header[3]+1, p.Conn
	if p.secure {
		// The parts cannot be seen, but counted: records are a hundredth longer than what they hold.
		sequence = byte(p.since.Load()/100*99/fullPart) + 1
		if p.above != nil {
			to = p.above.Conn
		}
	}
	_ = p.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = to.Write(append([]byte{byte(len(body)), 0, 0, sequence}, body...)) // the client may be gone already
	p.linger()
	return io.EOF
}

// linger reads what the client still sends.
func (p *packetConn) linger() {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = p.Conn.SetReadDeadline(time.Now().Add(lingerFor))
	_, _ = io.CopyN(io.Discard, p.Conn, lingerBytes)
}

// packetsOf is the packetConn below a connection, nil when there is none.
func packetsOf(conn net.Conn) *packetConn {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	p, _ := conn.(*packetConn)
	return p
}

// begin and end enclose a statement. Only a client that is known has one.
func (p *packetConn) begin() {
	if p != nil {
		p.known.Store(true)
		p.busy.Store(true)
	}
}

func (p *packetConn) end() {
	if p != nil {
		p.busy.Store(false)
		p.since.Store(0)
	}
}
