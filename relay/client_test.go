package relay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// everything is what the raw client can do. It logs in as root without a password.
const everything = protocol.Protocol41 | protocol.LocalFiles | protocol.Transactions | protocol.SecureConnection | protocol.MultiStatements |
	protocol.MultiResults | protocol.PluginAuth | 1<<18 // several results of prepared statements

// A wire is a client that sees packets. It holds the end of every answer that package protocol finds against the server's
// sequence numbers, which begin anew with every command.
type wire struct {
	t            testing.TB
	conn         net.Conn
	capabilities protocol.Capabilities
	greeting     protocol.Greeting
	got          []byte // all that the server sent after its greeting
	statement    uint32 // the number of the last prepared one
	statements   int    // how many there were
}

// dialWire connects and logs in with these flags of those that are offered.
func dialWire(t testing.TB, address string, c protocol.Capabilities) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	w := &wire{t: t, conn: conn}
	packet := w.packet()
	if w.greeting, err = protocol.ParseGreeting(packet); err != nil {
		t.Fatalf("%v: %q", err, packet)
	}
	w.got = nil
	w.capabilities = c & w.greeting.Capabilities
	login := make([]byte, 32)
	binary.LittleEndian.PutUint32(login, uint32(w.capabilities))
	binary.LittleEndian.PutUint32(login[4:], 1<<24)
	login[8] = 45 // utf8mb4_general_ci
	binary.LittleEndian.PutUint32(login[28:], uint32(w.capabilities>>32))
	login = append(login, "root\x00\x00mysql_native_password\x00"...)
	w.send(1, login)
	if p := w.packet(); p[0] != 0 {
		t.Fatalf("login: %q", p)
	}
	return w
}

func (w *wire) send(sequence byte, payload []byte) byte {
	w.t.Helper()
	p, next := protocol.AppendPacket(nil, sequence, payload)
	if _, err := w.conn.Write(p); err != nil {
		w.t.Fatal(err)
	}
	return next
}

// packet reads one packet, of any number of frames.
func (w *wire) packet() []byte {
	w.t.Helper()
	p, _, err := w.read()
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *wire) read() (payload []byte, sequence byte, err error) {
	_ = w.conn.SetReadDeadline(time.Now().Add(2 * patience)) // longer than whatever is waited for elsewhere
	for {
		var header [4]byte
		if _, err := io.ReadFull(w.conn, header[:]); err != nil {
			return nil, 0, err
		}
		n := int(header[0]) | int(header[1])<<8 | int(header[2])<<16
		part := make([]byte, n)
		if _, err := io.ReadFull(w.conn, part); err != nil {
			return nil, 0, errors.New("the connection ended in a packet")
		}
		w.got = append(append(w.got, header[:]...), part...)
		payload = append(payload, part...)
		if n < protocol.MaxFrame {
			return payload, header[3], nil
		}
	}
}

// command sends a command and returns the packets of its answer. Files that the server asks for are sent in two packets.
func (w *wire) command(payload []byte) (packets [][]byte) {
	w.t.Helper()
	return w.answer(payload, w.send(0, payload))
}

// answer reads the answer to a command whose packet after the last has this sequence number.
func (w *wire) answer(payload []byte, sequence byte) (packets [][]byte) {
	w.t.Helper()
	a := protocol.NewAnswer(protocol.Command(payload[0]), w.capabilities)
	if !a.Expected() {
		return nil
	}
	for {
		p, got, err := w.read()
		if err != nil {
			w.t.Fatalf("after %d packets of the answer to %.80q: %v", len(packets), payload, err)
		}
		frames := byte(len(p)/protocol.MaxFrame) + 1
		if got != sequence+frames-1 {
			w.t.Fatalf("packet %d of the answer to %.80q has the number %d, must have %d", len(packets), payload, got, sequence)
		}
		sequence += frames
		packets = append(packets, p)
		switch a.Read(protocol.Packet{Head: p[:min(len(p), 23)], First: min(len(p), protocol.MaxFrame), Sequence: got}) {
		case protocol.Ended:
			if payload[0] == byte(protocol.StmtPrepare) && p[0] != 0xff {
				w.prepared(packets[0])
			}
			return packets
		case protocol.Unknown:
			w.t.Fatalf("packet %d of the answer to %.80q is not understood: %.40q", len(packets)-1, payload, p)
		case protocol.Local:
			sequence = w.file(sequence)
		case protocol.Continues:
			if payload[0] == byte(protocol.ChangeUser) { // the server asks for the password, which is empty
				sequence = w.send(sequence, nil)
			}
		}
	}
}

func (w *wire) file(sequence byte) byte {
	for i := range 300 { // sequence numbers restart
		sequence = w.send(sequence, fmt.Appendf(nil, "%d\tvalue %d\n", i, i))
	}
	return w.send(sequence, nil)
}

// prepared keeps the number that the server chose, and takes it out of what was recorded: direct and
// through the relay it differs.
func (w *wire) prepared(first []byte) {
	w.statement = binary.LittleEndian.Uint32(first[1:])
	w.statements++
	at := bytes.LastIndex(w.got, first)
	copy(w.got[at+1:], []byte{0, 0, 0, 0})
}

func (w *wire) query(text string) [][]byte {
	w.t.Helper()
	return w.command(append([]byte{byte(protocol.Query)}, text...))
}

// must is a query that is answered without an error.
func (w *wire) must(text string) [][]byte {
	w.t.Helper()
	packets := w.query(text)
	if last := packets[len(packets)-1]; last[0] == 0xff {
		w.t.Fatalf("%.80s: %q", text, last)
	}
	return packets
}

func (w *wire) prepare(text string) {
	w.t.Helper()
	packets := w.command(append([]byte{byte(protocol.StmtPrepare)}, text...))
	if packets[0][0] == 0xff {
		w.t.Fatalf("preparing %s: %q", text, packets[0])
	}
}

// statementCommand is a command about the last prepared statement.
func (w *wire) statementCommand(c protocol.Command, rest ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{byte(c)}, w.statement), rest...)
}

// value is the only value of a text row, in the last answer's packets: one column, one row.
func value(packets [][]byte, c protocol.Capabilities) string {
	at := 2
	if c&protocol.DeprecateEOF == 0 {
		at = 3
	}
	if len(packets) <= at || len(packets[at]) == 0 {
		return fmt.Sprintf("no row: %q", packets)
	}
	return string(packets[at][1:])
}
