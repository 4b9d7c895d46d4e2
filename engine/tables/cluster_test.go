package tables_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// measured is a table with a column of every class, whose values depend on the number of the row.
const measured = `CREATE TABLE SCHEMA.measured AS SELECT CAST(n AS integer) AS id,
	if(n % 11 = 0, NULL, CAST(20 + n * 7 % 60 AS integer)) AS age, n * 31 % 1000 AS cents,
	if(n % 11 = 0, NULL, CAST((n * 13 % 900) / DECIMAL '7.00' AS decimal(6,2))) AS weight,
	if(n % 13 = 0, NULL, (n * 17 % 300) / 9e0) AS height, if(n % 13 = 0, NULL, n % 2 = 0) AS smokes,
	if(n % 11 = 0, NULL, element_at(ARRAY['York', 'york', 'York ', 'Málaga', 'Ely'], CAST(1 + n * 11 % 5 AS integer))) AS town,
	if(n % 11 = 0, NULL, date_add('day', n * 3 % 400, DATE '2020-01-01')) AS day,
	if(n % 13 = 0, NULL, date_add('minute', n * 1700 % 90000, TIMESTAMP '2020-01-01 00:00:00.000000')) AS seen,
	concat('disease ', CAST(n * 31 % 7 AS varchar)) AS disease
	FROM UNNEST(sequence(1, 2000)) AS t(n)`

const published = "CALL anonymize('%s', 'anatomy', 'l=3', 'qi=age,cents,weight,height,smokes,town,day,seen', 'sa=disease', 'fit=false', 'calibrate=false', 'attacks=false', 'publish=measured')"

// kinds has a column of every type that is kept, and of those that are not.
const kinds = `CREATE VIEW SCHEMA.kinds AS SELECT * FROM (VALUES
	(true, tinyint '-128', smallint '32767', integer '-5', bigint '9223372036854775807', real '0.1', 0.1e0, DECIMAL '12345678901234567890.123456789',
		DATE '0001-01-01', TIMESTAMP '2020-02-29 23:59:58.5', TIMESTAMP '2020-02-29 23:59:58.000001', CAST('ab ' AS char(5)), CAST('ü''s ' AS varchar(9)), 'long',
		UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59', ARRAY[1], X'00', TIMESTAMP '2020-01-01 00:00:00 UTC', TIMESTAMP '2020-01-01 00:00:00.000000001', TIME '01:02:03'),
	(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL))
	AS t(flag, tiny, small, whole, big, single, twice, exact, day, deci, micro, fixed, short, wide, id, list, bytes, zoned, nano, clock)`

// TestKinds: how types are kept, and which are refused.
func TestKinds(t *testing.T) {
	c := enginetest.Need(t)
	database := schema(t, c, kinds)
	f := serve(t, c.URL, 0)
	names := "flag,tiny,small,whole,big,single,twice,exact,day,deci,micro,fixed,short,wide,id"
	query(t, f.owner, "CALL anonymize('trino.%s.kinds', 'anatomy', 'l=2', 'qi=%s', 'sa=id', 'fit=false', 'publish=kinds', 'attacks=false')", database, strings.TrimSuffix(names, ",id"))
	got := query(t, f.owner, "SELECT %s FROM published.kinds WHERE whole IS NOT NULL", strings.TrimSuffix(names, ",id"))
	want := "1|-128|32767|-5|9223372036854775807|0.1|0.1|12345678901234567890.123456789|0001-01-01|2020-02-29 23:59:58.5|2020-02-29 23:59:58.000001|ab|ü's |long"
	if len(got) != 1 || got[0] != want {
		t.Errorf("the values are\n%q, want\n%q", got, want)
	}
	for _, column := range strings.Split("list,bytes,zoned,nano,clock", ",") {
		refused(t, f.owner, 30001, "has no place in a release", "CALL anonymize('trino.%s.kinds', 'anatomy', 'l=2', 'qi=%s', 'sa=id', 'dry_run=true')", database, column)
	}
	refused(t, f.owner, 1146, "does not exist", "CALL anonymize('trino.%s.nothing', 'anatomy', 'l=2', 'sa=id')", database)
	refused(t, f.owner, 1210, "say updates=none", "CALL anonymize('trino.%s.kinds', 'drasl', 'k=2', 'qi=whole', 'sa=id', 'replace=true', 'publish=kinds')", database)
}

// comparison is a condition on which the engine and the product agree.
func comparison(q servertest.Questions) string {
	operator := q.Choose("=", "<", "<=", ">", ">=", "<>")
	switch q.IntN(11) {
	case 0:
		return fmt.Sprintf("age %s %d", operator, 20+q.IntN(60))
	case 1:
		return fmt.Sprintf("cents IN (%d, %d, %d.5)", q.IntN(1000), q.IntN(1000), q.IntN(1000))
	case 2:
		return fmt.Sprintf("weight %s %d.%02d", operator, q.IntN(128), q.IntN(100))
	case 3:
		return fmt.Sprintf("height %s %d", operator, q.IntN(33))
	case 4:
		return fmt.Sprintf("height %s %d.25e0", operator, q.IntN(33))
	case 5:
		return fmt.Sprintf("%s %s ('%s', '%s')", q.Choose("town", "disease"), q.Choose("IN", "NOT IN"), q.Choose("York", "york", "York ", "ely", "Málaga"), q.Choose("disease 3", "Disease 5", "x"))
	case 6:
		return fmt.Sprintf("%s LIKE '%s'", q.Choose("town", "disease"), q.Choose("y%", "%a%", "_ly", "disease _", "%5", "M_l%"))
	case 7:
		return fmt.Sprintf("%s IS %sNULL", q.Choose("age", "weight", "height", "smokes", "town", "day", "seen"), q.Choose("", "NOT "))
	case 8:
		return fmt.Sprintf("smokes %s %d", q.Choose("=", "<>"), q.IntN(2))
	case 9:
		return fmt.Sprintf("day %s '2020-%02d-%02d'", operator, 1+q.IntN(12), 1+q.IntN(28))
	}
	return fmt.Sprintf("%s %s '%s'", q.Choose("town", "disease"), operator, q.Choose("York", "disease 3", "Z", "a"))
}

// TestPlainQuestions: the same question answered by the engine and from the table's columns has the same answer.
func TestPlainQuestions(t *testing.T) {
	c := enginetest.Need(t)
	f := serve(t, c.URL, 0)
	query(t, f.owner, published, "trino."+schema(t, c, measured)+".measured")
	servertest.Questions{
		Rand: rand.New(rand.NewPCG(23, 1)), Comparison: comparison, Keys: []string{"", "", "smokes", "town", "disease", "age", "day", "weight"},
		Counted: []string{"age", "town", "smokes", "seen", "height"}, Ranked: []string{"age", "cents", "weight", "height"}, Added: []string{"age", "cents", "weight"},
		Ask: func(question string) ([]string, error) { return tries(f.owner, question) }, Sent: func() int { return int(f.asked.rows.Load()) },
	}.Compare(t, testsize.Of(12, 40), 2000)
}
