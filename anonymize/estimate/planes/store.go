package planes

import (
	"sync"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
)

// A Store has the bit planes of a release's columns of points, built when a question first touches them.
type Store struct {
	release *anonymize.Release
	// Layout is nil if the groups are too few, too large or too uneven for planes; then no
	// kernel fits any question.
	Layout  *layout
	columns [][]*planeColumn // fragment, column; nil where cells are not points
	Bytes   atomic.Int64
}

// A planeColumn caches the planes of a column.
type planeColumn struct {
	once   sync.Once
	planes *planes
}

func NewStore(r *anonymize.Release, l *layout) *Store {
	p := &Store{release: r, Layout: l}
	if l == nil {
		return p
	}
	p.Bytes.Store(l.bytes())
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

// MaxBytes returns the memory of the planes after every column was touched.
func (p *Store) MaxBytes() int64 {
	if p.Layout == nil {
		return 0
	}
	total := p.Layout.bytes()
	for i, f := range p.release.Fragments {
		for j, c := range f.Columns {
			if p.columns[i][j] != nil {
				total += planeBytes(p.Layout, c)
			}
		}
	}
	return total
}

// PlanesOf returns the planes of a column of points and builds them on first use.
func (p *Store) PlanesOf(fragment, column int) *planes {
	place := p.columns[fragment][column]
	place.once.Do(func() {
		f := p.release.Fragments[fragment]
		place.planes = NewPlanes(p.Layout, f, f.Columns[column])
		p.Bytes.Add(planeBytes(p.Layout, f.Columns[column]))
	})
	return place.planes
}
