package estimate

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
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
	// layout is nil when the groups are too few, too large or too uneven to be
	// laid side by side: every question takes the weighted join then.
	layout  *layout
	columns [][]*planeColumn // fragment, column; nil where cells are not points
	bytes   *atomic.Int64
	// elsewhere is nil when the release has its tuples; of is one of which this is what was counted for a question.
	elsewhere *elsewhere
	of        *Prepared
}

// A planeColumn is a place for the planes of a column.
type planeColumn struct {
	once   sync.Once
	planes *planes
}

// Prepare returns r ready for many questions. Cost: one pass over the groups.
func Prepare(r *anonymize.Release) *Prepared {
	p := &Prepared{release: r, layout: newLayout(r), bytes: new(atomic.Int64)}
	if p.layout == nil {
		return p
	}
	p.bytes.Store(p.layout.bytes())
	for _, f := range r.Fragments {
		columns := make([]*planeColumn, len(f.Columns))
		for i, c := range f.Columns {
			if c.IsPoint() && len(c.Dictionary) > 0 {
				columns[i] = &planeColumn{}
			}
		}
		p.columns = append(p.columns, columns)
	}
	return p
}

// PrepareTuples returns r ready for questions without side structures, whose size is that of the records: for releases whose tuples are few beside these.
func PrepareTuples(r *anonymize.Release) *Prepared {
	return &Prepared{release: r, bytes: new(atomic.Int64)}
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
	return &Prepared{release: &all, layout: p.layout, columns: p.columns, bytes: p.bytes}
}

// Ask answers q as the function [Ask] does, to the last bits of a float64, and
// faster where a kernel fits.
func (p *Prepared) Ask(ctx context.Context, q *Question) (*Answer, error) {
	return ask(ctx, p.release, q, &scan{prepared: p, question: q})
}

// Bytes returns the memory held beside the release.
func (p *Prepared) Bytes() int64 { return p.bytes.Load() }

// MaxBytes returns the most that Bytes can become.
func (p *Prepared) MaxBytes() int64 {
	if p.elsewhere != nil {
		return maxDistantBytes
	}
	if p.layout == nil {
		return 0
	}
	total := p.layout.bytes()
	for i, f := range p.release.Fragments {
		for j, c := range f.Columns {
			if p.columns[i][j] != nil {
				total += planeBytes(p.layout, c)
			}
		}
	}
	return total
}

// planesOf returns the planes of a column of points, made on first use.
func (p *Prepared) planesOf(fragment, column int) *planes {
	place := p.columns[fragment][column]
	place.once.Do(func() {
		f := p.release.Fragments[fragment]
		place.planes = newPlanes(p.layout, f, f.Columns[column])
		p.bytes.Add(planeBytes(p.layout, f.Columns[column]))
	})
	return place.planes
}
