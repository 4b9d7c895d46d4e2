package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/elsewhere"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/units"
)

// A Prepared is a release with the side structures of the kernels: bit planes
// of its columns of points, made when a question first touches them. It belongs
// to whoever keeps the release at hand for several questions (a cache); the
// release itself stays as it is. Safe for concurrent use.
//
// Memory: per touched column of d values about log2(d)/8 bytes a record, and 4
// bytes per group where group sizes vary. [Prepared.Bytes] is what is held now,
// [Prepared.MaxBytes] what it is once every column was touched. The first touch
// of a column costs a pass over it.
type Prepared struct {
	release *anonymize.Release
	planes  *planes.Store
	// elsewhere is nil when the release has its tuples; of is one of which this is what was counted for a question.
	elsewhere *elsewhere.Relations
	of        *Prepared
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

// Ask answers q as the function [Ask] does, to the last bits of a float64, and
// faster where a kernel fits.
func (p *Prepared) Ask(ctx context.Context, q *Question) (*Answer, error) {
	return ask(ctx, p.release, q, &scan{prepared: p, question: q})
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
