package planes

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter counts by planes what these fit, and leaves the rest to groups: a [figures.Counter].
type Counter struct {
	groups.Counter
	store *Store
	// NoKernel says why none fits, where that is known before.
	NoKernel string
	Boxes    *figures.BoxSums // nil where no kernel fits them, or nobody has looked
	looked   bool
}

// NewCounter returns that of a question with these sides, of the release that has the planes, or of it without counterfeits.
func (p *Store) NewCounter(r *anonymize.Release, q *question.Question, sides []*question.Side) *Counter {
	return &Counter{Counter: groups.Counter{Release: r, Question: q, Sides: sides, Ranges: p.countRanges}, store: p}
}

// Reason says in a few words why no kernel fits, or nothing.
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

// asksBoxes reports whether boxes have what is asked: numbers of records of several fragments.
func (c *Counter) asksBoxes() bool { return len(c.Sides) > 1 && !c.Question.AddsUp() }

func (c *Counter) newBoxes() *figures.Boxes {
	return figures.NewBoxes(c.Question, c.Sides, question.Kind.HasSpread)
}

// Limits of the kernels of boxes, beside groups that take some ten times what the weighted join does.
const (
	maxBoxCombinations = 1 << 12
	boxesCost          = 10 * joinCost
)

// countBoxes runs a kernel over the boxes of COUNTs, where one fits.
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

// Totals implements [figures.Counter]. Of COUNTs by keys they come from ranges, where nobody has asked for the moments that boxes find along with them.
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
