package server_test

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
)

// limitedAnalyst starts a server and an analyst with limits.
func limitedAnalyst(t *testing.T, options string) (*servertest.Server, *dbsql.Conn, *dbsql.Conn) {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := only(t, s, servertest.Root)
	failsWith(t, root, 0, "CALL create_analyst('bi', 'long and secret', "+options+")")
	return s, root, only(t, s, servertest.Account{User: "bi", Password: "long and secret"})
}

// User variables take from the session's memory, and what they held before is given
// back.
func TestUserVariablesAreCounted(t *testing.T) {
	s, _, bi := limitedAnalyst(t, "'memory=32MiB'")
	for i := range 3 {
		failsWith(t, bi, 0, fmt.Sprintf("SET @v%d = REPEAT('x', 5000000)", i))
	}
	failsWith(t, bi, 3170, "SET @v3 = REPEAT('x', 30000000)")
	for range 20 {
		failsWith(t, bi, 0, "SET @v0 = REPEAT('y', 1000000)")
	}
	failsWith(t, bi, 3170, "SET NAMES utf8mb4, @v1 = REPEAT('z', 33000000)")
	for _, statement := range []string{"SET @v0 = NULL", "SET @v1 = NULL", "SET @v2 = NULL", "SET @v3 = REPEAT('x', 15000000)"} {
		failsWith(t, bi, 0, statement)
	}
	failsWith(t, bi, 1231, "SET SESSION time_zone = REPEAT('x', 100000)")
	failsWith(t, only(t, s, servertest.Account{User: "bi", Password: "long and secret"}), 0, "SET @v0 = REPEAT('x', 10000000)")
}

// A session has so many prepared statements, and closing one makes room.
func TestPreparedStatementsAreCounted(t *testing.T) {
	s, root, bi := limitedAnalyst(t, "'memory=32MiB'")
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
	failsWith(t, bi, 1461, "PREPARE more FROM 'SELECT 1'")
	for _, statement := range open {
		statement.Close()
	}
	for range 3000 {
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
	long := "SELECT '" + strings.Repeat("x ", 10_000) + "%d'"
	for i := 0; err == nil || i < 5; i++ {
		if _, err = bi.PrepareContext(ctx, fmt.Sprintf(long, i)); i > 100 {
			t.Fatalf("a hundred long texts: %v", err)
		}
	}
	if servertest.Number(err) != 3170 {
		t.Errorf("texts beyond the memory of a session: %v", err)
	}
	failsWith(t, root, 0, "SET GLOBAL max_prepared_stmt_count = 1")
	defer failsWith(t, root, 0, "SET GLOBAL max_prepared_stmt_count = 16382") // of the process
	if _, err := s.Open(t, servertest.Root).Prepare("SELECT 1"); servertest.Number(err) != 1461 {
		t.Errorf("beyond max_prepared_stmt_count: %v", err)
	}
}

// A short statement that is prepared has a tree, too: a thousand of four kilobytes take
// half a gigabyte.
func TestShortPreparedStatementsAreCounted(t *testing.T) {
	_, _, bi := limitedAnalyst(t, "'memory=32MiB'")
	list := strings.Repeat("1,", 1900) + "1"
	for name, prepare := range map[string]func(i int) error{
		"by name": func(i int) error {
			_, err := bi.ExecContext(context.Background(), fmt.Sprintf("PREPARE s%d FROM 'SELECT %d,%s'", i, i, list))
			return err
		},
		"by the protocol": func(i int) error {
			_, err := bi.PrepareContext(context.Background(), fmt.Sprintf("SELECT %d,%s", i, list))
			return err
		},
	} {
		n, err := 0, error(nil)
		for ; err == nil && n < 200; n++ {
			err = prepare(n)
		}
		if servertest.Number(err) != 3170 {
			t.Errorf("%s: %d statements, then %v", name, n, err)
		}
		for i := range n {
			if name == "by name" {
				bi.ExecContext(context.Background(), fmt.Sprintf("DEALLOCATE PREPARE s%d", i))
			}
		}
	}
}

// A text that is written out in a wider character set is bounded before it is made.
func TestWideCharacterSetsAreBounded(t *testing.T) {
	_, _, bi := limitedAnalyst(t, "'memory=64MiB'")
	for statement, number := range map[string]int{
		"SELECT LENGTH(CONVERT(REPEAT('a', 20000000) USING utf32))":                                          3170,
		"SELECT LENGTH(x) FROM (SELECT CONVERT('a' USING utf32) x UNION ALL SELECT REPEAT('a', 20000000)) t": 3170,
		"SELECT LENGTH(CONVERT(CONVERT(CONVERT(REPEAT('a', 100000) USING utf32) USING utf32) USING utf32))":  0,
	} {
		failsWith(t, bi, number, statement)
	}
	var text string
	var length, hex int
	row := bi.QueryRowContext(context.Background(), "SELECT CONVERT(57 USING latin1), LENGTH(CONVERT('ab' USING utf32)), LENGTH(HEX(CONVERT('ab' USING utf16)))")
	if err := row.Scan(&text, &length, &hex); err != nil || text != "57" || length != 8 || hex != 8 {
		t.Errorf("%q, %d, %d, %v", text, length, hex, err)
	}
}

// GROUP_CONCAT keeps of a text what its result can have, and that is counted: 20,000
// texts of 60,000 bytes were 1.2 GB.
func TestGroupConcatKeepsWhatItShows(t *testing.T) {
	_, root, bi := limitedAnalyst(t, "'memory=32MiB'")
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
	failsWith(t, bi, 0, "SET group_concat_max_len = 60000000")
	failsWith(t, bi, 3170, "SELECT LENGTH(GROUP_CONCAT(REPEAT('a', 60000))) FROM c.n")
	failsWith(t, bi, 0, "SELECT LENGTH(GROUP_CONCAT(REPEAT('a', 2000))) FROM c.n")
}

// The text that a group keeps is counted, also where it is not large: many groups add up.
func TestTextsOfGroupsAreCounted(t *testing.T) {
	_, root, bi := limitedAnalyst(t, "'memory=32MiB'")
	numbers := make([]string, 2000)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("(%d)", i)
	}
	for _, statement := range []string{"CREATE DATABASE c", "CREATE TABLE c.n (n INT)", "GRANT SELECT ON c.* TO bi@'%'",
		"INSERT INTO c.n VALUES " + strings.Join(numbers, ",")} {
		failsWith(t, root, 0, statement)
	}
	for _, of := range []string{"MAX(CONCAT(n, REPEAT('a', %d)))", "MIN(REPEAT('a', %d))"} {
		failsWith(t, bi, 0, "SELECT n, LENGTH("+fmt.Sprintf(of, 1000)+") FROM c.n GROUP BY n")
		failsWith(t, bi, 3170, "SELECT n, LENGTH(t.x) FROM (SELECT n, "+fmt.Sprintf(of, 60000)+" AS x FROM c.n GROUP BY n) t")
	}
}

// The texts of a window are counted: the engine makes those of all rows before it
// gives the first.
func TestTextsOfWindowsAreCounted(t *testing.T) {
	_, root, bi := limitedAnalyst(t, "'memory=32MiB'")
	numbers := make([]string, 2000)
	for i := range numbers {
		numbers[i] = fmt.Sprintf("(%d)", i)
	}
	for _, statement := range []string{"CREATE DATABASE c", "CREATE TABLE c.n (n INT)", "GRANT SELECT ON c.* TO bi@'%'",
		"INSERT INTO c.n VALUES " + strings.Join(numbers, ",")} {
		failsWith(t, root, 0, statement)
	}
	for of, over := range map[string]string{"FIRST_VALUE(CONCAT(n, REPEAT('a', %d)))": "PARTITION BY n", "LAST_VALUE(CONCAT(n, REPEAT('a', %d)))": "PARTITION BY n",
		"MAX(CONCAT(n, REPEAT('a', %d)))": "PARTITION BY n", "LAG(CONCAT(n, REPEAT('a', %d)))": "ORDER BY n", "LEAD(CONCAT(n, REPEAT('a', %d)))": "ORDER BY n"} {
		query := "SELECT n, LENGTH(t.x) FROM (SELECT n, " + of + " OVER (" + over + ") AS x FROM c.n) t"
		failsWith(t, bi, 0, fmt.Sprintf(query, 10))
		failsWith(t, bi, 3170, fmt.Sprintf(query, 60000))
	}
}

// Parameters that are sent in parts are bounded by max_allowed_packet each, and by the
// session's memory together; the connection goes on.
func TestLongDataIsBounded(t *testing.T) {
	s, root, _ := limitedAnalyst(t, "'memory=64MiB'")
	open := func(user, password string) *dbsql.Conn {
		config := mysql.NewConfig()
		config.Net, config.Addr, config.User, config.Passwd, config.MaxAllowedPacket = "tcp", s.Addr, user, password, 200_000
		connector, err := mysql.NewConnector(config)
		if err != nil {
			t.Fatal(err)
		}
		db := dbsql.OpenDB(connector)
		t.Cleanup(func() { db.Close() })
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 4194304")
	defer failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 67108864") // of the process
	for _, c := range []struct {
		conn   *dbsql.Conn
		size   int
		number int
	}{{open("root", ""), 4_000_000, 0}, {open("root", ""), 4_300_000, 1153}, {open("bi", "long and secret"), 1_000_000, 0}, {open("bi", "long and secret"), 4_190_000, 3170}} {
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

// What a statement keeps is bounded for an analyst, also where aggregates keep it.
func TestAnalystsStatementsKeepLittle(t *testing.T) {
	_, root, bi := limitedAnalyst(t, "'memory=16MiB', 'max_result_rows=2000'")
	values := make([]string, 1000)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, '%c')", i, 'a'+i%7)
	}
	for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (a INT, s VARCHAR(10))", "INSERT INTO d.t VALUES " + strings.Join(values, ","),
		"CALL anonymize('d.t', 'slppa', 'qi=a', 'sa=s', 'beta=0.5', 'publish=p', 'calibrate=false', 'misfit=false')"} {
		failsWith(t, root, 0, statement)
	}
	pairs := "published.p_qi1 a CROSS JOIN published.p_qi1 b"
	for _, statement := range []string{
		"SELECT LENGTH(JSON_ARRAYAGG(a.a)) FROM " + pairs, "SELECT LENGTH(JSON_OBJECTAGG(CONCAT(a.a, '-', b.a), 1)) FROM " + pairs, "SELECT LENGTH(GROUP_CONCAT(a.a)) FROM " + pairs,
		"SELECT COUNT(DISTINCT a.a, b.a) FROM " + pairs, "SELECT a.a, b.a, COUNT(*) FROM " + pairs + " GROUP BY a.a, b.a", "SELECT a.a FROM " + pairs + " ORDER BY b.gid, a.a",
		"SELECT COUNT(*) FROM (SELECT DISTINCT a.a, b.a FROM " + pairs + ") q", "SELECT MAX(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY a.a) AS n FROM " + pairs + ") q",
		"SELECT REPEAT('x', 1000000) FROM published.p", "SELECT LENGTH(JSON_EXTRACT(CONCAT('[', REPEAT('[],', 1000000), '1]'), '$[0]'))",
		"SELECT COUNT(*) FROM JSON_TABLE(CONCAT('[', REPEAT('[],', 1000000), '1]'), '$[*]' COLUMNS (x INT PATH '$')) t",
		"SELECT 1 IN (" + strings.Repeat("1,", 100_000) + "2)",
	} {
		failsWith(t, bi, 3170, statement)
	}
	// MAX is given 50 MB, and keeps one text; they differ at their beginning, so that
	// comparing them takes no time.
	longest := "SELECT COUNT(*), LENGTH(MAX(CONCAT(a.a, '-', b.a, REPEAT('x', 100000 + a.a)))) FROM " + pairs + " WHERE a.a < 250 AND b.a < 2"
	for _, statement := range []string{
		longest, "SELECT LENGTH(JSON_ARRAYAGG(a)) FROM published.p_qi1", "SELECT gid % 7, GROUP_CONCAT(a) FROM published.p_qi1 GROUP BY gid % 7",
		"SELECT a, s FROM published.p ORDER BY s, a", "SELECT SUM(a.n * b.n) FROM (SELECT a AS n FROM published.p_qi1) a CROSS JOIN (SELECT a AS n FROM published.p_qi1 WHERE a < 100) b",
		"SELECT COUNT(*) FROM published.p WHERE s IN (" + strings.Repeat("'a',", 10_000) + "'b')",
	} {
		failsWith(t, bi, 0, statement)
	}
	failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 1024")
	defer failsWith(t, root, 0, "SET GLOBAL max_allowed_packet = 67108864") // of the process
	failsWith(t, root, 1301, "SELECT JSON_ARRAYAGG(a) FROM d.t")
	failsWith(t, root, 1301, "SELECT JSON_OBJECTAGG(a, s) FROM d.t")
	failsWith(t, root, 1301, "SELECT JSON_ARRAYAGG(a) OVER () FROM d.t")
	failsWith(t, root, 0, "SELECT s, JSON_ARRAYAGG(a) FROM d.t WHERE a < 100 GROUP BY s")
}
