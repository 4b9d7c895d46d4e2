package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Values come as MySQL's clients write them, on the page and in the file: bits and years are numbers, NULL is no empty text, a number has no exponent
// before it needs one.
func values(t *testing.T, owner, _ *browser) {
	for _, statement := range []string{"CREATE DATABASE e", "CREATE TABLE e.kinds (flag BIT(9), y YEAR, x DOUBLE, price DECIMAL(12,4), name VARCHAR(20))",
		"INSERT INTO e.kinds VALUES (b'100000001', 2020, 1234567.25, 1234567.2101, ''), (b'0', 2021, 2000000, 1234567.2102, 'NULL'), (NULL, 2022, 1e-7, NULL, NULL), (b'11', 2023, 1e20, -2, 'a\"b')"} {
		status, page := owner.ask(statement)
		want(t, status, page, http.StatusOK, "It has no result")
	}
	defer owner.ask("DROP DATABASE e")
	csv := func(statement string) string {
		status, file := owner.post("/ask/csv", "/ask", url.Values{"statement": {statement}})
		if status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		return file
	}
	for statement, file := range map[string]string{
		"SELECT * FROM e.kinds ORDER BY y":             "flag,y,x,price,name\n257,2020,1234567.25,1234567.2101,\"\"\n0,2021,2000000,1234567.2102,\"NULL\"\nNULL,2022,1e-07,NULL,NULL\n3,2023,1e+20,-2.0000,\"a\"\"b\"\n",
		"SELECT name FROM e.kinds WHERE y = 2022":      "name\nNULL\n",
		"SELECT MAX(x) AS `a\"b` FROM e.kinds":         "\"a\"\"b\"\n1e+20\n",
		"SELECT COUNT(*) n, SUM(price) n FROM e.kinds": "n,n\n4,2469132.4203\n",
	} {
		if got := csv(statement); got != file {
			t.Errorf("%s is\n%s\nwant\n%s", statement, got, file)
		}
	}
	for statement, shown := range map[string]string{
		"SELECT y, MAX(x) AS m FROM e.kinds GROUP BY y":                      `class="dot `, // years are a line
		"SELECT flag FROM e.kinds WHERE y = 2020":                            `<data value="257">257</data>`,
		"SELECT x FROM e.kinds WHERE y = 2021":                               `<data value="2000000">2000000</data>`,
		"SELECT price, MAX(flag) FROM e.kinds WHERE y < 2022 GROUP BY price": "1234567.2101: ",
		"SELECT MAX(price) AS m FROM e.kinds WHERE y = 2022":                 "<b>NULL</b>",
		"SELECT MAX(price) AS m FROM e.kinds":                                "<b>1,234,567.21</b>",
	} {
		status, page := owner.ask(statement)
		want(t, status, page, http.StatusOK, shown)
		if strings.ContainsAny(page, "\x00\x01\x03\uFFFD") {
			t.Errorf("%s: the page has control characters", statement)
		}
	}
}
