package releases

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
)

// planned is an engine that has a table of forty records in ten groups and accepts every statement, unless its context has ended.
type planned struct {
	asked, told []string
	before      func(text string) // nil for nothing
}

func (p *planned) Exec(ctx context.Context, text string) (int64, error) {
	if p.before != nil {
		p.before(text)
	}
	p.told = append(p.told, text)
	return 0, ctx.Err()
}

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

// TestFormedWhereNobodyReads: no statement names the schema that others may read before the relations, and what is kept with them, are moved
// there. What was moved is dropped there, too.
func TestFormedWhereNobodyReads(t *testing.T) {
	conn := new(planned)
	s := NewStore(Options{Address: "e:1", Catalog: "c", Private: "private", Published: "published", Identity: "0"})
	s.conn, s.asker = conn, conn
	table := &publication.Table{Schema: "s", Name: "t", Columns: []publication.Column{{Name: "age", Type: "bigint"}, {Name: "disease", Type: "bigint"}}}
	plan, err := s.engine().NewPlan(t.Context(), publication.Request{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "disease", L: 2})
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{store: s, name: "0f", plan: plan}
	if err := a.Assign(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	formed := len(conn.told)
	if text := strings.Join(append(conn.told, conn.asked...), "\n"); strings.Contains(text, "published") || !strings.Contains(text, `TABLE "c"."private"."anonsql_0f_sa"`) {
		t.Errorf("groups are formed by\n%s", text)
	}
	w := &source.Written{Place: source.Place{Engine: s.Engine(), Name: a.name, Schema: "private", Tables: 8}}
	if name, err := s.relation(w.Place, "sa"); err != nil || name != `"c"."private"."anonsql_0f_sa"` {
		t.Errorf("the relation is %s, %v", name, err)
	}
	elsewhere := NewStore(Options{Address: "e:1", Catalog: "c", Private: "another", Published: "published", Identity: "0"})
	if name, err := elsewhere.relation(w.Place, "sa"); err != nil || name != `"c"."private"."anonsql_0f_sa"` {
		t.Errorf("with another private schema, the relation is %s, %v", name, err)
	}
	if name, err := s.relation(w.Place, "assigned"); err == nil {
		t.Errorf("%s is a relation", name)
	}
	if err := a.Publish(t.Context(), w); err != nil || w.Place.Schema != "" {
		t.Errorf("%+v, %v", w.Place, err)
	}
	moved := conn.told[formed:]
	for i, of := range []string{"qi1", "sa", "imputed"} {
		if want := `ALTER TABLE "c"."private"."anonsql_0f_` + of + `" RENAME TO "c"."published"."anonsql_0f_` + of + `"`; len(moved) != 3 || moved[i] != want {
			t.Errorf("moved by %q, want %s", moved, want)
		}
	}
	if err := a.Discard(t.Context()); err != nil {
		t.Error(err)
	}
	for _, of := range []string{"qi1", "sa", "imputed"} {
		for _, schema := range []string{"private", "published"} {
			if want := `DROP TABLE IF EXISTS "c"."` + schema + `"."anonsql_0f_` + of + `"`; !slices.Contains(conn.told, want) {
				t.Errorf("it did not %s", want)
			}
		}
	}
}

// TestMovesEndWhole: a statement that ends while relations move ends between two of them: what it has told the engine to move has moved.
func TestMovesEndWhole(t *testing.T) {
	for at, want := range []int{0, 1, 2, 2} {
		ctx, kill := context.WithCancel(t.Context())
		conn := new(planned)
		s := NewStore(Options{Address: "e:1", Catalog: "c", Private: "private", Published: "published", Identity: "0"})
		s.conn, s.asker = conn, conn
		table := &publication.Table{Schema: "s", Name: "t", Columns: []publication.Column{{Name: "age", Type: "bigint"}, {Name: "disease", Type: "bigint"}}}
		plan, err := s.engine().NewPlan(ctx, publication.Request{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "disease", L: 2})
		if err != nil {
			t.Fatal(err)
		}
		a := &attempt{store: s, name: "0f", plan: plan}
		if err := a.Assign(ctx, nil); err != nil {
			t.Fatal(err)
		}
		conn.told = nil
		if at == 0 {
			kill()
		}
		conn.before = func(string) {
			if len(conn.told)+1 == at {
				kill()
			}
		}
		err = a.Publish(ctx, &source.Written{})
		if len(conn.told) != want || (err == nil) != (at > 1) || err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("ended at move %d: %v, told %q", at, err, conn.told)
		}
		kill()
	}
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
