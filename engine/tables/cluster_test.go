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

// A questions makes conditions and aggregates on which the engine and the product agree.
type questions struct{ *rand.Rand }

func (q questions) one(of ...string) string { return of[q.IntN(len(of))] }

func (q questions) comparison() string {
	operator := q.one("=", "<", "<=", ">", ">=", "<>")
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
		return fmt.Sprintf("%s %s ('%s', '%s')", q.one("town", "disease"), q.one("IN", "NOT IN"), q.one("York", "york", "York ", "ely", "Málaga"), q.one("disease 3", "Disease 5", "x"))
	case 6:
		return fmt.Sprintf("%s LIKE '%s'", q.one("town", "disease"), q.one("y%", "%a%", "_ly", "disease _", "%5", "M_l%"))
	case 7:
		return fmt.Sprintf("%s IS %sNULL", q.one("age", "weight", "height", "smokes", "town", "day", "seen"), q.one("", "NOT "))
	case 8:
		return fmt.Sprintf("smokes %s %d", q.one("=", "<>"), q.IntN(2))
	case 9:
		return fmt.Sprintf("day %s '2020-%02d-%02d'", operator, 1+q.IntN(12), 1+q.IntN(28))
	}
	return fmt.Sprintf("%s %s '%s'", q.one("town", "disease"), operator, q.one("York", "disease 3", "Z", "a"))
}

func (q questions) condition(depth int) string {
	if depth == 0 || q.IntN(3) == 0 {
		return q.comparison()
	}
	switch q.IntN(3) {
	case 0:
		return "NOT (" + q.condition(depth-1) + ")"
	case 1:
		return "(" + q.condition(depth-1) + " OR " + q.condition(depth-1) + ")"
	}
	return q.condition(depth-1) + " AND " + q.condition(depth-1)
}

func (q questions) aggregate() string {
	switch q.IntN(5) {
	case 0:
		return "COUNT(*)"
	case 1:
		return "COUNT(" + q.one("age", "town", "smokes", "seen", "height") + ")"
	case 2:
		return q.one("MIN", "MAX") + "(" + q.one("age", "cents", "weight", "height") + ")"
	}
	return q.one("SUM", "AVG") + "(" + q.one("age", "cents", "weight") + ")"
}

// TestPlainQuestions: the same question answered by the engine and from the table's columns has the same answer.
func TestPlainQuestions(t *testing.T) {
	c := enginetest.Need(t)
	f := serve(t, c.URL, 0)
	query(t, f.owner, published, "trino."+schema(t, c, measured)+".measured")
	const rows = 2000
	q, n, filled := questions{rand.New(rand.NewPCG(23, 1))}, testsize.Of(12, 40), 0
	for i := range n {
		key := q.one("", "", "smokes", "town", "disease", "age", "day", "weight")
		selected, by := "ANON_ACTUAL("+q.aggregate()+"), ANON_ACTUAL("+q.aggregate()+")", ""
		if key != "" {
			selected, by = key+", "+selected, " GROUP BY "+key+" ORDER BY "+key
		}
		// What no engine is asked: so the columns are read.
		const read = " AND (age + 0 = age OR age IS NULL)"
		question := "SELECT " + selected + " FROM published.measured WHERE (" + q.condition(2) + ")"
		before := f.asked.rows.Load()
		plain, err := tries(f.owner, question+by)
		if err != nil {
			if strings.Contains(err.Error(), "combinations") {
				continue // too many for an estimate
			}
			t.Fatalf("%s: %v", question+by, err)
		}
		if sent := f.asked.rows.Load() - before; sent >= rows && i > 0 {
			t.Errorf("%s: the engine sent %d rows, the table was read", question+by, sent)
		}
		if wanted := query(t, f.owner, "%s", question+read+by); !servertest.SameAnswers(plain, wanted, 1e-12) {
			t.Errorf("%s:\n engine %q\n from its columns %q", question+by, plain, wanted)
		}
		if len(plain) > 0 {
			filled++
		}
	}
	if filled < n/2 {
		t.Errorf("%d of %d answers had rows", filled, n)
	}
}
