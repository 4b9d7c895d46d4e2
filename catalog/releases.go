package catalog

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/misfit"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/segment"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
)

// An Access decides whether the session's account may read a raw table.
type Access func(ctx *sql.Context, database, table string) bool

// Releases are the published and the private releases of a catalog. A release is stored once
// and never changed. Its fragments are read from the catalog on first use and cached.
type Releases struct {
	catalog *Catalog
	canRead Access
	// importers reports whether a session may import; nil means that none may.
	importers func(ctx *sql.Context) bool
	// publishing is a semaphore for publications; readers use the snapshot.
	publishing chan struct{}
	// forgets counts the calls of Forget, by the release's name in lower case, a *atomic.Int64 each.
	forgets sync.Map
	// unfollowed has the lineages that could not be ended when their publications failed.
	unfollowed sync.Map
	// gone are deleted releases whose relations elsewhere must be dropped.
	gone      []*Published
	current   atomic.Pointer[releaseSnapshot]
	onPending atomic.Pointer[func(name string)]
	// now tells the time of publications.
	now func() time.Time
	// elsewhere keeps relations that are not in the catalog; nil for none. toSweep requests a sweep there.
	elsewhere source.RelationStore
	toSweep   chan struct{}
	// supply reads parts of releases that another process has handed over; nil for releases of the file.
	supply Supply
}

// A releaseSnapshot is the set of releases at one time. A statement keeps the one that it started with.
type releaseSnapshot struct {
	releases []*Published
	// tables has the relations and views by lower-case name.
	tables map[string]publishedTable
	// watched has the releases that refresh automatically, by raw table.
	watched map[int64][]*ReleaseRecord
}

type publishedTable struct {
	table sql.Table
	of    *Published
}

// A Published is one release with its relations.
type Published struct {
	record *ReleaseRecord
	public *ReleaseRecord // the public part of record, without its ID
	tables []sql.Table    // the view first
	load   func(*sql.Context) (*estimate.Prepared, error)
	// readMisfit reads the misfit of the completed tables, once.
	readMisfit func() (*misfit.Misfit, error)
	// loadTables loads the completed tables, if there are any.
	loadTables func(*sql.Context) (*estimate.Completed, error)
	// pinned keeps a deleted release for statements that still have it, pinnedTables its completed tables.
	pinned       atomic.Pointer[estimate.Prepared]
	pinnedTables atomic.Pointer[estimate.Completed]
	// drawnRows reads the rows of an engine's completed tables first to last as columns of a schema; nil without such tables.
	drawnRows func(columns sql.Schema, first, last int) func(*sql.Context) (shown.NextPage, error)
	// large says that an engine keeps its relations, which are too large to read.
	large bool
	// sampled says that its view shows a sample of whole groups.
	sampled bool
	// changes are the known changes of the raw table.
	changes seenChanges
	// leaving is set before its parts leave the file, and deleted before they leave the cache.
	leaving, deleted atomic.Bool
	// number identifies it in the cache, and for a process to which it is handed over. No other description of the same release has it.
	number int64
	// makeSegment makes the segments that such a process maps; in that process, mapped has the mapped ones while the release is in use.
	makeSegment [segments]func(*sql.Context) (*os.File, error)
	mapped      [segments]atomic.Pointer[segment.Segment]
}

// Prepared returns the fragments, ready for questions.
func (p *Published) Prepared(ctx *sql.Context) (*estimate.Prepared, error) {
	if prepared := p.pinned.Load(); prepared != nil {
		return prepared, nil
	}
	return p.load(ctx)
}

// Release returns the fragments.
func (p *Published) Release(ctx *sql.Context) (*anonymize.Release, error) {
	if p.large {
		return nil, p.errTooLarge()
	}
	prepared, err := p.Prepared(ctx)
	if err != nil {
		return nil, err
	}
	return prepared.Release(), nil
}

// Promised returns the release with the bounds under which it was published, so that they can be verified again.
func (p *Published) Promised(ctx *sql.Context) (*anonymize.Release, error) {
	release, err := p.Release(ctx)
	if err != nil {
		return nil, err
	}
	promised := *release
	promised.Promises = nil
	for _, g := range p.record.Guarantees {
		if promise, ok := g.Promise(); ok && !privacy.NeedsPopulation(g.Name) {
			promised.Promises = append(promised.Promises, promise)
		}
	}
	return &promised, nil
}

// OpenReleases reads the descriptions of the stored releases.
func OpenReleases(c *Catalog, canRead Access) (*Releases, error) {
	r := &Releases{catalog: c, canRead: canRead, now: time.Now, publishing: make(chan struct{}, 1), toSweep: make(chan struct{}, 1)}
	c.watcher.watch(r)
	c.releases.Store(r)
	return r, r.readAll()
}

// Clock sets the clock for publications and reports; call it before the first statement. The default is time.Now.
func (r *Releases) Clock(now func() time.Time) { r.now = now }

func (r *Releases) Now() time.Time { return r.now() }

// readAll makes a snapshot of what is stored.
func (r *Releases) readAll() error {
	var records []*ReleaseRecord
	err := r.catalog.View(context.Background(), func(tx *dbsql.Conn) (err error) {
		records, err = readRecords(context.Background(), tx)
		return err
	})
	if err != nil {
		return err
	}
	return r.showRecords(records, nil)
}

// showRecords makes the snapshot of records. Those that are known by their number keep what is loaded of them.
func (r *Releases) showRecords(records []*ReleaseRecord, known map[int64]*Published) (err error) {
	releases := make([]*Published, len(records))
	for i, record := range records {
		if releases[i] = known[record.ID]; releases[i] != nil {
			continue
		}
		if releases[i], err = r.newPublished(record); err != nil {
			return fault.Explained("read release "+record.Name, fault.Damaged("release "+record.Name, err))
		}
	}
	r.show(releases)
	return nil
}

// show makes the snapshot of releases.
func (r *Releases) show(releases []*Published) {
	snapshot := &releaseSnapshot{releases: releases, tables: make(map[string]publishedTable), watched: make(map[int64][]*ReleaseRecord)}
	for _, p := range releases {
		if record := p.record; record.Follows() && record.Live.AutoRefresh > 0 {
			snapshot.watched[record.SourceTable] = append(snapshot.watched[record.SourceTable], record)
		}
		for _, table := range p.tables {
			snapshot.tables[strings.ToLower(table.Name())] = publishedTable{table, p}
		}
	}
	r.current.Store(snapshot)
}

// newPublished makes the view and the relations of a release.
func (r *Releases) newPublished(record *ReleaseRecord) (*Published, error) {
	p := &Published{
		record:     record,
		large:      r.isLarge(record),
		sampled:    r.isSampled(record),
		public:     record.Public(),
		readMisfit: sync.OnceValues(record.decodeMisfit),
		number:     r.catalog.numbered.Add(1),
	}
	if at := record.Place; at != nil && at.Tables > 0 {
		p.drawnRows = func(columns sql.Schema, first, last int) func(*sql.Context) (shown.NextPage, error) {
			return r.drawnPages(record, columns, first, last)
		}
	}
	p.load = loadedPart(r, p, preparedPart, r.preparedBytes, func(ctx *sql.Context) (*estimate.Prepared, error) {
		return r.read(ctx, p)
	})
	p.loadTables = loadedPart(r, p, tablesPart, r.tablesBytes, func(ctx *sql.Context) (*estimate.Completed, error) {
		return r.readTables(ctx, p)
	})
	view, err := r.newView(p)
	if err != nil {
		return nil, err
	}
	for kind := range segments {
		p.makeSegment[kind] = loadedPart(r, p, segmentPart+int(kind), fileBytes, func(ctx *sql.Context) (*os.File, error) {
			return makeSegment(ctx, p, view, kind)
		})
	}
	p.tables = append(p.tables, view)
	for i, described := range record.Fragments {
		relation, err := fragmentRelation(record.Name+"_"+described.Name, described, record.hasUnits(), func(ctx *sql.Context) (*anonymize.Fragment, error) {
			release, err := p.Release(ctx)
			if err != nil {
				return nil, err
			}
			return release.Fragments[i], nil
		})
		if err != nil {
			return nil, err
		}
		relation.of = record.Name
		relation.load = loadedPart(r, p, fragmentPart+i, columnBytes, relation.load)
		if p.large {
			r.paged(relation, record, i, shown.FragmentColumns)
		}
		p.tables = append(p.tables, relation)
	}
	groups := gidRelation(record.Name+"_gid", record.Groups, record.hasUnits(), p.Release)
	groups.load = loadedPart(r, p, gidPart, columnBytes, groups.load)
	if p.large {
		r.paged(groups, record, len(record.Fragments)-1, shown.GroupColumns)
	}
	p.tables = append(p.tables, groups)
	if record.Model != nil {
		p.tables = append(p.tables, modelRelation(record))
	}
	if record.Completion != nil {
		p.tables = append(p.tables, r.completedRelationOf(p, view.schema))
	}
	return p, nil
}

// read loads a release outside the session's transaction, which may be older than the release.
func (r *Releases) read(ctx *sql.Context, p *Published) (_ *estimate.Prepared, err error) {
	if p.record.Place != nil {
		return r.readElsewhere(ctx, p.record)
	}
	var release *anonymize.Release
	read := func(tx *dbsql.Conn) (err error) {
		release, err = readRelease(ctx, tx, p.record)
		return err
	}
	if r.supply != nil {
		release, err = r.receivedRelease(ctx, p)
	} else {
		err = r.catalog.View(ctx.Context, read)
	}
	if err != nil {
		return nil, err
	}
	return estimate.Prepare(release), nil
}

// All returns the releases that the session may see, oldest first.
func (r *Releases) All(ctx *sql.Context) []*Published {
	return slices.DeleteFunc(slices.Clone(r.snapshotOf(ctx).releases), func(p *Published) bool { return !r.visible(ctx, p) })
}

// Find returns the release of that name if the session may see it.
func (r *Releases) Find(ctx *sql.Context, name string) (*Published, error) {
	return r.FindOr(ctx, name, func(*Published) bool { return false })
}

// FindOr is Find, but also finds a release if more says that the session may know of it.
func (r *Releases) FindOr(ctx *sql.Context, name string, more func(*Published) bool) (*Published, error) {
	var names []string
	for _, p := range r.snapshotOf(ctx).releases {
		named := strings.EqualFold(p.record.Name, name)
		if !r.visible(ctx, p) && !(named && more(p)) {
			continue
		}
		if named {
			return p, nil
		}
		names = append(names, p.record.Name)
	}
	return nil, errNoRelease(name, names...)
}

// errNoRelease suggests one of the names that the session may see.
func errNoRelease(name string, names ...string) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("there is no release %q: SELECT name FROM anonsql.releases lists them%s", name, anonymize.DidYouMean(name, names))}
}

// visible reports whether the session may see a release: grants on the database published
// govern public ones; private ones are only for sessions that may read the raw table.
func (r *Releases) visible(ctx *sql.Context, p *Published) bool {
	return !p.record.Private || r.mayReadSource(ctx, p.record)
}

// newView makes the view of a release. Its rows are completed table 1, or if there is none, a table drawn from the release's probability model.
// The draw depends only on what is published, so it is always the same.
func (r *Releases) newView(p *Published) (*PublishedView, error) {
	view := &PublishedView{published: p, releases: r}
	view.Relation = Relation{database: PublishedDatabaseName, name: p.record.Name, comment: p.record.comment(), rows: p.record.Rows - p.record.Forged}
	if p.sampled {
		view.rows = p.record.Place.Preview.Rows
		view.comment += fmt.Sprintf(", of a sample of whole groups with %d of %d records", view.rows, p.record.Rows)
	}
	for _, name := range p.record.Columns {
		described, ok := p.record.column(name)
		if !ok {
			return nil, fmt.Errorf("column %s is in no fragment", name)
		}
		described.Point = true // a drawn cell is a value
		column, err := publishedColumn(p.record.Name, described)
		if err != nil {
			return nil, err
		}
		column.Comment = p.record.columnComment(name)
		view.schema = append(view.schema, column)
	}
	attributes := view.schema
	view.attributes = loadedPart(r, p, previewPart, r.previewBytes, func(ctx *sql.Context) ([]shown.Column, error) { return r.preview(ctx, p, attributes) })
	view.schema, view.load = append(slices.Clip(attributes), p.record.unitColumns()...), view.withUnits
	return view, nil
}

func (r *Releases) preview(ctx *sql.Context, p *Published, schema sql.Schema) ([]shown.Column, error) {
	if r.supply != nil && p.record.Place == nil {
		return r.receivedPreview(ctx, p, schema)
	}
	if !p.sampled {
		tables, err := p.Completed(ctx)
		if err != nil {
			return nil, err
		}
		if tables != nil && tables.Completion() != nil {
			return firstTable(tables, schema)
		}
	}
	release, err := r.drawnFrom(ctx, p)
	if err != nil {
		return nil, err
	}
	drawn := estimate.Draw(release, rand.NewPCG(uint64(p.record.Version), uint64(p.record.Rows)))
	columns := make([]shown.Column, len(schema))
	for i, c := range schema {
		column := drawn.Column(c.Name)
		boxed, err := shown.Dictionary(column.Dictionary, c.Type)
		if err != nil {
			return nil, err
		}
		columns[i] = shown.Column{Codes: column.Codes, Boxed: boxed}
	}
	return columns, nil
}

// drawnFrom returns the release from which a preview's rows are drawn: the whole release, or some groups of a large one.
func (r *Releases) drawnFrom(ctx *sql.Context, p *Published) (*anonymize.Release, error) {
	if p.sampled {
		return r.sampled(ctx, p.record)
	}
	return p.Release(ctx)
}

// hasUnits reports whether the relations have numbers of units.
func (r *ReleaseRecord) hasUnits() bool { return len(r.Unit) > 0 }

// column returns the description of a column.
func (r *ReleaseRecord) column(name string) (FragmentColumnRecord, bool) {
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			if c.Name == name {
				return c, true
			}
		}
	}
	return FragmentColumnRecord{}, false
}

// RelationNames lists the names under which a release appears, the view first.
func (r *ReleaseRecord) RelationNames() []string {
	names := []string{r.Name}
	for _, f := range r.Fragments {
		names = append(names, r.Name+"_"+f.Name)
	}
	names = append(names, r.Name+"_gid")
	if r.Model != nil {
		names = append(names, r.ModelName())
	}
	if r.Completion != nil {
		names = append(names, r.ImputedName())
	}
	return names
}

// A statement sees the releases as of its first request. Otherwise a refresh between the
// binding of two names could mix relations of different versions.

// snapshotOf returns the releases for the running statement; without a session, the present ones.
func (r *Releases) snapshotOf(ctx context.Context) *releaseSnapshot {
	s := r.catalog.SessionOf(ctx)
	if s == nil {
		return r.current.Load()
	}
	return s.OfStatement(func() any { return r.current.Load() }).(*releaseSnapshot)
}

// lock takes the turn of those who change releases, or ends with ctx. Their statement sees the
// releases as they are from then on, and after unlock as it has made them.
func (r *Releases) lock(ctx *sql.Context) (unlock func(), err error) {
	select {
	case r.publishing <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	forget := func() {
		if s := r.catalog.SessionOf(ctx); s != nil {
			s.ForgetOfStatement()
		}
	}
	forget()
	return func() {
		forget()
		gone := r.gone
		r.gone = nil
		<-r.publishing
		r.dropElsewhere(ctx, gone) // an engine may take its time
	}, nil
}
