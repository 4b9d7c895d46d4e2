package acceptance

import (
	dbsql "database/sql"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// fromOne is a query for rows that begin with 1, 2, 3.
func fromOne(rows, width int) string {
	return fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, REPEAT('x', %d) FROM n", rows, width)
}

// prepared prepares a query and returns its number in the form of commands.
func (w *wire) prepared(t *testing.T, query string) string {
	t.Helper()
	w.sequence = 0
	w.send([]byte("\x16" + query))
	p, err := w.receive()
	if err != nil || p[0] != 0 {
		t.Fatalf("prepare %s: %q, %v", query, p, err)
	}
	for _, definitions := range []uint16{binary.LittleEndian.Uint16(p[7:]), binary.LittleEndian.Uint16(p[5:])} {
		for i := uint16(0); definitions > 0 && i <= definitions; i++ {
			if _, err := w.receive(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return string(p[1:5])
}

// answer reads packets up to the end of columns or rows. numbers are the first values of the rows, number is the error's.
func (w *wire) answer(t *testing.T, command string) (numbers []int, flags uint16, number int) {
	t.Helper()
	w.sequence = 0
	w.send([]byte(command))
	for at := byte(2); ; at++ {
		p, err := w.receive()
		switch {
		case err != nil:
			t.Fatalf("%q: %v", command, err)
		case w.sequence != at:
			t.Fatalf("%q: packet %d is numbered %d", command, at-1, w.sequence-1)
		case p[0] == 0xff:
			return nil, 0, int(binary.LittleEndian.Uint16(p[1:]))
		case p[0] == 0xfe && len(p) < 9:
			return numbers, binary.LittleEndian.Uint16(p[3:]), 0
		case p[0] == 0:
			numbers = append(numbers, int(binary.LittleEndian.Uint32(p[2:])))
		}
	}
}

const cursorExists, lastRowSent = 0x40, 0x80

// opened executes a statement and opens a cursor.
func (w *wire) opened(t *testing.T, statement string) {
	t.Helper()
	if _, flags, number := w.answer(t, "\x17"+statement+"\x01\x01\x00\x00\x00"); number != 0 || flags&cursorExists == 0 {
		t.Fatalf("no cursor: flags %#x, error %d", flags, number)
	}
}

// fetches reads this many rows from the number next on.
func (w *wire) fetches(t *testing.T, statement string, next, rows int) (flags uint16) {
	t.Helper()
	numbers, flags, number := w.answer(t, "\x1c"+statement+string(binary.LittleEndian.AppendUint32(nil, uint32(rows))))
	if number != 0 || len(numbers) != rows {
		t.Fatalf("%d rows instead of %d, error %d", len(numbers), rows, number)
	}
	for i, n := range numbers {
		if n != next+i {
			t.Fatalf("row %d is %d", next+i, n)
		}
	}
	return flags
}

// cursorClients are an owner, whose statements run in the server, and an analyst, whose statements run in a worker.
func cursorClients(t *testing.T) (*servertest.Server, map[string]func() *wire) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	failsWith(t, root, 0, "CALL create_analyst('bi', 'long and secret')")
	failsWith(t, root, 0, "CALL set_limits('bi', 'memory=2GiB')") // the race detector takes most of it
	return s, map[string]func() *wire{
		"an owner":   func() *wire { return spoken(t, s.Addr, "root", "") },
		"an analyst": func() *wire { return spoken(t, s.Addr, "bi", "long and secret") },
	}
}

// Other statements run while cursors are open; afterwards the cursors continue.
func TestStatementsBesideCursors(t *testing.T) {
	_, clients := cursorClients(t)
	for who, connect := range clients {
		t.Run(who, func(t *testing.T) {
			w := connect()
			first := w.prepared(t, fromOne(900, 10))
			w.opened(t, first)
			w.fetches(t, first, 1, 130)
			if answer, err := w.query("SELECT 'beside', COUNT(*) FROM (" + fromOne(3, 1) + ") q"); err != nil || len(answer.errors) > 0 || !strings.Contains(string(answer.shown), "\x06beside\x013") {
				t.Errorf("a query: %q, %v", answer.shown, err)
			}
			second := w.prepared(t, fromOne(5, 20))
			w.opened(t, second)
			if flags := w.fetches(t, first, 131, 700); flags&cursorExists == 0 || flags&lastRowSent != 0 {
				t.Errorf("flags before the last rows: %#x", flags)
			}
			if flags := w.fetches(t, second, 1, 5); flags&lastRowSent == 0 {
				t.Errorf("flags behind the second cursor: %#x", flags)
			}
			if flags := w.fetches(t, first, 831, 70); flags&lastRowSent == 0 {
				t.Errorf("flags behind the last row: %#x", flags)
			}
			if _, _, number := w.answer(t, "\x1c"+first+"\x01\x00\x00\x00"); number != 1421 {
				t.Errorf("a row behind the last: error %d, want 1421", number)
			}
			w.opened(t, first)
			w.opened(t, first) // it replaces the previous one
			w.fetches(t, first, 1, 3)
			if got := w.said(t, 0x1a, first); got != 0 {
				t.Errorf("reset: %d", got)
			}
			if _, _, number := w.answer(t, "\x1c"+first+"\x01\x00\x00\x00"); number != 1421 {
				t.Errorf("a row behind a reset: error %d, want 1421", number)
			}
			failing := w.prepared(t, "SELECT i, JSON_EXTRACT(IF(i < 700, '1', '{'), '$') FROM ("+fromOne(900, 1)+") q")
			if _, _, number := w.answer(t, "\x17"+failing+"\x01\x01\x00\x00\x00"); number != 3141 {
				t.Errorf("a statement that fails behind rows: error %d, want 3141", number)
			}
			if got := w.said(t, 0x0e, ""); got != 0 {
				t.Errorf("ping behind it: %d", got)
			}
		})
	}
}

// alsoRunning counts the running statements except itself.
func alsoRunning(t *testing.T, root *dbsql.Conn) (n int) {
	t.Helper()
	if err := root.QueryRowContext(t.Context(), "SHOW STATUS LIKE 'Threads_running'").Scan(new(string), &n); err != nil {
		t.Fatal(err)
	}
	return n - 1
}

// A cursor with more rows than the server holds can be read to its end. Meanwhile its connection refuses statements. KILL, an idle timeout and a
// client that leaves end the statement.
func TestLargeCursors(t *testing.T) {
	s, clients := cursorClients(t)
	root := s.Connect(t, servertest.Root)
	const rows, size, step = 48, 1 << 20, 16
	ends := func(t *testing.T, what string) {
		t.Helper()
		servertest.Eventually(t, "the end of the statement of "+what, func() bool { return alsoRunning(t, root) == 0 })
	}
	opened := func(t *testing.T, w *wire, statement string) {
		t.Helper()
		if w.opened(t, statement); alsoRunning(t, root) != 1 {
			t.Fatal("the statement does not wait for its rows to be fetched")
		}
	}
	for who, connect := range clients {
		t.Run(who, func(t *testing.T) {
			w := connect()
			if answer, err := w.query("SET SESSION wait_timeout = 2"); err != nil || len(answer.errors) > 0 {
				t.Fatal(answer, err)
			}
			other, large := w.prepared(t, "SELECT LENGTH(?)"), w.prepared(t, fromOne(rows, size))
			opened(t, w, large)
			for next := 1; next <= rows; next += step {
				if answer, err := w.query("SELECT 1"); err != nil || len(answer.errors) != 1 || answer.errors[0].number != 3170 {
					t.Errorf("a query beside row %d: %v, %v", next, answer.errors, err)
				}
				w.fetches(t, large, next, step)
			}
			opened(t, w, large)
			for range 40 { // data of a parameter, without an answer
				w.sequence = 0
				w.send([]byte("\x18" + other + "\x00\x00" + strings.Repeat("z", size)))
			}
			if got := w.said(t, 0x0e, ""); got != 0 {
				t.Errorf("ping: %d", got)
			}
			failsWith(t, root, 0, fmt.Sprintf("KILL QUERY %d", w.id))
			ends(t, "a client that was killed")
			if _, _, number := w.answer(t, "\x1c"+large+"\x01\x00\x00\x00"); number != 1317 {
				t.Errorf("a row behind KILL: error %d", number)
			}
			if got := w.said(t, 0x17, other+runOnce+"\x00\x01\xfd\x00"); got != 1210 {
				t.Errorf("executed with data that was not taken: error %d", got)
			}
			opened(t, w, large)
			if got := w.said(t, 0x1a, large); got != 0 {
				t.Errorf("reset: %d", got)
			}
			opened(t, w, large)
			ends(t, "an idle client")
			left := connect()
			opened(t, left, left.prepared(t, fromOne(rows, size)))
			left.close()
			ends(t, "a client that left")
		})
	}
}

// Even a client that wants no EOF packets gets one after the columns, which announces the cursor.
func TestCursorWithoutEOF(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	w, err := wireLogin(s.Addr, "root", "", capUsual|1<<24)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if got := w.said(t, 0x16, fromOne(3, 1)); got != 0 {
		t.Fatalf("prepare: %d", got)
	}
	for range 2 { // columns
		if _, err := w.receive(); err != nil {
			t.Fatal(err)
		}
	}
	w.opened(t, firstStatement)
	if flags := w.fetches(t, firstStatement, 1, 2); flags&cursorExists == 0 {
		t.Errorf("flags: %#x", flags)
	}
	if flags := w.fetches(t, firstStatement, 3, 1); flags&lastRowSent == 0 {
		t.Errorf("flags behind the last row: %#x", flags)
	}
}
