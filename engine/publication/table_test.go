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
