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

// PrepareElsewhere returns a release whose relations e keeps, ready for questions. shape says what
// it is: its fragments have columns with names and types, and neither values nor tuples, but for
// those with cells that stand for several values, which are whole, and then the shape has
// GroupSizes; sizes are those of its groups. Values are read at the first question that touches
// their column, and kept as far as memory is for them ([Prepared.MaxBytes]). Answers, and standard
// errors and bounds of COUNT, are those that [Prepare] would have, to the last bit where its
// bit planes fit and to some nine digits where it adds up group by group, as are those of SUM and AVG.
// What it is not asked for there, an [UnansweredError] says.
//
// A question that reads a fragment that is here and one that is not has the records of the latter
// counted by group, and gets the answers that [Prepare] would have, to some nine digits, for
// everything that is asked of cells.
//
// Errors: a shape with counterfeits, or with cells that are not here; sizes that are not those of its records.
func PrepareElsewhere(shape *anonymize.Release, sizes []GroupSize, e Elsewhere) (*Prepared, error) {
	d, r, err := elsewhere.New(shape, sizes, e)
	if err != nil {
		return nil, err
	}
	return &Prepared{release: r, planes: planes.NewStore(r, nil), elsewhere: d}, nil
}

// WithTablesElsewhere returns p with so many completed tables, at least 2, that the store of its relations has. Whether
// they agree with the relations, nobody looks at here.
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

// Described is the release with the values of columns, each a fragment and a column of it, as far
// as relations are elsewhere: it has no tuples then, and the other columns no values.
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

// Margin has the values of a column, ascending, and how many records have each, wherever its relation is.
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

// distantQuestion is one to relations that are elsewhere.
func (p *Prepared) distantQuestion(q *Question) *elsewhere.Counter {
	return &elsewhere.Counter{Relations: p.elsewhere, Shape: p.release, Question: q}
}

// A byGroup answers a question that reads relations here and elsewhere: the records of the latter are counted there by group,
// and all of them make a release that is here.
type byGroup struct {
	of       *Prepared
	question *Question
	way      *way // over what was counted; nil before
}

// count has the records counted, once.
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
