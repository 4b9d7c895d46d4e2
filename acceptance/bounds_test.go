package acceptance

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// The bounds apply to every way in: text, several statements, both kinds of prepared statements, bodies of views and
// routines, texts that procedures take.
func TestEveryTextPassesTheGate(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Account{User: "root", MultiStatements: true})
	servertest.Exec(t, db, "CREATE DATABASE db", "CREATE TABLE db.t (a INT)", "USE db")
	deep := strings.Repeat("!", testsize.Of(20_000, 300_000)) + "1"
	for _, statement := range []string{
		"SELECT " + deep,
		"SELECT 1; SELECT " + deep,
		"SELECT ';'; /* ; */ SELECT `;`, " + deep,
		"PREPARE s FROM 'SELECT " + deep + "'",
		"SET @q = CONCAT('SELECT ', REPEAT('!', 200000), '1'); PREPARE s FROM @q",
		"CREATE VIEW db.v AS SELECT " + deep,
		"CREATE PROCEDURE db.p() BEGIN SELECT 1; SELECT " + deep + "; END",
		"CREATE TRIGGER g BEFORE INSERT ON db.t FOR EACH ROW SET NEW.a = " + deep,
		"CREATE TABLE db.u (a INT DEFAULT (" + deep + "))",
		"CALL explain_sql('SELECT " + deep + "')",
		"INSERT INTO db.t VALUES (" + deep + ")",
		"/*!50000 SELECT " + deep + "*/",
		"EXPLAIN SELECT " + deep,
	} {
		_, err := db.Exec(statement)
		var known *mysql.MySQLError
		if servertest.Number(err) != 1064 {
			t.Errorf("%.60s: %v", statement, err)
			continue
		}
		if known, _ = err.(*mysql.MySQLError); !strings.Contains(known.Message, "200 levels (anon_max_nesting)") {
			t.Errorf("%.60s: %v", statement, err)
		}
		if _, err := db.Prepare(statement); servertest.Number(err) == 0 && strings.Contains(statement, deep) && !strings.Contains(statement, "'SELECT") {
			t.Errorf("prepared: %.60s: %v", statement, err)
		}
	}
	if got := one[int](t, db, "SELECT 1"); got != 1 {
		t.Error("the server is not well")
	}
}

// ANSI_QUOTES changes which quotes make strings.
func TestTheGateKnowsTheMode(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	hidden := `SELECT "\", ` + strings.Repeat("!", 300_000) + `1 AS "b"`
	servertest.Exec(t, db, "SET sql_mode = 'ANSI_QUOTES'")
	if _, err := db.Exec(hidden); servertest.Number(err) != 1064 || !strings.Contains(err.Error(), "levels") {
		t.Errorf("%v", err)
	}
	if _, err := db.Prepare(hidden); servertest.Number(err) != 1064 || !strings.Contains(err.Error(), "levels") {
		t.Errorf("prepared: %v", err)
	}
}

// The statements of tools pass.
func TestLongFlatStatementsPass(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	rows := testsize.Levels(3_000, 10_000, 100_000)
	servertest.Exec(t, db, "CREATE DATABASE db", "CREATE TABLE db.t (a INT, b VARCHAR(10))",
		"INSERT INTO db.t VALUES "+strings.Repeat("(-1,'a'),", rows-1)+"(2,'b')")
	for _, c := range []struct {
		query string
		want  int
	}{
		{"SELECT COUNT(*) FROM db.t WHERE a IN (" + strings.Repeat("-1,", 49_999) + "3)", rows - 1},
		{"SELECT COUNT(*) FROM db.t WHERE a = 2 AND (" + strings.Repeat("b = 'x' OR ", 2_000) + "b = 'b')", 1},
		{"SELECT COUNT(*) FROM db.t WHERE a = 2 AND CASE " + strings.Repeat("WHEN b = 'x' THEN 1 ", 500) + "ELSE 2 END = 2", 1},
		{"SELECT COUNT(*) FROM " + strings.Repeat("(SELECT * FROM ", 12) + "db.t" + strings.Repeat(") x", 12), rows},
		{"SELECT COUNT(*) FROM db.t WHERE a = 2 AND b" + strings.Repeat(" IN ('b') AND b", 300) + " = 'b'", 1},
	} {
		if got := one[int](t, db, c.query); got != c.want {
			t.Errorf("%.60s: %d, want %d", c.query, got, c.want)
		}
	}
}

// The limits are variables. SUPER can change them, an analyst cannot.
func TestBoundsAreVariables(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: withPublished})
	db := s.Open(t, servertest.Root)
	ana := s.Open(t, analyst(t, s))
	servertest.Exec(t, db, "CREATE DATABASE test")
	for variable, c := range map[string]struct{ value, least, passes string }{
		"anon_max_nesting":     {"200", "20", "SELECT " + strings.Repeat("(", 50) + "1" + strings.Repeat(")", 50)},
		"anon_max_terms":       {"4000", "100", "SELECT 1" + strings.Repeat(" AND 1", 200)},
		"anon_max_subqueries":  {"1500", "10", "SELECT 1" + strings.Repeat(" + (SELECT 1)", 20)},
		"anon_max_definitions": {"500", "20", counting("CREATE TABLE IF NOT EXISTS test.t (a INT, ", "KEY k# (a)", ",", ")")(30)},
	} {
		if got := one[string](t, db, "SELECT @@GLOBAL."+variable); got != c.value {
			t.Errorf("%s is %s, want %s", variable, got, c.value)
		}
		servertest.Exec(t, db, c.passes, "SET GLOBAL "+variable+" = "+c.least)
		if _, err := db.Exec(c.passes); servertest.Number(err) != 1064 || !strings.Contains(err.Error(), variable) {
			t.Errorf("%s = %s: %v", variable, c.least, err)
		}
		servertest.Exec(t, db, "SET GLOBAL "+variable+" = "+c.value, c.passes)
		if _, err := ana.Exec("SET GLOBAL " + variable + " = 100000"); servertest.Number(err) != 1227 {
			t.Errorf("an analyst sets %s: %v", variable, err)
		}
	}
}

// A constraint without a name gets a unique one.
func TestConstraintsHaveTheirNames(t *testing.T) {
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE db", comma("CREATE TABLE db.d (a INT, CONSTRAINT D_chk_3 CHECK (a > 2), ", "CHECK (a > 1)", ")")(300))
	if got := one[int](t, db, "SELECT COUNT(DISTINCT LOWER(constraint_name)) FROM information_schema.check_constraints WHERE LOWER(constraint_name) LIKE 'd!_chk!_%' ESCAPE '!'"); got != 301 {
		t.Errorf("%d names of 301 constraints", got)
	}
}

// Operands that the engine evaluates twice are bounded if nested, wherever the statement has them. Side by side they
// are not bounded.
func TestOperandsThatAreEvaluatedTwiceAreBounded(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE db", "USE db", "CREATE TABLE db.t (a INT)", "INSERT INTO db.t VALUES (1),(2)")
	for _, layer := range [][2]string{{"(", " BETWEEN 0 AND 9)"}, {"(", " NOT BETWEEN 0 AND 9)"}, {"NULLIF(", ",7)"}, {"nullif (0 + ", ",7)"}, {"(-", ")"}, {"- ", ""}, {"-/**/(- NULLIF(", ",7))"}} {
		for _, head := range []string{"SELECT % FROM db.t", "SELECT 1 FROM db.t ORDER BY %", "SET @a = %", "INSERT INTO db.t VALUES (%)", "UPDATE db.t SET a = 0 + %", "DELETE FROM db.t WHERE %",
			"CREATE VIEW db.v AS SELECT % FROM db.t", "CREATE PROCEDURE db.p() SELECT % FROM db.t", "PREPARE s FROM 'SELECT % FROM db.t'", "SHOW VARIABLES WHERE %", "CALL db.p(%)"} {
			text := strings.ReplaceAll(head, "%", strings.Repeat(layer[0], 20)+"a"+strings.Repeat(layer[1], 20))
			if _, err := db.Exec(text); servertest.Number(err) != 1064 || !strings.Contains(err.Error(), "10 levels of BETWEEN") {
				t.Errorf("%.80s: %.200v", text, err)
			}
		}
	}
	for query, want := range map[string]int{
		"SELECT " + strings.Repeat("NULLIF(", 10) + "MAX(a)" + strings.Repeat(", 7)", 10) + " FROM db.t":                                 2,
		"SELECT COUNT(*) FROM db.t WHERE " + strings.Repeat("a BETWEEN -1 AND 1 AND ", 100) + "a > - - -1":                               1,
		"SELECT CAST(MAX(a) + " + strings.Repeat("-1/NULLIF(MIN(a), 0) + ", 50) + "COALESCE(NULLIF(-MAX(a), 0), 0) AS SIGNED) FROM db.t": -50,
		"SELECT COUNT(*) FROM db.t WHERE CASE WHEN a BETWEEN 0 AND NULLIF(1, 2) THEN a BETWEEN 0 AND (1 BETWEEN 0 AND 1) END = 1":        1,
		"SELECT " + strings.Repeat("NULLIF(7, ", 21) + "8" + strings.Repeat(")", 21):                                                     7,
	} {
		if got := one[int](t, db, query); got != want {
			t.Errorf("%.80s: %d, want %d", query, got, want)
		}
	}
}

// The time limit ends a chain of views that each name the previous one twice.
func TestViewsThatDouble(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	servertest.Exec(t, db, "CREATE DATABASE db", "USE db", "CREATE VIEW v0 AS SELECT 1 AS a")
	for i, name := range []string{"v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8"} {
		before := "v" + string(rune('0'+i))
		servertest.Exec(t, db, "CREATE VIEW "+name+" AS SELECT x.a FROM "+before+" x JOIN "+before+" y")
	}
	text := "SELECT * FROM v8 a"
	for range 6 { // 2^14 views
		text = "SELECT * FROM (" + text + ") d JOIN (" + strings.ReplaceAll(text, "(SELECT", "( SELECT") + ") e"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	servertest.Exec(t, conn, "SET max_execution_time = 300")
	if _, err := conn.ExecContext(ctx, text); servertest.Number(err) != 3024 {
		t.Errorf("%v", err)
	}
}

// The audit has a row for a statement that was not understood, without its text.
func TestRefusedStatementsAreAudited(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := s.Open(t, servertest.Root)
	deep := "SELECT 'Ann Smith', " + strings.Repeat("!", 1000) + "1"
	for _, statement := range []string{"SELECT diagnosis FORM patients WHERE name = 'Ann Smith", deep} {
		if _, err := db.Exec(statement); servertest.Number(err) != 1064 {
			t.Fatalf("%v", err)
		}
		if _, err := db.Prepare(statement); servertest.Number(err) != 1064 {
			t.Fatalf("%v", err)
		}
	}
	rows := fetchRows(t, db, "SELECT account, outcome, statement FROM anonsql.audit WHERE kind = 'refused' ORDER BY id")
	if len(rows) != 4 {
		t.Fatalf("%d rows: %v", len(rows), rows)
	}
	for i, want := range []string{"SELECT _ _ ... WHERE _ = ?", "SELECT _ _ ... WHERE _ = ?", "SELECT ? , ! ! ... ?", "SELECT ? , ! ! ... ?"} {
		if rows[i][0] != "root" || rows[i][2] != want {
			t.Errorf("row %d: %v, want %s", i, rows[i], want)
		}
	}
}

// A procedure with endless recursion ends by itself, before the stack overflows.
func TestEndlessRecursionEnds(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Account{User: "root"})
	db.SetMaxOpenConns(1)
	servertest.Exec(t, db, "CREATE DATABASE db", "USE db", "CREATE PROCEDURE p() BEGIN CALL p(); END",
		"CREATE PROCEDURE q(n INT) BEGIN IF n > 0 THEN CALL q(n - 1); END IF; END", "CALL q(20)")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := db.ExecContext(ctx, "CALL p()"); servertest.Number(err) != 1456 {
		t.Errorf("%v", err)
	}
}
