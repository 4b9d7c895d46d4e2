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
// U, the variance within a table, is 0 because a question is about the published table, not
// about a population that it was drawn from. The standard error is the root of T, and (figure -
// Q) / sqrt(T) follows Student's t with D - 1 degrees of freedom.
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
// A question that touches at most one fragment gets the exact answer of the [Prepared]. Every
// figure is a mean over tables that agree with the release, so it lies inside the hard bounds.
// A Completed is safe for concurrent use.
type Completed struct {
	prepared *Prepared
	tables   *completed.Tables // nil if another engine keeps them
	drawn    int               // the number of completed tables
}

// WithTables returns p with completed tables of its release. It refuses a completion that does
// not fit the release, cells that stand for several values (a completed table does not choose
// one), and counterfeits (they would be rows of every completed table). If ctx ends, it returns
// the context's error. Cost: one pass over the completion.
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

// WithCheckedTables is [Prepared.WithTables] for a completion that WithTables has already accepted for the same release.
func (p *Prepared) WithCheckedTables(completion *anonymize.Completion) *Completed {
	return &Completed{p, completed.NewTables(p.release, p.planes, completion), completion.Tables}
}

// Prepared returns the release without its completed tables.
func (c *Completed) Prepared() *Prepared { return c.prepared }

// Completion returns the completed tables, or nil if another engine keeps them. The caller must not change them.
func (c *Completed) Completion() *anonymize.Completion {
	if c.tables == nil {
		return nil
	}
	return c.tables.Completion
}

// Bytes returns the most memory that the completed tables take beside the Prepared.
func (c *Completed) Bytes() int64 {
	if c.tables == nil {
		return 0
	}
	return c.tables.Bytes()
}

// Tables returns the number D of completed tables. Intervals by Student's t have D - 1 degrees
// of freedom.
func (c *Completed) Tables() int { return c.drawn }

// Ask answers q from all completed tables. Rows has an entry for each key that some table has.
// If an expression fails for a value, the question fails only if a record of some completed
// table has that value and satisfies all other conditions.
//
// Cost: a pass over the codes of each touched column, and for every table a look-up per record
// and touched fragment beyond the first. Only records count whose tuple in the first fragment
// satisfies its conditions and whose group has satisfying tuples in all other fragments. COUNT,
// SUM and AVG of single columns by keys of one fragment look at pairs of records in a group
// instead of tables. That answer has no standard errors; StandardErrors asks again.
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

// AskWithSpread is Ask for a caller who will ask for the answer's standard errors: StandardErrors then
// makes no further pass. It also answers the question's quotients. The figures are identical to those
// of Ask, also where Ask finds them in whole sums without looking at tables.
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

// ask answers from the tables, with scatters if spread is set.
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

// means returns the rows of an answer that needs neither spreads nor tables; nil if q needs them.
func (c *Completed) means(ctx context.Context, q *Question) ([]AnswerRow, error) {
	if c.tables == nil {
		return nil, nil
	}
	return c.tables.Means(ctx, q)
}

// count counts the tables' records, here or in the engine that keeps them.
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

// askCoarse returns the figures of the one fragment that q touches with the scatters of the tables. All tables
// have that fragment, so it counts a wider question with a condition that all records of another fragment meet.
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

// StandardErrors returns sqrt((1 + 1/D) B) for every row and aggregate of an answer of Ask,
// with B around the answer's figure. It is 0 if the answer is exact and NULL if the figure is
// NULL. After AskWithSpread it costs nothing.
//
// For AVG, variances, standard deviations, Least and Greatest, B is the spread of the tables'
// own figures, without the delta method. The interval has to hold the figure of one table, the
// actual one. That may be a table with few records of the key, whose figure is far off; the
// delta method would give it little weight. A table without a record of the key, or with too
// few for a sample variance, has no figure: it is left out, also from D.
//
// It is also NULL if fewer than two tables have a figure, and if a Least or Greatest is no
// number. Standard errors of instants are in microseconds.
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

// Bounds returns the hard bounds of the release, as [Prepared.Bounds] does: they hold for every
// table that agrees with the release, so for the completed tables too.
func (c *Completed) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	return c.prepared.Bounds(ctx, q, answer)
}

// UnitsOf returns the unit of every row of completed table d of a release with units, numbered from 0 in its group. The caller must not change them.
func (c *Completed) UnitsOf(ctx context.Context, d int) ([]uint16, error) {
	return c.tables.UnitsOf(ctx, d)
}

// Units answers as [Prepared.Units] does, with the mean over the completed tables of the number
// of units that have a row. Cost: for every table, a look-up per touched fragment and row.
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
