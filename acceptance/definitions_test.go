package acceptance

import (
	"context"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A definition is the protocol's description of a column. text means any character set of texts, since servers have
// different ones.
type definition struct {
	name             string
	typ              querypb.Type
	text             bool
	length, decimals uint32
	flags            querypb.MySqlFlag
}

const (
	isBinary   = querypb.MySqlFlag_BINARY_FLAG
	isUnsigned = querypb.MySqlFlag_UNSIGNED_FLAG
	isBlob     = querypb.MySqlFlag_BLOB_FLAG
	isNotNull  = querypb.MySqlFlag_NOT_NULL_FLAG
)

// stored are MariaDB 10.11's definitions of the columns of a table, for a client with utf8mb4.
var stored = []definition{
	{"i", querypb.Type_INT32, false, 11, 0, 0}, {"ti", querypb.Type_INT8, false, 4, 0, 0}, {"b", querypb.Type_INT8, false, 1, 0, 0},
	{"si", querypb.Type_UINT16, false, 5, 0, isUnsigned}, {"bi", querypb.Type_INT64, false, 20, 0, 0}, {"bu", querypb.Type_UINT64, false, 20, 0, isUnsigned},
	{"de", querypb.Type_DECIMAL, false, 12, 2, 0}, {"f", querypb.Type_FLOAT32, false, 12, 31, 0}, {"d", querypb.Type_FLOAT64, false, 22, 31, 0},
	{"da", querypb.Type_DATE, false, 10, 0, isBinary}, {"dt", querypb.Type_DATETIME, false, 19, 0, isBinary}, {"dt6", querypb.Type_DATETIME, false, 26, 6, isBinary},
	{"t", querypb.Type_TIME, false, 10, 0, isBinary}, {"ts", querypb.Type_TIMESTAMP, false, 19, 0, isBinary | isUnsigned},
	{"y", querypb.Type_YEAR, false, 4, 0, isUnsigned | querypb.MySqlFlag_ZEROFILL_FLAG}, {"v", querypb.Type_VARCHAR, true, 80, 0, 0}, {"c", querypb.Type_CHAR, true, 20, 0, 0},
	{"tx", querypb.Type_TEXT, true, 262140, 0, isBlob}, {"bl", querypb.Type_BLOB, false, 65535, 0, isBlob | isBinary}, {"vb", querypb.Type_VARBINARY, false, 7, 0, isBinary},
	{"e", querypb.Type_ENUM, true, 12, 0, querypb.MySqlFlag_ENUM_FLAG}, {"s", querypb.Type_SET, true, 16, 0, querypb.MySqlFlag_SET_FLAG},
	{"bt", querypb.Type_BIT, false, 3, 0, isUnsigned},
}

// computed are MariaDB's definitions of computed columns, as far as the engine's types are the same.
var computed = []definition{
	{"1.25", querypb.Type_DECIMAL, false, 5, 2, isNotNull | isBinary}, {"NULL", querypb.Type_NULL_TYPE, false, 0, 0, isBinary},
	{"NOW()", querypb.Type_DATETIME, false, 19, 0, isNotNull | isBinary}, {"CURTIME()", querypb.Type_TIME, false, 10, 0, isNotNull | isBinary},
}

// texts are MariaDB's definitions of computed texts; some have 39 decimals there.
var texts = map[string]uint32{
	"'abc'": 12, "CONCAT(v, c)": 100, "CONCAT('a', 'bc')": 12, "CASE WHEN i = 1 THEN 'yes' ELSE 'no' END": 12, "IF(i = 1, v, c)": 80, "COALESCE(v, 'x')": 80,
	"DATE_FORMAT(dt, '%Y-%m')": 28, "UPPER(v)": 80, "LEFT(v, 3)": 12, "IFNULL(v, 'unknown')": 80, "NULLIF(v, 'x')": 80, "TRIM(v)": 80, "CONCAT(i, 'x')": 48,
	"CONCAT_WS(',', v, c)": 104, "MAX(v)": 80,
}

// long are texts of unknown length, or too long ones.
var long = []string{"REPEAT(v, i)", "CONCAT(tx, v)", "GROUP_CONCAT(v)", "CASE WHEN i = 1 THEN v ELSE tx END"}

func TestDefinitionsOfTexts(t *testing.T) {
	t.Parallel()
	client := definedTable(t)
	for expression, length := range texts {
		result, err := client.ExecuteFetch("SELECT "+expression+" AS x FROM d.ty ORDER BY x", 10, true)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		if f := result.Fields[0]; f.Type != querypb.Type_VARCHAR || f.ColumnLength != length || f.Charset == 63 || f.Flags&uint32(isBlob) != 0 {
			t.Errorf("%s: %+v, want a VARCHAR of %d bytes", expression, f, length)
		}
	}
	for _, expression := range long {
		result, err := client.ExecuteFetch("SELECT "+expression+" AS x FROM d.ty", 10, true)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		if f := result.Fields[0]; f.Type != querypb.Type_TEXT {
			t.Errorf("%s: %+v, want a TEXT", expression, f)
		}
	}
}

func TestDefinitionsOfColumns(t *testing.T) {
	t.Parallel()
	client := definedTable(t)
	for query, want := range map[string][]definition{"SELECT * FROM d.ty": stored, "SELECT 1.25, NULL, NOW(), CURTIME()": computed} {
		result, err := client.ExecuteFetch(query, 10, true)
		if err != nil || len(result.Fields) != len(want) {
			t.Fatalf("%s: %v, %v", query, result, err)
		}
		for i, f := range result.Fields {
			got := definition{f.Name, f.Type, f.Charset != 63, f.ColumnLength, f.Decimals, querypb.MySqlFlag(f.Flags &^ uint32(querypb.MySqlFlag_NUM_FLAG))}
			if got != want[i] {
				t.Errorf("%s: column %+v, want %+v", query, got, want[i])
			}
		}
	}
}

// rounded are numbers as MySQL 8 formats them in texts, for each row of the table.
var rounded = map[string]string{
	"f": "123457000; 1000000; 1e20; 0.1; 0.000015", "CONCAT(f)": "123457000; 1000000; 1e20; 0.1; 0.000015", "f + 0": "123456792; 999999.5; 1.0000000200408773e20; 0.10000000149011612; 0.000014999999621068127",
	"g": "2.00; 1.12; -3.46; 0.00; NULL", "h": "2.00; 1.12; -3.46; 0.00; NULL", "CONCAT(h, '')": "2.00; 1.12; -3.46; 0.00; NULL", "COALESCE(h, 1)": "2.00; 1.12; -3.46; 0.00; 1.00",
	"IF(id > 1, h, g)": "2.00; 1.12; -3.46; 0.00; NULL", "CASE WHEN id > 1 THEN h ELSE 7 END": "7.00; 1.12; -3.46; 0.00; NULL", "h + d": "2.5; 1.62; -2.96; 0.5; NULL",
	"MAX(h) OVER ()": "2.00; 2.00; 2.00; 2.00; 2.00", "SUM(h) OVER ()": "-0.34; -0.34; -0.34; -0.34; -0.34", "d": "0.5; 0.5; 0.5; 0.5; 0.5",
}

func TestTextsOfFloats(t *testing.T) {
	t.Parallel()
	client := definedTable(t)
	for _, statement := range []string{"CREATE TABLE d.fl (id INT, f FLOAT, g FLOAT(7,2), h DOUBLE(8,2), d DOUBLE)",
		"INSERT INTO d.fl VALUES (1, 123456789, 2, 2, .5), (2, 999999.5, 1.119, 1.119, .5), (3, 1e20, -3.456, -3.456, .5), (4, .1, 0, 0, .5), (5, 1.5e-5, NULL, NULL, .5)"} {
		if _, err := client.ExecuteFetch(statement, 1, false); err != nil {
			t.Fatal(err)
		}
	}
	check := func(query, want string, decimals uint32) {
		t.Helper()
		result, err := client.ExecuteFetch(query, 10, true)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var got []string
		for _, row := range result.Rows {
			value := row[0].ToString()
			if row[0].IsNull() {
				value = "NULL"
			}
			got = append(got, value)
		}
		if written := strings.Join(got, "; "); written != want || decimals > 0 && result.Fields[0].Decimals != decimals {
			t.Errorf("%s\n got %s (%d decimals)\nwant %s (%d)", query, written, result.Fields[0].Decimals, want, decimals)
		}
	}
	for expression, want := range rounded {
		check("SELECT "+expression+" FROM d.fl ORDER BY id", want, 0)
	}
	check("SELECT h FROM d.fl", "2.00; 1.12; -3.46; 0.00; NULL", 2)
	check("SELECT x.y FROM (SELECT h AS y FROM d.fl) x GROUP BY y ORDER BY y", "NULL; -3.46; 0.00; 1.12; 2.00", 2)
	check("SELECT h FROM d.fl WHERE id = 1 UNION SELECT g FROM d.fl WHERE id = 2", "2.00; 1.12", 2)
	check("SELECT h FROM d.fl WHERE id = 1 UNION SELECT d FROM d.fl", "2; 0.5", 31)
	check("SELECT SUM(h) FROM d.fl", "-0.34", 2)
	check("SELECT f FROM d.fl WHERE id = 4", "0.1", 31)
}

// definedTable returns a client of a server with a table of every type.
func definedTable(t *testing.T) *mysql.Conn {
	t.Helper()
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE d", "CREATE TABLE d.ty (i INT, ti TINYINT, b TINYINT(1), si SMALLINT UNSIGNED, bi BIGINT, bu BIGINT UNSIGNED, "+
		"de DECIMAL(10,2), f FLOAT, d DOUBLE, da DATE, dt DATETIME, dt6 DATETIME(6), t TIME, ts TIMESTAMP NULL, y YEAR, v VARCHAR(20), c CHAR(5), tx TEXT, bl BLOB, "+
		"vb VARBINARY(7), e ENUM('a','bcd'), s SET('x','yy'), bt BIT(3))")
	host, port, _ := net.SplitHostPort(s.Addr)
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mysql.Connect(context.Background(), &mysql.ConnParams{Host: host, Port: number, Uname: "root", Charset: "utf8mb4"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}
