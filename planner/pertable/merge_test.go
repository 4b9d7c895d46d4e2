package pertable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// testQuery has a column of every kind after a key, over tables of these columns.
func testQuery(tables int, grouped bool) *Query {
	text := types.MustCreateString(types.Text.Type(), 20, sql.Collation_utf8mb4_0900_ai_ci)
	q := &Query{Tables: tables, Grouped: grouped}
	for i, c := range []struct {
		kind Kind
		typ  sql.Type
	}{{Key, text}, {Count, types.Int64}, {Sum, types.Float64}, {Mean, types.Int32}, {Extreme, text}, {Value, text}} {
		q.Columns = append(q.Columns, NewColumn(c.kind, sql.ColumnId(i+1), &sql.Column{Name: fmt.Sprintf("c%d", i), Type: c.typ}, false))
	}
	return q
}

// merge merges tables of rows as a Query does, and returns the answer as texts.
func merge(t *testing.T, q *Query, tables ...[]sql.Row) (*merger, []string) {
	t.Helper()
	ctx, m := sql.NewEmptyContext(), newMerger(q)
	for d, table := range tables {
		for _, row := range table {
			if err := m.add(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.endTable(ctx, d); err != nil {
			t.Fatal(err)
		}
		if !m.matched {
			break
		}
	}
	rows, err := m.rows(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Trim(fmt.Sprint([]any(row)), "[]"))
	}
	return m, lines
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name    string
		grouped bool
		tables  [][]sql.Row
		want    []string
		matched bool
		differ  []int
	}{
		{"equal tables", false, [][]sql.Row{
			{{"a", 1, 2.0, 3, "x", "v"}}, {{"a", 1, 2.0, 3, "x", "v"}}, {{"a", 1, 2.0, 3, "x", "v"}}},
			[]string{"a 1 2 3 x v"}, true, nil},
		// The means are of 3 tables, the median of x, y and z is y, the value that of table 1.
		{"figures differ", true, [][]sql.Row{
			{{"a", 1, 3.0, 3, "z", "v"}}, {{"a", 2, 3.0, 4, "x", "w"}}, {{"a", 6, 6.0, 5, "y", "v"}}},
			[]string{"a 3 4 4 y v"}, true, []int{4, 5}},
		{"the collation takes keys for equal", true, [][]sql.Row{
			{{"a", 1, 1.0, 1, "x", "v"}}, {{"A", 1, 1.0, 1, "x", "v"}}, {{"á", 1, 1.0, 1, "x", "v"}}},
			[]string{"a 1 1 1 x v"}, true, nil},
		// A table without the row counts 0 in counts and sums and nothing elsewhere; of two
		// values the median is the lower one.
		{"a key is missing", true, [][]sql.Row{
			{{"a", 3, 3.0, 3, "x", "v"}}, {{"a", 3, 3.0, 3, "x", "v"}, {"b", 3, 6.0, 4, "y", nil}}, {{"b", 6, nil, nil, "x", nil}}},
			[]string{"a 2 2 3 x v", "b 3 2 4 x <nil>"}, true, []int{4}},
		{"NULLs", true, [][]sql.Row{
			{{nil, 1, nil, nil, nil, nil}}, {{nil, 1, nil, nil, nil, nil}}, {{nil, 1, nil, nil, nil, nil}}},
			[]string{"<nil> 1 <nil> <nil> <nil> <nil>"}, true, nil},
		{"rows of one key, by the order of their figures", false, [][]sql.Row{
			{{"a", 4, -4.0, 4, "x", "v"}, {"a", 1, -1.0, 1, "x", "v"}}, {{"a", 1, -1.0, 1, "x", "v"}, {"a", 7, -7.0, 7, "x", "v"}},
			{{"a", 10, -10.0, 10, "x", "v"}, {"a", 1, -1.0, 1, "x", "v"}}},
			[]string{"a 1 -1 1 x v", "a 7 -7 7 x v"}, true, nil},
		{"rows of one key, in another order by another figure", false, [][]sql.Row{
			{{"a", 1, 4.0, 1, "x", "v"}, {"a", 2, 2.0, 1, "x", "v"}, {"a", 3, 3.0, 1, "x", "v"}},
			{{"a", 1, 4.0, 1, "x", "v"}, {"a", 2, 2.0, 1, "x", "v"}, {"a", 3, 3.0, 1, "x", "v"}}},
			[]string{"a 1 4 1 x v", "a 2 2 1 x v", "a 3 3 1 x v"}, false, nil},
		{"rows of one key, that rise in one table and fall in another", false, [][]sql.Row{
			{{"a", 1, 5.0, 1, "x", "v"}, {"a", 2, 7.0, 1, "x", "v"}}, {{"a", 1, 8.0, 1, "x", "v"}, {"a", 2, 6.0, 1, "x", "v"}}},
			[]string{"a 1 5 1 x v", "a 2 7 1 x v"}, false, nil},
		{"other rows: table 1 answers", false, [][]sql.Row{
			{{"a", 1, 1.0, 1, "x", "v"}, {"b", 4, nil, 4, "y", "w"}}, {{"a", 1, 1.0, 1, "x", "v"}, {"c", 7, 7.0, 7, "x", "v"}}},
			[]string{"a 1 1 1 x v", "b 4 <nil> 4 y w"}, false, nil},
		{"groups of one key, of which a table has fewer", true, [][]sql.Row{
			{{"a", 1, 1.0, 1, "x", "v"}, {"a", 4, 4.0, 4, "x", "v"}}, {{"a", 1, 1.0, 1, "x", "v"}}},
			[]string{"a 1 1 1 x v", "a 4 4 4 x v"}, false, nil},
		{"table 1 is empty", false, [][]sql.Row{nil, {{"a", 1, 1.0, 1, "x", "v"}}}, nil, false, nil},
		{"all are empty", false, [][]sql.Row{nil, nil, nil}, nil, true, nil},
	} {
		m, got := merge(t, testQuery(3, c.grouped), c.tables...)
		if !slices.Equal(got, c.want) || m.matched != c.matched {
			t.Errorf("%s: %q, matched %v", c.name, got, m.matched)
		}
		for i, differ := range m.differ {
			if differ != slices.Contains(c.differ, i) {
				t.Errorf("%s: column %d differs: %v", c.name, i, differ)
			}
		}
	}
}

// Keys are of any bytes: no two have one text.
func TestKeysOfAnyBytes(t *testing.T) {
	q := &Query{Tables: 1, Columns: []Column{
		NewColumn(Key, 1, &sql.Column{Name: "a", Type: types.Blob}, false), NewColumn(Key, 2, &sql.Column{Name: "b", Type: types.Blob}, false)}}
	table := []sql.Row{{"a", "b"}, {"ab", ""}, {"", "ab"}, {nil, "ab"}, {"ab", nil}, {"a\x01", "b"}, {"a", "\x01b"}, {nil, nil}}
	if _, got := merge(t, q, table); len(got) != len(table) {
		t.Errorf("%d rows of %d keys", len(got), len(table))
	}
}

// Counts are rounded where the session wants that, the types say so.
func TestRounded(t *testing.T) {
	count := NewColumn(Count, 1, &sql.Column{Name: "n", Type: types.Int64}, true)
	if !count.Type.Equals(types.Int64) || count.Nullable {
		t.Errorf("it is a %s, NULL %v", count.Type, count.Nullable)
	}
	q := &Query{Tables: 2, Grouped: true, Columns: []Column{count}}
	if _, got := merge(t, q, []sql.Row{{int64(2)}}, []sql.Row{{int64(3)}}); !slices.Equal(got, []string{"3"}) {
		t.Errorf("got %q", got)
	}
}

// What is not of the plan's columns, or no number where one is averaged, is an error.
func TestMergeFails(t *testing.T) {
	ctx, q := sql.NewEmptyContext(), testQuery(2, true)
	if err := newMerger(q).add(sql.Row{"a"}); err == nil || !strings.Contains(err.Error(), "has 1 columns, not 6") {
		t.Errorf("a row of another width: %v", err)
	}
	m := newMerger(q)
	if err := m.add(sql.Row{"a", 1, 2.0, "three", "x", "v"}); err != nil {
		t.Fatal(err)
	}
	if err := m.endTable(ctx, 0); err == nil {
		t.Error("a text is averaged")
	}
}

// An iterator that has rows without end.
type endless struct{ row sql.Row }

func (e endless) Next(*sql.Context) (sql.Row, error) {
	e.row[0] = e.row[0].(int64) + 1
	return slices.Clone(e.row), nil
}
func (endless) Close(*sql.Context) error { return nil }

// More rows than are merged are refused, and the end of the context ends the reading.
func TestEndlessRows(t *testing.T) {
	q := &Query{Tables: 2, Columns: []Column{NewColumn(Key, 1, &sql.Column{Name: "k", Type: types.Int64}, false)}}
	err := addAll(sql.NewEmptyContext(), endless{sql.Row{int64(0)}}, newMerger(q))
	if !strings.Contains(fmt.Sprint(err), "more than 200000 rows") {
		t.Errorf("got %v", err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	ctx := sql.NewContext(ended)
	if err := addAll(ctx, endless{sql.Row{int64(0)}}, newMerger(q)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := q.collect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	m := newMerger(q)
	if err := addAll(sql.NewEmptyContext(), sql.RowsToRowIter(sql.Row{int64(1)}), m); err != nil {
		t.Fatal(err)
	}
	if err := m.endTable(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := m.endTable(sql.NewEmptyContext(), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := m.rows(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A closed answer has no rows.
func TestClosedAnswer(t *testing.T) {
	iter, err := testQuery(2, true).RowIter(sql.NewEmptyContext(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := iter.Close(sql.NewEmptyContext()); err != nil {
		t.Fatal(err)
	}
	if _, err := iter.Next(sql.NewEmptyContext()); err == nil {
		t.Error("a closed answer has rows")
	}
}

// The note says what happened to rows and figures, and nothing else.
func TestNoteOfTables(t *testing.T) {
	const start = "estimated (imputed: ran on each of 2 completed tables): from release "
	row, other := sql.Row{"a", 1, 2.0, 3, "x", "v"}, sql.Row{"a", 2, 3.0, 4, "y", "w"}
	for want, second := range map[string][]sql.Row{
		"": {row},
		"; values of c5 differ between the tables: those of the first table that has the row are shown" +
			"; values of c4 differ between the tables: those of the median table are shown": {other},
		"; some tables lack a row: it counts 0 there in COUNT and SUM": {row, {"b", 1, 2.0, 3, "x", "v"}},
	} {
		q := testQuery(2, true)
		if m, _ := merge(t, q, []sql.Row{row}, second); q.noteText(m) != start+want {
			t.Errorf("%q, not %q", q.noteText(m), want)
		}
	}
	q := &Query{Tables: 1, Columns: []Column{NewColumn(Count, 1, &sql.Column{Name: "n", Type: types.Int64}, true)}}
	if m, _ := merge(t, q, []sql.Row{{int64(2)}}); !strings.HasSuffix(q.noteText(m), "release ; counts and sums rounded to whole numbers (anon_counts)") {
		t.Error(q.noteText(m))
	}
	q.Columns[0].Hidden = true
	if m, _ := merge(t, q, []sql.Row{{int64(2)}}); strings.Contains(q.noteText(m), "rounded") {
		t.Errorf("of a column that nobody sees: %s", q.noteText(m))
	}
}
