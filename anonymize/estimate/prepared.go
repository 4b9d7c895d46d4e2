package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/elsewhere"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/estimate/units"
)

// A Prepared is a release with the side structures of the kernels: bit planes
// of its columns of points, made when a question first touches them. It belongs
// to whoever keeps the release for several questions (a cache); the
// release itself stays as it is. Safe for concurrent use.
//
// Memory: per touched column of d values about log2(d)/8 bytes a record, and 4
// bytes per group where group sizes vary. [Prepared.Bytes] is what is held now,
// [Prepared.MaxBytes] what it is once every column was touched. The first touch
// of a column costs a pass over it.
type Prepared struct {
	release   *anonymize.Release
	planes    *planes.Store
	elsewhere *elsewhere.Relations // nil when the release has its tuples
}

// Prepare returns r ready for many questions. Cost: one pass over the groups.
func Prepare(r *anonymize.Release) *Prepared {
	return &Prepared{release: r, planes: planes.NewStore(r, planes.NewLayout(r))}
}

// PrepareTuples returns r ready for questions without side structures, whose size is that of the records: for releases whose tuples are few beside these.
func PrepareTuples(r *anonymize.Release) *Prepared {
	return &Prepared{release: r, planes: planes.NewStore(r, nil)}
}

// Release returns the release that was prepared.
func (p *Prepared) Release() *anonymize.Release { return p.release }

// Published returns p without what is known of counterfeits: a release whose
// records all count. It shares everything with p, its memory included.
func (p *Prepared) Published() *Prepared {
	if p.release.Forged == 0 {
		return p
	}
	all := *p.release
	all.Forged = 0
	return &Prepared{release: &all, planes: p.planes}
}

// Ask answers q. Errors: a question that does not fit the release, an
// error of one of its expressions, the context's end.
func (p *Prepared) Ask(ctx context.Context, q *Question) (*Answer, error) {
	return p.ask(ctx, q, false)
}

// AskWithSpread answers q as Ask does, for a caller who will ask for the
// standard errors or the bounds of the answer: where kernels fit, the pass that
// finds the answer finds these too, and StandardErrors and Bounds make none.
func (p *Prepared) AskWithSpread(ctx context.Context, q *Question) (*Answer, error) {
	return p.ask(ctx, q, true)
}

func (p *Prepared) ask(ctx context.Context, q *Question, spreads bool) (*Answer, error) {
	w, err := p.choose(ctx, q, true, spreads)
	if err != nil {
		return nil, err
	}
	return w.answer(ctx, spreads)
}

// StandardErrors returns, for every row of q's answer and every aggregate, the
// standard deviation of the figure over all tables that agree with the release;
// that of AVG by the delta method. It is 0 where the answer is exact, and NULL
// where the figure is. Counterfeits come on top, see [figures.Thinning].
//
// The model's standard error is honest only where attributes are independent
// inside groups: it makes no confidence interval by itself.
func (p *Prepared) StandardErrors(ctx context.Context, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.Exact {
		return question.ExactDeviations(q, answer), nil
	}
	w, err := p.spreadsOf(ctx, q, answer)
	if err != nil {
		return nil, err
	}
	moments, err := w.Moments(ctx)
	if err != nil {
		return nil, err
	}
	return figures.ThinningOf(p.release).Deviations(q, answer, moments), nil
}

// Bounds returns, for every row of q's answer and every aggregate, hard bounds:
// no table that agrees with the release has a figure outside them. NULL where
// the figure is NULL. AVG is bounded over the tables in which it is not NULL.
// Counterfeits are the most favourable ones, see [figures.Thinning]: bounds that are attained
// stay so. All are NULL where the question reads what has noise ([Question.ReadsNoise]).
func (p *Prepared) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	switch {
	case answer.Exact:
		return question.ExactBounds(q, answer), nil
	case q.ReadsNoise(p.release):
		return question.NoBounds(q, answer), nil
	}
	w, err := p.spreadsOf(ctx, q, answer)
	if err != nil {
		return nil, err
	}
	totals, err := w.Totals(ctx)
	if err != nil {
		return nil, err
	}
	return figures.ThinningOf(p.release).AllBounds(q, answer, totals), nil
}

// Units answers how many units have a record that a row's COUNT(*) counts, of a release with units: q asks for the COUNTs, rows are those of its
// answer.
func (p *Prepared) Units(ctx context.Context, q *Question, rows []AnswerRow) (*UnitFigures, error) {
	return units.Count(ctx, p.release, q, rows)
}

// Bytes returns the memory held beside the release.
func (p *Prepared) Bytes() int64 {
	if p.elsewhere != nil {
		return p.elsewhere.Bytes.Load()
	}
	return p.planes.Bytes.Load()
}

// MaxBytes returns the most that Bytes can become.
func (p *Prepared) MaxBytes() int64 {
	if p.elsewhere != nil {
		return elsewhere.MaxBytes
	}
	return p.planes.MaxBytes()
}
