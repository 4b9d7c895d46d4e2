package planes

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter is a [figures.Counter] that counts by planes where they fit and otherwise by groups.
type Counter struct {
	groups.Counter
	store *Store
	// NoKernel says why no kernel fits, if that is known beforehand.
	NoKernel string
	Boxes    *figures.BoxSums // nil if no kernel fits them or countBoxes was not called
	looked   bool
}

// NewCounter returns the counter of a question with these sides over r: the release of the planes, possibly without its counterfeits.
func (p *Store) NewCounter(r *anonymize.Release, q *question.Question, sides []*question.Side) *Counter {
	return &Counter{Counter: groups.Counter{Release: r, Question: q, Sides: sides, Ranges: p.countRanges}, store: p}
}

// Reason returns a short reason why no kernel fits, or "".
func (c *Counter) Reason() string {
	if c.NoKernel != "" {
		return c.NoKernel
	}
	_, reason := c.store.planKernel(c.Sides, maxKernelClasses, joinCost)
	return reason
}

// Rows implements [figures.Counter].
func (c *Counter) Rows(ctx context.Context, spreads bool) ([]question.AnswerRow, error) {
	k := c.store.newKernel(c.Sides)
	if k == nil {
		return c.Counter.Rows(ctx, spreads)
	}
	if spreads && c.asksBoxes() {
		c.looked = true
		k.setBoxes(c.newBoxes())
	}
	totals, err := k.total(ctx)
	if err != nil {
		return nil, err
	}
	if k.boxes != nil {
		c.Boxes = &totals.BoxSums
	}
	return c.RowsOf(ctx, &figures.Weights{Sides: c.Sides, Dense: k.divide(totals.products)})
}

// asksBoxes reports whether boxes can answer: the question is for numbers of records over several fragments.
func (c *Counter) asksBoxes() bool { return len(c.Sides) > 1 && !c.Question.AddsUp() }

func (c *Counter) newBoxes() *figures.Boxes {
	return figures.NewBoxes(c.Question, c.Sides, question.Kind.HasSpread)
}

// Limits of kernels with boxes. The alternative, package groups, takes about ten times as long as the weighted join.
const (
	maxBoxCombinations = 1 << 12
	boxesCost          = 10 * joinCost
)

// countBoxes runs a kernel over the boxes of COUNTs if one fits.
func (c *Counter) countBoxes(ctx context.Context) error {
	if c.looked || !c.asksBoxes() {
		return nil
	}
	if k := c.store.newKernelWithin(c.Sides, maxBoxCombinations, boxesCost); k != nil && k.setBoxes(c.newBoxes()) {
		k.weighs = false
		totals, err := k.total(ctx)
		if err != nil {
			return err
		}
		c.Boxes = &totals.BoxSums
	}
	c.looked = true
	return nil
}

// Moments implements [figures.Counter].
func (c *Counter) Moments(ctx context.Context) (figures.MomentsOf, error) {
	if err := c.countBoxes(ctx); err != nil {
		return nil, err
	}
	if c.Boxes != nil {
		return c.Boxes.MomentsOf, nil
	}
	return c.Counter.Moments(ctx)
}

// Totals implements [figures.Counter]. For COUNTs by keys it uses ranges, unless boxes were counted for the moments.
func (c *Counter) Totals(ctx context.Context) (figures.TotalOf, error) {
	if !c.looked && len(c.Question.Keys) > 0 {
		if totals, err := c.CountTotals(ctx); totals != nil || err != nil {
			return totals, err
		}
	}
	if err := c.countBoxes(ctx); err != nil {
		return nil, err
	}
	if c.Boxes != nil {
		return c.Boxes.TotalOf, nil
	}
	return c.Counter.Totals(ctx)
}
