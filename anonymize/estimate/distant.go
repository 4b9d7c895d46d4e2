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

// askElsewhere answers q by sums that the store of the relations forms.
func (s *scan) askElsewhere(ctx context.Context, q *Question) (*Answer, error) {
	if s.prepared.elsewhere.ReadsHere(q) {
		counted, err := s.prepared.counted(ctx, q)
		if err != nil {
			return nil, err
		}
		return ask(ctx, counted.release, q, &scan{prepared: counted, question: q, spreads: s.spreads})
	}
	answer := &Answer{Fragments: q.Touched()}
	d := s.prepared.distantQuestion(q)
	s.distant = d
	if err := d.Load(ctx); err != nil {
		return nil, err
	}
	answer.Exact = len(d.Sides) <= 1
	if rows, err := d.Linear(ctx); rows != nil || err != nil {
		answer.Rows = rows
		if !answer.Exact {
			answer.Kept = s
		}
		return answer, err
	}
	w, err := &figures.Weights{Dense: []float64{float64(d.Shape.Rows)}}, error(nil)
	if len(d.Sides) > 0 {
		if w, err = d.Weights(ctx); err != nil {
			return nil, err
		}
	}
	if answer.Rows, err = figures.Aggregate(q, w, figures.Thinning{}); err != nil {
		return nil, err
	}
	if !answer.Exact {
		answer.Kept = s
		if q.AsksDistinct() {
			err = d.Distinct(ctx, answer.Rows)
		}
	}
	return answer, err
}

// distantQuestion is one to relations that are elsewhere.
func (p *Prepared) distantQuestion(q *Question) *elsewhere.Asked {
	return &elsewhere.Asked{Relations: p.elsewhere, Shape: p.release, Question: q}
}

// distantSpreads finds the sums of the boxes of the question.
func (s *scan) distantSpreads(ctx context.Context) error {
	if s.looked {
		return nil
	}
	if s.distant == nil {
		s.distant = s.prepared.distantQuestion(s.question)
	}
	sums, err := s.distant.Spreads(ctx)
	s.boxes, s.looked = sums, err == nil
	return err
}

// counted is p as a question sees it.
func (p *Prepared) counted(ctx context.Context, q *Question) (*Prepared, error) {
	r, err := p.elsewhere.Counted(ctx, p.release, q)
	if err != nil {
		return nil, err
	}
	counted := PrepareTuples(r)
	counted.of = p
	return counted, nil
}

// spreadSource is what the spreads of an answer come from: p, or what was counted for its question.
func (p *Prepared) spreadSource(ctx context.Context, q *Question, answer *Answer) (*Prepared, error) {
	if p.elsewhere == nil || !p.elsewhere.ReadsHere(q) {
		return p, nil
	}
	if s, ok := answer.Kept.(*scan); ok && s.question == q && s.prepared.of == p {
		return s.prepared, nil
	}
	return p.counted(ctx, q)
}
