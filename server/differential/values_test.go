package differential

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// valueCases are questions about values of one type where another is asked for, with what MySQL 8 answers. They are asked of one
// session, in this order.
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
