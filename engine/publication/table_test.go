package publication

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// told answers the planning queries: a table of forty records, with a column of this many distinct values.
type told struct {
	column string
	values int64
	asked  []string
}

func (c *told) Exec(context.Context, string) (int64, error) {
	return 0, errors.New("nothing is written")
}

func (c *told) Query(_ context.Context, text string, row func([]any) error) error {
	c.asked = append(c.asked, text)
	switch {
	case strings.Contains(text, fmt.Sprintf("DISTINCT %q ", c.column)):
		return row([]any{c.values})
	case strings.Contains(text, "DISTINCT"), strings.HasPrefix(text, "SELECT count(*)"):
		return row([]any{int64(40)})
	}
	for v := range int64(4) {
		values := []any{v, int64(10)}
		if strings.Contains(text, "AS cell") {
			values = []any{v, int64(-1), int64(10)}
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

// A released column with too many values is refused by name before anything is written, even if planning does not need it.
func TestColumnsOfTooManyValues(t *testing.T) {
	table := &Table{Schema: "s", Name: "t", Columns: []Column{{"age", "bigint"}, {"account", "bigint"}, {"id", "bigint"}}}
	for _, r := range []Request{
		{Table: table, QuasiIdentifiers: []string{"age", "account"}, Sensitive: "id", L: 4},
		{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "account", Method: Mondrian, K: 2},
	} {
		for values, refused := range map[int64]bool{MaxValues: false, MaxValues + 1: true} {
			c := &told{column: "account", values: values}
			_, err := (&Engine{Conn: c, Dialect: dialect.Trino, Catalog: "c"}).NewPlan(t.Context(), r)
			var data *anonymize.DataError
			if errors.As(err, &data) != refused || refused && !strings.Contains(data.Reason, "column account has more than 100000 values") {
				t.Errorf("%s of a column of %d values: %v", r.Method, values, err)
			}
			const want = `SELECT count(*) FROM (SELECT DISTINCT "account" FROM "c"."s"."t" LIMIT 100001) AS told`
			if text := strings.Join(c.asked, "\n"); strings.Count(text, want) != 1 || strings.Contains(text, `DISTINCT "id"`) {
				t.Errorf("%s asks %s", r.Method, text)
			}
		}
	}
}

// A name that Spark would change is refused before the first statement.
func TestNamesWithVariables(t *testing.T) {
	for of, refused := range map[*dialect.Dialect]bool{dialect.Trino: false, dialect.Spark: true} {
		c := &told{column: "id"}
		table := &Table{Schema: "s", Name: "t", Columns: []Column{{"age", "bigint"}, {"${env:HOME}", "bigint"}, {"id", "bigint"}}}
		_, err := (&Engine{Conn: c, Dialect: of, Catalog: "c"}).NewPlan(t.Context(), Request{Table: table, QuasiIdentifiers: []string{"age", "${env:HOME}"}, Sensitive: "id", L: 4})
		var data *anonymize.DataError
		if errors.As(err, &data) != refused || refused && (!strings.Contains(data.Reason, `Spark replaces ${...} in the name "${env:HOME}"`) || len(c.asked) > 0) {
			t.Errorf("%s: %v after %q", of, err, c.asked)
		}
	}
}

// emptying answers like an engine whose table is emptied after some statements.
type emptying struct {
	told
	left int
}

func (c *emptying) Query(ctx context.Context, text string, row func([]any) error) error {
	values, grouped := []any{int64(10)}, strings.Contains(text, "GROUP BY")
	if strings.Contains(text, "AS levels") {
		values = []any{int64(1), int64(1), int64(10)}
	}
	c.left--
	switch {
	case c.left >= 0 && (strings.Contains(text, "AS levels") || strings.HasSuffix(text, "LIMIT 100")):
		return errors.Join(row(values), row(values), row(values))
	case c.left >= 0:
		return c.told.Query(ctx, text, row)
	case !grouped:
		return row([]any{int64(0)})
	}
	return nil
}

// A table that is emptied between any two statements of planning is refused by name, or planned as it was.
func TestEmptiedWhilePlanning(t *testing.T) {
	table := &Table{Schema: "s", Name: "t", Columns: []Column{{"age", "bigint"}, {"town", "bigint"}, {"pay", "bigint"}, {"id", "bigint"}}}
	all := []string{"age", "town", "pay"}
	for _, r := range []Request{
		{Method: Anatomy, L: 2, Block: 8},
		{Method: Slppa, Beta: ratio("0.5"), Alpha: ratio("0.5"), Fragments: 2},
		{Method: Slicing, L: 2, Fragments: 2},
		{Method: Mondrian, K: 2, L: 2},
		{Method: Mondrian, K: 2},
	} {
		r.Table, r.QuasiIdentifiers, r.Sensitive = table, all, "id"
		refused := 0
		for statements := range 10 {
			_, err := (&Engine{Conn: &emptying{told{}, statements + 1}, Dialect: dialect.Trino, Catalog: "c"}).NewPlan(t.Context(), r)
			var data *anonymize.DataError
			if err != nil && !(errors.As(err, &data) && strings.Contains(err.Error(), "table s.t has changed meanwhile")) {
				t.Errorf("%s, emptied after %d statements: %v", r.Method, statements+1, err)
			}
			if err != nil {
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("%s is never refused", r.Method)
		}
	}
}

// without is an engine whose table has a value that is no number.
type without struct {
	told
	value float64
}

func (c *without) Query(ctx context.Context, text string, row func([]any) error) error {
	if strings.Contains(text, `"fever"`) && strings.Contains(text, "GROUP BY") {
		return errors.Join(row([]any{36.6, int64(20)}), row([]any{c.value, int64(20)}))
	}
	if strings.Contains(text, `max(CASE WHEN "fever" - "fever" <> 0 THEN "fever" END)`) {
		return row([]any{int64(2), c.value})
	}
	return c.told.Query(ctx, text, row)
}

// NaN and infinity are refused by name while groups are planned, whether planning needs the column's values or not.
func TestNoNumbers(t *testing.T) {
	table := &Table{Schema: "s", Name: "t", Columns: []Column{{"age", "bigint"}, {"fever", "double"}, {"id", "bigint"}}}
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, r := range map[string]Request{
			"a sensitive attribute":    {QuasiIdentifiers: []string{"age"}, Sensitive: "fever", L: 2},
			"one that is not counted":  {QuasiIdentifiers: []string{"age", "fever"}, Sensitive: "id", L: 2},
			"one that is put in bins":  {QuasiIdentifiers: []string{"age", "fever"}, Sensitive: "id", L: 2, Block: 8},
			"a class's":                {QuasiIdentifiers: []string{"age", "fever"}, Sensitive: "id", Method: Mondrian, K: 2, L: 2},
			"without any distinctions": {QuasiIdentifiers: []string{"age"}, Sensitive: "fever", Method: Mondrian, K: 2},
		} {
			r.Table = table
			_, err := (&Engine{Conn: &without{value: value}, Dialect: dialect.Trino, Catalog: "c"}).NewPlan(t.Context(), r)
			var data *anonymize.DataError
			if want := fmt.Sprintf("column fever has the value '%v', which cannot be read: it is no number", value); !errors.As(err, &data) || data.Reason != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

// -0.0 and 0.0 are one value, of which a group has no more than one in l. NaN is refused.
func TestSignsOfZero(t *testing.T) {
	e, _, _ := open(t)
	run(t, e, "CREATE TABLE "+raw("zeros")+` AS SELECT id, mod(id, 50) AS age, CAST(CASE mod(id, 10) WHEN 0 THEN -0e0 WHEN 1 THEN 0e0 ELSE mod(id, 10) END AS real) AS lens,
CASE mod(id, 10) WHEN 0 THEN -0e0 WHEN 1 THEN 0e0 ELSE mod(id, 10) END AS fever
FROM (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, 1)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)) AS numbers`)
	table := &Table{Schema: schemas() + "_raw", Name: "zeros", Columns: []Column{{"id", "bigint"}, {"age", "bigint"}, {"lens", "real"}, {"fever", "double"}}}
	r := Request{Table: table, QuasiIdentifiers: []string{"age", "lens"}, Sensitive: "fever", Identifiers: []string{"id"}, L: 4}
	a := assign(t, e, plan(t, e, r), "zeros")
	defer a.Discard(context.WithoutCancel(t.Context()))
	agree(t, a, 2000)
	run(t, e, "INSERT INTO "+raw("zeros")+" VALUES (2000, 1, nan(), 1)")
	if _, err := e.NewPlan(t.Context(), r); err == nil || !strings.Contains(err.Error(), "column lens has the value 'NaN', which cannot be read") {
		t.Errorf("NaN: %v", err)
	}
}

// Digests are made of values in which -0.0 is 0.0, since the engine writes two texts of what it compares as equal.
func TestZeroIsDigestedAsOne(t *testing.T) {
	conn := &digesting{}
	e := &Engine{Conn: conn, Dialect: dialect.Trino, Catalog: "c", Private: "p"}
	p := &Plan{Request: Request{Table: &Table{Schema: "s", Name: "t"}}, quasiIdentifiers: []Column{{"lens", "real"}, {"age", "bigint"}}, sensitive: Column{"fever", "double"}}
	a := &Attempt{engine: e, plan: p, name: "a", schema: "p", source: assignedTable}
	if text, want := a.blocked(), `"t"."lens" + REAL '0E+00' AS a0, "t"."age" AS a1, "t"."fever" + 0E+00 AS a2`; !strings.Contains(text, want) {
		t.Errorf("%s has not %s", text, want)
	}
	if err := a.complete(t.Context(), Relation{Name: "sa", Columns: []Column{p.sensitive}}); err != nil {
		t.Fatal(err)
	}
	if len(conn.asked) != 2 || !strings.Contains(conn.asked[1], `CAST("fever" + 0E+00 AS VARCHAR)`) {
		t.Errorf("asked is %q", conn.asked)
	}
}

// digesting is an engine whose digests are all the same.
type digesting struct{ told }

func (c *digesting) Query(_ context.Context, text string, row func([]any) error) error {
	c.asked = append(c.asked, text)
	return row([]any{int64(1), int64(1)})
}

// A text that may be no UTF-8 is refused while groups are planned, where its column is counted.
func TestUnclearTexts(t *testing.T) {
	for text, refused := range map[string]bool{"Málaga": false, "M\uFFFDlaga": true} {
		_, err := Column{"town", "varchar"}.value(text)
		var data *anonymize.DataError
		if errors.As(err, &data) != refused || refused && !strings.HasSuffix(data.Reason, `Replace them in a view: replace(from_utf8(to_utf8(town)), U&'\FFFD', '?')`) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
