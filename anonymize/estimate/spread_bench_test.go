package estimate

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// benchedShapes are questions over two or three fragments of benchedRelease,
// whose conditions a tenth of the tuples satisfy.
var benchedShapes = []struct {
	name string
	ask  func(d *shapeDrawer)
}{
	{"COUNT", func(d *shapeDrawer) { d.below(0); d.below(1); d.below(2) }},
	{"COUNT/OR_inside", func(d *shapeDrawer) { d.eitherBelow(0); d.below(1) }},
	{"COUNT/OR_across", func(d *shapeDrawer) { d.eitherAcross(); d.below(2) }},
	{"COUNT/by_10_values", func(d *shapeDrawer) { d.below(0); d.below(1); d.by(2, 1) }},
	{"COUNT/by_100_values", func(d *shapeDrawer) { d.below(0); d.by(1, 0) }},
	{"COUNT/by_10_x_10_values", func(d *shapeDrawer) { d.by(0, 1); d.by(1, 1); d.below(2) }},
	{"SUM/10_values", func(d *shapeDrawer) { d.below(0); d.below(1); d.of(Sum, 2, 1) }},
	{"SUM/100_values", func(d *shapeDrawer) { d.below(0); d.of(Sum, 1, 0) }},
	{"SUM/10_values/by_10_values", func(d *shapeDrawer) { d.by(0, 1); d.of(Sum, 1, 1) }},
	{"AVG/10_values", func(d *shapeDrawer) { d.below(0); d.of(Average, 1, 1) }},
	{"DISTINCT/10_values", func(d *shapeDrawer) { d.below(0); d.of(Distinct, 1, 1) }},
	{"DISTINCT/100_values", func(d *shapeDrawer) { d.below(0); d.of(Distinct, 1, 0) }},
	{"COUNT/by_100_values/3_fragments", func(d *shapeDrawer) { d.below(0); d.below(2); d.by(1, 0) }},
	{"DISTINCT/100_values/3_fragments", func(d *shapeDrawer) { d.below(0); d.below(2); d.of(Distinct, 1, 0) }},
	{"DISTINCT/100_values/by_10_values", func(d *shapeDrawer) { d.by(0, 1); d.of(Distinct, 1, 0) }},
}

// below has a tenth of the tuples of a fragment, by two conditions.
func (d *shapeDrawer) below(f int) {
	for c, limit := range []int64{20, 5} {
		d.q.Where = append(d.q.Where, d.leaf(ValueLeaf(f, c, func(v anonymize.Value) bool { return v.Int < limit })))
	}
}

func (d *shapeDrawer) eitherBelow(f int) {
	d.q.Where = append(d.q.Where, d.leaf(Leaf{Fragment: f, Columns: []int{0, 1}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return truthOf(v[0].Int < 3 || v[1].Int < 1), nil
	}}))
}

func (d *shapeDrawer) eitherAcross() {
	low := func(v anonymize.Value) bool { return v.Int < 3 }
	x, y := d.leaf(ValueLeaf(0, 0, low)), d.leaf(ValueLeaf(1, 0, low))
	d.q.Where = append(d.q.Where, Expression{Leaves: append(x.Leaves, y.Leaves...), Combine: func(v []anonymize.Value) (anonymize.Value, error) {
		return truthOf(question.IsTrue(v[0]) || question.IsTrue(v[1])), nil
	}})
}

func (d *shapeDrawer) by(f, c int) { d.q.Keys = append(d.q.Keys, d.leaf(ValueOf(f, c))) }

func (d *shapeDrawer) of(kind Kind, f, c int) {
	x := d.leaf(ValueOf(f, c))
	d.q.Aggregates = []Aggregate{{Kind: kind, Argument: &x}}
}

// BenchmarkShapes shows what answers, standard errors and bounds cost, by the
// kernels and by the general path.
func BenchmarkShapes(b *testing.B) {
	ctx := context.Background()
	for _, rows := range benchedRows() {
		r := benchedRelease(rows, 3)
		p := Prepare(r)
		for _, shape := range benchedShapes {
			d := &shapeDrawer{r: r, q: &Question{Aggregates: []Aggregate{{Kind: Count}}}}
			shape.ask(d)
			q := d.q
			answer := mustAskPrepared(b, p, q)
			measure := func(way string, run func() error) {
				b.Run(fmt.Sprintf("rows=%d/%s/%s", rows, shape.name, way), func(b *testing.B) {
					for b.Loop() {
						if err := run(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/record")
				})
			}
			measure("answer", func() error { _, err := p.Ask(ctx, q); return err })
			if d.q.AsksDistinct() {
				measure("answer/general", func() error { _, err := askByGroups(ctx, r, q); return err })
				continue
			}
			measure("answer+error+bounds", func() error {
				answer, err := p.AskWithSpread(ctx, q)
				_, err1 := p.StandardErrors(ctx, q, answer)
				_, err2 := p.Bounds(ctx, q, answer)
				return errors.Join(err, err1, err2)
			})
			measure("error/general", func() error { _, err := errorsByGroups(ctx, r, q, answer); return err })
			measure("bounds/general", func() error { _, err := boundsByGroups(ctx, r, q, answer); return err })
		}
	}
}
