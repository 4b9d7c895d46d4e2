package differential

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// valueCases are questions with a value of one type where another is expected, with MySQL 8's answers. They run in one session,
// in this order.
var valueCases = []struct{ query, want string }{
	{"SELECT CAST('9223372036854775807' AS UNSIGNED) = 9223372036854775806, big = 18446744073709551614 FROM sort WHERE id = 1", "0 | 0"},
	{"SELECT id, colors + 0, colors & 1, colors | 8, colors ^ 1, colors << 1, e & 1, CAST(colors AS UNSIGNED) FROM sort ORDER BY id",
		"1 | 1 | 1 | 9 | 0 | 2 | 1 | 1; 2 | 5 | 1 | 13 | 4 | 10 | 0 | 5; 3 | 0 | 0 | 8 | 1 | 0 | NULL | 0"},
	{"SELECT id FROM sort WHERE colors & 1 ORDER BY id", "1; 2"},
	{"SELECT id, f = 1.1, f IN (1.1, 3), f IN ('1.1'), (f, 1) IN ((1.1, 1)), f BETWEEN 1.1 AND 1.2, FIELD(1.1, f, dbl), CASE f WHEN 1.1 THEN 'a' ELSE 'b' END FROM sort ORDER BY id",
		"1 | 0 | 0 | 0 | 0 | 1 | 2 | b; 2 | 0 | 0 | 0 | 0 | 0 | 0 | b; 3 | 0 | 0 | 0 | 0 | 0 | 0 | b"},
	{"SELECT id FROM sort WHERE f IN (2.5, 3)", "2"},
	{"SELECT ROUND(SQRT(at), 3), ROUND(LN(at), 6), ROUND(LOG10(at), 6), ROUND(LOG(2, at), 6), ROUND(SIN(DATE(at)), 6), POW(TIME '00:00:02', 2) FROM sort WHERE id = 1",
		"4.485567088e+06 | 30.632751 | 13.303635 | 44.193718 | 0.643942 | 4"},
	{"SELECT LN(0), LOG(1, 5), LOG(-2, 5), LOG2(8), LOG10(1000), SQRT(-1), ASIN(2), ATAN(1, 0) = PI() / 2", "NULL | NULL | NULL | 3 | 3 | NULL | NULL | 1"},
	{"SHOW COUNT(*) WARNINGS", "3"},
	{"SET @d = DATE '2022-10-10', @t = TIME '10:00:00', @at = TIMESTAMP '2022-10-10 10:11:12'", ""},
	{"SELECT @d, @t, @at", "2022-10-10 | 10:00:00 | 2022-10-10 10:11:12"},
	{"SELECT DATE(MAX(at)), COUNT(*) INTO @d, @n FROM sort", ""},
	{"SELECT @d, @n, @d = '2012-03-12', YEAR(@d)", "2012-03-12 | 3 | 1 | 2012"},
	{"SELECT id INTO @n FROM sort", "error 1172"},
	{"SELECT INET_ATON('192.168.1'), INET_ATON('10.0.5.9'), INET_ATON('256.1.1.1'), INET_ATON('')", "3232235521 | 167773449 | NULL | NULL"},
	{"SELECT FORMAT(1234567.891, 2), FORMAT(1234567.891, 2, 'de_DE'), FORMAT(1234567.891, 2, 'de_CH'), FORMAT(1234567.891, 2, 'fr_FR'), FORMAT(1234567.891, 0, 'en_IN'), FORMAT(-1234.5, 1, 'sv_SE'), FORMAT(-123, 1)",
		"1,234,567.89 | 1.234.567,89 | 1'234'567.89 | 1234567,89 | 12,34,568 | -1 234,5 | -123.0"},
	{"SELECT FORMAT(1234.5, 1, 'xx_XX')", "1,234.5"},
	{"SELECT BIN_TO_UUID(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', NULL), NULL), BIN_TO_UUID(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1), 2)",
		"6ccd780c-baba-1026-9564-5b8c656024db | 6ccd780c-baba-1026-9564-5b8c656024db"},
}

func TestValues(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	db := connect(t, "tcp", s.Addr, "root")
	servertest.Exec(t, db, "CREATE TABLE sort (id INT PRIMARY KEY, big BIGINT UNSIGNED, colors SET('red','blue','green'), e ENUM('x','y'), f FLOAT, dbl DOUBLE, at DATETIME)",
		"INSERT INTO sort VALUES (1, 18446744073709551615, 'red', 'x', 1.1, 1.1, '2012-03-12 10:03:12'), (2, 1, 'red,green', 'y', 2.5, 2.5, '2012-03-11 10:03:12'), (3, 1, '', NULL, 0.8, 0.8, NULL)")
	for _, k := range valueCases {
		got := ask(t, db, k.query)
		text := make([]string, len(got.rows))
		for i, row := range got.rows {
			text[i] = strings.Join(row, " | ")
		}
		answer := strings.Join(text, "; ")
		if got.err != nil {
			answer = strings.ToLower(strings.Split(got.err.Error(), " (")[0])
		}
		if answer != k.want {
			t.Errorf("%s\n got %s\nwant %s", k.query, answer, k.want)
		}
	}
}

// Computed texts of a published view are grouped and compared by their collation, like those of its table.
func TestComputedTextsOfAView(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	db := connect(t, "tcp", s.Addr, "root")
	servertest.Exec(t, db, "CREATE TABLE people (id INT PRIMARY KEY, city VARCHAR(20), code VARCHAR(20) COLLATE utf8mb4_bin, illness VARCHAR(20))",
		"INSERT INTO people VALUES (1, 'Arden', 'a', 'flu'), (2, 'apple', 'A', 'cold'), (3, 'Bern', 'a', 'flu'), (4, 'bern', 'b', 'asthma'), (5, 'Arden', 'B', 'cold'), "+
			"(6, 'beta', 'a', 'flu'), (7, 'apple', 'A', 'asthma'), (8, 'Basel', 'a', 'cold'), (9, 'Arden', 'b', 'asthma')",
		"CALL anonymize('d.people', 'anatomy', 'l=3', 'qi=city,code', 'sa=illness', 'publish=folk')")
	for _, k := range []struct{ query, want string }{
		{"SELECT LEFT(city, 1) AS k, COUNT(*) FROM %s GROUP BY k ORDER BY k", "A | 5; B | 4"},
		{"SELECT LEFT(code, 1) AS k, COUNT(*) FROM %s GROUP BY k ORDER BY k", "A | 2; B | 1; a | 4; b | 2"},
		{"SELECT COUNT(DISTINCT LEFT(city, 1)), COUNT(DISTINCT CONCAT(code, '')), MAX(LEFT(city, 1)), MIN(LEFT(city, 1)) FROM %s", "2 | 4 | B | A"},
		{"SELECT k, n, RANK() OVER (ORDER BY k) FROM (SELECT LEFT(city, 1) AS k, COUNT(*) AS n FROM %s GROUP BY 1) q ORDER BY k DESC", "B | 4 | 2; A | 5 | 1"},
		{"SELECT COUNT(*) FROM %s WHERE LEFT(city, 1) IN ('a', 'x') OR LEFT(city, 1) = 'b'", "9"},
		{"SELECT CONCAT(city, '!') AS k FROM %s GROUP BY k ORDER BY k LIMIT 2", "apple!; Arden!"},
	} {
		for _, of := range []string{"d.people", "published.folk"} {
			got := ask(t, db, fmt.Sprintf(k.query, of))
			text := make([]string, len(got.rows))
			for i, row := range got.rows {
				text[i] = strings.Join(row, " | ")
			}
			if answer := strings.Join(text, "; "); answer != k.want || got.err != nil {
				t.Errorf("%s, of %s\n got %s %v\nwant %s", k.query, of, answer, got.err, k.want)
			}
		}
	}
}
