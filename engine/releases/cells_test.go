package releases

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
)

// planned is an engine that has a table of forty records in ten groups and accepts every statement.
type planned struct{ asked []string }

func (*planned) Exec(context.Context, string) (int64, error) { return 0, nil }

func (p *planned) Query(_ context.Context, text string, row func([]any) error) error {
	p.asked = append(p.asked, text)
	if !strings.Contains(text, "GROUP BY") {
		return row([]any{int64(10)})
	}
	for v := range int64(4) {
		if err := row([]any{v, v, int64(10)}[:2+strings.Count(text, "AS v ")]); err != nil {
			return err
		}
	}
	return nil
}

// TestLongModel: what counts a model is no longer than engines read, also where the columns have many values; and a column of long values is refused by its name.
func TestLongModel(t *testing.T) {
	conn := new(planned)
	e := &publication.Engine{Conn: conn, Dialect: dialect.Trino, Catalog: "c", Private: "private", Published: "published"}
	table := &publication.Table{Schema: "s", Name: "t", Columns: []publication.Column{{Name: "remark", Type: "varchar"}, {Name: "disease", Type: "bigint"}}}
	plan, err := e.NewPlan(t.Context(), publication.Request{Table: table, QuasiIdentifiers: []string{"remark"}, Sensitive: "disease", L: 2})
	if err != nil {
		t.Fatal(err)
	}
	made, err := e.Assign(t.Context(), plan, "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{store: &Store{Reader: &Reader{asker: conn, dialect: dialect.Trino}}, plan: plan, made: made}
	binned := func(name string, n, categories int, value func(i int) anonymize.Value) contingency.Binned {
		b := contingency.Binned{Margin: contingency.Margin{Name: name}, Number: categories}
		for i := range n {
			b.Dictionary, b.Category = append(b.Dictionary, value(i)), append(b.Category, uint16(i*categories/n))
		}
		return b
	}
	number := func(i int) anonymize.Value { return anonymize.IntegerValue(int64(i)) }
	long := func(i int) anonymize.Value { return anonymize.TextValue(strings.Repeat(string(rune('a'+i)), 60_000)) }
	conn.asked = nil
	if cells, err := a.cells(t.Context(), binned("disease", 100_000, 16, number), binned("disease", 100_000, 16, number)); err != nil || cells[17] != 10 {
		t.Errorf("%v, %v", cells, err)
	}
	_, err = a.cells(t.Context(), binned("remark", 14, 14, long), binned("disease", 3, 3, number))
	if data := (*anonymize.DataError)(nil); !errors.As(err, &data) || !strings.Contains(data.Reason, "column remark") {
		t.Errorf("of long texts: %v", err)
	}
	if len(conn.asked) != 1 || len(conn.asked[0]) > 5000 {
		t.Errorf("asked are %d statements, %.200s", len(conn.asked), conn.asked)
	}
}
