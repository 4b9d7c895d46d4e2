package estimates

import (
	"context"
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/testsize"
)

// BenchmarkQuestions asks a release of a million records, l = 5, in one block: processor seconds of the engine's workers, a question.
//
//	go test -run '^$' -bench Questions -benchtime 3x ./engine/estimates
func BenchmarkQuestions(b *testing.B) {
	if !testsize.All() {
		b.Skip("publishes a million records")
	}
	e, raw := cluster(b)
	marked := &marker{Conn: e.Conn, of: e.Published}
	e.Conn = marked
	r := requests(people(b, e, raw, 1_000_000))[publication.Anatomy]
	r.Block = 0
	there := publishLarge(b, e, r)
	for _, q := range []struct {
		name     string
		question *estimate.Question
		spread   bool
	}{
		{"count", asked(estimate.Aggregate{Kind: estimate.Count}), false},
		{"count-by-place", asked(estimate.Aggregate{Kind: estimate.Count}, estimate.ValueOf(0, 1)), false},
		{"count-by-age-and-disease", asked(estimate.Aggregate{Kind: estimate.Count}, estimate.ValueOf(0, 0), estimate.ValueOf(1, 0)), false},
		{"average-pay-by-disease", asked(estimate.Aggregate{Kind: estimate.Average, Argument: &estimate.Expression{Leaves: []int{2}}}, estimate.ValueOf(1, 0)), false},
		{"count-with-bounds", asked(estimate.Aggregate{Kind: estimate.Count}), true},
		{"average-pay-with-bounds", asked(estimate.Aggregate{Kind: estimate.Average, Argument: &estimate.Expression{Leaves: []int{2}}}), true},
	} {
		b.Run(q.name, func(b *testing.B) {
			if _, err := there.Ask(b.Context(), q.question); err != nil { // the columns' values are read
				b.Fatal(err)
			}
			marked.mark(b, q.name)
			for b.Loop() {
				answer, err := there.AskWithSpread(b.Context(), q.question)
				if err == nil && q.spread {
					_, err = there.Bounds(b.Context(), q.question, answer)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(marked.processor(b)/float64(b.N), "processor-s/question")
			b.ReportMetric(float64(marked.statements)/float64(b.N), "statements/question")
		})
	}
}

// asked is a question about people under 40 with one of some diseases, by keys.
func asked(a estimate.Aggregate, keys ...estimate.Leaf) *estimate.Question {
	q := &estimate.Question{Leaves: []estimate.Leaf{
		estimate.ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int < 40 }),
		estimate.ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Text < "d4" }),
		estimate.ValueOf(0, 2),
	}, Where: []estimate.Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: []estimate.Aggregate{a}}
	if a.Argument == nil {
		q.Leaves = q.Leaves[:2]
	}
	for _, key := range keys {
		q.Leaves = append(q.Leaves, key)
		q.Keys = append(q.Keys, estimate.Expression{Leaves: []int{len(q.Leaves) - 1}})
	}
	return q
}

// publishLarge is publish of a table that is not pulled.
func publishLarge(b *testing.B, e *publication.Engine, r publication.Request) *estimate.Prepared {
	b.Helper()
	plan, err := e.NewPlan(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	a, err := e.Assign(b.Context(), plan, "large", nil)
	if err == nil {
		err = a.Publish(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	store, shape := &Store{Query: e.Conn.Query, Dialect: e.Dialect}, &anonymize.Release{Rows: int(plan.Records)}
	for _, f := range a.Fragments {
		relation, fragment := Relation{Path: []string{e.Catalog, e.Published, f.Name}}, &anonymize.Fragment{Name: f.Name}
		for _, c := range f.Columns {
			relation.Columns = append(relation.Columns, Column(c))
			fragment.Columns = append(fragment.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type})
		}
		store.Relations, shape.Fragments = append(store.Relations, relation), append(shape.Fragments, fragment)
	}
	text := fmt.Sprintf(`SELECT m, count(*) FROM (SELECT gid, sum("count") AS m FROM %s GROUP BY gid) AS s GROUP BY m`, e.Dialect.Name(store.Relations[1].Path...))
	if err := e.Conn.Query(b.Context(), text, func(row []any) error {
		store.Sizes = append(store.Sizes, estimate.GroupSize{Size: uint32(row[0].(int64)), Groups: uint64(row[1].(int64))})
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	there, err := estimate.PrepareElsewhere(shape, store.Sizes, store)
	if err != nil {
		b.Fatal(err)
	}
	return there
}

// A marker writes a mark into every statement, to find them in the engine's lists.
type marker struct {
	engine.Conn
	of, name   string
	statements int
}

func (m *marker) mark(b *testing.B, name string) {
	m.name, m.statements = fmt.Sprintf("%s %s %d", m.of, name, b.N), 0
}

func (m *marker) Query(ctx context.Context, text string, row func([]any) error) error {
	m.statements++
	return m.Conn.Query(ctx, "/* "+m.name+" */ "+text, row)
}

// processor returns the engine's processor time for the marked statements, in seconds.
func (m *marker) processor(b *testing.B) (seconds float64) {
	b.Helper()
	text := fmt.Sprintf("SELECT coalesce(sum(t.split_cpu_time_ms), 0) FROM system.runtime.tasks AS t JOIN system.runtime.queries AS q ON q.query_id = t.query_id WHERE q.query LIKE '/* %s */%%'", m.name)
	if err := m.Conn.Query(b.Context(), text, func(row []any) error {
		seconds = float64(row[0].(int64)) / 1000
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	return seconds
}
