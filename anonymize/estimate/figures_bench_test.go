package estimate

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/anonsql/anonsql/testsize"
)

// benchedGroups are GROUP BYs with and without figures of an argument.
var benchedGroups = []struct {
	name          string
	key, argument Leaf
	conditions    func(d *shapeDrawer)
}{
	{"10_values_of_one_fragment", ValueOf(0, 1), ValueOf(0, 0), nil},
	{"10_values", ValueOf(0, 1), ValueOf(1, 0), nil},
	{"10_values/conditions", ValueOf(0, 1), ValueOf(1, 0), func(d *shapeDrawer) { d.below(2) }},
	{"100_values", ValueOf(0, 0), ValueOf(1, 0), nil},
}

// figuresOf is a GROUP BY with COUNT(*), and with AVG and SUM of an argument if asked.
func figuresOf(at int, figures bool) *Question {
	shape := benchedGroups[at]
	d := &shapeDrawer{q: &Question{Aggregates: []Aggregate{{Kind: Count}}}}
	d.q.Keys = []Expression{d.leaf(shape.key)}
	if shape.conditions != nil {
		shape.conditions(d)
	}
	if figures {
		x := d.leaf(shape.argument)
		d.q.Aggregates = append(d.q.Aggregates, Aggregate{Kind: Average, Argument: &x}, Aggregate{Kind: Sum, Argument: &x})
	}
	return d.q
}

// BenchmarkFigures asks a GROUP BY for COUNT alone, and for COUNT, AVG and SUM of another
// column, of both estimators: the least time of each. times is what the second takes, in
// what the first does.
func BenchmarkFigures(b *testing.B) {
	rows := testsize.Of(100_000, 1_000_000)
	r := benchedRelease(rows, 3)
	p := Prepare(r)
	c, err := p.WithTables(b.Context(), benchedCompletion(r, 12))
	if err != nil {
		b.Fatal(err)
	}
	for at, shape := range benchedGroups {
		for name, ask := range map[string]func(context.Context, *Question) (*Answer, error){"fragments": p.Ask, "completed": c.Ask} {
			b.Run(fmt.Sprintf("%s/%s/rows=%d", shape.name, name, rows), func(b *testing.B) {
				took := [2]time.Duration{time.Hour, time.Hour}
				for b.Loop() {
					for i, q := range []*Question{figuresOf(at, false), figuresOf(at, true)} {
						began := time.Now()
						if _, err := ask(context.Background(), q); err != nil {
							b.Fatal(err)
						}
						took[i] = min(took[i], time.Since(began))
					}
				}
				b.ReportMetric(took[0].Seconds()*1e3, "ms/COUNT")
				b.ReportMetric(took[1].Seconds()*1e3, "ms/COUNT+AVG+SUM")
				b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "times")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
