package acceptance

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// rawClient speaks packets, for the commands that the Go driver never sends.
type rawClient struct {
	t    *testing.T
	conn net.Conn
}

func (c rawClient) send(sequence byte, body []byte) {
	c.t.Helper()
	head := []byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), sequence}
	if _, err := c.conn.Write(append(head, body...)); err != nil {
		c.t.Fatal(err)
	}
}

func (c rawClient) receive() []byte {
	c.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(c.conn, head[:]); err != nil {
		c.t.Fatal(err)
	}
	body := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	if _, err := io.ReadFull(c.conn, body); err != nil {
		c.t.Fatal(err)
	}
	return body
}

// drain reads until the answer ends with an error, or the connection ends.
func (c rawClient) drain() {
	c.t.Helper()
	var head [4]byte
	for {
		if _, err := io.ReadFull(c.conn, head[:]); err != nil {
			return
		}
		length := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
		var first [1]byte
		if _, err := io.ReadFull(c.conn, first[:]); err != nil || first[0] == 0xff {
			return
		}
		if _, err := io.CopyN(io.Discard, c.conn, length-1); err != nil {
			return
		}
	}
}

// connect logs root in, without a database.
func connect(t *testing.T, address string) rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c := rawClient{t, conn}
	if greeting := c.receive(); !bytes.Contains(greeting, []byte(server.Version)) {
		t.Errorf("the handshake does not name the version: %q", greeting)
	}
	const protocol41, secureConnection, pluginAuth = 1 << 9, 1 << 15, 1 << 19
	response := binary.LittleEndian.AppendUint32(nil, protocol41|secureConnection|pluginAuth)
	response = append(response, make([]byte, 4)...) // largest packet
	response = append(response, 255)                // utf8mb4
	response = append(response, make([]byte, 23)...)
	response = append(response, "root\x00\x00mysql_native_password\x00"...)
	c.send(1, response)
	if ok := c.receive(); ok[0] != 0 {
		t.Fatalf("not let in: %q", ok)
	}
	return c
}

func TestRawCommands(t *testing.T) {
	t.Parallel()
	c := connect(t, servertest.Start(t, server.Config{}).Addr)
	const query, ping, reset, statistics = 0x03, 0x0e, 0x1f, 0x09
	for _, command := range []struct {
		name string
		body []byte
		want byte // first byte of the answer: 0 OK, 0xff error, U of Uptime
	}{
		{"reset before any statement", []byte{reset}, 0},
		{"ping", []byte{ping}, 0},
		{"set", append([]byte{query}, "SET @x = 1"...), 0},
		{"reset", []byte{reset}, 0},
		{"statistics", []byte{statistics}, 'U'},
		{"syntax error", append([]byte{query}, "SELEC"...), 0xff},
		{"set again", append([]byte{query}, "SET @x = 2"...), 0},
	} {
		c.send(0, command.body)
		if answer := c.receive(); answer[0] != command.want {
			t.Errorf("%s: answer %q, want it to begin with %#x", command.name, answer, command.want)
		}
	}
}

// The server announces in its greeting, and in every OK, whether autocommit is on. PyMySQL switches it off, as
// Python's DB-API requires, only if the greeting says that it is on.
func TestStatusSaysAutocommit(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	greeting := rawClient{t, conn}.receive()
	// After the version: number, salt, zero, lower capabilities, character set.
	at := bytes.IndexByte(greeting, 0) + 1 + 4 + 8 + 1 + 2 + 1
	if status := binary.LittleEndian.Uint16(greeting[at:]); status != 2 {
		t.Errorf("the greeting's status is %#x, want 2: autocommit", status)
	}
	const query, reset, none, inTransaction, autocommit = 0x03, 0x1f, 0, 1, 2
	c := connect(t, s.Addr)
	for _, step := range []struct {
		command byte
		text    string
		want    uint16
	}{
		{query, "DO 1", autocommit},
		{query, "START TRANSACTION", autocommit | inTransaction},
		{query, "COMMIT", autocommit},
		{query, "SET autocommit = 0", inTransaction}, // the engine itself begins a transaction with the SET
		{query, "ROLLBACK", none},
		{reset, "", none}, // the protocol layer writes this one
		{query, "DO 1", autocommit},
	} {
		c.send(0, append([]byte{step.command}, step.text...))
		answer := c.receive()
		if len(answer) < 5 || answer[0] != 0 {
			t.Fatalf("%s: answer %q", step.text, answer)
		}
		if status := binary.LittleEndian.Uint16(answer[3:]); status != step.want {
			t.Errorf("%q: status %#x, want %#x", step.text, status, step.want)
		}
	}
	// SHOW WARNINGS ends its transaction: PDO does not begin one if the status says that one is open.
	c.send(0, append([]byte{query}, "SHOW WARNINGS"...))
	var last []byte
	for range 1 + 3 + 2 { // the number of columns, the columns, their end, the end of no rows
		last = c.receive()
	}
	if len(last) != 5 || last[0] != 0xfe || binary.LittleEndian.Uint16(last[3:]) != autocommit {
		t.Errorf("SHOW WARNINGS ends with %x, want status %#x", last, autocommit)
	}
}
