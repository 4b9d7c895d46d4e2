package acceptance

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// A change of accounts that cannot be stored has no effect, neither now nor after a restart.
func TestAccountChangeThatCannotBeStored(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: func(h server.Host) (server.Extensions, error) {
		h.Catalog.SetLockWait(200 * time.Millisecond)
		return withPublished(h)
	}})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE raw", "CREATE TABLE raw.t (n INT)", "CREATE USER ana IDENTIFIED BY 'secret'", "CREATE USER gone IDENTIFIED BY 'secret'",
		"CREATE ROLE reader", "GRANT SELECT ON raw.* TO reader")
	writer, err := root.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, writer, "START TRANSACTION", "INSERT INTO raw.t VALUES (1)") // holds the catalog's writer
	for _, statement := range []string{
		"GRANT SELECT ON raw.* TO ana", "GRANT reader TO ana", "CREATE USER new IDENTIFIED BY 'secret'", "DROP USER gone",
		"ALTER USER ana IDENTIFIED BY 'another'", "RENAME USER ana TO anna", "CREATE ROLE more", "REVOKE SELECT ON raw.* FROM reader",
	} {
		if _, err := s.Open(t, servertest.Root).Exec(statement); servertest.Number(err) != 1205 {
			t.Errorf("%s: %v, want number 1205", statement, err)
		}
	}
	unchanged := func(when string) {
		t.Helper()
		root := s.Open(t, servertest.Root)
		if got := listed(t, root, "SELECT User FROM mysql.user ORDER BY User"); got != "ana\ngone\nreader\nroot\n" {
			t.Errorf("%s the accounts are\n%s", when, got)
		}
		if got := listed(t, root, "SHOW GRANTS FOR reader"); !strings.Contains(got, "`raw`.*") {
			t.Errorf("%s the role has\n%s", when, got)
		}
		ana := s.Open(t, servertest.Account{User: "ana", Password: "secret"})
		if _, err := ana.Exec("SELECT * FROM raw.t"); servertest.Number(err) != 1142 && servertest.Number(err) != 1044 {
			t.Errorf("%s ana reads the raw table: %v", when, err)
		}
	}
	unchanged("at once")
	servertest.Exec(t, writer, "ROLLBACK")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	unchanged("after a restart")
	servertest.Exec(t, s.Open(t, servertest.Root), "GRANT SELECT ON raw.* TO ana")
	one[int](t, s.Open(t, servertest.Account{User: "ana", Password: "secret"}), "SELECT COUNT(*) FROM raw.t")
}

// A response of any length to the challenge is just a wrong password.
func TestRepliesOfAnyLength(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER native IDENTIFIED BY 'secret'", "CREATE USER sha2 IDENTIFIED WITH caching_sha2_password BY 'secret'")
	for _, user := range []string{"native", "sha2", "nobody"} {
		for _, length := range testsize.Some(testsize.Levels(4, 10, 10), []int{0, 1, 5, 19, 20, 21, 31, 32, 33, 200}) {
			conn, err := net.Dial("tcp", s.Addr)
			if err != nil {
				t.Fatal(err)
			}
			_ = conn.SetDeadline(time.Now().Add(time.Minute)) // of a TCP connection never an error
			readPacket(t, conn)
			send := func(sequence byte, body string) {
				if _, err := conn.Write([]byte(string([]byte{byte(len(body)), byte(len(body) >> 8), 0, sequence}) + body)); err != nil {
					t.Fatal(err)
				}
			}
			reply := strings.Repeat("x", length)
			send(1, "\x00\x82\x08\x00"+"\x00\x00\x00\x01"+"\x21"+strings.Repeat("\x00", 23)+user+"\x00"+string([]byte{byte(length)})+reply+"mysql_native_password\x00")
			answer := readPacket(t, conn)
			if len(answer) > 0 && answer[0] == 0xfe { // the other method
				send(3, reply)
				answer = readPacket(t, conn)
			}
			if len(answer) < 3 || answer[0] != 0xff {
				t.Errorf("%s, %d bytes: the server sent %q", user, length, answer)
			} else if number := int(answer[1]) | int(answer[2])<<8; number != 1045 && number != 3159 {
				t.Errorf("%s, %d bytes: number %d", user, length, number)
			}
			conn.Close()
		}
	}
	if strings.Contains(s.Log(), "panic") {
		t.Errorf("the log:\n%s", s.Log())
	}
}
