package catalog

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"strconv"
	"time"
	"weak"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/segment"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Handed is a release for a process that serves read-only accounts: its public data, and a number
// with which that process requests its parts. If its tables change, it gets another number.
type Handed struct {
	Number int64
	Record ReleaseRecord // see [ReleaseRecord.Public]
	// Place is where an engine keeps the relations, nil for nowhere. Its name is the release's number.
	Place *source.Place
}

// Hand lists what the session may know of the releases whose relations it sees, as values.
func (r *Releases) Hand(ctx *sql.Context, sees func(relation string) bool) []Handed {
	var handed []Handed
	for _, p := range r.All(ctx) {
		if slices.ContainsFunc(p.record.RelationNames(), sees) {
			handed = append(handed, Handed{p.number, *p.public, p.handedPlace()})
		}
	}
	return handed
}

func (p *Published) handedPlace() *source.Place {
	if p.record.Place == nil {
		return nil
	}
	place := *p.record.Place
	place.Name = strconv.FormatInt(p.number, 10)
	return &place
}

// Kept returns the place in an engine of a handed-over release's relations, with their description and promises.
func (r *Releases) Kept(number int64) (source.Place, []source.Fragment, source.Wanted, error) {
	p := r.numbered(number)
	if p == nil || p.record.Place == nil {
		return source.Place{}, nil, source.Wanted{}, ErrHandedGone
	}
	return *p.record.Place, p.record.placed(), p.record.wanted(), nil
}

// Moment returns a value that is equal as long as the statement sees the same releases. Keeping it does not keep them in memory.
func (r *Releases) Moment(ctx *sql.Context) any { return weak.Make(r.snapshotOf(ctx)) }

// A Part identifies a part of a handed-over release that a process requests.
type Part struct {
	Release int64 // see [Handed]
	Kind    PartKind
}

// A PartKind is a kind of part that every release has.
type PartKind uint8

// The parts, each a segment (package segment).
const (
	Fragments PartKind = iota
	Tables             // the completed ones
	Preview            // the rows of the view
	segments
)

// ErrHandedGone says that the release no longer exists.
var ErrHandedGone = errors.New("the release was dropped, or published anew, while it was read: run the statement again")

// HandPart calls pass with the segment of a part of a handed-over release (package segment). It makes
// the segment at the first request and shares it until the cache evicts it. HandPart owns the file; it
// is open until pass returns. A release that has been dropped, or has other tables now, is an error.
func (r *Releases) HandPart(ctx *sql.Context, part Part, pass func(*os.File) error) error {
	for {
		p := r.numbered(part.Release)
		if p == nil || part.Kind >= segments {
			return ErrHandedGone
		}
		f, err := p.makeSegment[part.Kind](ctx)
		if r.numbered(part.Release) == nil {
			return ErrHandedGone
		}
		if err != nil {
			return err
		}
		if err = pass(f); !errors.Is(err, os.ErrClosed) { // the cache closed it
			return err
		}
	}
}

// numbered returns the handed-over release with a number; nil if it no longer exists.
func (r *Releases) numbered(number int64) *Published {
	for _, p := range r.current.Load().releases {
		if p.number == number {
			return p
		}
	}
	return nil
}

// makeSegment lays out a part of a release. Reading it from the file has checked it; mapping the segment does not check again.
func makeSegment(ctx *sql.Context, p *Published, view *PublishedView, kind PartKind) (*os.File, error) {
	b, err := segment.New()
	if err != nil {
		return nil, err
	}
	switch kind {
	case Fragments:
		var release *anonymize.Release
		if release, err = p.Release(ctx); err == nil {
			segment.AddRelease(b, release)
		}
	case Tables:
		var tables *estimate.Completed
		if tables, err = p.Completed(ctx); tables != nil {
			segment.AddCompletion(b, tables.Completion())
		}
	case Preview:
		var columns []shown.Column
		columns, err = view.attributes(ctx)
		for _, c := range columns {
			segment.Add(b, c.Codes)
		}
	}
	if err != nil {
		b.Discard()
		return nil, err
	}
	return b.Seal()
}

// minBytes is the least size that a segment counts in the cache, so that its limit also bounds open files: a thousand per GiB.
const minBytes = 1 << 20

// fileBytes returns the size that a segment counts.
func fileBytes(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return minBytes // it is closed
	}
	return max(minBytes, info.Size())
}

// A Supply passes the segment of a part of a release from the process that handed it over.
type Supply func(ctx context.Context, part Part, pass func(*os.File) error) error

// ReceivedReleases are those given to [Releases.Receive]. Nobody can publish, since there are no tables.
func ReceivedReleases(c *Catalog, canRead Access, supply Supply) *Releases {
	r := &Releases{catalog: c, canRead: canRead, now: time.Now, publishing: make(chan struct{}, 1), toSweep: make(chan struct{}, 1), supply: supply}
	c.releases.Store(r)
	r.current.Store(&releaseSnapshot{})
	return r
}

// Receive replaces the handed-over releases. It keeps the loaded parts of releases that remain; only running statements keep those of others.
func (r *Releases) Receive(handed []Handed) error {
	r.publishing <- struct{}{}
	defer func() { <-r.publishing }()
	before, records, known := make(map[int64]*Published), make([]*ReleaseRecord, len(handed)), make(map[int64]*Published)
	for _, p := range r.current.Load().releases {
		before[p.record.ID] = p
	}
	for i, h := range handed {
		record := h.Record
		record.ID, record.Place = h.Number, h.Place
		records[i] = &record
		if p := before[h.Number]; p != nil && reflect.DeepEqual(p.record, &record) {
			known[h.Number] = p
			delete(before, h.Number)
		}
	}
	if err := r.showRecords(records, known); err != nil {
		return err
	}
	for _, gone := range before {
		r.forget(gone)
	}
	return nil
}

// mapPart maps a handed-over part. The mapping lasts while p is reachable, for instance from a running
// statement's session; garbage collection unmaps it. Callers request a part one at a time ([loadedPart]).
func (r *Releases) mapPart(ctx *sql.Context, p *Published, kind PartKind) (s *segment.Segment, err error) {
	if s = p.mapped[kind].Load(); s != nil {
		return s, nil
	}
	err = r.supply(ctx, Part{p.record.ID, kind}, func(f *os.File) (err error) {
		s, err = segment.Map(f)
		return err
	})
	if err != nil {
		return nil, err
	}
	p.mapped[kind].Store(s)
	return s, nil
}

func (r *Releases) receivedRelease(ctx *sql.Context, p *Published) (*anonymize.Release, error) {
	s, err := r.mapPart(ctx, p, Fragments)
	if err != nil {
		return nil, err
	}
	release := &anonymize.Release{Method: p.record.Method, Rows: p.record.Rows, Forged: p.record.Forged, Model: p.record.Model}
	for _, described := range p.record.Fragments {
		f := &anonymize.Fragment{Name: described.Name, Role: described.Role}
		for _, c := range described.Columns {
			f.Columns = append(f.Columns, c.column())
		}
		release.Fragments = append(release.Fragments, f)
	}
	return release, segment.ReadRelease(s, release, p.record.hasUnits())
}

func (r *Releases) receivedTables(ctx *sql.Context, p *Published, prepared *estimate.Prepared) (*estimate.Completed, error) {
	s, err := r.mapPart(ctx, p, Tables)
	if err != nil {
		return nil, err
	}
	completion, err := segment.ReadCompletion(s, prepared.Release(), p.record.Completion.Tables)
	if err != nil {
		return nil, err
	}
	return prepared.WithCheckedTables(completion), nil
}

func (r *Releases) receivedPreview(ctx *sql.Context, p *Published, schema sql.Schema) ([]shown.Column, error) {
	release, err := p.Release(ctx)
	if err != nil {
		return nil, err
	}
	s, err := r.mapPart(ctx, p, Preview)
	if err != nil {
		return nil, err
	}
	columns, reader := make([]shown.Column, len(schema)), segment.NewReader(s)
	for i, c := range schema {
		fragment, column, _ := release.Locate(c.Name)
		columns[i].Codes = segment.Next[uint32](reader, p.record.Rows-p.record.Forged)
		if columns[i].Boxed, err = shown.Dictionary(release.Fragments[fragment].Columns[column].Dictionary, c.Type); err != nil {
			return nil, err
		}
	}
	return columns, reader.End()
}
