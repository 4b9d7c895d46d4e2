package clients

import (
	"context"
	dbsql "database/sql"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// inGo runs the client in Go and returns its output.
func inGo(t *testing.T, a account) string {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", a.address, a.name
	config.User, config.Passwd, config.ParseTime = a.name, password, true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := dbsql.OpenDB(connector)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c := &driver{t: t, conn: conn}
	c.columns("values", c.ask(things))
	c.prepared()
	c.types()
	c.figures()
	c.changes()
	c.errors()
	c.ask(estimate)
	for _, row := range c.ask("SHOW WARNINGS").rows {
		c.line("warnings", strings.ToLower(text(row[0])), row[1])
	}
	c.line("called", c.ask("CALL cheaper(12.00)").rows[0]...)
	c.large()
	return c.out.String()
}

const (
	columnNames = "id, small, big, huge, price, exact, ratio, flag, day, moment, fine, name, note, bytes"
	things      = "SELECT " + columnNames + " FROM things ORDER BY id"
	estimate    = `SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high
FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease`
	exact = "SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex"
)

type driver struct {
	t    *testing.T
	conn *dbsql.Conn
	out  strings.Builder
}

type table struct {
	rows  [][]any
	types []string
}

func (c *driver) line(key string, values ...any) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = text(v)
	}
	fmt.Fprintf(&c.out, "%s: %s\n", key, strings.Join(texts, " | "))
}

func text(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case float64:
		return strconv.FormatFloat(v, 'f', 4, 64)
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format("2006-01-02 15:04:05.999999")
	case []byte:
		return string(v)
	}
	return fmt.Sprint(value)
}

// ask fails the test with the error.
func (c *driver) ask(query string, arguments ...any) table {
	c.t.Helper()
	answer, err := c.try(query, arguments...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return answer
}

func (c *driver) try(query string, arguments ...any) (answer table, err error) {
	rows, err := c.conn.QueryContext(context.Background(), query, arguments...)
	if err != nil {
		return answer, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return answer, err
	}
	for _, t := range types {
		answer.types = append(answer.types, strings.ToLower(t.DatabaseTypeName()))
	}
	for rows.Next() {
		row, targets := make([]any, len(types)), make([]any, len(types))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return answer, err
		}
		for i, v := range row {
			if b, ok := v.([]byte); ok && answer.types[i] == "blob" {
				row[i] = "X'" + strings.ToUpper(hex.EncodeToString(b)) + "'"
			}
		}
		answer.rows = append(answer.rows, row)
	}
	return answer, rows.Err()
}

// columns prints a line a column.
func (c *driver) columns(section string, answer table) {
	for i, name := range strings.Split(columnNames, ", ") {
		c.line(section+" "+name, answer.column(i)...)
	}
}

func (a table) column(i int) (values []any) {
	for _, row := range a.rows {
		values = append(values, row[i])
	}
	return values
}

func (c *driver) prepared() {
	c.columns("binary", c.ask(things+" LIMIT ?", 100)) // a query with arguments is prepared
	for _, p := range []struct {
		name, condition string
		argument        any
	}{
		{"decimal", "price > ?", "12.49"}, {"text", "name = ?", "Zoë 東京 😀"}, {"quoted", "note = ?", `it's "quoted" \ and 100%`},
		{"bytes", "bytes = ?", []byte("\x00\xff'\"\\\n")}, {"day", "day = ?", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)},
		{"moment", "moment < ?", time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)}, {"double", "ratio = ?", 0.1}, {"big", "big = ?", int64(9223372036854775807)},
		{"null", "day <=> ?", nil},
	} {
		c.line("prepared "+p.name, c.ask("SELECT id FROM things WHERE "+p.condition+" ORDER BY id", p.argument).column(0)...)
	}
	c.line("prepared estimate", c.ask("SELECT COUNT(*) FROM published.people WHERE age >= ? AND disease = ?", 60, "HIV").column(0)...)
}

func (c *driver) types() {
	for name, query := range map[string]string{"things": things, "estimate": estimate, "exact": exact} {
		var types []any
		for _, t := range c.ask(query).types {
			types = append(types, strings.TrimPrefix(t, "unsigned "))
		}
		c.line("types "+name, types...)
	}
}

func (c *driver) figures() {
	for section, query := range map[string]string{"estimate ": estimate, "exact ": exact} {
		for _, row := range c.ask(query).rows {
			c.line(section+text(row[0]), row[1:]...)
		}
	}
}

func (c *driver) changes() {
	c.transaction(func(tx *dbsql.Tx) { c.execute(tx, "INSERT INTO changes VALUES (1, 'undone')") }, (*dbsql.Tx).Rollback)
	c.line("changes rolled back", c.ask("SELECT COUNT(*) FROM changes").rows[0]...)
	c.transaction(func(tx *dbsql.Tx) {
		for i, s := range []any{"one", "two", nil} {
			c.execute(tx, "INSERT INTO changes VALUES (?, ?)", i+1, s)
		}
	}, (*dbsql.Tx).Commit)
	c.line("changes committed", c.ask("SELECT COUNT(*) FROM changes").rows[0]...)
	c.transaction(func(tx *dbsql.Tx) {
		affected, _ := c.execute(tx, "UPDATE changes SET text = 'both' WHERE id < 3").RowsAffected() // of this driver never an error
		c.line("changes affected", affected)
		last, _ := c.execute(tx, "INSERT INTO things (name) VALUES ('fifth')").LastInsertId() // nor this
		c.line("changes last id", last)
	}, (*dbsql.Tx).Rollback)
}

func (c *driver) transaction(work func(*dbsql.Tx), end func(*dbsql.Tx) error) {
	c.t.Helper()
	tx, err := c.conn.BeginTx(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	work(tx)
	if err := end(tx); err != nil {
		c.t.Fatal(err)
	}
}

func (c *driver) execute(tx *dbsql.Tx, statement string, arguments ...any) dbsql.Result {
	c.t.Helper()
	result, err := tx.Exec(statement, arguments...)
	if err != nil {
		c.t.Fatalf("%s: %v", statement, err)
	}
	return result
}

func (c *driver) errors() {
	for _, r := range []struct{ name, statement string }{
		{"table", "SELECT * FROM nowhere"}, {"syntax", "SELEC 1"}, {"duplicate", "INSERT INTO things (id, name) VALUES (1, 'again')"},
		{"raw", "SELECT COUNT(*) FROM census.people"}, {"estimate", "SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()"},
	} {
		_, err := c.try(r.statement)
		known, ok := err.(*mysql.MySQLError)
		if !ok {
			c.t.Fatalf("%s: %v", r.statement, err)
		}
		c.line("error "+r.name, known.Number)
		c.line("state "+r.name, string(known.SQLState[:]))
	}
}

func (c *driver) large() {
	rows, err := c.conn.QueryContext(c.t.Context(), "SELECT n, text FROM many ORDER BY n")
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	var count, total, length int
	for rows.Next() {
		var n int
		var s string
		if err := rows.Scan(&n, &s); err != nil {
			c.t.Fatal(err)
		}
		count, total, length = count+1, total+n, length+len(s)
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	c.line("large", count, total, length)
}
