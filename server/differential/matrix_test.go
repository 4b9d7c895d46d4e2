package differential

import (
	dbsql "database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// The matrix is every operation over every kind of value beside every other: here over a table, here over a published view of
// it whose question is exact, and in MariaDB. An operation is a line of operations, a kind of value one of operands: add to these.

// operations are expressions by their rooms. {a}, {b} and {c} are operands, and n is a whole number that every row has for itself.
//
// Add yours here: an expression of one row to any room, an aggregate to "aggregate" (asked without groups), a function over a window to
// "window" (asked row by row, of the table alone). What MariaDB answers in another way than MySQL 8 is a line of matrixDifferences.
var operations = map[string][]string{
	"null":      {"{a} IS NULL", "{a} IS NOT NULL"},
	"aggregate": {"COUNT({a})"},
	"window":    {"COUNT({a}) OVER (ORDER BY n ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"},
}

// operands are values by their kinds: of columns, computed, and written.
var operands = map[string][]string{
	"DATE":     {"da", "DATE(dt)", "da + INTERVAL 1 DAY", "DATE '2024-01-15'"},
	"DATETIME": {"dt", "ts", "dt - INTERVAL 1 HOUR", "TIMESTAMP '2024-01-15 10:00:00'"},
	"TIME":     {"ti", "TIME(dt)", "ADDTIME(ti, '01:00:00')", "TIMEDIFF(dt, '2024-01-05 00:00:00')", "TIME '10:00:00'"},
	"YEAR":     {"ye"},
	"ENUM":     {"en"},
	"SET":      {"se"},
	"BIT":      {"bi"},
	"text":     {"tx", "td", "tt", "CONCAT(tn, '')", "tn"},
	"whole":    {"wh", "un", "n * 1000", "YEAR(da)"},
	"DECIMAL":  {"de", "de * 2"},
	"DOUBLE":   {"fl", "fl / 2"},
	"a text":   {"'2024-01-15'", "'2024-01-15 10:00:00'", "'10:00:00'", "'12:30'", "'7'", "'9.5'", "'mid'", "'2024'", "'20240115'"},
	"a number": {"20240115", "20240115100000", "100000", "7", "2", "9.5", "2024", "7e0", "95e-1"},
	"a NULL":   {"NULL"},
}

var matrixTable = func() []string {
	of := func(i int, list ...string) string { return list[i%len(list)] }
	var rows []string
	for i := range 60 {
		day := of(i, "2024-01-15", "2024-01-05", "2023-12-31", "2024-02-29", "1999-07-07")
		clock := of(i*7, "10:00:00", "00:00:00", "12:30:00", "23:59:59")
		rows = append(rows, "("+strings.Join([]string{
			fmt.Sprint(i + 1), of(i, "'"+day+"'", "'"+day+"'", "'2024-01-15'", "NULL"), "'" + day + " " + clock + "'", "'" + of(i*3, day, "2024-01-15") + " " + clock + "'",
			of(i, "'10:00:00'", "'12:30:00'", "'-01:00:00'", "'00:00:07'", "'99:00:00'", "NULL", "'00:00:00'"), of(i, "2024", "1999", "2007"), of(i, "'low'", "'mid'", "'high'", "'7'", "NULL"),
			of(i, "'a'", "'a,b'", "'b'", "''"), of(i, "7", "2", "0", "10"), of(i, "'mid'", "'1abc'", "'7'", "'9.50'", "''", "NULL", "'0.5'"), of(i, "'2024-01-15'", "'2024-01-05 10:00:00'", "'20240229'"),
			of(i, "'10:00:00'", "'12:30'", "'100000'"), of(i, "'7'", "'9.50'", "'2024'", "'-1'"), of(i, "7", "2024", "20240115", "100000", "-1", "0", "NULL"), of(i, "7", "20240115", "18446744073709551615", "2"),
			of(i, "7.00", "9.50", "2.00", "-1.25", "NULL"), of(i, "7", "9.5", "20240115", "0.5", "2024"), "'" + of(i, "flu", "cold", "none", "asthma") + "'"}, ", ")+")")
	}
	return []string{
		`CREATE TABLE m (n INT, da DATE, dt DATETIME, ts TIMESTAMP NULL, ti TIME, ye YEAR, en ENUM('low','mid','high','7') COLLATE utf8mb4_general_ci, se SET('a','b','c') COLLATE utf8mb4_general_ci, bi BIT(8),
			tx VARCHAR(20) COLLATE utf8mb4_general_ci, td VARCHAR(20) COLLATE utf8mb4_general_ci, tt VARCHAR(20) COLLATE utf8mb4_general_ci, tn VARCHAR(20) COLLATE utf8mb4_general_ci,
			wh INT, un BIGINT UNSIGNED, de DECIMAL(10,2), fl DOUBLE, disease VARCHAR(10))`,
		"INSERT INTO m VALUES " + strings.Join(rows, ", "),
	}
}()

// A matrixDifference is one that is right: MySQL 8 has another rule than MariaDB. Its example is asked too, and must differ still.
type matrixDifference struct {
	question     *regexp.Regexp
	example, own string
	why          string
}

var matrixDifferences = []matrixDifference{}

func matrixNamed(question string) bool {
	for _, d := range matrixDifferences {
		if d.question.MatchString(question) {
			return true
		}
	}
	return false
}

// A cell of the matrix is an operation over operands.
type cell struct{ room, text string }

func newCell(seed, at uint64) cell {
	r := rand.New(rand.NewPCG(seed, at))
	rooms, kinds := sortedKeys(operations), sortedKeys(operands)
	value := func() string {
		list := operands[kinds[r.IntN(len(kinds))]]
		return list[r.IntN(len(list))]
	}
	room := rooms[r.IntN(len(rooms))]
	list := operations[room]
	text := strings.NewReplacer("{a}", value(), "{b}", value(), "{c}", value()).Replace(list[r.IntN(len(list))])
	return cell{room, text}
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// question asks a cell of a table: how many rows, by their numbers, have each value; of an aggregate its one value, of a
// window that of every row.
func (c cell) question(table string) string {
	switch c.room {
	case "aggregate":
		return "SELECT " + c.text + " AS k FROM " + table
	case "window":
		return "SELECT n, " + c.text + " AS k FROM " + table
	}
	return "SELECT " + c.text + " AS k, SUM(n) AS s FROM " + table + " GROUP BY k"
}

// tables are those that a cell is asked of here: of a view no window is.
func (c cell) tables() []string {
	if c.room == "window" {
		return []string{"m"}
	}
	return []string{"m", "published.m"}
}

// What both servers answer is equal. A seed and a number of cells ask for more:
//
//	ANONSQL_MATRIX=100000 ANONSQL_SEED=7 go test -run TestMatrix -timeout 0 -v ./server/differential
func TestMatrix(t *testing.T) {
	cells, seed := setting(t, "ANONSQL_MATRIX", 1500), setting(t, "ANONSQL_SEED", 1)
	t.Logf("seed %d, %d cells", seed, cells)
	p := newPair(t)
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, matrixTable...)
	}
	servertest.Exec(t, p.own, "CALL anonymize('d.m', 'anatomy', 'l=2', 'qi=n,da,dt,ts,ti,ye,en,se,bi,tx,td,tt,tn,wh,un,de,fl', 'sa=disease', 'publish=m', 'fit=false')")
	agreed, differing := 0, 0
	for at := range cells {
		c := newCell(seed, at)
		if matrixNamed(c.text) {
			continue
		}
		other := ask(t, p.other, c.question("m"))
		for _, table := range c.tables() {
			own := ask(t, p.own, c.question(table))
			switch {
			case other.err != nil && own.err != nil:
			case other.err == nil && own.err == nil && equal(own, other, false, averaged.MatchString(c.text)):
				agreed++
			default:
				if differing++; differing <= 60 {
					t.Errorf("cell %d, of %s: %s\n  own   %.300v\n  other %.300v", at, table, c.text, own, other)
				}
			}
		}
	}
	t.Logf("%d answers agree, %d differ", agreed, differing)
	if agreed < int(cells)/2 {
		t.Errorf("only %d answers were compared", agreed)
	}
}

// A difference that is named is one still: here the answer is MySQL's, and in MariaDB another.
func TestMatrixDifferences(t *testing.T) {
	p := newPair(t)
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, matrixTable...)
	}
	for _, d := range matrixDifferences {
		own, other := ask(t, p.own, "SELECT "+d.example), ask(t, p.other, "SELECT "+d.example)
		if fmt.Sprint(own.rows) != d.own || own.err != nil {
			t.Errorf("%s is %v, must be %s: %s", d.example, own, d.own, d.why)
		}
		if equal(own, other, false, false) && other.err == nil {
			t.Errorf("%s is the same in MariaDB: the difference goes", d.example)
		}
	}
}
