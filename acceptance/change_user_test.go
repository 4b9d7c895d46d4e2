package acceptance

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A protocolClient speaks the protocol itself: no Go driver supports COM_CHANGE_USER.
type protocolClient struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	next byte
	// collation is the collation that COM_CHANGE_USER sends.
	collation uint16
}

func (c *protocolClient) send(sequence byte, body []byte) {
	c.t.Helper()
	packet := append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), sequence}, body...)
	if _, err := c.conn.Write(packet); err != nil {
		c.t.Fatal(err)
	}
	c.next = sequence + 1
}

// receive reads a packet, which must have the next sequence number.
func (c *protocolClient) receive() []byte {
	c.t.Helper()
	var header [4]byte
	if _, err := io.ReadFull(c.in, header[:]); err != nil {
		c.t.Fatal(err)
	}
	if header[3] != c.next {
		c.t.Fatalf("packet %d, want %d", header[3], c.next)
	}
	c.next++
	body := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
	if _, err := io.ReadFull(c.in, body); err != nil {
		c.t.Fatal(err)
	}
	return body
}

// scrambled is the response of mysql_native_password for a password.
func scrambled(password string, salt []byte) []byte {
	if password == "" {
		return nil
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	mixed := sha1.Sum(append(bytes.Clone(salt), twice[:]...))
	for i := range mixed {
		mixed[i] ^= once[i]
	}
	return mixed[:]
}

// Protocol 4.1, secure connection, plugins of authentication, transactions.
const protocolFlags = 0x200 | 0x8000 | 0x80000 | 0x2000

// protocolLogIn answers the greeting as root, which has no password; encrypted: over TLS.
func protocolLogIn(t *testing.T, address string, encrypted bool) *protocolClient {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	c := &protocolClient{t: t, conn: conn, in: bufio.NewReader(conn), collation: 45}
	c.receive()
	flags, number := uint32(protocolFlags), byte(1)
	if encrypted {
		flags |= 0x800
	}
	head := append(binary.LittleEndian.AppendUint32(nil, flags), 0, 0, 0, 1, 45)
	head = append(head, make([]byte, 23)...)
	if encrypted {
		c.send(number, head)
		number++
		secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // a certificate of the test's own
		c.conn, c.in = secure, bufio.NewReader(secure)
	}
	c.send(number, append(head, "root\x00\x00mysql_native_password\x00"...))
	if answer := c.receive(); answer[0] != 0 {
		t.Fatalf("login: %q", answer)
	}
	return c
}

// changeUser sends the command and returns the last answer to it.
func (c *protocolClient) changeUser(user, password, database string) []byte {
	c.t.Helper()
	body := append([]byte{0x11}, user...)
	body = append(body, 0)
	wrong := scrambled(password, bytes.Repeat([]byte{7}, 20)) // of another greeting
	body = append(append(body, byte(len(wrong))), wrong...)
	body = binary.LittleEndian.AppendUint16(append(append(body, database...), 0), c.collation)
	c.send(0, append(body, "mysql_native_password\x00"...))
	asked := c.receive()
	if asked[0] != 0xfe || !bytes.HasPrefix(asked[1:], []byte("mysql_native_password\x00")) {
		return asked
	}
	salt := bytes.TrimSuffix(asked[1+len("mysql_native_password\x00"):], []byte{0})
	c.send(2, scrambled(password, salt))
	return c.receive()
}

// ask returns the only value of a query, or its error number.
func (c *protocolClient) ask(query string) string { return c.row(query, 1)[0] }

// shown returns the second of the two values of a row.
func (c *protocolClient) shown(query string) string { return c.row(query, 2)[1] }

// row returns the only row of a query with this number of columns.
func (c *protocolClient) row(query string, columns int) []string {
	c.t.Helper()
	c.send(0, append([]byte{3}, query...))
	if first := c.receive(); first[0] == 0xff {
		return []string{fmt.Sprint(binary.LittleEndian.Uint16(first[1:]))}
	}
	for range columns + 1 { // and the end of the columns
		c.receive()
	}
	row := c.receive()
	c.receive() // the end of the rows
	values := make([]string, columns)
	for i := range values {
		if row[0] == 0xfb {
			values[i], row = "NULL", row[1:]
			continue
		}
		length := int(row[0])
		values[i], row = string(row[1:1+length]), row[1+length:]
	}
	return values
}

// A connection changes its user, as pools and PHP's persistent connections do: the new session has the new account's
// privileges and database, and nothing of the old session. A wrong password ends the connection.
func TestChangeUser(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product, TLSSelfSigned: true})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "CREATE USER ann@'%' IDENTIFIED BY 'her password'", "GRANT SELECT ON d.* TO ann@'%'")
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypted=%v", encrypted), func(t *testing.T) {
			c := protocolLogIn(t, s.Addr, encrypted)
			for _, statement := range []string{"SET @x = 5, autocommit = 0", "INSERT INTO d.t VALUES (1)"} {
				c.send(0, append([]byte{3}, statement...))
				if answer := c.receive(); answer[0] != 0 {
					t.Fatalf("%s: %q", statement, answer)
				}
			}
			if answer := c.changeUser("ann", "her password", "d"); answer[0] != 0 {
				t.Fatalf("change of user: %q", answer)
			}
			for query, want := range map[string]string{
				"SELECT CURRENT_USER()": "ann@%", "SELECT DATABASE()": "d", "SELECT @x": "NULL", "SELECT COUNT(*) FROM t": "0",
				"SELECT COUNT(*) FROM mysql.user": "1142", "SELECT @@autocommit": "1",
			} {
				if got := c.ask(query); got != want {
					t.Errorf("%s: %s, want %s", query, got, want)
				}
			}
			if cipher := c.shown("SHOW STATUS LIKE 'Ssl_cipher'"); encrypted != (cipher != "") {
				t.Errorf("the cipher is %q", cipher)
			}
			if answer := c.changeUser("root", "", ""); answer[0] != 0 {
				t.Fatalf("back to root: %q", answer)
			}
			if got := c.ask("SELECT CURRENT_USER()"); !strings.HasPrefix(got, "root@") {
				t.Errorf("back to root: %s", got)
			}
			if n := one[int](t, root, "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'ann'"); n != 0 {
				t.Errorf("%d connections of who has left", n)
			}
			answer := c.changeUser("ann", "another password", "d")
			if answer[0] != 0xff || binary.LittleEndian.Uint16(answer[1:]) != 1045 {
				t.Fatalf("a wrong password: %q", answer)
			}
			if _, err := c.in.ReadByte(); err == nil {
				t.Error("the connection goes on after a wrong password")
			}
		})
	}
}

// A malformed COM_CHANGE_USER is an error; the connection continues.
func TestMalformedChangeUser(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	c := protocolLogIn(t, s.Addr, false)
	for _, body := range []string{"", "ann", "ann\x00", "ann\x00\x14short", "ann\x00\x00d"} {
		c.send(0, append([]byte{0x11}, body...))
		if answer := c.receive(); answer[0] != 0xff {
			t.Errorf("%q: %q", body, answer)
		}
	}
	if got := c.ask("SELECT 7"); got != "7" {
		t.Errorf("afterwards: %s", got)
	}
}
