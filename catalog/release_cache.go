package catalog

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/cache"
	"github.com/anonsql/anonsql/catalog/columnar"
	"github.com/anonsql/anonsql/catalog/shown"
)

// Loaded releases, the rows of their relations and their previews share one cache and its limit
// with the columnar copies of raw tables. A release has these parts in it:
const (
	preparedPart = iota // the fragments, ready for questions
	previewPart         // the rows of the view
	gidPart             // the rows of _gid
	tablesPart          // the completed tables, ready for questions
	segmentPart         // the first segment; others follow

	fragmentPart = segmentPart + int(segments) // the first fragment's relation; others follow
)

// releaseKey is the cache key of a part. Storage numbers of raw tables are positive.
func releaseKey(p *Published, part int) cache.Key {
	return cache.Key{Storage: -p.number, Column: int64(part), Chunk: cache.WholeColumn}
}

// loadedPart returns a function that loads a part of a release if it is not in the cache. Concurrent callers load it once. A failed load is
// retried, since the next caller's context may live longer. What is missing of a deleted release is no damage.
func loadedPart[T any](r *Releases, p *Published, part int, bytes func(T) int64, load func(*sql.Context) (T, error)) func(*sql.Context) (T, error) {
	turn, key := make(chan struct{}, 1), releaseKey(p, part) // a lock for loading; waiting for an engine can be interrupted
	return func(ctx *sql.Context) (fresh T, err error) {
		if kept, ok := r.catalog.Cache().Get(key, 0).(T); ok {
			return kept, nil
		}
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return fresh, context.Cause(ctx)
		}
		defer func() { <-turn }()
		if kept, ok := r.catalog.Cache().Get(key, 0).(T); ok {
			return kept, nil
		}
		if fresh, err = load(ctx); err == nil {
			r.catalog.Cache().Put(key, 0, fresh, bytes(fresh))
			if p.deleted.Load() { // forget may have run before
				r.catalog.Cache().Drop(key)
			}
		} else if p.leaving.Load() && ctx.Err() == nil {
			err = ErrHandedGone
		}
		return fresh, err
	}
}

// preparedBytes returns the greatest memory of a release.
func (r *Releases) preparedBytes(p *estimate.Prepared) int64 {
	return r.ownBytes(codeBytes(p.Release())) + dictionaryBytes(p.Release()) + p.MaxBytes()
}

// tablesBytes returns the memory of completed tables.
func (r *Releases) tablesBytes(c *estimate.Completed) int64 {
	if c == nil || c.Completion() == nil { // an engine holds them
		return 0
	}
	places := c.Completion().Bytes()
	return c.Bytes() - places + r.ownBytes(places)
}

// previewBytes returns the memory of the rows of a view.
func (r *Releases) previewBytes(columns []shown.Column) int64 {
	codes := int64(0)
	for _, c := range columns {
		codes += 4 * int64(len(c.Codes))
	}
	return columnBytes(columns) - codes + r.ownBytes(codes)
}

// ownBytes returns the memory of arrays in this process. It is 0 where another process holds and counts them.
func (r *Releases) ownBytes(bytes int64) int64 {
	if r.supply != nil {
		return 0
	}
	return bytes
}

func codeBytes(r *anonymize.Release) int64 {
	total := 4 * int64(len(r.GroupSizes)+len(r.Units))
	for _, f := range r.Fragments {
		total += 4 * int64(len(f.GroupStart)+len(f.Count)+len(f.Units)+len(f.Columns)*f.Tuples())
	}
	return total
}

func dictionaryBytes(r *anonymize.Release) int64 {
	total := int64(0)
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			for _, v := range c.Dictionary {
				total += 48 + int64(len(v.Text))
			}
			if !c.IsPoint() {
				total += 4 * int64(len(c.Dictionary)) // the one list that contiguous cells slice
			}
			for _, cell := range c.Cells {
				total += 64 + int64(len(cell.Label)+8*len(cell.Weights))
				if !columnar.IsStretch(cell.Members) {
					total += 4 * int64(len(cell.Members))
				}
			}
		}
	}
	return total
}

// columnBytes returns the memory of a relation's rows: their codes, and one boxed value per distinct value.
func columnBytes(columns []shown.Column) int64 {
	total := int64(0)
	for _, c := range columns {
		total += 4*int64(len(c.Codes)) + 40*int64(len(c.Boxed))
	}
	return total
}

// keep pins a release that is about to be deleted, and its earlier versions, for statements that still read them. It loads the release itself
// if it must, unless an engine holds it; it ignores a failure, since no statement can then read the release. Earlier versions are many and
// seldom read, so keep pins only the loaded ones.
func (r *Releases) keep(ctx *sql.Context, deleted []*Published) {
	for i, p := range deleted {
		prepared, ok := r.catalog.Cache().Get(releaseKey(p, preparedPart), 0).(*estimate.Prepared)
		if !ok && i == 0 && p.record.Place == nil {
			fresh, err := p.Prepared(ctx)
			prepared, ok = fresh, err == nil
		}
		if ok {
			p.pinned.Store(prepared)
		}
		tables, ok := r.catalog.Cache().Get(releaseKey(p, tablesPart), 0).(*estimate.Completed)
		if !ok && i == 0 && p.record.Place == nil {
			fresh, err := p.Completed(ctx)
			tables, ok = fresh, err == nil && fresh != nil
		}
		if ok {
			p.pinnedTables.Store(tables)
		}
	}
}

// forget drops deleted releases from the cache.
func (r *Releases) forget(deleted ...*Published) {
	for _, p := range deleted {
		p.deleted.Store(true)
		for part := range fragmentPart + len(p.record.Fragments) {
			r.catalog.Cache().Drop(releaseKey(p, part))
		}
	}
}
