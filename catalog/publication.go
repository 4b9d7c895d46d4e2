package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A Publication is a release that is to be stored.
type Publication struct {
	Record  ReleaseRecord // ID, Version, Fragments, Published are filled in
	Release *anonymize.Release
	Replace bool // put it in the place of the table's public release
	// AllowComposition permits a second public release of the table.
	AllowComposition bool
	// Records are columns of the raw table, released or not: the more, the surer is
	// a copy recognised. They are compared with those of other tables' public
	// releases; nil for not.
	Records []*anonymize.Column
	// Live is the private side of a release that follows its table, nil for
	// others; Record.Live describes it. History is what the verifier of the
	// sequence of versions wants to know next time; it means nothing here.
	Live    *anonymize.Live
	History []byte
}

// Publish stores a release in one transaction: it exists whole or not at all.
func (r *Releases) Publish(ctx *sql.Context, p *Publication) (*ReleaseRecord, error) {
	c, err := r.candidate(ctx, p) // which takes its time: others may publish meanwhile
	if err != nil {
		return nil, err
	}
	defer r.lock(ctx)()
	replaced, err := r.Admit(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := r.admitCopy(ctx, p, c); err != nil {
		return nil, err
	}
	record := p.Record
	record.Version = 1
	for _, old := range replaced {
		record.Version = max(record.Version, old.record.Version+1)
	}
	if err := p.describe(&record, r.Now()); err != nil {
		return nil, err
	}
	if p.Live != nil {
		if err := r.refuseOpenWrites(ctx); err != nil {
			return nil, err
		}
	}
	fresh, err := r.newPublished(&record)
	if err != nil {
		return nil, err
	}
	r.keep(ctx, replaced)
	err = r.catalog.Update(ctx, func(tx *dbsql.Conn) error {
		if err := deleteReleases(ctx, tx, replaced); err != nil {
			return err
		}
		if err := p.insert(ctx, tx, &record); err != nil {
			return err
		}
		if err := recordPublication(ctx, tx, &record, c.sketched); err != nil {
			return err
		}
		return settle(ctx)
	})
	if err != nil {
		return nil, err
	}
	r.forget(replaced...)
	r.remember(p, &record)
	// The release is stored: the snapshot must follow even if the client left.
	if err := r.refresh(context.WithoutCancel(ctx), fresh); err != nil {
		return nil, err
	}
	r.catalog.watcher.due(record.SourceTable)
	return &record, nil
}

// describe fills in what the release itself says.
func (p *Publication) describe(record *ReleaseRecord, now time.Time) error {
	record.Fragments = fragmentRecords(p.Release)
	record.Rows, record.Groups, record.Forged = p.Release.Rows, p.Release.Groups(), p.Release.Forged
	record.Published = now.UTC().Truncate(time.Second)
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

// insert stores the release, and its private side, inside a transaction.
func (p *Publication) insert(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord) (err error) {
	if p.Live != nil {
		if err := p.checkLineage(tx, record); err != nil {
			return err
		}
	}
	if record.ID, err = insertRelease(ctx, tx, record, p.Release); err != nil || p.Live == nil {
		return err
	}
	return insertLive(ctx, tx, record.ID, p.Live, p.History)
}

// remember keeps a release that was just stored in memory.
func (r *Releases) remember(p *Publication, record *ReleaseRecord) {
	stored := estimate.Prepare(&anonymize.Release{Method: p.Release.Method, Rows: p.Release.Rows,
		GroupSizes: p.Release.GroupSizes, Fragments: p.Release.Fragments, Forged: p.Release.Forged})
	r.catalog.Cache().Put(releaseKey(record.ID, preparedPart), 0, stored, preparedBytes(stored))
}

// Drop deletes a release. With a release that follows its table go its earlier
// versions; an earlier version goes alone.
func (r *Releases) Drop(ctx *sql.Context, name string) (*ReleaseRecord, error) {
	defer r.lock(ctx)()
	p, err := r.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	dropped := append([]*Published{p}, r.current.Load().versions(p)...)
	r.keep(ctx, dropped)
	err = r.catalog.Update(ctx, func(tx *dbsql.Conn) error {
		if err := deleteReleases(ctx, tx, dropped); err != nil {
			return err
		}
		return settle(ctx)
	})
	if err != nil {
		return nil, err
	}
	r.forget(dropped...)
	return p.record, r.refresh(context.WithoutCancel(ctx), nil)
}

type settlerKey struct{}

// WithSettler returns a context whose statement is asked before it commits a release:
// an error of settle ends it, and nothing is stored. After nil, settle's owner must
// not end the statement any more.
func WithSettler(ctx context.Context, settle func(context.Context) error) context.Context {
	return context.WithValue(ctx, settlerKey{}, settle)
}

// settle is the last step of a transaction that a client waits for.
func settle(ctx context.Context) error {
	if settle, ok := ctx.Value(settlerKey{}).(func(context.Context) error); ok {
		return settle(ctx)
	}
	return ctx.Err()
}
