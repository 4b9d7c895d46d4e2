package acceptance

import (
	"bytes"
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// startBounded starts a server and an analyst.
func startBounded(t *testing.T) (*servertest.Server, *dbsql.Conn, *dbsql.Conn) {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	failsWith(t, root, 0, "CALL create_analyst('bi', 'long and secret')")
	return s, root, s.Connect(t, servertest.Account{User: "bi", Password: "long and secret"})
}

// A session has a limited number of prepared statements; closing one makes room.
func TestPreparedStatementsAreCounted(t *testing.T) {
	s, root, bi := startBounded(t)
	ctx := context.Background()
	var open []*dbsql.Stmt
	var err error
	for i := 0; err == nil && i < 2000; i++ {
		var statement *dbsql.Stmt
		if statement, err = bi.PrepareContext(ctx, fmt.Sprintf("SELECT %d", i)); err == nil {
			open = append(open, statement)
		}
	}
	if len(open) != 1024 || servertest.Number(err) != 1461 {
		t.Errorf("%d prepared, then %v", len(open), err)
	}
	hidden := "/* " + strings.Repeat("x", 5000) + " */ --\n"
	for _, text := range []string{"PREPARE more FROM 'SELECT 1'", hidden + "PREPARE more FROM 'SELECT 1'", "PREPARE " + hidden + " more FROM 'SELECT 1'"} {
		failsWith(t, bi, 1461, text)
	}
	for _, statement := range open {
		statement.Close()
	}
	for range testsize.Of(1100, 3000) { // more than the limit
		statement, err := bi.PrepareContext(ctx, "SELECT 1")
		if err != nil {
			t.Fatal(err)
		}
		statement.Close()
	}
	for i := range 1100 {
		failsWith(t, bi, 0, "PREPARE again FROM 'SELECT 1'")
		failsWith(t, bi, 0, fmt.Sprintf("PREPARE named%d FROM 'SELECT 1'", i))
		failsWith(t, bi, 0, fmt.Sprintf("%s PREPARE named%d", []string{"DEALLOCATE", "DROP"}[i%2], i))
	}
	failsWith(t, root, 0, "SET GLOBAL max_prepared_stmt_count = 1")
	defer failsWith(t, root, 0, "SET GLOBAL max_prepared_stmt_count = 16382") // a variable of the process
	if _, err := s.Open(t, servertest.Root).Prepare("SELECT 1"); servertest.Number(err) != 1461 {
		t.Errorf("beyond max_prepared_stmt_count: %v", err)
	}
}

// The texts of a session's prepared statements are bounded together, and so is the length of one in words: the front
// stores all of them, whichever process runs them.
func TestPreparedTextsAreBounded(t *testing.T) {
	_, root, bi := startBounded(t)
	ctx := context.Background()
	failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 1048576")
	defer failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 67108864") // a variable of the process
	prepare := func(length int) (*dbsql.Stmt, error) {
		return bi.PrepareContext(ctx, "SELECT '"+strings.Repeat("x", length)+"'")
	}
	first, err := prepare(600_000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(600_000); servertest.Number(err) != 1461 {
		t.Errorf("texts longer than max_allowed_packet: %v", err)
	}
	first.Close()
	if _, err := prepare(600_000); err != nil {
		t.Errorf("when the first is closed: %v", err)
	}
	failsWith(t, bi, 0, "SET @long = CONCAT('SELECT ''', REPEAT('x', 600000), '''')")
	for _, text := range []string{"'SELECT \"" + strings.Repeat("x", 600_000) + "\"'", "@long"} {
		failsWith(t, bi, 1461, "PREPARE named FROM "+text)
	}
	failsWith(t, bi, 0, "SET @long = CONCAT('SELECT 1 IN (1', REPEAT(',1', 300000), ')')")
	for _, text := range []string{"@long", "'@@long'"} { // the engine takes both for the variable
		failsWith(t, bi, 1153, "PREPARE named FROM "+text)
	}
	failsWith(t, bi, 0, "PREPARE named FROM 'SELECT 1'")
	for words, number := range map[int]int{200_000: 0, 1<<18 + 1: 1153} {
		statement, err := bi.PrepareContext(ctx, "SELECT 1 IN (1"+strings.Repeat(",1", words)+")")
		if servertest.Number(err) != number || (err == nil) != (number == 0) {
			t.Errorf("%d words: %v, want number %d", words, err, number)
		}
		if err == nil {
			statement.Close()
		}
	}
}

// No session variable accepts a long text.
func TestLongVariables(t *testing.T) {
	_, _, bi := startBounded(t)
	failsWith(t, bi, 1231, "SET SESSION time_zone = REPEAT('x', 100000)")
}

// A text in a wider character set is as long as its characters there.
func TestWideCharacterSets(t *testing.T) {
	_, _, bi := startBounded(t)
	var text string
	var length, hex int
	row := bi.QueryRowContext(context.Background(), "SELECT CONVERT(57 USING latin1), LENGTH(CONVERT('ab' USING utf32)), LENGTH(HEX(CONVERT('ab' USING utf16)))")
	if err := row.Scan(&text, &length, &hex); err != nil || text != "57" || length != 8 || hex != 8 {
		t.Errorf("%q, %d, %d, %v", text, length, hex, err)
	}
}

// GROUP_CONCAT keeps only as much of a text as its result can have.
func TestGroupConcatKeepsWhatItShows(t *testing.T) {
	_, root, bi := startBounded(t)
	for _, statement := range []string{"CREATE DATABASE c", "CREATE TABLE c.n (n INT)", "GRANT SELECT ON c.* TO bi@'%'",
		"INSERT INTO c.n VALUES (0)" + strings.Repeat(",(1)", 1999)} {
		failsWith(t, root, 0, statement)
	}
	failsWith(t, bi, 0, "SELECT GROUP_CONCAT(REPEAT('a', 60000)), GROUP_CONCAT(n, REPEAT('b', 60000) ORDER BY n DESC) FROM c.n")
	var first, second string
	row := bi.QueryRowContext(context.Background(),
		"SELECT GROUP_CONCAT(DISTINCT CONCAT(n, REPEAT('a', 2000)) ORDER BY n DESC), GROUP_CONCAT(DISTINCT CONCAT(REPEAT('a', 1500), n)) FROM c.n")
	if err := row.Scan(&first, &second); err != nil || first != "1"+strings.Repeat("a", 1023) || second != strings.Repeat("a", 1024) {
		t.Errorf("%.20q of %d, %.20q of %d, %v", first, len(first), second, len(second), err)
	}
}

// Parameters sent in parts are bounded by max_allowed_packet, and so are all pending ones of a connection together.
// The connection continues.
func TestLongDataIsBounded(t *testing.T) {
	s, root, _ := startBounded(t)
	open := func(user, password string) *dbsql.Conn {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.User, config.Passwd, config.MaxAllowedPacket = "tcp", s.Addr, user, password, 200_000
		conn, err := servertest.Dial(t, config).Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 4194304")
	defer failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 67108864") // a variable of the process
	for _, c := range []struct {
		conn   *dbsql.Conn
		size   int
		number int
	}{{open("root", ""), 1_390_000, 0}, {open("root", ""), 4_300_000, 1153}, {open("bi", "long and secret"), 1_000_000, 0}, {open("bi", "long and secret"), 1_400_000, 1153}} {
		statement, err := c.conn.PrepareContext(context.Background(), "SELECT LENGTH(?), LENGTH(?), LENGTH(?)")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			large := bytes.Repeat([]byte("x"), c.size)
			var n [3]int
			if err := statement.QueryRow(large, large, large).Scan(&n[0], &n[1], &n[2]); servertest.Number(err) != c.number || c.number == 0 && n[2] != c.size {
				t.Errorf("%d bytes: %v, %v, want number %d", c.size, n, err, c.number)
			}
			small := bytes.Repeat([]byte("x"), 100_000)
			if err := statement.QueryRow(small, small, small).Scan(&n[0], &n[1], &n[2]); err != nil || n[0] != 100_000 {
				t.Errorf("small ones after %d bytes: %v, %v", c.size, n, err)
			}
		}
	}
}

// An aggregate that builds a document is bounded by max_allowed_packet. In a group the excess is an error; over a
// window, where the engine allows none, it is NULL with the warning.
func TestDocumentsOfAggregatesAreBounded(t *testing.T) {
	_, root, _ := startBounded(t)
	numbered(t, root, 1000)
	failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 1024")
	defer failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 67108864") // a variable of the process
	failsWith(t, root, 1301, "SELECT JSON_ARRAYAGG(a) FROM d.t")
	failsWith(t, root, 1301, "SELECT JSON_OBJECTAGG(a, a) FROM d.t")
	failsWith(t, root, 0, "SELECT a % 10, JSON_ARRAYAGG(a) FROM d.t GROUP BY a % 10")
	if n := one[int](t, root, "SELECT COUNT(*) FROM (SELECT JSON_ARRAYAGG(a) OVER () AS j FROM d.t) w WHERE j IS NULL"); n != 1000 {
		t.Errorf("%d documents over a window are NULL, want 1000", n)
	}
	var level, message string
	var code int
	if err := root.QueryRowContext(context.Background(), "SHOW WARNINGS").Scan(&level, &code, &message); err != nil || code != 1301 {
		t.Errorf("the warning is %d %s, %v", code, message, err)
	}
}

// The user variables of a session are bounded together, however they are set. Setting one to NULL makes room.
func TestUserVariablesAreBounded(t *testing.T) {
	t.Parallel()
	_, root, bi := startBounded(t)
	const large = "REPEAT('x', 40000000)"
	for _, conn := range []*dbsql.Conn{root, bi} {
		failsWith(t, conn, 0, "SET @a = "+large)
		for _, statement := range []string{"SET @b = " + large, "SELECT LENGTH(@b := " + large + ")", "SELECT " + large + " INTO @b"} {
			failsWith(t, conn, 3170, statement)
		}
		failsWith(t, conn, 0, "SET @a = NULL")
		failsWith(t, conn, 0, "SET @b = "+large)
	}
}
