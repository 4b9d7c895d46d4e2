package catalog

import (
	"context"
	"crypto/rand"
	dbsql "database/sql"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/shown"
	"github.com/anonsql/anonsql/catalog/source"
)

// The catalog stores the description of a release whose relations an engine keeps, with their place, in a transaction like any
// other. So such a release is complete or absent: relations without a description belong to nobody, and a sweep drops them.

// EngineIdentitySetting distinguishes this data directory from others that publish in the same
// engine. A backup has none, so a restored copy drops nothing of the original's.
const EngineIdentitySetting = "engine_identity"

// EngineIdentity returns the prefix of this data directory's relations in an engine: twelve hexadecimal digits, chosen at first use.
func (c *Catalog) EngineIdentity(ctx context.Context) (string, error) {
	kept, err := c.Setting(EngineIdentitySetting)
	if err != nil || len(kept) > 0 {
		return string(kept), err
	}
	var fresh [6]byte
	if _, err := rand.Read(fresh[:]); err != nil {
		return "", err
	}
	identity := hex.EncodeToString(fresh[:])
	return identity, c.SetSetting(ctx, EngineIdentitySetting, []byte(identity))
}

// KeepIn sets where relations outside the catalog are kept; call it before the first statement. nil means nowhere.
func (r *Releases) KeepIn(store source.RelationStore) error {
	r.elsewhere = store
	return r.readAll() // what is known of releases depends on it
}

// relationStore returns the store that has the relations of a release.
func (r *Releases) relationStore(record *ReleaseRecord) (source.RelationStore, error) {
	const restart = "start it with that engine (--engine, --engine-published-schema), or drop the release"
	switch at := record.Place.Engine; {
	case r.elsewhere == nil:
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the relations of release %s are in the engine %s, and this server has none: %s", record.Name, at, restart)}
	case r.elsewhere.Engine() != at:
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the relations of release %s are in the engine %s, and this server has %s: %s", record.Name, at, r.elsewhere.Engine(), restart)}
	}
	return r.elsewhere, nil
}

// isLarge reports whether a release exceeds the limit for reading from an engine: in records, or for ranges in rows of a relation.
func (r *Releases) isLarge(record *ReleaseRecord) bool {
	if !r.isSampled(record) {
		return false
	}
	most, ranges := 0, false
	for _, f := range record.Fragments {
		most = max(most, f.Tuples)
		ranges = ranges || slices.ContainsFunc(f.Columns, func(c FragmentColumnRecord) bool { return !c.Point })
	}
	return !ranges || most > r.elsewhere.Limit()
}

// isSampled reports whether an engine's release has more records than a view shows: then the view shows a sample of whole groups. A release
// whose completed tables are stored here was read to draw them, and is always read whole, so that its answers do not change with the limit.
func (r *Releases) isSampled(record *ReleaseRecord) bool {
	completedHere := record.Completion != nil && record.Place != nil && record.Place.Tables == 0
	return record.Place != nil && r.elsewhere != nil && record.Rows > r.elsewhere.Limit() && !completedHere
}

// readElsewhere prepares a release that an engine keeps: it reads it, or if it is large, lets the engine count.
func (r *Releases) readElsewhere(ctx context.Context, record *ReleaseRecord) (*estimate.Prepared, error) {
	store, err := r.relationStore(record)
	if err != nil {
		return nil, err
	}
	if r.isLarge(record) {
		shape, counts, err := store.Counts(ctx, *record.Place, record.placed())
		if err != nil {
			return nil, err
		}
		shape.Method, shape.Rows = record.Method, record.Rows
		return estimate.PrepareElsewhere(shape, record.Place.Sizes, counts)
	}
	release, err := store.Read(ctx, *record.Place, record.placed(), 1)
	if err != nil {
		return nil, err
	}
	release.Method, release.Model = record.Method, record.Model
	if release.Rows != record.Rows || release.Groups() != record.Groups {
		return nil, record.changedElsewhere("they have %d records in %d groups, published were %d in %d",
			release.Rows, release.Groups(), record.Rows, record.Groups)
	}
	if r.isSampled(record) {
		return estimate.PrepareTuples(release), nil
	}
	return estimate.Prepare(release), nil
}

// tablesElsewhere returns the completed tables that an engine has for a release; nil if there are none.
func (r *Releases) tablesElsewhere(ctx *sql.Context, p *Published) (*estimate.Completed, error) {
	at := p.record.Place
	if at.Tables == 0 {
		return nil, nil
	}
	if p.large {
		prepared, err := p.Prepared(ctx)
		if err != nil {
			return nil, err
		}
		return prepared.WithTablesElsewhere(at.Tables)
	}
	store, err := r.relationStore(p.record)
	if err != nil {
		return nil, err
	}
	shape, counts, err := store.Counts(ctx, *at, p.record.placed())
	if err != nil {
		return nil, err
	}
	shape.Method, shape.Rows = p.record.Method, p.record.Rows
	prepared, err := estimate.PrepareElsewhere(shape, at.Sizes, counts)
	if err != nil {
		return nil, err
	}
	return prepared.WithTablesElsewhere(at.Tables)
}

// changedElsewhere returns the error for relations that differ from what was published.
func (r *ReleaseRecord) changedElsewhere(how string, values ...any) error {
	return fault.Explained("read release "+r.Name, fault.Damaged("its relations in the engine "+r.Place.Engine, fmt.Errorf(how, values...)))
}

// IsLarge reports whether an engine keeps relations that are too large to read, so that it counts them.
func (p *Published) IsLarge() bool { return p.large }

// Recomputed returns the guarantees of a large release, which its engine recomputes from all groups.
func (r *Releases) Recomputed(ctx context.Context, p *Published) ([]anonymize.Guarantee, error) {
	store, err := r.relationStore(p.record)
	if err != nil {
		return nil, err
	}
	return store.Guarantees(ctx, *p.record.Place, p.record.placed(), p.record.wanted())
}

// wanted returns what the release promises.
func (r *ReleaseRecord) wanted() source.Wanted {
	return source.Wanted{Method: r.Method, Parameters: r.Parameters, QuasiIdentifiers: r.QuasiIdentifiers, Sensitive: r.Sensitive,
		Asked: privacy.Asked(r.Guarantees)}
}

// SubTuples counts the combinations of values of a fragment of a large release in its engine: those of exactly one record, and all.
func (r *Releases) SubTuples(ctx context.Context, p *Published, fragment string) (once, distinct int, err error) {
	store, err := r.relationStore(p.record)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range p.record.placed() {
		if f.Name == fragment {
			return store.SubTuples(ctx, *p.record.Place, f)
		}
	}
	return 0, 0, fmt.Errorf("release %s has no fragment %s", p.record.Name, fragment)
}

// GroupSizes returns the group sizes of a release that an engine keeps.
func (p *Published) GroupSizes() []estimate.GroupSize { return p.record.Place.Sizes }

// errTooLarge refuses operations that read all of a release that is only counted.
func (p *Published) errTooLarge() error {
	return &anonymize.DataError{
		Reason: fmt.Sprintf(
			"the relations of release %s have %d records in the engine, more than are read (--engine-rows): aggregates over published.%s are answered there, "+
				"its relations published.%s_gid and others are read page by page, and what needs all of them at once is refused: start the server with a larger --engine-rows, or publish a view of fewer rows",
			p.record.Name, p.record.Rows, p.record.Name, p.record.Name),
	}
}

// sampled returns the part of a large release whose rows readers see.
func (r *Releases) sampled(ctx context.Context, record *ReleaseRecord) (*anonymize.Release, error) {
	store, err := r.relationStore(record)
	if err != nil {
		return nil, err
	}
	release, err := store.Read(ctx, *record.Place, record.placed(), record.Place.Preview.Every)
	if err == nil && release.Rows != record.Place.Preview.Rows {
		err = record.changedElsewhere("its preview has %d records, published were %d", release.Rows, record.Place.Preview.Rows)
	}
	return release, err
}

// paged makes a relation of a large release readable in pages, from the fragment at position. Nothing is cached, and groups are numbered as in
// a release that is read whole. columns converts a page; first is the number of its first group.
func (r *Releases) paged(relation *Relation, record *ReleaseRecord, position int, columns func(page *anonymize.Fragment, first int) ([]shown.Column, error)) {
	relation.pages = func(ctx *sql.Context) (shown.NextPage, error) {
		store, err := r.relationStore(record)
		if err != nil {
			return nil, err
		}
		read, err := store.Pages(ctx, *record.Place, record.placed()[position])
		if err != nil {
			return nil, err
		}
		groups := 0
		return func() ([]shown.Column, error) {
			page, err := read()
			if page == nil || err != nil {
				if err == nil && groups != record.Groups {
					err = record.changedElsewhere("the relation %s has %d groups, published were %d", record.Fragments[position].Name, groups, record.Groups)
				}
				return nil, err
			}
			first := groups
			groups += page.Groups()
			return columns(page, first)
		}, nil
	}
}

// drawnPages reads the rows of an engine's completed tables first to last as columns of a schema. It caches nothing.
func (r *Releases) drawnPages(record *ReleaseRecord, schema sql.Schema, first, last int) func(*sql.Context) (shown.NextPage, error) {
	return func(ctx *sql.Context) (shown.NextPage, error) {
		store, err := r.relationStore(record)
		if err != nil {
			return nil, err
		}
		draw, next := first, (func() (*anonymize.Fragment, error))(nil)
		return func() ([]shown.Column, error) {
			for ; draw <= last; draw, next = draw+1, nil {
				if next == nil {
					if next, err = store.Pages(ctx, *record.Place, source.DrawnRows(*record.Place, record.placed(), draw)); err != nil {
						return nil, err
					}
				}
				page, err := next()
				if err != nil || page != nil {
					return drawnColumns(page, schema, draw, err)
				}
			}
			return nil, nil
		}, nil
	}
}

// drawnColumns returns the columns of a page of a completed table by a schema; a column that the page lacks is the number of the table.
func drawnColumns(page *anonymize.Fragment, schema sql.Schema, draw int, err error) ([]shown.Column, error) {
	if err != nil {
		return nil, err
	}
	columns := make([]shown.Column, len(schema))
	for i, c := range schema {
		at := page.Column(c.Name)
		if at < 0 {
			columns[i] = shown.Column{Codes: make([]uint32, page.Tuples()), Boxed: []any{int64(draw)}}
			continue
		}
		boxed, err := shown.Dictionary(page.Columns[at].Dictionary, c.Type)
		if err != nil {
			return nil, err
		}
		columns[i] = shown.Column{Codes: page.Columns[at].Codes, Boxed: boxed}
	}
	return columns, nil
}

// placed returns the fragments as the engine keeps them.
func (r *ReleaseRecord) placed() []source.Fragment {
	fragments := make([]source.Fragment, len(r.Fragments))
	for i, f := range r.Fragments {
		fragments[i] = source.Fragment{Name: f.Name, Role: f.Role, Tuples: f.Tuples}
		for _, c := range f.Columns {
			fragments[i].Columns = append(fragments[i].Columns, source.FragmentColumn{Name: c.Name, Type: c.Type, Ranges: !c.Point})
		}
	}
	return fragments
}

// Write copies the description of relations that an engine keeps.
func (r *ReleaseRecord) Write(w *source.Written) {
	r.Place, r.Rows, r.Groups, r.Digests, r.Facts = &w.Place, w.Rows, w.Groups, w.Digests, w.Facts
	r.Fragments = nil
	for _, f := range w.Fragments {
		described := FragmentRecord{Name: f.Name, Role: f.Role, Tuples: f.Tuples}
		for _, c := range f.Columns {
			described.Columns = append(described.Columns, FragmentColumnRecord{Name: c.Name, Type: c.Type, Point: !c.Ranges})
		}
		r.Fragments = append(r.Fragments, described)
	}
}

// DropPatience bounds how long a statement waits for an engine to drop relations.
const DropPatience = time.Minute

// dropElsewhere drops the relations of releases that the catalog has deleted. What it cannot
// drop now is swept later, or stays, and the statement says so.
func (r *Releases) dropElsewhere(ctx *sql.Context, gone []*Published) {
	for _, p := range gone {
		if p.record.Place == nil {
			continue
		}
		if err := r.dropPlace(ctx, p.record); err != nil {
			ctx.Warn(mysql.ERUnknownError, "%s", err.Error())
		}
	}
}

func (r *Releases) dropPlace(ctx *sql.Context, record *ReleaseRecord) error {
	at := record.Place
	left := fmt.Sprintf("the relations of release %s are left in the engine %s: tables with %s in their names", record.Name, at.Engine, at.Name)
	store, err := r.relationStore(record)
	if err != nil {
		return fmt.Errorf("%s. This server cannot drop them", left)
	}
	if !store.Keeps(*at) {
		return fmt.Errorf("%s. They belong to the data directory of which this one is a copy", left)
	}
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), DropPatience)
	defer cancel()
	if err := store.Drop(waiting, *at, record.placed()); err != nil {
		r.AskSweep()
		return fmt.Errorf("%s. The server drops them when it can (%w)", left, err)
	}
	return nil
}

// AskSweep requests another run of SweepWhenAsked.
func (r *Releases) AskSweep() {
	select {
	case r.toSweep <- struct{}{}:
	default: // it is requested already
	}
}

// Pauses between two attempts to sweep.
const firstPause, longestPause = 5 * time.Second, 10 * time.Minute

// latePause outlasts a statement whose connection was lost: the engine abandons it after some 5 minutes, our client after 10.
const latePause = 15 * time.Minute

// SweepWhenAsked drops what killed publications left in the engine, first at once and then at each request, each time
// again after latePause, until ctx ends. It retries if the engine does not answer. swept receives what was dropped, and errors.
func (r *Releases) SweepWhenAsked(ctx context.Context, swept func(dropped []string, err error)) {
	if r.elsewhere == nil {
		return
	}
	pause, late := firstPause, true
	for {
		dropped, err := r.sweep(ctx)
		if ctx.Err() != nil {
			return
		}
		if len(dropped) > 0 || err != nil {
			swept(dropped, err)
		}
		var again <-chan time.Time
		switch {
		case err != nil:
			again = time.After(pause)
			pause = min(2*pause, longestPause)
		case late:
			again = time.After(latePause)
			fallthrough
		default:
			late, pause = false, firstPause
		}
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-r.toSweep:
			late = true
		}
	}
}

// sweep is tried again also after a panic, which no statement hears of.
func (r *Releases) sweep(ctx context.Context) (dropped []string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("internal error: %v\n\n%s", cause, debug.Stack())
		}
	}()
	return r.elsewhere.Sweep(ctx, r.HasPlace)
}

// HasPlace reports whether a release of the file has relations with this name. If it cannot read the file, it returns true: they must stay.
func (r *Releases) HasPlace(name string) bool { return r.describes("$.Place.Name", name) }

// HasMark reports whether a release of the file has this mark of tables on an owner's server.
func (r *Releases) HasMark(mark string) bool { return r.describes("$.Kept.Mark", mark) }

// describes reports whether a stored release has a value in its description.
func (r *Releases) describes(path, value string) bool {
	found := true
	err := r.catalog.View(context.Background(), func(tx *dbsql.Conn) error {
		return tx.QueryRowContext(context.Background(), "SELECT EXISTS (SELECT 1 FROM releases WHERE json_extract(record, ?) = ?)", path, value).
			Scan(&found)
	})
	return err != nil || found
}
