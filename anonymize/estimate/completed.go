package estimate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/completed"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/estimate/units"
)

// A Completed is a release with its completed tables: the second estimator. It is
// multiple imputation (Rubin, Multiple Imputation for Nonresponse in Surveys,
// 1987, section 3.1). With Q_d the plain figure of completed table d of D,
//
//	Q = sum_d Q_d / D                     (3.1.2)
//	U = 0                                 (3.1.3)
//	B = sum_d (Q_d - Q)^2 / (D - 1)       (3.1.4)
//	T = U + (1 + 1/D) B                   (3.1.5)
//
// U, the variance within a table, is 0 because the question is about the table that
// was published and not about a population that it was drawn from. The standard
// error is the root of T, and (figure - Q) / sqrt(T) follows Student's t with D - 1
// degrees of freedom.
//
// The figures of a question that touches several fragments are:
//
//   - COUNT, SUM and COUNT(DISTINCT x): the mean of Q_d. A table without the key
//     counts 0, also in a SUM; a SUM over nothing in all tables is NULL.
//   - AVG, variances and standard deviations: those of the mean weights, as
//     [VariancePopulation] says; AVG is the ratio of the mean SUM to the mean COUNT.
//   - Least and Greatest: the figure of the median table, of two the lower one, so
//     that it always is a value of the column. They are no bounds here.
//
// An answer to a question that touches one fragment or none is that of the
// [Prepared], and exact. Every figure is a mean over tables that agree with the
// release, so that it is inside the hard bounds. Safe for concurrent use.
type Completed struct {
	prepared *Prepared
	tables   *completed.Tables // nil where they are elsewhere
	drawn    int               // how many there are
}

// WithTables returns p with completed tables of its release. Errors: a completion
// that does not fit the release; cells that stand for several values, of which a
// completed table does not say which; counterfeits, which would be rows of every
// completed table; the context's. Cost: one pass over the completion.
func (p *Prepared) WithTables(ctx context.Context, completion *anonymize.Completion) (*Completed, error) {
	r := p.release
	switch {
	case completion == nil:
		return nil, errors.New("there is no completion of the release")
	case r.Forged > 0:
		return nil, fmt.Errorf("%d of the %d records are counterfeits, and completed tables would have them as rows", r.Forged, r.Rows)
	case r.Rows > completed.MaxCompletedRecords:
		return nil, fmt.Errorf("the release has %d records, completed tables at most %d", r.Rows, completed.MaxCompletedRecords)
	}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			if !c.IsPoint() {
				return nil, fmt.Errorf("cells of column %s of fragment %s stand for several values, and completed tables do not say for which", c.Name, f.Name)
			}
		}
	}
	if err := completion.Check(ctx, r); err != nil {
		return nil, fmt.Errorf("the completion does not fit the release: %w", err)
	}
	return p.WithCheckedTables(completion), nil
}

// WithCheckedTables is [Prepared.WithTables] of completed tables that it has taken for the same release before.
func (p *Prepared) WithCheckedTables(completion *anonymize.Completion) *Completed {
	return &Completed{p, completed.NewTables(p.release, p.planes, completion), completion.Tables}
}

// Prepared returns the release without its completed tables.
func (c *Completed) Prepared() *Prepared { return c.prepared }

// Completion returns the completed tables, nil where they are elsewhere. They must not be changed.
func (c *Completed) Completion() *anonymize.Completion {
	if c.tables == nil {
		return nil
	}
	return c.tables.Completion
}

// Bytes is the memory that the completed tables take at most, beside that of the Prepared.
func (c *Completed) Bytes() int64 {
	if c.tables == nil {
		return 0
	}
	return c.tables.Bytes()
}

// Tables returns the number D of completed tables; intervals by Student's t have
// one degree of freedom less.
func (c *Completed) Tables() int { return c.drawn }

// Ask answers q from all completed tables. Rows has one entry per key that some
// table has. An expression that fails for a value fails the question only where a
// record of some completed table has that value and satisfies all other conditions.
//
// Cost: per touched column a pass over its codes, and for every table a look-up per
// touched fragment beyond the first and record, of those whose tuple in the first
// satisfies its conditions and whose group has a tuple that does in all others. COUNT, SUM
// and AVG of single columns by keys of one fragment look at no table, but at every two
// records of a group: the answer has no standard errors then, and StandardErrors asks again.
func (c *Completed) Ask(ctx context.Context, q *Question) (*Answer, error) {
	if err := q.Check(c.prepared.release); err != nil {
		return nil, err
	}
	touched := q.Touched()
	if len(touched) < 2 {
		return c.prepared.Ask(ctx, q)
	}
	rows, err := c.means(ctx, q)
	if err != nil {
		return nil, err
	}
	if rows != nil {
		return &Answer{Fragments: touched, Rows: rows}, nil
	}
	return c.ask(ctx, q, false)
}

// AskWithSpread answers q as Ask does, for a caller who will ask for the standard errors of
// the answer: StandardErrors makes no further pass then. It answers the question's quotients besides. The figures are the same to the last
// bit, where Ask has them from sums that are whole, and from no table.
func (c *Completed) AskWithSpread(ctx context.Context, q *Question) (*Answer, error) {
	answer, err := c.ask(ctx, q, true)
	if err != nil || answer.IsAlike() {
		return answer, err
	}
	rows, err := c.means(ctx, q)
	for i, row := range rows {
		answer.Rows[i].Figures = row.Figures // of the same keys: those that some table has
	}
	return answer, err
}

// ask answers with scatters where a spread is wanted.
func (c *Completed) ask(ctx context.Context, q *Question, spread bool) (*Answer, error) {
	r := c.prepared.release
	if err := q.Check(r); err != nil {
		return nil, err
	}
	touched := q.Touched()
	if len(touched) == 1 && q.Coarse && spread {
		return c.askCoarse(ctx, q)
	}
	if len(touched) < 2 {
		return c.prepared.Ask(ctx, q)
	}
	sides, counts, err := c.count(ctx, q)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Fragments: touched}
	figures := figures.NewTableFigures(q, sides, c.drawn)
	if err := counts.VisitCombinations(ctx, figures.Add); err != nil {
		return nil, err
	}
	if answer.Rows, answer.Deviations, err = figures.Rows(ctx); err == nil && spread {
		err = figures.Scatter(ctx, counts, answer)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// means are the rows of an answer without spreads that needs no table, nil for another one.
func (c *Completed) means(ctx context.Context, q *Question) ([]AnswerRow, error) {
	if c.tables == nil {
		return nil, nil
	}
	return c.tables.Means(ctx, q)
}

// count counts the records of the tables, wherever they are.
func (c *Completed) count(ctx context.Context, q *Question) ([]*question.Side, figures.TableCounts, error) {
	if c.tables == nil {
		d := c.prepared.distantQuestion(q)
		counts, err := d.Tables(ctx, c.drawn)
		return d.Sides, counts, err
	}
	r := c.prepared.release
	sides, err := question.SidesOf(ctx, r, q)
	if err != nil {
		return nil, nil, err
	}
	counts, err := c.tables.Count(ctx, completed.NewTablePlan(r, sides, q.Touched()))
	return sides, counts, err
}

// askCoarse has the figures of the one fragment that q touches, with the scatters of the tables, which all have that fragment: of q with a condition that
// all records of another one meet.
func (c *Completed) askCoarse(ctx context.Context, q *Question) (*Answer, error) {
	answer, err := c.prepared.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	wider, other := *q, 0
	if answer.Fragments[0] == 0 {
		other = 1
	}
	always := func([]anonymize.Value) (anonymize.Value, error) { return anonymize.IntegerValue(1), nil }
	wider.Leaves = append(slices.Clone(q.Leaves), Leaf{Fragment: other, Columns: []int{0}, Eval: always})
	wider.Where = append(slices.Clone(q.Where), Expression{Leaves: []int{len(q.Leaves)}})
	scattered, err := c.ask(ctx, &wider, true)
	if err != nil {
		return nil, err
	}
	if len(scattered.Rows) != len(answer.Rows) {
		return nil, fmt.Errorf("completed tables have %d keys of a fragment that has %d", len(scattered.Rows), len(answer.Rows))
	}
	answer.Scatters, answer.Quotients = scattered.Scatters, scattered.Quotients
	return answer, nil
}

// StandardErrors returns, for every row of an answer of Ask and every aggregate,
// sqrt((1 + 1/D) B), with B around the figure of the answer; AskWithSpread has found them
// already. It is 0 where the answer is exact and NULL where the figure is.
//
// For AVG, variances, standard deviations, Least and Greatest, B is that of the
// tables' own figures and not by the delta method: the interval is to hold the
// figure of one table, the actual one, and a table with few records of the key,
// whose figure is far off, may be that one; the delta method would weigh it by its
// records. A table without a record of the key, or with too few for a variance of a
// sample, has no such figure and is left out: D is the number of the others.
//
// NULL as well where fewer than two tables have a figure, and where a Least or
// Greatest is no number. Instants have theirs in microseconds.
func (c *Completed) StandardErrors(ctx context.Context, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.IsAlike() {
		return question.NoDeviations(answer), nil
	}
	if answer.Deviations == nil {
		asked, err := c.AskWithSpread(ctx, q)
		if err != nil {
			return nil, err
		}
		return asked.Deviations, nil
	}
	return answer.Deviations, nil
}

// Bounds returns the hard bounds of the release, which hold for every table that
// agrees with it, whoever answers: see [Prepared.Bounds].
func (c *Completed) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	return c.prepared.Bounds(ctx, q, answer)
}

// UnitsOf returns the unit of every row of completed table d of a release with units, from 0 in its group. They must not be changed.
func (c *Completed) UnitsOf(ctx context.Context, d int) ([]uint16, error) {
	return c.tables.UnitsOf(ctx, d)
}

// Units answers as [Prepared.Units] does, from all completed tables: the mean of the numbers of units that have a row. Cost: for every table a look-up
// per touched fragment and row.
func (c *Completed) Units(ctx context.Context, q *Question, rows []AnswerRow) (*UnitFigures, error) {
	u, err := c.prepared.Units(ctx, q, rows)
	if err != nil || u.IsExact() {
		return u, err
	}
	counts, err := c.tables.CountUnits(ctx, units.Counting(q), rows)
	if err != nil {
		return nil, err
	}
	for i, tables := range counts {
		u.Figures[i], u.Deviations[i] = completed.MeanOfTables(tables)
		u.Figures[i] = min(max(u.Figures[i], u.Bounds[i].Low.Float), u.Bounds[i].High.Float)
	}
	return u, nil
}
