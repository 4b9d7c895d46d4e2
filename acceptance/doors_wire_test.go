package acceptance

import (
	"bytes"
	"context"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/servertest"
)

// okHeader begins the answer to a ping. The session's flags and the number of warnings follow it.
var okHeader = []byte{7, 0, 0, 1, 0, 0, 0}

// lastCommand is beyond the last command of the protocol, COM_RESET_CONNECTION.
const lastCommand = 0x22

// No command of the protocol that contains a raw name shows more than that name. Commands that open databases, list
// columns and prepare refuse it. The others (statistics, process list, kill, change of user, copies of tables and of
// logs, ...) are unknown or harmless.
func TestDoorsOfTheProtocol(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	haunt(t, s)
	payloads := []string{"", "zvault", "zvault\x00", "zledger\x00", "zvault.zledger\x00", "zledger` FROM zvault.zledger -- \x00", "\x06zvault\x07zledger", "SELECT * FROM zvault.zledger", "TABLE zvault.zledger",
		"\x01\x00\x00\x00", "\x01\x00\x00\x00\x00\x01\x00\x00\x00", "zowner\x00\x00zvault\x00", "published\x00"}
	for _, user := range []string{"bi", "staff"} {
		for command := byte(0); command <= lastCommand; command++ {
			if command == 0x01 { // quit
				continue
			}
			for _, payload := range payloads {
				answer := answerToCommand(t, s, user, command, payload)
				if secret := leaked(payload, string(answer)); secret != "" {
					t.Errorf("%s: command %#x %q shows %s: %q", user, command, payload, secret, answer)
				}
			}
		}
		for _, c := range []struct {
			command byte
			payload string
			number  int
		}{
			{0x02, "zvault", 1044}, {0x02, "ZVAULT", 1044}, {0x02, "zvoult", 1044}, {0x02, "mysql", 1044},
			{0x03, "SELECT * FROM zvault.zledger", 1142}, {0x04, "zledger\x00", 1146}, {0x04, "zprivate\x00", 1146}, {0x04, "zvault.zledger\x00", 1146},
			{0x16, "SELECT * FROM zvault.zledger", 1142}, {0x16, "SELECT * FROM zvault.zledger WHERE age > ?", 1142},
		} {
			answer := answerToCommand(t, s, user, c.command, c.payload)
			if len(answer) < 7 || answer[4] != 0xff || int(answer[5])|int(answer[6])<<8 != c.number {
				t.Errorf("%s: command %#x %q is answered %q, want %d", user, c.command, c.payload, answer, c.number)
			}
		}
	}
	one[int](t, s.Open(t, servertest.Root), "SELECT COUNT(*) FROM zvault.zledger")
}

// answerToCommand returns what a new connection of the account gets for a command, up to the answer to a ping after
// it, or to the end.
func answerToCommand(t *testing.T, s *servertest.Server, user string, command byte, payload string) []byte {
	t.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mysql.Connect(context.Background(), &mysql.ConnParams{Host: host, Port: number, Uname: user, Pass: attackers[user]})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	packet := append([]byte{byte(1 + len(payload)), 0, 0, 0, command}, payload...)
	ping := []byte{1, 0, 0, 0, 0x0e}
	if _, err := client.Conn.Write(append(packet, ping...)); err != nil {
		t.Fatal(err)
	}
	if err := client.Conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var answer []byte
	for chunk := make([]byte, 4096); ; {
		n, err := client.Conn.Read(chunk)
		answer = append(answer, chunk[:n]...)
		if n := len(answer); err != nil || n >= len(okHeader)+4 && bytes.HasPrefix(answer[n-len(okHeader)-4:], okHeader) {
			return answer
		}
	}
}
