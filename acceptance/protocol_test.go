package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// number fails the test unless err is a MySQL error of that number.
func number(t *testing.T, err error, want int) {
	t.Helper()
	if got := servertest.Number(err); err == nil || got != want {
		t.Errorf("error %v has number %d, want %d", err, got, want)
	}
}

func one[T any](t *testing.T, db interface {
	QueryRowContext(context.Context, string, ...any) *dbsql.Row
}, query string, arguments ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRowContext(context.Background(), query, arguments...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// The same conversation in the text and in the binary protocol.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	for _, protocol := range []struct {
		name        string
		interpolate bool
	}{
		{"binary", false},
		{"text", true},
	} {
		t.Run(protocol.name, func(t *testing.T) {
			account := servertest.Root
			account.Interpolate = protocol.interpolate
			db := s.Open(t, account)
			name := "d_" + protocol.name
			servertest.Exec(t, db, "CREATE DATABASE "+name,
				"CREATE TABLE "+name+".t (id INT PRIMARY KEY, s VARCHAR(20), d DOUBLE, n DECIMAL(10,2), at DATETIME)")
			insert := "INSERT INTO " + name + ".t VALUES (?, ?, ?, ?, ?)"
			for i := range 3 {
				if _, err := db.Exec(insert, i, fmt.Sprint("s", i), float64(i)/4, "1.50", "2020-01-02 03:04:05"); err != nil {
					t.Fatal(err)
				}
			}
			var (
				text, decimal, at string
				double            float64
			)
			row := db.QueryRow("SELECT s, d, n, at FROM "+name+".t WHERE id = ?", 2)
			if err := row.Scan(&text, &double, &decimal, &at); err != nil {
				t.Fatal(err)
			}
			if text != "s2" || double != 0.5 || decimal != "1.50" || at != "2020-01-02 03:04:05" {
				t.Errorf("read %q %v %q %q", text, double, decimal, at)
			}
			result, err := db.Exec("UPDATE "+name+".t SET d = d + ? WHERE id >= ?", 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			if n, _ := result.RowsAffected(); n != 2 {
				t.Errorf("updated %d rows, want 2", n)
			}
			servertest.Exec(t, db, "DELETE FROM "+name+".t WHERE id = 0",
				"ALTER TABLE "+name+".t ADD COLUMN extra INT DEFAULT 7")
			if sum := one[float64](t, db, "SELECT SUM(d + extra) FROM "+name+".t WHERE id > ?", 0); sum != 1.25+1.5+14 {
				t.Errorf("sum is %v", sum)
			}
			servertest.Exec(t, db, "DROP TABLE "+name+".t")
			_, err = db.Exec("SELECT * FROM " + name + ".t")
			number(t, err, 1146)
		})
	}
}

func TestDoublesHaveNoFixedDecimals(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	rows, err := db.Query("SELECT 0.5e0 AS d")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	kinds, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	if _, scale, ok := kinds[0].DecimalSize(); !ok || scale < 31 {
		t.Errorf("a DOUBLE has %d decimals (known: %v), want not fixed", scale, ok)
	}
}

func TestErrorNumbers(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT NOT NULL)", "INSERT INTO d.t VALUES (1, 1)")
	for _, c := range []struct {
		query string
		want  int
	}{
		{"SELEC 1", 1064},
		{"SELECT nothing FROM d.t", 1054},
		{"SELECT ``", 1054},
		{"SELECT COUNT(*) AS c FROM d.t GROUP BY 1", 1111},
		{"SELECT id FROM d.t WHERE COUNT(*) > 1", 1111},
		{"/*!*/", 1064},
		{"SELECT @@", 1193},
		{"SET @@ = 1", 1064},
		{"SELECT @@global.", 1193},
		{"SELECT /*!40101*/ 1", 1064},
		{"SELECT 0 INTO nothing", 1327},
		{"SELECT ||.||", 1054},
		{"SELECT t.`` FROM d.t", 1054},
		{"CREATE VIEW d.v AS SELECT (SELECT ``)", 1054},
		{"SELECT * FROM d.missing", 1146},
		{"SELECT * FROM missing.t", 1049},
		{"CREATE DATABASE d", 1007},
		{"CREATE TABLE d.t (x INT)", 1050},
		{"INSERT INTO d.t VALUES (1, 2)", 1062},
		{"INSERT INTO d.t VALUES (2, NULL)", 1048},
		{"INSERT INTO d.t VALUES (2)", 1136},
		{"SELECT NO_SUCH_FUNCTION(1)", 1305},
		{"SELECT (SELECT 1 UNION ALL SELECT 2)", 1242},
		{"SELECT * FROM d.t a JOIN d.t a", 1066},
		{"SELECT id FROM d.t a JOIN d.t b", 1052},
		{"SET NAMES nonsense", 1115},
		{"SET @@nonsense = 1", 1193},
		{"SELECT 1 " + strings.Repeat("UNION ALL SELECT 1 ", 70), 1235},
	} {
		if prepared, err := db.Prepare(c.query); err == nil {
			prepared.Close()
		} else if n := servertest.Number(err); n != c.want || strings.Contains(err.Error(), "internal error") {
			t.Errorf("%.60s prepared: %v, want number %d or none", c.query, err, c.want)
		}
		_, err := db.Exec(c.query)
		if servertest.Number(err) != c.want {
			t.Errorf("%.60s: %v, want number %d", c.query, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "errno") {
			t.Errorf("%.60s: %v says its number twice", c.query, err)
		}
	}
}

// As in MySQL, \_ and \% keep their backslash, for patterns.
func TestEscapedPatterns(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.a_b (x VARCHAR(9))", "CREATE TABLE d.axb (x VARCHAR(9))", `INSERT INTO d.a_b VALUES ('a_b'), ('axb'), ('a%b'), ('a\_b')`,
		`CREATE VIEW d.v AS SELECT x FROM d.a_b WHERE x LIKE 'a\_b'`)
	for query, want := range map[string]string{
		`SELECT 'axb' LIKE 'a\_b'`:                           "0",
		`SELECT 'a_b' LIKE 'a\_b'`:                           "1",
		`SELECT 'a%b' LIKE 'a\%b' AND NOT 'axb' LIKE 'a\%b'`: "1",
		`SELECT HEX('a\_b')`:                                 "615C5F62",
		`SELECT COUNT(*) FROM d.a_b WHERE x LIKE 'a\_b'`:     "1",
		`SELECT COUNT(*) FROM d.v`:                           "1",
		`SELECT COUNT(*) FROM d.a_b WHERE x = 'a\_b'`:        "1",
		`SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'd' AND table_name LIKE 'a\_b'`: "1",
		`SELECT COUNT(*) FROM d.a_b WHERE x IN (SELECT x FROM d.a_b WHERE x LIKE 'a\_b')`:                    "1",
		`SELECT x FROM d.a_b WHERE x LIKE 'a\_b'`:                                                            "a_b",
		`SELECT x FROM d.a_b WHERE x LIKE 'a\%b' AND NOT x LIKE 'a\_b'`:                                      "a%b",
		`SHOW TABLES FROM d LIKE 'a\_b'`:                                                                     "a_b",
	} {
		if got := fmt.Sprint(fetchRows(t, db, query)); got != "[["+want+"]]" {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	var n int
	if err := db.QueryRow(`SELECT COUNT(*) FROM d.a_b WHERE x LIKE 'a\_b' AND x <> ?`, "z").Scan(&n); err != nil || n != 1 {
		t.Errorf("prepared: %d %v", n, err)
	}
	if err := db.QueryRow(`SELECT COUNT(*) FROM d.a_b WHERE x LIKE ?`, `a\_b`).Scan(&n); err != nil || n != 1 {
		t.Errorf("bound: %d %v", n, err)
	}
	servertest.Exec(t, db, `DELETE FROM d.a_b WHERE x LIKE 'a\_b'`, `UPDATE d.a_b SET x = 'y' WHERE x LIKE 'a\%b'`)
	if got := fmt.Sprint(fetchRows(t, db, "SELECT x FROM d.a_b ORDER BY x")); got != `[[a\_b] [axb] [y]]` {
		t.Errorf("left: %s", got)
	}
}

func TestUnionOfManyBranches(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	query := "SELECT COUNT(*), SUM(x) FROM (SELECT 1 AS x"
	for i := 2; i <= 43; i++ { // as many as an ODBC driver sends
		query += fmt.Sprintf(" UNION ALL SELECT %d", i)
	}
	var count, sum float64
	if err := db.QueryRow(query+") t").Scan(&count, &sum); err != nil {
		t.Fatal(err)
	}
	if count != 43 || sum != 43*44/2 {
		t.Errorf("count %v sum %v", count, sum)
	}
}

// An error ends a batch, and the next statement gets its own answer.
func TestBatchStopsAtError(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	account := servertest.Root
	account.MultiStatements = true
	db := s.Open(t, account)
	db.SetMaxOpenConns(1)
	servertest.Exec(t, db, "CREATE DATABASE d; CREATE TABLE d.t (id INT)")
	_, err := db.Exec("INSERT INTO d.t VALUES (1); SELECT nothing FROM d.t; INSERT INTO d.t VALUES (2)")
	number(t, err, 1054)
	if n := one[int](t, db, "SELECT 40 + COUNT(*) FROM d.t"); n != 41 {
		t.Errorf("after the batch the answer is %d, want 41", n)
	}
}

func TestTextPrepare(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	conn := s.Connect(t, servertest.Root)
	servertest.Exec(t, conn, "PREPARE p FROM 'SELECT ? + 1'", "SET @x = 41")
	if n := one[int](t, conn, "EXECUTE p USING @x"); n != 42 {
		t.Errorf("EXECUTE gave %d", n)
	}
	servertest.Exec(t, conn, "DEALLOCATE PREPARE p")
	_, err := conn.ExecContext(context.Background(), "EXECUTE p USING @x")
	number(t, err, 1243)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	rows, err := db.Query("EXPLAIN SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	lines := 0
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines++
	}
	if err := rows.Err(); err != nil || lines == 0 {
		t.Errorf("%d lines, error %v", lines, err)
	}
	statement, err := db.Prepare("EXPLAIN SELECT ?")
	if err != nil {
		t.Fatalf("a prepared EXPLAIN: %v", err)
	}
	defer statement.Close()
	if n := one[int](t, db, "SELECT 1"); n != 1 {
		t.Error("the connection is out of step")
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	for query, want := range map[string]string{
		"SELECT @@version":          server.Version,
		"SELECT @@version_comment":  "anonsql",
		"SELECT @@local_infile":     "1",
		"SELECT @@secure_file_priv": "NULL",
		"SELECT DATABASE()":         "information_schema",
		"SELECT CURRENT_USER()":     "root@localhost",
	} {
		if got := one[string](t, db, query); got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
}

// panicking is a function that panics when it is evaluated.
func panicking() sql.Function {
	return sql.Function1{Name: "test_panic", Fn: func(e sql.Expression) sql.Expression { return &panicExpression{e} }}
}

type panicExpression struct{ sql.Expression }

func (p *panicExpression) Eval(*sql.Context, sql.Row) (any, error) { panic("on purpose") }
func (p *panicExpression) Type() sql.Type                          { return types.Int64 }
func (p *panicExpression) WithChildren(c ...sql.Expression) (sql.Expression, error) {
	return &panicExpression{c[0]}, nil
}
func (p *panicExpression) Children() []sql.Expression { return []sql.Expression{p.Expression} }

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: func(server.Host) (server.Extensions, error) {
		return server.Extensions{
			Functions: []sql.Function{panicking(), sql.Function0{Name: "test_bind_panic", Fn: func() sql.Expression { panic("while binding") }}},
		}, nil
	}})
	conn := s.Connect(t, servertest.Root)
	servertest.Exec(t, conn, "SET @x = 5")
	for _, query := range []string{"SELECT test_panic(@x)", "SELECT test_bind_panic()"} {
		_, err := conn.ExecContext(context.Background(), query)
		number(t, err, 1105)
		_, err = conn.PrepareContext(context.Background(), query)
		if err != nil {
			number(t, err, 1105)
		}
	}
	if x := one[int](t, conn, "SELECT @x"); x != 5 {
		t.Error("the session did not survive")
	}
	if log := s.Log(); !strings.Contains(log, "while binding") || !strings.Contains(log, "goroutine") {
		t.Errorf("the stack is not in the log:\n%s", log)
	}
	servertest.Exec(t, conn, "CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "INSERT INTO d.t VALUES (1), (2)")
	for _, query := range []string{
		"SELECT test_panic(a) FROM d.t", "SELECT a FROM d.t WHERE test_panic(a) = 1", "SELECT a FROM d.t ORDER BY test_panic(a)",
		"SELECT test_panic(a) AS p, COUNT(*) FROM d.t GROUP BY p", "SELECT SUM(test_panic(a)) FROM d.t", "SELECT (SELECT test_panic(a)) FROM d.t",
		"UPDATE d.t SET a = test_panic(a)", "INSERT INTO d.t VALUES (test_panic(1))", "DELETE FROM d.t WHERE test_panic(a) = 1", "SELECT x.a FROM d.t AS x JOIN d.t AS y ON test_panic(x.a + y.a) = 3",
		"SELECT 1 UNION SELECT test_panic(a) FROM d.t", "SELECT SUM(a) OVER (ORDER BY test_panic(a)) FROM d.t", "WITH c AS (SELECT test_panic(a) AS p FROM d.t) SELECT MAX(p) FROM c",
	} {
		before := strings.Count(s.Log(), "panicExpression")
		_, err := conn.ExecContext(context.Background(), query)
		number(t, err, 1105)
		if strings.Count(s.Log(), "panicExpression") == before {
			t.Errorf("%s: the stack is not in the log", query)
		}
	}
}
