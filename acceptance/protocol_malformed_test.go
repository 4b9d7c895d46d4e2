package acceptance

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// secured logs in over TLS.
func secured(t *testing.T, address, user, password string) *wire {
	t.Helper()
	w, err := dial(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	const capSSL = 1 << 11
	response := greetingResponse(capUsual|capSSL, user, "")
	w.sequence = 1
	w.send(response[:32])
	w.conn = tls.Client(w.conn, &tls.Config{InsecureSkipVerify: true})
	w.in.Reset(w.conn)
	w.send(append(append(append(response, 20), scramble(password, w.salt)...), "mysql_native_password\x00"...))
	if answer, err := w.receive(); err != nil || answer[0] != 0 || w.sequence != 4 {
		t.Fatalf("not let in: %q %v, then packet %d", answer, err, w.sequence)
	}
	return w
}

// said returns the answer to a command: the number of the error, 0 for OK.
func (w *wire) said(t *testing.T, command byte, rest string) int {
	t.Helper()
	w.sequence = 0
	w.send(append([]byte{command}, rest...))
	return w.number(t, fmt.Sprintf("%#x %q", command, rest))
}

func (w *wire) number(t *testing.T, what string) int {
	t.Helper()
	p, err := w.receive()
	if err != nil || len(p) == 0 {
		t.Fatalf("%s: answer %q, %v", what, p, err)
	}
	if w.sequence != 2 {
		t.Errorf("%s: the answer is packet %d, want 1", what, w.sequence-1)
	}
	if p[0] == 0xff {
		return int(binary.LittleEndian.Uint16(p[1:]))
	}
	return 0
}

// malformedCommands run in turn on one connection that has prepared a statement with two parameters, with MySQL's
// error numbers.
var malformedCommands = []struct {
	name    string
	command byte
	rest    string
	want    int
}{
	{"a kill without a number", 0x0c, "\x01", 1835},
	{"a dump of the log without its place", 0x12, "", 1047},
	{"a dump of the log", 0x12, "\x04\x00\x00\x00\x00\x00\x01\x00\x00\x00", 1047},
	{"a replica without a name", 0x15, "", 1047},
	{"a replica", 0x15, "\x01\x00\x00\x00\x04host", 1047},
	{"a dump by transactions, empty", 0x1e, "", 1047},
	{"a dump by transactions", 0x1e, "\x00\x00", 1047},
	{"daemon", 0x1d, "", 1047},
	{"sleep", 0x00, "", 1047},
	{"a command that is none", 0xff, "x", 1047},

	{"an option without its number", 0x1b, "", 1047},
	{"half of an option's number", 0x1b, "\x01", 1047},
	{"an option that is none", 0x1b, "\x02\x00", 1047},

	{"columns of no table", 0x04, "", 1835},
	{"columns of a table whose name does not end", 0x04, "t", 1835},
	{"a database", 0x02, "d", 0},
	{"columns of a table that is not there", 0x04, "missing\x00", 1146},

	{"reset of nothing", 0x1a, "", 1243},
	{"reset of a quarter of a number", 0x1a, "\x01", 1243},
	{"reset of a statement that is not there", 0x1a, noStatement, 1243},
	{"reset", 0x1a, firstStatement, 0},

	{"execution of nothing", 0x17, "", 1243},
	{"execution of a statement that is not there", 0x17, noStatement + runOnce, 1243},
	{"execution without flags", 0x17, firstStatement, 1210},
	{"execution twice", 0x17, firstStatement + "\x00\x02\x00\x00\x00\x00", 1210},
	{"one type for two parameters", 0x17, firstStatement + runOnce + "\x00\x01\x08\x00", 1210},
	{"types that are none", 0x17, firstStatement + runOnce + "\x00\x01\xaa\x00\xaa\x00", 1210},
	{"a text of a negative length", 0x17, firstStatement + runOnce + "\x00\x01\x08\x00\xfd\x00\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff", 1210},
	{"a text longer than all memory", 0x17, firstStatement + runOnce + "\x00\x01\x08\x00\xfd\x00\x01\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\xff\xff\xff\xff\x7f", 1210},
	{"a text longer than its packet", 0x17, firstStatement + runOnce + "\x00\x01\x08\x00\xfd\x00\x01\x00\x00\x00\x00\x00\x00\x00\xfc\x10\x00x", 1210},

	{"LOAD DATA prepared", 0x16, "LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t", 1295},
	{"LOAD DATA prepared behind a comment", 0x16, "/* x */ load data local infile 'x' into table d.t ignore 1 lines", 1295},
	{"no statement prepared", 0x16, "SELEC", 1064},
}

const (
	// firstStatement is the number of a connection's first prepared statement; noStatement is not a statement.
	firstStatement, noStatement = "\x01\x00\x00\x00", "\x63\x00\x00\x00"
	// runOnce has the flags and the count of an execution.
	runOnce = "\x00\x01\x00\x00\x00"
)

// A malformed command gets exactly one error, MySQL's, and the connection continues in step, with and without TLS.
func TestMalformedCommands(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{TLSSelfSigned: true})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE d", "CREATE TABLE d.t (a INT, b VARCHAR(20))", "INSERT INTO d.t VALUES (1, 'x')",
		"CREATE USER a@'%' IDENTIFIED BY 's'", "GRANT ALL ON d.* TO a")
	plain, err := wireLogin(s.Addr, "a", "s", capUsual)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.close()
	for name, w := range map[string]*wire{"plain": plain, "TLS": secured(t, s.Addr, "a", "s")} {
		t.Run(name, func(t *testing.T) {
			w.sequence = 0
			w.send(nil)
			if got := w.number(t, "an empty packet"); got != 1047 {
				t.Errorf("an empty packet: %d", got)
			}
			w.prepareTwoParameters(t)
			for _, c := range malformedCommands {
				t.Run(c.name, func(t *testing.T) {
					if got := w.said(t, c.command, c.rest); got != c.want {
						t.Errorf("command %#x %q is answered %d, want %d", c.command, c.rest, got, c.want)
					}
					if got := w.said(t, 0x0e, ""); got != 0 {
						t.Errorf("after %#x %q: ping is answered %d", c.command, c.rest, got)
					}
				})
			}
			t.Run("data of parameters", w.sendsDataOfParameters)
			if name == "plain" && testsize.Levels(false, true, true) || testsize.All() {
				t.Run("commands of several packets", w.sendsSeveralPackets)
			}
		})
	}
	if log := s.Log(); strings.Contains(log, "panic") {
		t.Error(log)
	}
}

// prepareTwoParameters prepares the connection's first statement.
func (w *wire) prepareTwoParameters(t *testing.T) {
	t.Helper()
	if got := w.said(t, 0x16, "SELECT b FROM d.t WHERE a = ? AND b = ?"); got != 0 {
		t.Fatalf("prepare: %d", got)
	}
	for range 5 { // two parameters, one column, an EOF after each
		if _, err := w.receive(); err != nil {
			t.Fatal(err)
		}
	}
}

// Data for parameters that do not exist is an error of the next execution. Data after a reset counts.
func (w *wire) sendsDataOfParameters(t *testing.T) {
	send := func(rest string) {
		w.sequence = 0
		w.send([]byte("\x18" + rest))
	}
	send("")
	send(noStatement + "\x00\x00x")
	send(firstStatement + "\x09\x00x")
	if got := w.said(t, 0x17, firstStatement+runOnce+"\x03\x01\x08\x00\xfd\x00"); got != 1210 {
		t.Errorf("executed with data for parameter 9: %d", got)
	}
	send(firstStatement + "\x01\x00y")
	if got := w.said(t, 0x1a, firstStatement); got != 0 {
		t.Errorf("reset: %d", got)
	}
	send(firstStatement + "\x01\x00x")
	answer, err := w.command([]byte("\x17" + firstStatement + runOnce + "\x00\x01\x08\x00\xfd\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	if err != nil || len(answer.errors) > 0 || !strings.Contains(string(answer.shown), "\x01x\n") {
		t.Errorf("executed: %q, %v, %v", answer.shown, answer.errors, err)
	}
}

// A query of two packets is one command. A file that the client sends is not a command, whatever it contains.
func (w *wire) sendsSeveralPackets(t *testing.T) {
	long := "SELECT '" + strings.Repeat("z", 1<<24) + "' LIKE 'z%'"
	if answer, err := w.query(long); err != nil || len(answer.errors) > 0 {
		t.Errorf("a long query: %v, %v", answer.errors, err)
	}
	if answer, err := w.query("LOAD DATA LOCAL INFILE 'x' INTO TABLE d.t IGNORE 1 LINES (a)"); err != nil || len(answer.errors) > 0 {
		t.Errorf("LOAD DATA: %v, %v", answer.errors, err)
	}
	if got := w.said(t, 0x0e, ""); got != 0 {
		t.Errorf("ping: %d", got)
	}
}

// A greeting with a missing field is refused before the protocol layer reads it, with and without TLS.
func TestMalformedGreetings(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{TLSSelfSigned: true})
	const ssl, lenenc, database = 1 << 11, 1 << 21, 1 << 3
	for _, c := range []struct {
		name     string
		greeting []byte
	}{
		{"empty", nil}, {"short", []byte{0x85, 0xa6}}, {"without a user", greetingResponse(capUsual, "", "")[:32]},
		{"a negative length", greetingResponse(capUsual|lenenc, "a", "\xfe\xff\xff\xff\xff\xff\xff\xff\xff")},
		{"a length beyond all numbers", greetingResponse(capUsual|lenenc, "a", "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f")},
		{"a length beyond the packet", greetingResponse(capUsual, "a", "\x40aaaa\x00mysql_native_password\x00")},
		{"without a database", greetingResponse(capUsual|database, "a", "\x00")},
		{"of an old protocol", greetingResponse(0, "a", "\x00\x00")},
	} {
		for _, secure := range []bool{false, true} {
			w, err := dial(s.Addr)
			if err != nil {
				t.Fatal(err)
			}
			defer w.close()
			w.sequence = 1
			if secure {
				w.send(greetingResponse(capUsual|ssl, "", "")[:32])
				w.conn = tls.Client(w.conn, &tls.Config{InsecureSkipVerify: true})
				w.in.Reset(w.conn)
			}
			w.send(c.greeting)
			answer, err := w.receive()
			if err != nil || !strings.HasPrefix(string(answer), "\xff\x13\x04#08S01") {
				t.Errorf("%s (TLS: %v) is answered %q, %v", c.name, secure, answer, err)
			}
			if _, err := io.ReadAll(w.in); err != nil && !secure {
				t.Errorf("%s: the connection was not ended: %v", c.name, err)
			}
		}
	}
	if log := s.Log(); strings.Contains(log, "panic") {
		t.Error(log)
	}
}
