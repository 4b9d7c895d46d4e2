package experiments

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic/sequence"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// disclosureSteps is the number of insertions with a release for each.
func (w *ward) disclosureSteps() int {
	if w.Quick {
		return 60
	}
	return 300
}

// disclosure publishes a version for every insertion, and adds the share of the inserted persons whose value an
// observer of all versions can infer. It omits the attribute with most values: the observer knows everybody's value
// of it anyway, and dictionaries of thousands of values in every version take long.
func (w *ward) disclosure(ctx context.Context) (*evaluation.Figure, error) {
	var t evaluation.Tally
	widest := slices.IndexFunc(w.columns, func(c *anonymize.Column) bool { return c.Name == w.patients.widest() })
	n := w.disclosureSteps()
	columns := slices.Delete(w.table(w.records+n, 0).Columns, widest, widest+1)
	for _, f := range followers() {
		c, err := w.open(ctx, f, columns, w.records, w.Seed)
		if err != nil {
			return nil, err
		}
		var h *sequence.History
		for i := range n {
			t0 := &sequence.Transition{Before: c.release, BeforeLive: c.live, K: updateSize}
			o, err := c.refresh(ctx, c.changes(insertions, 1))
			if err != nil {
				return nil, err
			}
			t0.After, t0.AfterLive, t0.From = o.Release, o.Live, o.From
			var guarantees []anonymize.Guarantee
			if guarantees, h, err = sequence.Verify(ctx, t0, h, f.label == draslSealed || f.label == dppSealed); err != nil {
				return nil, err
			}
			for _, g := range guarantees {
				if g.Name == "disclosed_inserted" && (i+1)%(n/6) == 0 {
					t.Add(f.label, float64(i+1), g.Achieved)
				}
			}
			w.step()
		}
	}
	return w.disclosureFigure(&t), nil
}

// widest is the name of the quasi-identifier with the most values.
func (p *patients) widest() string {
	widest := p.columns[0]
	for _, c := range p.columns {
		if spread(c) > spread(widest) {
			widest = c
		}
	}
	return widest.Name
}

// spread is the number of values that a generalized cell may list.
func spread(c *anonymize.Column) float64 {
	if len(c.Dictionary) == 0 || !c.IsNumeric() {
		return float64(len(c.Dictionary))
	}
	low, _ := c.Dictionary[0].Number()
	high, _ := c.Dictionary[len(c.Dictionary)-1].Number()
	return high - low
}
