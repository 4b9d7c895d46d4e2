package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// failsWith reads a statement to its last row and expects the error number, 0 for none.
func failsWith(t testing.TB, conn *dbsql.Conn, number int, statement string) {
	t.Helper()
	err := servertest.Drain(conn.QueryContext(context.Background(), statement))
	if servertest.Number(err) != number || (err == nil) != (number == 0) {
		t.Errorf("%.200s\n%v, want number %d", statement, err, number)
	}
	if err := conn.PingContext(context.Background()); err != nil {
		t.Fatalf("after %.200s: %v", statement, err)
	}
}

// max_execution_time applies only to SELECT, the hint overrides it, and both leave the connection in order.
func TestMaxExecutionTime(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	failsWith(t, conn, 0, "SET SESSION max_execution_time = 50")
	failsWith(t, conn, 3024, "SELECT SLEEP(30)")
	failsWith(t, conn, 3024, "/* who */ select /*+ MAX_EXECUTION_TIME(20) */ SLEEP(30)")
	failsWith(t, conn, 0, "SELECT /*+ MAX_EXECUTION_TIME(0) */ SLEEP(0.1)")
	failsWith(t, conn, 0, "SET @x = SLEEP(0.1)")
	hidden := "/* " + strings.Repeat("x", 5000) + " */ --\n # who\n--\x01\n//x\n"
	failsWith(t, conn, 3024, hidden+"SELECT SLEEP(30)")
	failsWith(t, conn, 0, hidden+"PREPARE slow FROM 'SELECT SLEEP(30)'")
	failsWith(t, conn, 3024, hidden+"EXECUTE "+hidden+"slow")
	// For EXECUTE, it matters whether the prepared statement is a SELECT.
	for name, c := range map[string]struct {
		statement string
		number    int
	}{
		"slow": {"SELECT SLEEP(30)", 3024}, "`Slow er`": {"(SELECT SLEEP(30)) UNION SELECT 1", 3024}, "hinted": {"SELECT /*+ MAX_EXECUTION_TIME(20) */ SLEEP(30)", 3024},
		"lifted": {"SELECT /*+ MAX_EXECUTION_TIME(0) */ SLEEP(0.1)", 0}, "assigned": {"SET @x = SLEEP(0.1)", 0},
	} {
		failsWith(t, conn, 0, "PREPARE "+name+" FROM '"+c.statement+"'")
		failsWith(t, conn, c.number, "/* who */ execute "+name)
	}
	failsWith(t, conn, 0, "SET SESSION max_execution_time = 0")
	failsWith(t, conn, 0, "SELECT SLEEP(0.1)")
	failsWith(t, conn, 3024, "EXECUTE hinted")
	failsWith(t, conn, 3024, "SELECT /*+ SET_VAR(sort_buffer_size = 16M) max_execution_time( 20 ) */ SLEEP(30)")
	statement, err := conn.PrepareContext(context.Background(), "SELECT /*+ MAX_EXECUTION_TIME(20) */ SLEEP(?)")
	if err != nil {
		t.Fatal(err)
	}
	var got int
	if err := statement.QueryRow(30).Scan(&got); servertest.Number(err) != 3024 {
		t.Errorf("prepared: %v", err)
	}
	failsWith(t, conn, 0, "SET GLOBAL max_execution_time = 50")
	defer failsWith(t, conn, 0, "SET GLOBAL max_execution_time = 0") // a variable of the process
	failsWith(t, s.Connect(t, servertest.Root), 3024, "SELECT SLEEP(30)")
}

// The server's own limits apply to analysts, who cannot lift them.
func TestAnalystLimits(t *testing.T) {
	_, owners, analyst := limited(t, server.Config{StatementTimeout: 300 * time.Millisecond})
	for _, owner := range owners {
		failsWith(t, owner, 0, "SELECT SLEEP(0.5)")
	}
	failsWith(t, analyst, 3024, "SELECT SLEEP(30)")
	failsWith(t, analyst, 3024, "SET @x = SLEEP(30)")
	failsWith(t, analyst, 0, "SET SESSION max_execution_time = 1000000")
	failsWith(t, analyst, 3024, "SELECT /*+ MAX_EXECUTION_TIME(1000000) */ SLEEP(30)")
}

// The same for rows, without a clock.
func TestAnalystRows(t *testing.T) {
	root, owners, analyst := limited(t, server.Config{MaxResultRows: 5000})
	failsWith(t, root, 0, "CALL anonymize('d.t', 'slppa', 'qi=a', 'sa=s', 'beta=0.5', 'publish=p', 'calibrate=false', 'fit=false')")
	for _, owner := range owners {
		failsWith(t, owner, 0, "SELECT * FROM d.t")
	}
	failsWith(t, analyst, 1104, "SELECT * FROM published.p")
	failsWith(t, analyst, 0, "SELECT * FROM published.p LIMIT 5000")
	failsWith(t, analyst, 1104, "SELECT * FROM published.p LIMIT 5001")
	failsWith(t, analyst, 0, "SELECT s, COUNT(*) FROM published.p GROUP BY s")
}

// limited starts a server with a table d.t of 6,000 rows, two owners who may read it, and an analyst.
func limited(t *testing.T, config server.Config) (root *dbsql.Conn, owners []*dbsql.Conn, analyst *dbsql.Conn) {
	t.Helper()
	config.Extend = server.Product
	s := servertest.Start(t, config)
	root = s.Connect(t, servertest.Root)
	values := make([]string, 6000)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, '%c')", i, 'a'+i%7)
	}
	for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (a INT, s VARCHAR(10))", "CREATE USER other@'%'", "GRANT SELECT ON d.* TO other@'%'",
		"CALL create_analyst('bi', 'long and secret')", "GRANT EXECUTE ON *.* TO bi@'%'", "INSERT INTO d.t VALUES " + strings.Join(values, ",")} {
		failsWith(t, root, 0, statement)
	}
	return root, []*dbsql.Conn{root, s.Connect(t, servertest.Account{User: "other"})}, s.Connect(t, servertest.Account{User: "bi", Password: "long and secret"})
}

// Bytes are bounded like rows, in both protocols. A result below the bound is complete.
func TestMaxResultBytes(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product, MaxResultBytes: 3 << 20})
	root := s.Connect(t, servertest.Root)
	failsWith(t, root, 0, "CALL create_analyst('bi', 'long and secret')")
	analyst := s.Connect(t, servertest.Account{User: "bi", Password: "long and secret"})
	ten := "(SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5)"
	rows := func(bytes int) string {
		return fmt.Sprintf("SELECT REPEAT('x', %d) FROM %s a, %s b, %s c, %s d, %s e", bytes, ten, ten, ten, ten, ten) // 3,125 rows
	}
	failsWith(t, root, 0, rows(2000))
	failsWith(t, analyst, 0, rows(1000))
	failsWith(t, analyst, 1104, rows(1010))
	failsWith(t, analyst, 1104, "SELECT REPEAT('x', 3145729)")
	failsWith(t, analyst, 0, "SELECT REPEAT('x', 3145728)")
	statement, err := analyst.PrepareContext(context.Background(), rows(1010))
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := shownPrepared(statement); servertest.Number(err) != 1104 {
		t.Errorf("prepared: %d bytes, %v", len(shown), err)
	}
	failsWith(t, analyst, 0, "SELECT 1")
}

func shownPrepared(statement *dbsql.Stmt) (string, error) {
	rows, err := statement.Query()
	if err != nil {
		return "", err
	}
	return shownRows(rows)
}

// numbered makes d.t, whose column a has the numbers from 0 to n-1.
func numbered(t *testing.T, conn *dbsql.Conn, n int) {
	t.Helper()
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("(%d)", i)
	}
	failsWith(t, conn, 0, "CREATE DATABASE d")
	failsWith(t, conn, 0, "CREATE TABLE d.t (a INT)")
	failsWith(t, conn, 0, "INSERT INTO d.t VALUES "+strings.Join(values, ","))
}

// A session that takes all memory ends with 3170, and other sessions are not affected.
func TestMemoryLimit(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product, MemoryLimit: 256 << 20})
	conn, other := s.Connect(t, servertest.Root), s.Connect(t, servertest.Root)
	// 30,000 rows of 64 KiB each are two gigabytes; the sort keeps them all.
	const many = 30_000
	numbered(t, conn, many)
	ended := make(chan error)
	go func() {
		_, err := conn.ExecContext(context.Background(), "SELECT COUNT(*), MAX(x) FROM (SELECT REPEAT(CHAR(65 + a % 26), 65536) AS x FROM d.t ORDER BY x) y")
		ended <- err
	}()
	for going := true; going; {
		select {
		case err := <-ended:
			if servertest.Number(err) != 3170 {
				t.Errorf("the sort ended with %v", err)
			}
			going = false
		default:
			failsWith(t, other, 0, "SELECT COUNT(*) FROM d.t WHERE a < 10")
		}
	}
	if err := conn.PingContext(context.Background()); err == nil {
		t.Error("the session goes on")
	}
	if !strings.Contains(s.Log(), "out of memory") {
		t.Error("the log says nothing")
	}
}

// Functions that build texts are NULL with warning 1301 beyond
// max_allowed_packet.
func TestTextsAreBounded(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn := s.Connect(t, servertest.Root)
	failsWith(t, conn, 0, "SET GLOBAL max_allowed_packet = 1048576")
	defer failsWith(t, conn, 0, "SET GLOBAL max_allowed_packet = 67108864") // a variable of the process
	for expression, long := range map[string]bool{
		"REPEAT('ab', 524288)": false, "REPEAT('ab', 524289)": true, "REPEAT('a', 1e18)": true,
		"SPACE(1048576)": false, "SPACE(1048577)": true,
		"LPAD('a', 1048576, 'bc')": false, "LPAD('a', 1048577, 'bc')": true, "RPAD('', 2e9, 'x')": true,
		"CONCAT(SPACE(1048575), 'x')": false, "CONCAT(SPACE(1048576), 'x')": true,
		"CONCAT_WS(',', SPACE(1000000), SPACE(48575))": false, "CONCAT_WS(',', SPACE(1000000), SPACE(48576))": true,
		"REPLACE(SPACE(1000), ' ', SPACE(1000))": false, "REPLACE(SPACE(1000), ' ', SPACE(2000))": true,
		"REGEXP_REPLACE('abc', 'b', SPACE(1000))": false, "REGEXP_REPLACE(SPACE(100000), ' ', SPACE(100000))": true,
		"CAST(REPEAT('x', 1048576) AS CHAR)": false, "QUOTE(REPEAT('x', 60000))": false,
		"CONVERT(REPEAT('x', 100), BINARY)": false, "JSON_QUOTE(REPEAT('x', 1048574))": false, "JSON_QUOTE(REPEAT('x', 1048575))": true, "JSON_QUOTE(REPEAT('\n', 524288))": true,
		"JSON_PRETTY(CONCAT(REPEAT('[', 90), REPEAT('0,', 9000), '1', REPEAT(']', 90)))": true, "JSON_PRETTY(CONCAT(REPEAT('[', 90), REPEAT('0,', 1000), '1', REPEAT(']', 90)))": false,
		"JSON_SEARCH(CONCAT(REPEAT('[', 90), REPEAT('\"a\",', 6000), '1', REPEAT(']', 90)), 'all', 'a')": true, "JSON_ARRAY(SPACE(500000), SPACE(500000))": false, "JSON_ARRAY(SPACE(600000), SPACE(600000))": true,
		"JSON_OBJECT('a', SPACE(1048576))": true, "JSON_MERGE_PRESERVE(JSON_ARRAY(SPACE(600000)), JSON_ARRAY(SPACE(600000)))": true, "JSON_SET('{}', '$.a', SPACE(1048576))": true,
		"JSON_EXTRACT(JSON_ARRAY(SPACE(600000)), '$[0]', '$[0]')": true, "CAST(CONCAT('[', REPEAT('1,', 300000), '1]') AS JSON)": false, "CAST(CONCAT('[', REPEAT('1,', 500000), '1]') AS JSON)": true,
		"DATE_FORMAT('2024-01-31', REPEAT('%W', 90000))": false, "DATE_FORMAT('2024-01-31', REPEAT('%W', 400000))": true,
		"EXPORT_SET(3, SPACE(500000), '', SPACE(10000), 2)": false, "EXPORT_SET(3, SPACE(500000), '', SPACE(48577), 2)": true, "EXPORT_SET(-1, SPACE(1000000), '')": true,
		"MAKE_SET(3, SPACE(600000), SPACE(400000))": false, "MAKE_SET(3, SPACE(600000), SPACE(600000))": true, "INSERT(SPACE(600000), 2, 0, SPACE(600000))": true,
		"ST_ASTEXT(ST_GEOMFROMTEXT(CONCAT('LINESTRING(', REPEAT('0 0,', 1000), '1 1)')))": false,
		"HEX(SPACE(524288))": false, "HEX(SPACE(524289))": true, "TO_BASE64(SPACE(1000000))": true,
	} {
		var isNull bool
		if err := conn.QueryRowContext(context.Background(), "SELECT "+expression+" IS NULL").Scan(&isNull); err != nil || isNull != long {
			t.Errorf("%s is NULL: %v, %v", expression, isNull, err)
			continue
		}
		var level, message string
		var code int
		err := conn.QueryRowContext(context.Background(), "SHOW WARNINGS").Scan(&level, &code, &message)
		if long != (err == nil && code == 1301 && strings.Contains(message, "was larger than max_allowed_packet (1048576)")) {
			t.Errorf("%s: warning %d %s, %v", expression, code, message, err)
		}
	}
	for text, want := range map[string]string{"CONCAT('a', 1, 2.5)": "a12.5", "CONCAT('a', NULL)": "NULL", "CONCAT_WS('-', 'a', NULL, 'b')": "a-b",
		"CONCAT_WS(NULL, 'a')": "NULL", "REPLACE('banana', 'an', '')": "ba", "REPLACE('a', '', 'x')": "a", "REPLACE(NULL, 'a', 'b')": "NULL", "HEX(255)": "FF"} {
		if got := one[string](t, conn, "SELECT COALESCE("+text+", 'NULL')"); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	failsWith(t, conn, 0, "SET SESSION group_concat_max_len = 18446744073709551615")
	failsWith(t, conn, 0, "CREATE DATABASE d")
	failsWith(t, conn, 0, "CREATE TABLE d.t (s LONGTEXT)")
	failsWith(t, conn, 0, "INSERT INTO d.t VALUES (SPACE(1000000)), (SPACE(1000000))")
	if got := one[int](t, conn, "SELECT LENGTH(GROUP_CONCAT(s)) FROM d.t"); got != 1048576 {
		t.Errorf("GROUP_CONCAT has %d bytes", got)
	}
}

// A packet beyond max_allowed_packet is error 1153 and ends the connection; other connections continue. LOAD DATA
// LOCAL, which comes in many packets, may be longer.
func TestPacketTooLarge(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS=%v", secure), func(t *testing.T) {
			s := servertest.Start(t, server.Config{Extend: server.Product, TLSSelfSigned: secure})
			account := servertest.Root
			if secure {
				account.TLS = "skip-verify"
			}
			conn := s.Connect(t, account)
			failsWith(t, conn, 0, "SET GLOBAL max_allowed_packet = 1048576")
			defer failsWith(t, conn, 0, "SET GLOBAL max_allowed_packet = 67108864") // a variable of the process
			failsWith(t, conn, 0, "SELECT '"+strings.Repeat("x", 1000_000)+"'")
			other, err := s.Open(t, account).Conn(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			_, err = other.ExecContext(context.Background(), "SELECT '"+strings.Repeat("x", 20_000_000)+"'")
			if servertest.Number(err) != 1153 {
				t.Errorf("a packet of 20 MB: %v", err)
			}
			if err := other.PingContext(context.Background()); err == nil {
				t.Error("the connection goes on")
			}
			failsWith(t, conn, 0, "SELECT 1")
			if n := loadedLines(t, conn, 400_000); n != 400_000 {
				t.Errorf("%d rows loaded", n)
			}
		})
	}
}

// A client that requests much memory before authentication gets nothing.
func TestPacketTooLargeBeforeLogin(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	greeting := make([]byte, 4)
	if _, err := io.ReadFull(conn, greeting); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, conn, int64(greeting[0])|int64(greeting[1])<<8); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte{0xfe, 0xff, 0xff, 1, 0}); err != nil { // a packet of 16 MB begins
		t.Fatal(err)
	}
	conn.(*net.TCPConn).CloseWrite()
	answer, err := io.ReadAll(conn)
	if err != nil || len(answer) < 7 || answer[4] != 0xff || int(answer[5])|int(answer[6])<<8 != 1153 {
		t.Errorf("answer %q, %v", answer, err)
	}
}

// loadedLines loads this many numbers in one LOAD DATA LOCAL.
func loadedLines(t *testing.T, conn *dbsql.Conn, n int) int {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintln(&lines, i)
	}
	name := fmt.Sprintf("lines of %s", t.Name())
	mysql.RegisterReaderHandler(name, func() io.Reader { return strings.NewReader(lines.String()) })
	defer mysql.DeregisterReaderHandler(name)
	servertest.Exec(t, conn, "CREATE DATABASE loaded", "CREATE TABLE loaded.t (n INT)", "LOAD DATA LOCAL INFILE 'Reader::"+name+"' INTO TABLE loaded.t")
	return one[int](t, conn, "SELECT COUNT(*) FROM loaded.t")
}
