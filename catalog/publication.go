package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Publication is a release to store.
type Publication struct {
	Record ReleaseRecord // ID, Version, Published are filled in, and Fragments, Rows, Groups by Release
	// Release is nil if an engine keeps the relations (Record.Place).
	Release *anonymize.Release
	// Move moves those to where readers may be, and then stores the release. On an error it leaves nothing there. nil stores.
	Move func(store func() error) error
	// Completion are the completed tables, which Record.Completion describes; nil for none.
	Completion *anonymize.Completion
	Replace    bool // replace the table's public release
	// AllowComposition permits a second public release of the table.
	AllowComposition bool
	// Records are columns of the raw table, released or not, to compare with those of other tables' public releases. More columns recognise
	// copies more reliably. nil means no comparison.
	Records []*anonymize.Column
	// Live is the private side of a release that follows its table, nil for others; Record.Live describes it. History is opaque data that the
	// verifier of the sequence of versions needs the next time.
	Live    *anonymize.Live
	History []byte
	// Key identifies the records of a table that another server keeps.
	Key *source.Key
	// Spends is what a model with noise spends of the owner's limit; nil without one. It is known before the release is.
	Spends *Spending
}

// Publish stores a release in one transaction: it exists whole or not at all. The admission is checked again, now that records and relations
// are known: before the turn, since it may take its time and ask an owner's server, and with nobody else publishing.
func (r *Releases) Publish(ctx *sql.Context, a *Admission) (_ *ReleaseRecord, err error) {
	p := a.publication
	if a.records == nil {
		if a.records, err = r.sketch(ctx, p); err != nil {
			return nil, err
		}
	}
	a.records.mayRead = make(map[int64]bool)
	if err := a.Check(ctx); err != nil {
		return nil, err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := a.Check(ctx); err != nil {
		return nil, err
	}
	if p.Live != nil {
		if err := r.refuseOpenWrites(ctx); err != nil {
			return nil, err
		}
	}
	record := p.Record
	record.Version, record.Composed = 1, a.composed
	for _, old := range a.Replaced {
		record.Version, record.Composed = max(record.Version, old.record.Version+1), record.Composed || old.record.Composed
	}
	if err := p.complete(&record, r.Now()); err != nil {
		return nil, err
	}
	if p.Move == nil {
		p.Move = func(store func() error) error { return store() }
	}
	if err := p.Move(func() error { return r.storeAdmitted(ctx, a, &record) }); err != nil {
		return nil, err
	}
	return &record, nil
}

// storeAdmitted stores an admitted release and deletes what it replaces.
func (r *Releases) storeAdmitted(ctx *sql.Context, a *Admission, record *ReleaseRecord) error {
	p, sketched := a.publication, []byte{} // the records of an imported release are not known here
	if a.records != nil {
		sketched = a.records.sketched
	}
	column := r.spentColumn(p, record)
	return r.exchange(ctx, &exchange{comes: record, release: p.Release, goes: a.Replaced, write: func(tx *dbsql.Conn) error {
		if err := p.insert(ctx, tx, record); err != nil {
			return err
		}
		if err := p.recordSpending(ctx, tx, record, column); err != nil {
			return err
		}
		return recordPublication(ctx, tx, record, sketched)
	}})
}

// complete sets the fields that the release determines.
func (p *Publication) complete(record *ReleaseRecord, now time.Time) error {
	if (p.Release == nil) != (record.Place != nil) {
		return errors.New("the relations of a release are in the catalog, or where an engine keeps them")
	}
	if p.Release != nil && (p.Release.Units != nil) != record.hasUnits() {
		return errors.New("a release that has units has the names of their columns in its description, and no other has")
	}
	if p.Release != nil {
		record.describe(p.Release)
	}
	if err := p.checkSpending(record.Model); err != nil {
		return err
	}
	record.Published = now.UTC().Truncate(time.Second)
	if drawn := record.Place != nil && record.Place.Tables > 0; (p.Completion != nil || drawn) != (record.Completion != nil) || p.Completion != nil && drawn {
		return errors.New("a release that is completed has both completed tables and their description")
	}
	if elsewhere := p.Live != nil && raw.IsMirror(record.Database); elsewhere != (p.Key != nil) {
		return errors.New("a release that follows a table of another server knows its records by a key, and no other does")
	}
	if (p.Live == nil) != (record.Live == nil) {
		return errors.New("a release that follows its table has both a private side and its description")
	}
	if p.Live == nil {
		return nil
	}
	described := *record.Live
	record.Live = &described
	record.Live.Earlier = false
	record.Live.count(p.Live)
	if forged := record.Live.Forged(); forged != record.Forged {
		return fmt.Errorf("the release says that %d records are counterfeits, its private side has %d", record.Forged, forged)
	}
	return nil
}

// insert stores the release and its private side within a transaction.
func (p *Publication) insert(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord) (err error) {
	if p.Live != nil {
		if err := p.checkLineage(tx, record); err != nil {
			return err
		}
	}
	if record.ID, err = insertRelease(ctx, tx, record, p.Release); err != nil {
		return err
	}
	if p.Completion != nil {
		if err := insertCompletion(ctx, tx, record.ID, p.Completion); err != nil {
			return err
		}
	}
	if p.Live == nil {
		return nil
	}
	return insertLive(ctx, tx, record.ID, privateSide{p.Live, p.History, p.Key})
}

// Drop deletes a release, and if it follows its table also its earlier versions; an earlier
// version is deleted alone. The caller checks that the session may do this; a release that took p's name since stays.
func (r *Releases) Drop(ctx *sql.Context, p *Published) (*ReleaseRecord, error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now, err := r.CurrentOf(p)
	if err != nil {
		return nil, err
	}
	return now.record, r.exchange(ctx, &exchange{goes: append([]*Published{now}, r.current.Load().versions(now)...)})
}
