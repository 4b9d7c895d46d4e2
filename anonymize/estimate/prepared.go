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

// A Prepared is a release with the side structures of the kernels: bit planes of its columns of
// points, built when a question first touches them. The owner of the release keeps it for
// several questions (a cache). The release itself does not change. A Prepared is safe for
// concurrent use.
//
// Memory: about log2(d)/8 bytes per record for a touched column of d values, and 4 bytes per
// group if group sizes vary. [Prepared.Bytes] returns the current size, [Prepared.MaxBytes] the
// size after every column was touched. The first touch of a column costs a pass over it.
type Prepared struct {
	release   *anonymize.Release
	planes    *planes.Store
	elsewhere *elsewhere.Relations // nil when the release has its tuples
}

// Prepare returns r ready for many questions. Cost: one pass over the groups.
func Prepare(r *anonymize.Release) *Prepared {
	return &Prepared{release: r, planes: planes.NewStore(r, planes.NewLayout(r))}
}

// PrepareTuples prepares r without side structures, whose size depends on the records. It is for releases with few tuples and many records.
func PrepareTuples(r *anonymize.Release) *Prepared {
	return &Prepared{release: r, planes: planes.NewStore(r, nil)}
}

// Release returns the release that was prepared.
func (p *Prepared) Release() *anonymize.Release { return p.release }

// Published returns p without the knowledge of counterfeits, so that all its records count. It
// shares all memory with p.
func (p *Prepared) Published() *Prepared {
	if p.release.Forged == 0 {
		return p
	}
	all := *p.release
	all.Forged = 0
	return &Prepared{release: &all, planes: p.planes}
}

// Ask answers q. Errors: q does not fit the release, an expression fails, or ctx ends.
func (p *Prepared) Ask(ctx context.Context, q *Question) (*Answer, error) {
	return p.ask(ctx, q, false)
}

// AskWithSpread is Ask for a caller who will ask for the answer's standard errors or bounds:
// where kernels fit, one pass finds the answer and the spreads, and StandardErrors and Bounds
// make none.
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

// StandardErrors returns, for every row and aggregate of q's answer, the standard deviation of
// the figure over all tables that agree with the release; for AVG by the delta method. It is 0
// if the answer is exact, and NULL if the figure is NULL. Counterfeits add to it, see
// [figures.Thinning].
//
// The model's standard error is honest only if attributes are independent inside groups. By
// itself it makes no confidence interval.
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

// Bounds returns hard bounds for every row and aggregate of q's answer: no table that agrees
// with the release has a figure outside them. They are NULL if the figure is NULL. AVG is
// bounded over the tables in which it is not NULL. The bounds assume the most favourable
// counterfeits, see [figures.Thinning], so attained bounds stay attained. All bounds are NULL
// if the question reads a noisy attribute ([Question.ReadsNoise]).
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

// Units returns, for a release with units, the number of units with a record that a row's
// COUNT(*) counts. q asks for the COUNTs; rows are those of its answer.
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
