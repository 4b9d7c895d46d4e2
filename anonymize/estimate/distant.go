package estimate

import (
	"context"
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/completed"
	"github.com/anonsql/anonsql/anonymize/estimate/elsewhere"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
)

// PrepareElsewhere prepares a release whose relations e keeps. shape describes the release: its
// fragments have columns with names and types, but neither values nor tuples. Exceptions are
// fragments with cells that stand for several values: they are complete, and shape then has
// GroupSizes. sizes are the sizes of the groups. The first question that touches a column reads
// its values; they stay in memory within [Prepared.MaxBytes]. Answers, and standard errors and
// bounds of COUNT, equal those of [Prepare] bit for bit where its bit planes fit, and to about
// nine digits where it adds up group by group; so do SUM and AVG. Other questions return an
// [UnansweredError].
//
// A question that reads one fragment that is here and one that is not makes e count the
// latter's records by group. It gets the answers of [Prepare], to about nine digits, for
// everything that can be asked of cells.
//
// Errors: a shape with counterfeits, or with cells that are not here; sizes that do not match its records.
func PrepareElsewhere(shape *anonymize.Release, sizes []GroupSize, e Elsewhere) (*Prepared, error) {
	d, r, err := elsewhere.New(shape, sizes, e)
	if err != nil {
		return nil, err
	}
	return &Prepared{release: r, planes: planes.NewStore(r, nil), elsewhere: d}, nil
}

// WithTablesElsewhere returns p with completed tables, at least 2, that the engine with its
// relations keeps. It does not check that they agree with the relations.
func (p *Prepared) WithTablesElsewhere(tables int) (*Completed, error) {
	switch {
	case p.elsewhere == nil:
		return nil, errors.New("the release is here, and so are its completed tables")
	case tables < 2:
		return nil, fmt.Errorf("there are %d completed tables, must be 2 or more", tables)
	case p.release.Rows > completed.MaxCompletedRecords:
		return nil, fmt.Errorf("the release has %d records, completed tables at most %d", p.release.Rows, completed.MaxCompletedRecords)
	}
	return &Completed{prepared: p, drawn: tables}, nil
}

// Described returns the release with the values of the given columns, each a pair of fragment and column. If
// the relations are elsewhere, the result has no tuples, and the other columns have no values.
func (p *Prepared) Described(ctx context.Context, columns [][2]int) (*anonymize.Release, error) {
	if p.elsewhere == nil {
		return p.release, nil
	}
	q := &Question{}
	for _, c := range columns {
		q.Leaves = append(q.Leaves, ValueOf(c[0], c[1]))
	}
	described, _, err := p.elsewhere.Loaded(ctx, p.release, q)
	return described, err
}

// Margin returns the values of a column, ascending, and the number of records with each, wherever its relation is.
func (p *Prepared) Margin(ctx context.Context, fragment, column int) (values []anonymize.Value, records []uint64, err error) {
	if p.elsewhere != nil && !p.elsewhere.IsHere(fragment) {
		return p.elsewhere.Margin(ctx, p.release, fragment, column)
	}
	f := p.release.Fragments[fragment]
	c := f.Columns[column]
	records = make([]uint64, len(c.Dictionary))
	for t, code := range c.Codes {
		records[code] += uint64(f.Count[t])
	}
	return c.Dictionary, records, nil
}

// distantQuestion returns a counter that sends q to the engine that keeps the relations.
func (p *Prepared) distantQuestion(q *Question) *elsewhere.Counter {
	return &elsewhere.Counter{Relations: p.elsewhere, Shape: p.release, Question: q}
}

// A byGroup answers a question that reads relations both here and elsewhere: the engine counts
// its records by group, and the result is a release that is here.
type byGroup struct {
	of       *Prepared
	question *Question
	way      *way // over the counted release; nil before
}

// count has the records counted, once, and chooses the way over the result.
func (b *byGroup) count(ctx context.Context, figured, spreads bool) (err error) {
	if b.way != nil {
		b.way, err = b.way.toSpreads(ctx)
		return err
	}
	r, err := b.of.elsewhere.Counted(ctx, b.of.release, b.question)
	if err == nil {
		b.way, err = PrepareTuples(r).choose(ctx, b.question, figured, spreads)
	}
	return err
}

// Rows, Moments and Totals implement [figures.Counter].
func (b *byGroup) Rows(ctx context.Context, spreads bool) ([]AnswerRow, error) {
	if err := b.count(ctx, true, spreads); err != nil {
		return nil, err
	}
	return b.way.Rows(ctx, spreads)
}

func (b *byGroup) Moments(ctx context.Context) (figures.MomentsOf, error) {
	if err := b.count(ctx, false, true); err != nil {
		return nil, err
	}
	return b.way.Moments(ctx)
}

func (b *byGroup) Totals(ctx context.Context) (figures.TotalOf, error) {
	if err := b.count(ctx, false, true); err != nil {
		return nil, err
	}
	return b.way.Totals(ctx)
}
