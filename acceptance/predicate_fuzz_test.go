package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// FuzzPredicate: over a release with all quasi-identifiers in one fragment, the estimate of COUNT(*) WHERE p is the
// number of raw rows that the engine finds row by row, for every p. The input determines the predicate.
func FuzzPredicate(f *testing.F) {
	for _, seed := range []string{"", "a", "between", "in a list with NULL", "\x00\x01\x02\x03\x04\x05\x06\x07", "\xff\xfe\xfd\xfc\xfb\xfa",
		"case when then else end", "like % and not like _", "xor of dates and casts", "0123456789abcdefghijklmnopqrstuvwxyz"} {
		f.Add([]byte(seed))
	}
	db := publishTyped(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		random := rand.New(&choiceSource{choices: choices, rest: rand.NewPCG(1, 1)})
		checkPredicate(t, db, predicateGrammar{grammar{Rand: random, sensitive: true}}.predicate(3))
	})
}

// A few thousand predicates from a seed, without a fuzzer.
func TestRandomPredicatesAreExact(t *testing.T) {
	t.Parallel() // long, with servers of its own
	db := publishTyped(t)
	g := predicateGrammar{grammar{Rand: rand.New(rand.NewPCG(30, 8)), sensitive: true}}
	n := testsize.Of(200, 3000)
	incomparable := 0
	for range n {
		if !checkPredicate(t, db, g.predicate(3)) {
			incomparable++
		}
	}
	if incomparable > n/50 {
		t.Errorf("the engine fails on %d of %d predicates over the raw table: too few were compared", incomparable, n)
	}
}

// checkPredicate compares the rows for which p is true, and the rows by the truth value of p: true, false and
// unknown. It returns false if the engine has no answer over the raw table. Then a release may still have one, if no
// row needs the failing value.
func checkPredicate(t *testing.T, db *dbsql.DB, p string) (compared bool) {
	t.Helper()
	compared = true
	for _, query := range []string{
		"SELECT COUNT(*) FROM {T} WHERE " + p,
		"SELECT COUNT(*) FROM {T} WHERE (" + p + ") IS NULL",
	} {
		want, rawErr := tryRows(db, strings.ReplaceAll(query, "{T}", "clinic.raw"))
		if rawErr != nil {
			t.Logf("the engine fails on the raw table: %v: %s", rawErr, query)
			compared = false
			continue
		}
		got, err := tryRows(db, strings.ReplaceAll(query, "{T}", "published.typed"))
		if err != nil {
			t.Errorf("%s: %v\nwhere the raw table answers %v", query, err, want)
			continue
		}
		sortRows(got)
		sortRows(want)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s\nestimate %v\nrow by row %v", query, got, want)
		}
	}
	return compared
}

func tryRows(db *dbsql.DB, query string) (all [][]any, err error) {
	rows, err := servertest.Rows(db, query)
	for _, texts := range rows {
		row := make([]any, len(texts))
		for i, text := range texts {
			if text.Valid {
				row[i] = text.String
			}
		}
		all = append(all, row)
	}
	return all, err
}

// A choiceSource takes random bits from a fuzzer's input, one byte per choice, and then from a generator.
type choiceSource struct {
	choices []byte
	rest    rand.Source
}

func (s *choiceSource) Uint64() uint64 {
	if len(s.choices) == 0 {
		return s.rest.Uint64()
	}
	choice := uint64(s.choices[0])
	s.choices = s.choices[1:]
	return choice*0x0101010101010101 ^ 0x5A5A // avoids low bits for which IntN would draw again and again
}

// publishTyped serves a table of 30 rows with a column of every kind, all with NULLs, and its release with all of
// them in one fragment. A release has one spelling of texts that a collation treats as equal. So the table has only
// one spelling of every city and code, and any expression must agree. It has several of every town; the grammar
// compares towns only directly.
func publishTyped(t testing.TB) *dbsql.DB {
	t.Helper()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Account{User: "root"})
	servertest.Exec(t, db, "CREATE DATABASE clinic")
	servertest.Exec(t, db, `CREATE TABLE clinic.raw (id INT PRIMARY KEY, tiny TINYINT, big BIGINT, price DECIMAL(8,2), ratio DOUBLE, born DATE, seen DATETIME,
 city VARCHAR(12) COLLATE utf8mb4_0900_ai_ci, town VARCHAR(12) COLLATE utf8mb4_0900_ai_ci, code VARCHAR(8), disease VARCHAR(8))`)
	random := rand.New(rand.NewPCG(30, 30))
	pick := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	var rows []string
	for i := range 30 {
		rows = append(rows, fmt.Sprintf("(%d, %s, %s, %s, %s, %s, %s, %s, %s, %s, '%s')", i,
			pick("NULL", "-128", "-1", "0", "1", "2", "7", "127"), pick("NULL", "-9007199254740993", "0", "1", "1000000", "9007199254740993"),
			pick("NULL", "-10.50", "0.00", "0.10", "0.30", "20.05", "99999.99"), pick("NULL", "-2.5", "0", "0.1", "0.3", "1e10", "-1e-5"),
			pick("NULL", "'1969-12-31'", "'1970-01-01'", "'1980-02-29'", "'2000-02-28'", "'2024-12-31'"),
			pick("NULL", "'1970-01-01 00:00:00'", "'1999-12-31 23:59:59'", "'2000-01-01 00:00:00'", "'2024-02-29 12:30:15'"),
			pick("NULL", "'Oslo'", "'bonn'", "'ÅRHUS'", "''", "'50%'"), pick("NULL", "'Oslo'", "'oslo'", "'ÓSLO'", "'Bonn'", "'bonn'"), pick("NULL", "'A1'", "'b2'", "'10'", "'010'", "'x_y'", "' '"),
			[]string{"flu", "cold", "gout", "asthma", "cancer"}[i%5]))
	}
	servertest.Exec(t, db, "INSERT INTO clinic.raw VALUES "+strings.Join(rows, ", "))
	servertest.Exec(t, db, "CALL anonymize('clinic.raw', 'slppa', 'qi=tiny,big,price,ratio,born,seen,city,town,code', 'sa=disease', 'beta=0.25', 'tables=1', 'publish=typed', 'seed=3')")
	return db
}

// A predicateGrammar generates random conditions over the columns of publishTyped.
type predicateGrammar struct{ grammar }

func (g predicateGrammar) number() string {
	return g.of("tiny", "big", "price", "ratio", "tiny", "price", "tiny + 1", "tiny * price", "-tiny", "price - ratio", "price / 3", "tiny % 2", "big DIV 7", "ABS(tiny)",
		"ROUND(price, 1)", "FLOOR(ratio)", "CEIL(price)", "YEAR(born)", "MONTH(seen)", "DAYOFWEEK(born)", "HOUR(seen)", "DATEDIFF(seen, born)", "LENGTH(city)", "CHAR_LENGTH(code)",
		"LOCATE('o', city)", "CAST(code AS SIGNED)", "CAST(price AS SIGNED)", "CAST(tiny AS DECIMAL(6,1))", "COALESCE(tiny, price, -1)", "IFNULL(ratio, 0)", "NULLIF(tiny, 0)",
		"IF(tiny > 0, price, ratio)", "CASE WHEN price > 0 THEN tiny WHEN city = 'oslo' THEN 5 END", "CASE tiny WHEN 1 THEN 10 WHEN 2 THEN 20 ELSE big END",
		"GREATEST(tiny, big)", "LEAST(tiny, 3)", "SIGN(ratio)", "(tiny = 1)", "TO_DAYS(born)")
}

func (g predicateGrammar) numeral() string {
	return g.of("0", "1", "-1", "2", "7", "127", "128", "-128", "0.1", "0.3", "0.30", "20.05", "-10.5", "1e10", "-2.5e0", "9007199254740993", "9007199254740992", "99999.99", "NULL",
		"'1'", "'7.0'", "1970", "2", "0.2 + 0.1", "1 / 3")
}

func (g predicateGrammar) text() string {
	return g.of("city", "code", "town", "town", "UPPER(city)", "LOWER(code)", "CONCAT(city, code)", "CONCAT_WS('-', city, code)", "TRIM(code)", "LEFT(city, 2)", "SUBSTRING(code, 2)",
		"REPLACE(city, 'o', '0')", "REVERSE(code)", "COALESCE(city, code, 'none')", "CAST(tiny AS CHAR)", "IF(tiny > 0, city, code)", "DATE_FORMAT(born, '%Y-%m')", "CASE WHEN born < '1980-01-01' THEN city ELSE code END",
		"NULLIF(city, 'Oslo')", "LPAD(code, 3, '0')", "MONTHNAME(born)")
}

func (g predicateGrammar) literal() string {
	return g.of("'Oslo'", "'oslo'", "'OSLO'", "'Ósló'", "'bonn'", "''", "' '", "'A1'", "'a1'", "'10'", "'50%'", "'x_y'", "'1970-01'", "'1'", "NULL", "_utf8mb4'Bonn'", "'zz'")
}

func (g predicateGrammar) date() string {
	return g.of("born", "seen", "born", "seen", "DATE(seen)", "DATE_ADD(born, INTERVAL 1 DAY)", "DATE_SUB(seen, INTERVAL 1 MONTH)", "LAST_DAY(born)", "COALESCE(born, DATE(seen))", "CAST(born AS DATETIME)", "CAST(seen AS DATE)", "IF(tiny > 0, born, DATE(seen))")
}

func (g predicateGrammar) day() string {
	return g.of("'1970-01-01'", "'1980-02-29'", "DATE '2000-02-28'", "'2000-01-01 00:00:00'", "TIMESTAMP '1999-12-31 23:59:59'", "'2024-12-31'", "NULL", "'1900-01-01'", "CAST('1969-12-31' AS DATE)")
}

func (g predicateGrammar) pattern() string {
	return g.of("'o_%'", "'%O%'", "'_slo'", "'%'", "''", "'x\\_y'", "'_1'", "'50\\%'", "'1_'", "NULL", "'%ó%'", "'b__n'")
}

// comparison returns an operator for x. The engine's <=> compares texts bytewise under every collation, so towns do
// not get it: a release chooses their spelling.
func (g predicateGrammar) comparison(x string) string {
	if x == "town" {
		return g.of("=", "<>", "<", "<=", ">", ">=", "!=")
	}
	return g.of("=", "<>", "<", "<=", ">", ">=", "<=>", "!=")
}

// typed returns a column or expression, and something to compare it with.
func (g predicateGrammar) typed() (expression string, other func() string) {
	switch g.IntN(3) {
	case 0:
		return g.number(), g.numeral
	case 1:
		return g.text(), g.literal
	}
	return g.date(), g.day
}

func (g predicateGrammar) list(item func() string) string {
	items := make([]string, 1+g.IntN(4))
	for i := range items {
		items[i] = item()
	}
	return strings.Join(items, ", ")
}

func (g predicateGrammar) predicate(depth int) string {
	if depth > 0 {
		switch g.IntN(6) {
		case 0:
			return fmt.Sprintf("(%s AND %s)", g.predicate(depth-1), g.predicate(depth-1))
		case 1:
			return fmt.Sprintf("(%s OR %s)", g.predicate(depth-1), g.predicate(depth-1))
		case 2:
			return fmt.Sprintf("(NOT %s)", g.predicate(depth-1))
		case 3:
			return fmt.Sprintf("(%s XOR %s)", g.predicate(depth-1), g.predicate(depth-1))
		}
	}
	x, other := g.typed()
	not := g.of("", "NOT ")
	switch g.IntN(10) {
	case 0:
		return fmt.Sprintf("(%s IS %sNULL)", x, not)
	case 1:
		return fmt.Sprintf("(%s %sBETWEEN %s AND %s)", x, not, other(), other())
	case 2, 3:
		return fmt.Sprintf("(%s %sIN (%s))", x, not, g.list(other))
	case 4:
		if g.IntN(3) == 0 {
			// The engine turns a prefix into a range, which compares expressions bytewise, but not columns.
			return fmt.Sprintf("(%s %sLIKE %s)", g.of("city", "town", "code"), not, g.of("'o%'", "'A%'", "'X_y%'", "'bonn'"))
		}
		return fmt.Sprintf("(%s %sLIKE %s)", g.text(), not, g.pattern())
	case 5:
		return fmt.Sprintf("(CASE WHEN %s %s %s THEN %s %s %s ELSE %s END)", x, g.comparison(x), other(), g.number(), g.comparison(""), g.numeral(), g.of("NULL", "TRUE", "FALSE", "tiny > 0"))
	case 6:
		return fmt.Sprintf("((%s %s %s) IS %s)", x, g.comparison(x), other(), g.of("TRUE", "NOT TRUE", "FALSE", "NULL", "NOT NULL"))
	case 7:
		return fmt.Sprintf("(%s %s %s)", g.number(), g.comparison(""), g.number())
	}
	return fmt.Sprintf("(%s %s %s)", x, g.comparison(x), other())
}
