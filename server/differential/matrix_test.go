package differential

import (
	dbsql "database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// The matrix is every operation over every combination of kinds of values: here over a table and over a published view of it with
// an exact answer, and in MariaDB. To extend it, add a line to operations or operands.

// operations are expressions by room. {a}, {b} and {c} are operands; n is a unique integer of a row.
//
// Add yours here: an expression of one row to any room, an aggregate to "aggregate" (without groups), a window function to "window"
// (row by row, only over the table). If MariaDB's answer differs from MySQL 8's, add a line to matrixDifferences.
var operations = map[string][]string{
	"comparison": {"{a} = {b}", "{a} <=> {b}", "{a} < {b}", "{a} <= {b}", "{a} > {b}", "{a} >= {b}", "{a} <> {b}", "{a} BETWEEN {b} AND {c}", "{a} NOT BETWEEN {b} AND {c}",
		"{a} IN ({b}, {c})", "{a} NOT IN ({b}, {c})", "NULLIF({a}, {b}) IS NULL", "CASE {a} WHEN {b} THEN 'x' WHEN {c} THEN 'y' ELSE 'z' END",
		"({a}, {b}) = ({b}, {c})", "({a}, {b}) <> ({b}, {c})", "({a}, n) > ({b}, 7)", "({a}, {b}) IN (({b}, {c}), ({a}, NULL), (NULL, {c}))"},
	"choice":    {"CASE WHEN n > 20 THEN {a} ELSE {b} END", "IF(n > 20, {a}, {b})", "IFNULL({a}, {b})", "COALESCE(NULL, {a}, {b})", "NULLIF({a}, {b})", "LEAST({a}, {b})", "GREATEST({a}, {b})"},
	"condition": {"IF({a}, 'T', 'F')", "NOT {a}", "{a} AND n > 20", "{a} OR n > 20", "{a} XOR n > 20", "({a}) IS TRUE", "({a}) IS NOT FALSE", "CASE WHEN {a} THEN 1 ELSE 0 END"},
	"number":    {"-({a})", "({a}) + 0", "({a}) * 2", "({a}) % 7", "({a}) DIV 2", "ABS({a})", "({a}) | 0", "BIT_COUNT({a})"},
	"cast": {"CAST({a} AS SIGNED)", "CAST({a} AS UNSIGNED)", "CAST({a} AS DECIMAL(30,6))", "CAST({a} AS DOUBLE)", "CAST({a} AS CHAR)", "CAST({a} AS DATE)", "CAST({a} AS DATETIME)",
		"CAST({a} AS DATETIME(3))", "CAST({a} AS TIME)", "CAST({a} AS TIME(3))", "HEX(CAST({a} AS BINARY))"},
	"null": {"{a} IS NULL", "{a} IS NOT NULL"},
	"aggregate": {"COUNT({a})", "COUNT(DISTINCT {a})", "SUM({a})", "AVG({a})", "MIN({a})", "MAX({a})", "STD({a})", "VARIANCE({a})", "VAR_SAMP({a})", "STDDEV_SAMP({a})",
		"BIT_AND({a})", "BIT_OR({a})", "BIT_XOR({a})", "SUM(DISTINCT {a})", "GROUP_CONCAT(DISTINCT {a} ORDER BY n SEPARATOR ';')"},
	"window": {"COUNT({a}) OVER (ORDER BY n ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)", "SUM({a}) OVER (ORDER BY n ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)",
		"AVG({a}) OVER (ORDER BY n)", "MIN({a}) OVER (ORDER BY n ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)", "MAX({a}) OVER (PARTITION BY n % 7)",
		"FIRST_VALUE({a}) OVER (ORDER BY n ROWS 2 PRECEDING)", "LAST_VALUE({a}) OVER (PARTITION BY n % 5 ORDER BY n)", "LAG({a}) OVER (ORDER BY n)", "LEAD({a}, 2) OVER (ORDER BY n)",
		"RANK() OVER (ORDER BY {a})", "DENSE_RANK() OVER (PARTITION BY n % 3 ORDER BY {a} DESC)", "COUNT(*) OVER (PARTITION BY {a})",
		"COUNT(*) OVER (ORDER BY ({a}) + 0 RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING)"},
}

// operands are values by their kinds: of columns, computed, and written.
var operands = map[string][]string{
	"DATE":     {"da", "DATE(dt)", "da + INTERVAL 1 DAY", "DATE '2024-01-15'"},
	"DATETIME": {"dt", "ts", "d3", "dt - INTERVAL 1 HOUR", "TIMESTAMP '2024-01-15 10:00:00'"},
	"TIME":     {"ti", "t3", "TIME(dt)", "ADDTIME(ti, '01:00:00')", "TIMEDIFF(dt, '2024-01-05 00:00:00')", "TIME '10:00:00'"},
	"YEAR":     {"ye"},
	"ENUM":     {"en"},
	"SET":      {"se"},
	"BIT":      {"bi"},
	"bytes":    {"bt"},
	"text":     {"tx", "td", "tt", "CONCAT(tn, '')", "tn"},
	"whole":    {"wh", "un", "n * 1000", "YEAR(da)"},
	"DECIMAL":  {"de", "de * 2"},
	"DOUBLE":   {"fl", "fl / 2"},
	"FLOAT":    {"fo"},
	"JSON":     {"js", "JSON_EXTRACT(jo, '$.v')"},
	"a text":   {"'2024-01-15'", "'2024-01-15 10:00:00'", "'10:00:00'", "'12:30'", "'7'", "'9.5'", "'mid'", "'2024'", "'20240115'"},
	"a number": {"20240115", "20240115100000", "100000", "7", "2", "9.5", "2024", "7e0", "95e-1"},
	"a NULL":   {"NULL"},
}

// matrixTable creates the matrix's table; MariaDB's has the additional columns of its documents.
func matrixTable(ofMariaDB bool) []string {
	of := func(i int, list ...string) string { return list[i%len(list)] }
	var rows []string
	for i := range 60 {
		documents, known := documentValues(i)
		if !ofMariaDB {
			known = nil
		}
		day := of(i, "2024-01-15", "2024-01-05", "2023-12-31", "2024-02-29", "1999-07-07")
		clock := of(i*7, "10:00:00", "00:00:00", "12:30:00", "23:59:59")
		rows = append(rows, "("+strings.Join([]string{
			fmt.Sprint(i + 1), of(i, "'"+day+"'", "'"+day+"'", "'2024-01-15'", "NULL"), "'" + day + " " + clock + "'", "'" + of(i*3, day, "2024-01-15") + " " + clock + "'",
			of(i, "'10:00:00'", "'12:30:00'", "'-01:00:00'", "'00:00:07'", "'99:00:00'", "NULL", "'00:00:00'"), of(i, "2024", "1999", "2007"), of(i, "'low'", "'mid'", "'high'", "'7'", "NULL"),
			of(i, "'a'", "'a,b'", "'b'", "''"), of(i, "7", "2", "0", "10"), of(i, "'mid'", "'1abc'", "'7'", "'9.50'", "''", "NULL", "'0.5'"), of(i, "'2024-01-15'", "'2024-01-05 10:00:00'", "'20240229'"),
			of(i, "'10:00:00'", "'12:30'", "'100000'"), of(i, "'7'", "'9.50'", "'2024'", "'-1'"), of(i, "7", "2024", "20240115", "100000", "-1", "0", "NULL"), of(i, "7", "20240115", "18446744073709551615", "2"),
			of(i, "7.00", "9.50", "2.00", "-1.25", "NULL"), of(i, "7", "9.5", "20240115", "0.5", "2024"), of(i, "'7'", "'12a'", "'mid'", "NULL", "'-1.5'"),
			of(i, "'10:00:00.25'", "'00:00:07.001'", "'-01:00:00.5'", "NULL"), "'" + day + " " + clock + of(i, ".25", "", ".125") + "'", of(i, "7", "9.5", "0.1", "NULL", "123456789"),
			strings.Join(append(documents, known...), ", "), "'" + of(i, "flu", "cold", "none", "asthma") + "'"}, ", ")+")")
	}
	besides := ""
	if ofMariaDB {
		besides = documentDefinitions + ", "
	}
	return []string{
		`CREATE TABLE m (n INT, da DATE, dt DATETIME, ts TIMESTAMP NULL, ti TIME, ye YEAR, en ENUM('low','mid','high','7') COLLATE utf8mb4_general_ci, se SET('a','b','c') COLLATE utf8mb4_general_ci, bi BIT(8),
			tx VARCHAR(20) COLLATE utf8mb4_general_ci, td VARCHAR(20) COLLATE utf8mb4_general_ci, tt VARCHAR(20) COLLATE utf8mb4_general_ci, tn VARCHAR(20) COLLATE utf8mb4_general_ci,
			wh INT, un BIGINT UNSIGNED, de DECIMAL(10,2), fl DOUBLE, bt VARBINARY(9), t3 TIME(3), d3 DATETIME(3), fo FLOAT, js JSON, jo JSON, ` + besides + `disease VARCHAR(10))`,
		"INSERT INTO m VALUES " + strings.Join(rows, ", "),
	}
}

// A matrixDifference is a correct difference, where MySQL 8's rule differs from MariaDB's. The test checks that its example still differs.
type matrixDifference struct {
	of           func(cell) bool
	example, own string
	why          string
}

// fractions have more decimals of a second than a TIME, or are no integers.
var fractions = []string{"t3", "d3", "fl", "fl / 2", "fo", "de", "de * 2", "tx", "tn", "CONCAT(tn, '')", "bt", "'9.5'", "9.5", "95e-1"}

// matrixDifferences are the cells that are not compared.
var matrixDifferences = []matrixDifference{
	{
		of:      func(c cell) bool { return c.beside(temporal, numeric) && !c.readableNumbers() },
		example: "SUM(dt > n * 7) FROM m", own: "[[60]]",
		why: "beside a number that is no constant, or none of its kind, a date and a time are compared as numbers (MySQL 8, 14.3); MariaDB makes times of numbers",
	},
	{
		of:      func(c cell) bool { return c.beside(clocks, clocks) && slices.Contains(c.values, "'mid'") },
		example: "SUM(ti NOT IN (TIME '10:00:00', 'mid')) FROM m", own: "[[0]]",
		why: "likewise for a constant that is none",
	},
	{
		of: func(c cell) bool {
			return c.beside(clocks, words) && (c.room != "choice" || strings.HasPrefix(c.operation, "NULLIF"))
		},
		example: "SUM(TIME(dt) = en) FROM m", own: "[[0]]",
		why: "a text that is no time is unknown beside a TIME; MariaDB reads 00:00:00, and MySQL compares the texts",
	},
	{
		of:      func(c cell) bool { return c.beside(dated, []string{"a text"}) && !c.readableTexts() },
		example: "SUM(da > '10:00:00') FROM m", own: "error 1292",
		why: "a constant text that is no date is an error beside one, as in MySQL 8 (1525); MariaDB warns",
	},
	{
		of: func(c cell) bool {
			return (c.room == "cast" || c.room == "number") && len(c.values) > 0 && slices.Contains(fractions, c.values[0])
		},
		example: "SUM(CAST(t3 AS TIME) = '-01:00:01') FROM m", own: "[[15]]",
		why: "decimals of a second are rounded, and DOUBLEs half to even, where a whole one is wanted; MariaDB cuts the former and rounds the latter half up",
	},
	{
		of: func(c cell) bool {
			return strings.Contains(c.operation, "AS TIME") && (c.beside(numeric, numeric) || c.values[0] == "td" || c.values[0] == "'20240115'")
		},
		example: "SUM(CAST(ye AS TIME) = '00:20:24') FROM m", own: "[[20]]",
		why: "a number is read as a time by its digits, and one beyond all times is the greatest; MariaDB has 00:00:00 for YEARs and for some that are too large",
	},
	{
		of: func(c cell) bool {
			return c.room == "choice" && c.beside(dated, clocks) || strings.Contains(c.operation, "AS DATE") && c.beside(clocks, clocks)
		},
		example: "SUM(IFNULL(da, TIMEDIFF(dt, '2024-01-05 00:00:00')) IS NULL) FROM m", own: "[[0]]",
		why: "a TIME beside a date is one of today, also beyond a day; MariaDB has NULL for a TIMEDIFF",
	},
	{
		of: func(c cell) bool {
			years := []string{"YEAR"}
			return (strings.HasPrefix(c.operation, "({a}, ") || len(c.values) > 2) && c.beside(years, []string{"a text", "a number"}) ||
				c.beside(years, years) && slices.ContainsFunc(c.values, func(v string) bool { return strings.Contains(v, "9.5") || strings.Contains(v, "95e") })
		},
		example: "SUM(('7', ye) <> (ye, ye)) FROM m", own: "[[40]]",
		why: "two digits beside a YEAR are one, in rows too, and 9.5 is none; MariaDB has it otherwise",
	},
	{
		of:      func(c cell) bool { return c.beside(dated, dated) && slices.Contains(c.values, "tt") },
		example: "SUM(tt > dt) FROM m", own: "[[0]]",
		why: "a text of a column that is no date is before all beside one; MariaDB reads 12:30 as a day",
	},
	{
		of: func(c cell) bool {
			return strings.Contains(c.operation, "AS UNSIGNED") && c.beside(clocks, clocks) || strings.HasPrefix(c.operation, "M") && c.beside([]string{"BIT"}, []string{"BIT"})
		},
		example: "SUM(CAST(ti AS UNSIGNED) > 1000000) FROM m", own: "[[9]]",
		why: "a number below 0 wraps around, of a TIME too, where MariaDB has 0; MIN and MAX of BITs are BITs, which MariaDB writes as numbers",
	},
	{
		of: func(c cell) bool {
			return (strings.Contains(c.operation, "LEAST(") || strings.Contains(c.operation, "GREATEST(")) && c.families() > 1
		},
		example: "SUM(LEAST(ti, CONCAT(tn, ''))) FROM m", own: "[[4215]]",
		why: "LEAST and GREATEST compare texts beside numbers and times as texts (MySQL 8, 14.4.2), MariaDB as numbers and times",
	},
}

var (
	dated    = []string{"DATE", "DATETIME"}
	clocks   = []string{"TIME"}
	temporal = []string{"DATE", "DATETIME", "TIME"}
	numeric  = []string{"YEAR", "BIT", "whole", "DECIMAL", "DOUBLE", "FLOAT", "a number"}
	words    = []string{"ENUM", "SET", "text", "bytes"}
)

// beside recognises a cell with values of both lists of kinds.
func (c cell) beside(a, b []string) bool {
	among := func(list []string) bool {
		return slices.ContainsFunc(c.kinds, func(k string) bool { return slices.Contains(list, k) })
	}
	return among(a) && among(b)
}

// readableNumbers recognises written numbers that are values of the cell's dates or times.
func (c cell) readableNumbers() bool {
	readable := []string{"20240115", "20240115100000"}
	if c.beside(clocks, clocks) {
		if readable = []string{"100000", "7", "2", "2024"}; c.beside(dated, dated) {
			readable = nil
		}
	}
	return !slices.ContainsFunc(c.values, func(v string) bool {
		kind := c.kinds[slices.Index(c.values, v)]
		return slices.Contains(numeric, kind) && !slices.Contains(readable, v)
	})
}

// readableTexts recognises texts that are all dates.
func (c cell) readableTexts() bool {
	return !slices.ContainsFunc(operands["a text"], func(v string) bool {
		return slices.Contains(c.values, v) && !strings.HasPrefix(v, "'2024-") && v != "'20240115'"
	})
}

// families is of how many kinds that compare by themselves a cell's values are.
func (c cell) families() int {
	found := map[string]bool{}
	for _, k := range c.kinds[:2] {
		for name, list := range map[string][]string{"date": dated, "time": clocks, "number": {"whole", "DECIMAL", "DOUBLE", "FLOAT", "a number"}, "text": {"text", "a text"}} {
			if slices.Contains(list, k) {
				k = name
			}
		}
		found[k] = true
	}
	return len(found)
}

func matrixNamed(c cell) bool {
	return slices.ContainsFunc(matrixDifferences, func(d matrixDifference) bool { return d.of(c) })
}

// A cell of the matrix is an operation over operands.
type cell struct {
	room, operation, text string
	kinds, values         []string // of the operands
}

// notAnswered is the error number for questions that a published view does not answer.
const notAnswered = 1235

// outOfRange is the error number for values beyond a type.
const outOfRange = 1690

func newCell(seed, at uint64) cell {
	r := rand.New(rand.NewPCG(seed, at))
	rooms, kinds := sortedKeys(operations), sortedKeys(operands)
	room := rooms[r.IntN(len(rooms))]
	c := cell{room: room, operation: operations[room][r.IntN(len(operations[room]))]}
	c.text = c.operation
	for _, place := range []string{"{a}", "{b}", "{c}"} {
		if !strings.Contains(c.operation, place) {
			continue
		}
		kind := kinds[r.IntN(len(kinds))]
		value := operands[kind][r.IntN(len(operands[kind]))]
		c.kinds, c.values = append(c.kinds, kind), append(c.values, value)
		c.text = strings.ReplaceAll(c.text, place, value)
	}
	return c
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// question returns a cell's query: how many rows, by their numbers, have each value; for an aggregate its value, for a
// window the value of every row.
func (c cell) question(text, table string) string {
	switch c.room {
	case "aggregate":
		return "SELECT " + text + " AS k FROM " + table
	case "window":
		return "SELECT n, " + text + " AS k FROM " + table
	}
	return "SELECT " + text + " AS k, SUM(n) AS s FROM " + table + " GROUP BY k"
}

// tables returns the tables for a cell here: no view for windows.
func (c cell) tables() []string {
	if c.room == "window" {
		return []string{"m"}
	}
	return []string{"m", "published.m"}
}

// If both servers answer, the answers are equal. For another seed or more cells:
//
//	go test -run TestMatrix -timeout 0 -v ./server/differential -queries 100000 -seed 7
func TestMatrix(t *testing.T) {
	cells, seed := queriesOr(800, 3000), *seed
	t.Logf("seed %d, %d cells", seed, cells)
	p := newPair(t)
	for _, db := range []*dbsql.DB{p.own, p.other} {
		servertest.Exec(t, db, append([]string{"SET group_concat_max_len = 1048576"}, matrixTable(db == p.other)...)...)
	}
	servertest.Exec(t, p.own, "CALL anonymize('d.m', 'anatomy', 'l=2', 'qi=n,da,dt,ts,ti,ye,en,se,bi,tx,td,tt,tn,wh,un,de,fl,bt,t3,d3,fo,js,jo', 'sa=disease', 'publish=m', 'fit=false')")
	agreed, differing := 0, 0
	for at := range cells {
		c := newCell(seed, at)
		asked, known := c.inMariaDB()
		if !known || matrixNamed(c) {
			continue
		}
		other := ask(t, p.other, c.question(asked, "m"))
		for _, table := range c.tables() {
			own := ask(t, p.own, c.question(c.text, table))
			switch {
			case servertest.Number(other.err) == outOfRange: // of a frame, whose ends are no values here
			case other.err != nil && own.err != nil, table != "m" && servertest.Number(own.err) == notAnswered:
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
		servertest.Exec(t, db, matrixTable(db == p.other)...)
	}
	for _, d := range matrixDifferences {
		own, other := ask(t, p.own, "SELECT "+d.example), ask(t, p.other, "SELECT "+d.example)
		answer := fmt.Sprint(own.rows)
		if own.err != nil {
			answer = fmt.Sprintf("error %d", servertest.Number(own.err))
		}
		if answer != d.own {
			t.Errorf("%s is %v, must be %s: %s", d.example, own, d.own, d.why)
		}
		if own.err == nil && equal(own, other, false, false) && other.err == nil {
			t.Errorf("%s is the same in MariaDB: the difference goes", d.example)
		}
	}
}
