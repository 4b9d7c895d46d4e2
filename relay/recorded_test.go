package relay

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/testsize"
)

// dialects are the ways in which answers are written.
var dialects = map[string]protocol.Capabilities{
	"EOF":             everything,
	"no EOF":          everything | protocol.DeprecateEOF,
	"MariaDB":         everything | protocol.DeprecateEOF | protocol.Progress | protocol.CacheMetadata | 1<<35,
	"MariaDB and EOF": everything | protocol.Progress | protocol.CacheMetadata,
	"session changes": everything | protocol.DeprecateEOF | 1<<23,
}

// A recorded session's bytes are those that the server sends without a relay, but for the greeting and the numbers of
// prepared statements.
func TestRecordedSession(t *testing.T) {
	server := mariaDB(t)
	through := startRelay(t, server.Address, nil)
	for name, c := range dialects {
		if !testsize.All() && c != everything {
			continue
		}
		t.Run(name, func(t *testing.T) {
			direct := record(t, server.Address, c)
			relayed := record(t, through, c)
			if !bytes.Equal(direct, relayed) {
				at := 0
				for at < min(len(direct), len(relayed)) && direct[at] == relayed[at] {
					at++
				}
				t.Fatalf("byte %d of %d, %d differs:\n%q\n%q", at, len(direct), len(relayed), direct[max(0, at-80):min(len(direct), at+80)], relayed[max(0, at-80):min(len(relayed), at+80)])
			}
			if len(direct) < 30<<20 {
				t.Errorf("the session has %d bytes, must have 30 MB", len(direct))
			}
			t.Logf("%d bytes", len(direct))
		})
	}
}

// record runs a session with all kinds of commands and returns the server's bytes.
func record(t *testing.T, address string, c protocol.Capabilities) []byte {
	w := dialWire(t, address, c)
	w.query("DROP DATABASE IF EXISTS recorded")
	w.got = nil
	for _, step := range []func(*wire){recordedText, recordedErrors, recordedPrepared, recordedCursor, recordedFile, recordedProcedures, recordedLong, recordedOther, recordedUser} {
		step(w)
	}
	w.send(0, []byte{byte(protocol.Quit)})
	if _, _, err := w.read(); err == nil {
		t.Error("there is a packet after COM_QUIT")
	}
	return w.got
}

func recordedText(w *wire) {
	for _, text := range []string{
		"CREATE DATABASE recorded", "USE recorded",
		"CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(200), c DOUBLE)", "INSERT INTO t SELECT seq, REPEAT('x', seq % 150), seq / 7 FROM seq_1_to_2000",
		"SELECT * FROM t", "SELECT * FROM t WHERE 0", "SELECT '', NULL, ' '", "SELECT @@version", "SELECT 1; SELECT 2 WHERE 0; SELECT 3", "SET @a = 1; SELECT @a",
		"BEGIN", "UPDATE t SET c = 0 WHERE a < 9", "ROLLBACK", "SHOW TABLES", "DO 1", "ANALYZE TABLE t", "CREATE TEMPORARY TABLE tt SELECT 1 AS x", "SELECT * FROM tt",
		"ALTER TABLE t ADD INDEX (b)", "ALTER TABLE t DROP INDEX b",
	} {
		w.must(text)
	}
}

func recordedErrors(w *wire) {
	for _, text := range []string{
		"SELEC", "SELECT * FROM nowhere", "SELECT 1; SELEC; SELECT 3", "INSERT INTO t VALUES (1, 'again', 0)", "", "SELECT (SELECT a FROM t)",
		// an error after rows
		"SELECT IF(a < 1500, a, (SELECT a FROM t)) FROM t",
		"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'own'", "KILL 999999999",
	} {
		w.query(text)
	}
	w.command([]byte{0x7b}) // no command
	w.command([]byte{byte(protocol.StmtExecute), 9, 9, 9, 9, 0, 1, 0, 0, 0})
	w.command([]byte{byte(protocol.StmtReset), 9, 9, 9, 9})
}

func recordedPrepared(w *wire) {
	w.prepare("SELECT * FROM t WHERE a BETWEEN ? AND ?")
	execute := w.statementCommand(protocol.StmtExecute, 0, 1, 0, 0, 0, 0 /* NULLs */, 1, 3, 0, 3, 0)
	execute = binary.LittleEndian.AppendUint32(execute, 10)
	execute = binary.LittleEndian.AppendUint32(execute, 200)
	for range 3 { // the second time the client has the definitions
		w.command(execute)
	}
	w.command(w.statementCommand(protocol.StmtReset))
	w.command(w.statementCommand(protocol.StmtClose))
	w.prepare("INSERT INTO t VALUES (?, ?, 0)")
	long := w.statementCommand(protocol.StmtSendLongData, 1, 0)
	w.command(append(long, "long "...))
	w.command(append(long, "data"...))
	execute = w.statementCommand(protocol.StmtExecute, 0, 1, 0, 0, 0, 0, 1, 3, 0, 0xfc, 0)
	w.command(binary.LittleEndian.AppendUint32(execute, 5000))
	w.command(binary.LittleEndian.AppendUint32(execute, 5000)) // a duplicate
	w.must("SELECT * FROM t WHERE a = 5000")
	w.command(w.statementCommand(protocol.StmtClose))
	w.prepare("DO 1")
	w.prepare("SELECT 1, 2, 3")
	w.command(append([]byte{byte(protocol.StmtPrepare)}, "SELEC"...))
}

func recordedCursor(w *wire) {
	const readOnly = 1
	w.prepare("SELECT * FROM t")
	w.command(w.statementCommand(protocol.StmtExecute, readOnly, 1, 0, 0, 0))
	for range 3 {
		w.command(w.statementCommand(protocol.StmtFetch, 200, 3, 0, 0)) // 968 rows
	}
	w.unrecorded(w.statementCommand(protocol.StmtFetch, 1, 0, 0, 0)) // after the end: the error has the statement's number
	w.command(w.statementCommand(protocol.StmtReset))
	w.prepare("SELECT * FROM t WHERE 0")
	w.command(w.statementCommand(protocol.StmtExecute, readOnly, 1, 0, 0, 0))
}

func recordedFile(w *wire) {
	w.must("CREATE TABLE loaded (a INT PRIMARY KEY, b TEXT)")
	w.must("LOAD DATA LOCAL INFILE 'any' INTO TABLE loaded")
	w.must("LOAD DATA LOCAL INFILE 'any' IGNORE INTO TABLE loaded; SELECT COUNT(*) FROM loaded; LOAD DATA LOCAL INFILE 'any' REPLACE INTO TABLE loaded")
	w.query("LOAD DATA LOCAL INFILE 'any' INTO TABLE nowhere")
	w.query("LOAD DATA INFILE '/none' INTO TABLE loaded")
	w.must("SELECT * FROM loaded")
}

func recordedProcedures(w *wire) {
	w.must("CREATE PROCEDURE several() BEGIN SELECT 1; SELECT * FROM t WHERE a < 20; SELECT 3 WHERE 0; END")
	w.must("CREATE PROCEDURE failing() BEGIN SELECT 1; SELECT * FROM nowhere; END")
	w.must("CALL several()")
	w.query("CALL failing()")
	w.prepare("CALL several()")
	w.command(w.statementCommand(protocol.StmtExecute, 0, 1, 0, 0, 0))
	w.must("CALL several(); SELECT 4; CALL several()")
}

func recordedLong(w *wire) {
	w.must("SELECT LENGTH('" + strings.Repeat("x", 20<<20) + "')")
	// Four bytes of length precede the value and two follow: rows that fill one frame, all but a byte of it, and one whose first byte
	// is that of EOF.
	for _, n := range []int{1<<24 - 7, 1<<24 - 8, 17 << 20} {
		w.must("SELECT REPEAT('y', " + strconv.Itoa(n) + "), 1")
	}
	w.prepare("SELECT REPEAT('z', 17000000)")
	w.command(w.statementCommand(protocol.StmtExecute, 0, 1, 0, 0, 0))
	w.must("SET @long = '" + strings.Repeat("x", 1<<24-18) + "'")
}

func recordedOther(w *wire) {
	w.command([]byte{byte(protocol.Ping)})
	w.command(append([]byte{0x02}, "recorded"...)) // COM_INIT_DB
	w.command(append([]byte{0x02}, "nowhere"...))  // refused
	w.command([]byte{byte(protocol.FieldList), 't', 0})
	w.command([]byte{byte(protocol.FieldList), 'n', 'o', 0})
	w.command([]byte{0x1b, 1, 0}) // COM_SET_OPTION: no several statements
	w.query("SELECT 1; SELECT 2")
	w.command([]byte{0x1b, 0, 0})
	w.must("SELECT 1; SELECT 2")
	w.command([]byte{0x0d})                         // COM_DEBUG
	w.unrecorded([]byte{byte(protocol.Statistics)}) // counts seconds and queries
}

// unrecorded sends a command whose answer always differs.
func (w *wire) unrecorded(payload []byte) {
	before := len(w.got)
	w.command(payload)
	w.got = w.got[:before]
}

func recordedUser(w *wire) {
	w.command([]byte{byte(protocol.ResetConnection)})
	w.query("SELECT * FROM tt") // gone
	change := []byte{byte(protocol.ChangeUser)}
	change = append(change, "root\x00\x00recorded\x00\x2d\x00mysql_native_password\x00"...)
	w.unrecorded(change) // upstream sends a new scramble
	w.must("SELECT DATABASE(), CURRENT_USER()")
	change = []byte{byte(protocol.ChangeUser)}
	change = append(change, "root\x00\x00\x00\x2d\x00client_ed25519\x00"...) // upstream switches to another plugin
	w.unrecorded(change)
	w.must("SELECT DATABASE(), CURRENT_USER()")
}
