package cells

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter is a [figures.Counter] with a kernel of cells and its sums.
type Counter struct {
	*Kernel
	result *cellResult
}

// Rows implements [figures.Counter].
func (c *Counter) Rows(ctx context.Context, spreads bool) (rows []question.AnswerRow, err error) {
	if c.result, err = c.total(ctx, spreads && !c.Exact); err != nil {
		return nil, err
	}
	if rows, err = c.rows(c.result); err != nil {
		return nil, err
	}
	for a, aggregate := range c.aggregates {
		if aggregate.Kind == question.Distinct {
			if err := c.countDistinct(ctx, a, rows); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// rows returns the keys that have records, with their figures.
func (k *Kernel) rows(result *cellResult) ([]question.AnswerRow, error) {
	q := k.question
	k.numbering = question.NewTupleNumbering(len(q.Keys))
	var rows []question.AnswerRow
	for combination, records := range result.records {
		if records == 0 && len(q.Keys) > 0 {
			continue
		}
		row := question.AnswerRow{Keys: k.keysOf(combination), Figures: make([]anonymize.Value, len(q.Aggregates))}
		k.numbering.Number(row.Keys)
		k.combinationOf = append(k.combinationOf, combination)
		if q.MaxKeys > 0 && len(k.combinationOf) > q.MaxKeys {
			return nil, question.ErrTooManyKeys
		}
		for a, aggregate := range q.Aggregates {
			t := &result.totals[combination*len(q.Aggregates)+a]
			figure := &figures.Running{Records: t.records, Sum: t.sum, Mean: t.mean, Squares: t.squares}
			figures.ThinningOf(k.release).Figure(figure)
			switch {
			case aggregate.Kind == question.Distinct: // set by countDistinct
			case aggregate.Kind == question.Least:
				row.Figures[a] = k.value(a, t.least)
			case aggregate.Kind == question.Greatest:
				row.Figures[a] = k.value(a, t.greatest)
			default:
				row.Figures[a] = figure.Number(aggregate.Kind)
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b question.AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows, nil
}

// spread computes the sums for standard errors and bounds. It makes another pass over the groups if the answer came without them.
func (c *Counter) spread(ctx context.Context) error {
	if c.result != nil && c.result.spread {
		return nil
	}
	result, err := c.total(ctx, true)
	if err != nil {
		return err
	}
	if c.numbering == nil {
		_, err = c.rows(result)
	}
	c.result = result
	return err
}

// totalsOf returns the totals of aggregate a in a row.
func (c *Counter) totalsOf(row question.AnswerRow, a int) *cellTotals {
	if at := int(c.numbering.Number(row.Keys)); at < len(c.combinationOf) {
		return &c.result.totals[c.combinationOf[at]*len(c.aggregates)+a]
	}
	return &cellTotals{}
}

// Moments and Totals implement [figures.Counter].
func (c *Counter) Moments(ctx context.Context) (figures.MomentsOf, error) {
	return func(row question.AnswerRow, a int) figures.SecondMoments { return c.totalsOf(row, a).moments }, c.spread(ctx)
}

func (c *Counter) Totals(ctx context.Context) (figures.TotalOf, error) {
	return func(row question.AnswerRow, a int) *figures.Total { return &c.totalsOf(row, a).Total }, c.spread(ctx)
}
