package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// Only values with many records are sorted in parts, in as many as necessary.
func TestBuckets(t *testing.T) {
	counts := []Count{{anonymize.TextValue("rare"), 3}, {anonymize.NullValue, 2500}, {anonymize.TextValue("often"), 2000}, {anonymize.TextValue("most"), 9000}}
	r := Rule{Size: 2, Share: anonymize.NewRatio(1, 2), Delta: ratioOne, Records: 18_000}
	for largest, want := range map[int64]string{18_000: " most/16 NULL/4 often/2", 4000: " most/2 NULL/2 often/2", 1000: ""} {
		got := ""
		for _, b := range bucketsOf(counts, largest, 1000, r) {
			for _, c := range b.values {
				got += fmt.Sprintf(" %s/%d", c.Value, b.parts)
			}
		}
		if got != want {
			t.Errorf("in blocks of %d: %s, must be%s", largest, got, want)
		}
	}
}

// A REAL is compared with a REAL: as a DOUBLE its literal would match no record.
func TestRealIsComparedAsReal(t *testing.T) {
	e, fever := &Engine{Dialect: dialect.Trino}, Count{anonymize.RealValue(36.6), 9}
	p := &Plan{sensitive: Column{"fever", "real"}, buckets: []bucketed{{[]Count{fever}, 4}}}
	for got, want := range map[string]string{
		e.heavy(p, []Count{fever}):                                           `coalesce(element_at(map(ARRAY[REAL '3.66E+01'], ARRAY[0]), "fever"), -1)`,
		e.bucket(p, "a1", "place"):                                           `CAST(CASE WHEN a1 IN (REAL '3.66E+01') THEN mod(place, 4) ELSE 0 END AS BIGINT)`,
		e.bin(p.sensitive, `"fever"`, []anonymize.Value{fever.Value}):        `CASE WHEN "fever" >= REAL '3.66E+01' THEN 1 ELSE 0 END`,
		e.heavy(&Plan{sensitive: Column{"fever", "double"}}, []Count{fever}): `coalesce(element_at(map(ARRAY[3.66E+01], ARRAY[0]), "fever"), -1)`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Many heavy values are looked up, since a CASE of so many branches is slow to compile. NULL is no key.
func TestHeavyIsLookedUp(t *testing.T) {
	e, p, counts := &Engine{Dialect: dialect.Trino}, &Plan{sensitive: Column{"code", "bigint"}}, []Count{{anonymize.NullValue, 9}}
	for v := range int64(maxHeavy - 1) {
		counts = append(counts, Count{anonymize.IntegerValue(v), 9})
	}
	text := e.heavy(p, counts)
	if !strings.HasPrefix(text, `CASE WHEN "code" IS NULL THEN 0 ELSE coalesce(element_at(map(ARRAY[0, 1, 2,`) || !strings.HasSuffix(text, `998, 999]), "code"), -1) END`) ||
		strings.Count(text, "WHEN") != 1 {
		t.Errorf("%s", text)
	}
	if few := e.heavy(p, counts[:1]) + e.heavy(p, nil); few != `CASE WHEN "code" IS NULL THEN 0 ELSE -1 END-1` {
		t.Error(few)
	}
}

// A value of any type that is released is found among the heavy ones.
func TestHeavyOfEveryType(t *testing.T) {
	e, _, _ := open(t)
	for typ, values := range map[string][]string{
		"boolean": {"true", "false"}, "integer": {"7", "-8"}, "smallint": {"7", "-8"}, "bigint": {"7", "9223372036854775807"}, "double": {"0.1", "-0.0", "7"}, "real": {"0.1", "-0.0", "7"},
		"decimal(10,2)": {"0.1", "12345678.25"}, "varchar(9)": {"'it''s'", "'it'"}, "varchar": {"'it''s'", "'it'"}, "date": {"DATE '2020-02-29'", "DATE '2020-03-01'"},
		"timestamp(3)": {"TIMESTAMP '2020-02-29 23:59:58.125'", "TIMESTAMP '2020-02-29 23:59:58.5'"}, "timestamp(6)": {"TIMESTAMP '2020-02-29 23:59:58.000001'"},
	} {
		c, from := Column{"v", typ}, ""
		for i, v := range values {
			from += fmt.Sprintf("(%d, CAST(%s AS %s)), ", i, v, typ)
		}
		from = fmt.Sprintf("(VALUES %s(-1, NULL)) AS t(n, v)", from)
		var heavy []Count
		for _, row := range rowsOf(t, e, "SELECT v FROM "+from+" WHERE n >= 0 ORDER BY n") {
			v, err := c.value(row[0])
			if err != nil {
				t.Fatal(err)
			}
			heavy = append(heavy, Count{v, 1})
		}
		found := fmt.Sprintf("(%s)", e.heavy(&Plan{sensitive: c}, heavy))
		if other := rows(t, e, "SELECT n, "+found+" FROM "+from+" WHERE n <> "+found); len(other) > 0 {
			t.Errorf("%s: %q by %s", typ, other, found)
		}
	}
}

// rowsOf returns the rows of a query.
func rowsOf(t *testing.T, e *Engine, text string) (found [][]any) {
	t.Helper()
	if err := e.Conn.Query(t.Context(), text, func(row []any) error {
		found = append(found, slices.Clone(row))
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return found
}

// Records with a REAL for a sensitive value are put into blocks that keep l, and into parts by it.
func TestRealSensitiveAttribute(t *testing.T) {
	e, _, _ := open(t)
	run(t, e, "CREATE TABLE "+raw("fevers")+` AS SELECT id, mod(id, 50) AS age, CAST(36 + mod(mod(id, 50), 8) / 10e0 AS real) AS fever
FROM (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, 1)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)) AS numbers`)
	table := &Table{Schema: schemas() + "_raw", Name: "fevers", Columns: []Column{{"id", "bigint"}, {"age", "bigint"}, {"fever", "real"}}}
	for _, r := range []Request{
		{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "fever", Identifiers: []string{"id"}, L: 4, Block: 40},
		{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "fever", Method: Slicing, L: 4},
		{Table: table, QuasiIdentifiers: []string{"fever"}, Sensitive: "age", Method: Mondrian, K: 20, L: 2},
	} {
		p := plan(t, e, r)
		if p.Blocks < 2 {
			t.Errorf("%s makes %d blocks", p.Method, p.Blocks)
		}
		a := assign(t, e, p, "fevers")
		if _, err := a.Verify(t.Context(), 100); err != nil {
			t.Errorf("%s: %v", p.Method, err)
		}
		if err := a.Discard(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A table of 100,000 sensitive values, some frequent and NULL, has about as many offsets as values, and no value twice in a group.
func TestManySensitiveValues(t *testing.T) {
	e, _, _ := open(t)
	name := raw("many")
	run(t, e, fmt.Sprintf(`CREATE TABLE %s AS SELECT id, mod(id * 7919, 64) AS age, CASE WHEN mod(id, 12) = 0 THEN 'a' WHEN mod(id, 12) = 1 THEN NULL ELSE CAST(mod(id, 99998) AS varchar) END AS disease
FROM (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, %d)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)) AS numbers`, name, 119))
	table := &Table{Schema: schemas() + "_raw", Name: "many", Columns: []Column{{"id", "bigint"}, {"age", "bigint"}, {"disease", "varchar"}}}
	p := plan(t, e, Request{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "disease", Identifiers: []string{"id"}, L: 10})
	counts, err := e.sensitiveCounts(t.Context(), &Plan{Request: p.Request, sensitive: p.sensitive})
	if err != nil || len(counts) < 83_000 || p.buckets != nil {
		t.Fatalf("%d values, %v, %v", len(counts), err, p.buckets)
	}
	p.buckets = bucketsOf(counts, p.largest, 1000, p.rule) // as if there were a hundred times as many records
	a := assign(t, e, p, "many")
	defer a.Discard(context.WithoutCancel(t.Context()))
	offsets, err := a.queryNumber(t.Context(), "SELECT count(*) FROM "+a.table(offsetTable))
	if err != nil || offsets != int64(len(counts)-2+2*16) {
		t.Errorf("%d offsets of %d values, two of them in 16 parts: %v", offsets, len(counts), err)
	}
	if _, err := a.Verify(t.Context(), 100); err != nil {
		t.Error(err)
	}
}

// The statement that forms groups joins two relations, one of which has a column key: a raw column with this name belongs to the table.
func TestColumnsOfAnyNameAreTheTables(t *testing.T) {
	key, value := Column{"key", "bigint"}, Column{"value", "varchar"}
	p := &Plan{Request: Request{Table: &Table{Schema: "s", Name: "n"}}, quasiIdentifiers: []Column{key}, sensitive: value, identifiers: []Column{key},
		bins: []*Bins{{"key", []anonymize.Value{anonymize.TextValue("m")}}}, blockOf: [][2]int64{{0, 0}}}
	text := (&Attempt{engine: &Engine{Dialect: dialect.Trino, Catalog: "c"}, plan: p, name: "a"}).blocked()
	if all, tables := strings.Count(text, `"key"`), strings.Count(text, `"t"."key"`); all != tables || all < 3 || strings.Contains(text, ` "value"`) {
		t.Errorf("of %d columns key %d are the table's: %s", all, tables, text)
	}
}
