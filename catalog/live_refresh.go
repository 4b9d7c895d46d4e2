package catalog

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
)

// Refresh publishes the next version of a release in one transaction. The version that pending was read from becomes an earlier one, for the
// owner, named <name>_v<version>. The new one takes its name and its readers. The changes in pending are forgotten; later ones are kept.
// Statements that use the old version keep it.
//
// Name, table, lineage and visibility are those of the old version. p's Record.Live may be nil, which means the old one's.
func (r *Releases) Refresh(ctx *sql.Context, pending *Pending, p *Publication) (*ReleaseRecord, error) {
	old, unlock, err := r.lockCurrent(ctx, pending)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if r.forgetsOf(pending.Record.Name).Load() != pending.forgets {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"another refresh of release %s found meanwhile that changes which this one has read change nothing: nothing is lost, refresh it again", pending.Record.Name)}
	}
	record, err := old.next(p, r.Now())
	if err != nil {
		return nil, err
	}
	if err := r.refuseOverspent(ctx, record, p); err != nil {
		return nil, err
	}
	retired, column := old.retired(), r.spentColumn(p, record)
	if err := r.current.Load().refreshNames(old, record, retired); err != nil {
		return nil, err
	}
	return record, r.exchange(ctx, &exchange{comes: record, release: p.Release, changed: old, becomes: retired, write: func(tx *dbsql.Conn) error {
		if err := retire(ctx, tx, retired); err != nil {
			return err
		}
		if err := p.insert(ctx, tx, record); err != nil {
			return err
		}
		if err := p.recordSpending(ctx, tx, record, column); err != nil {
			return err
		}
		if err := continuePublication(ctx, tx, old.record.ID, record); err != nil {
			return err
		}
		return pending.consume(ctx, tx)
	}})
}

// Forget forgets the changes in pending without a new version, if the touched rows have the values that the release knows. Later changes are kept. If
// another call forgot some of them since, the next refresh reads the others.
func (r *Releases) Forget(ctx *sql.Context, pending *Pending) error {
	if len(pending.Changed.Key) == 0 {
		return nil
	}
	_, unlock, err := r.lockCurrent(ctx, pending)
	if err != nil {
		return err
	}
	defer unlock()
	if r.forgetsOf(pending.Record.Name).Load() != pending.forgets {
		return nil
	}
	defer r.forgetsOf(pending.Record.Name).Add(1) // after the commit: whoever sees the new count reads nothing that was forgotten
	return r.catalog.Update(ctx, func(tx *dbsql.Conn) error {
		if pending.Rewritten {
			if _, err := tx.ExecContext(ctx, `DELETE FROM live_state WHERE release_id = ?`, pending.Record.ID); err != nil {
				return err
			}
			if err := insertLive(ctx, tx, pending.Record.ID, privateSide{pending.Live, pending.History, pending.Key}); err != nil {
				return err
			}
		}
		return pending.consume(ctx, tx)
	})
}

func (r *Releases) forgetsOf(release string) *atomic.Int64 {
	count, _ := r.forgets.LoadOrStore(strings.ToLower(release), new(atomic.Int64))
	return count.(*atomic.Int64)
}

// lockCurrent takes the turn, and returns the release that pending was read from, unless another one took its place.
func (r *Releases) lockCurrent(ctx *sql.Context, pending *Pending) (current *Published, unlock func(), err error) {
	if err := r.refuseOpenWrites(ctx); err != nil {
		return nil, nil, err
	}
	if unlock, err = r.lock(ctx); err != nil {
		return nil, nil, err
	}
	for _, p := range r.current.Load().releases {
		if p.record.ID == pending.Record.ID && p.record.Follows() {
			return p, unlock, nil
		}
	}
	unlock()
	return nil, nil, pending.errOtherVersion()
}

func (p *Pending) errOtherVersion() error {
	return &anonymize.DataError{Reason: fmt.Sprintf("release %s was refreshed, replaced or dropped meanwhile: nothing is lost, refresh it again", p.Record.Name)}
}

// next describes the version that p becomes.
func (old *Published) next(p *Publication, now time.Time) (*ReleaseRecord, error) {
	before := old.record
	record := p.Record
	live := *before.Live
	if p.Record.Live != nil {
		live = *p.Record.Live
	}
	live.Lineage, live.Refreshed = before.Live.Lineage, now.UTC().Truncate(time.Second)
	record.Live = &live
	record.ID, record.Name, record.Version = 0, before.Name, before.Version+1
	record.SourceTable, record.Database, record.Table = before.SourceTable, before.Database, before.Table
	record.Private, record.Composed = before.Private, before.Composed
	return &record, p.complete(&record, now)
}

// retired returns the description as an earlier version.
func (old *Published) retired() *ReleaseRecord {
	record, live := *old.record, *old.record.Live
	live.Earlier = true
	record.Live, record.Private = &live, true
	record.Name = versionName(record.Name, record.Version)
	return &record
}

// refreshNames verifies that the names which a refresh adds are free.
func (s *releaseSnapshot) refreshNames(old *Published, records ...*ReleaseRecord) error {
	for _, record := range records {
		for _, name := range record.RelationNames() {
			if taken, ok := s.tables[strings.ToLower(name)]; ok && taken.of != old {
				return &anonymize.DataError{
					Reason: fmt.Sprintf("the refresh of %s needs the name published.%s, which is taken by another release", old.record.Name, name),
				}
			}
		}
	}
	return nil
}

// retire stores the description of an earlier version and deletes its private side.
func retire(ctx context.Context, tx *dbsql.Conn, record *ReleaseRecord) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE releases SET name = ?, record = ? WHERE id = ?`, record.Name, string(text), record.ID); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM live_state WHERE release_id = ?`, record.ID)
	return err
}

// consume deletes the changes that were read, except for rows that changed again, and remembers that their numbers were used.
func (p *Pending) consume(ctx context.Context, tx *dbsql.Conn) error {
	touched := p.touched
	if touched == nil {
		touched = &raw.Touched{}
	}
	err := raw.Lineage{ID: p.Record.Live.Lineage}.Forget(ctx, tx, touched)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return fault.Cannot("refresh release "+p.Record.Name, err)
}

// checkLineage verifies that the lineage of a release exists and records the columns that the release publishes.
func (p *Publication) checkLineage(tx *dbsql.Conn, record *ReleaseRecord) error {
	l, err := record.lineage(tx)
	if err != nil {
		return err
	}
	if l.Table != record.SourceTable {
		return fmt.Errorf("release %s does not follow the table that it is made of", record.Name)
	}
	for _, c := range p.Live.Columns {
		if !l.Follows(c.Name) {
			return fmt.Errorf("release %s does not follow its column %q", record.Name, c.Name)
		}
	}
	return nil
}

// deleteReleases deletes releases within a transaction, and the lineages of those that follow their tables.
func deleteReleases(ctx context.Context, tx *dbsql.Conn, deleted []*Published) error {
	if err := endPublications(ctx, tx, deleted); err != nil {
		return err
	}
	for _, p := range deleted {
		if err := deleteRelease(ctx, tx, p.record.ID); err != nil {
			return err
		}
		if p.record.Follows() {
			if err := raw.EndLineage(tx, p.record.Live.Lineage); err != nil {
				return err
			}
		}
	}
	return nil
}

// NoteProblem stores, for the owner, why an automatic refresh failed; "" clears it. The next successful refresh clears it, too.
func (r *Releases) NoteProblem(ctx *sql.Context, name, problem string) error {
	p, err := r.Named(name)
	if err != nil || !p.record.Follows() {
		return nil
	}
	return r.catalog.Update(ctx, func(tx *dbsql.Conn) error {
		return fault.Cannot("describe release "+name, raw.NoteProblem(tx, p.record.Live.Lineage, problem))
	})
}
