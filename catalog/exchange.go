package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// An exchange is the change that a publication, refresh, import or drop makes to the list of releases: at most one release comes, others go. It
// happens first in the file, in one transaction, and then in memory. Running statements keep their releases.
type exchange struct {
	comes   *ReleaseRecord     // nil for none
	release *anonymize.Release // the one that comes, nil if an engine keeps its relations
	goes    []*Published       // these are deleted
	changed *Published         // this one gets another description; nil for none
	becomes *ReleaseRecord     // the other description
	// write stores the release that comes; nil for none.
	write func(tx *dbsql.Conn) error
}

// exchange must be called with the lock held. After an error nothing is stored, because it prepares the next snapshot before the commit.
func (r *Releases) exchange(ctx *sql.Context, x *exchange) error {
	r.unfollowed.Range(func(id, _ any) bool { return r.Unfollow(ctx, id.(int64)) == nil })
	next, err := r.releasesAfter(x)
	if err != nil {
		return err
	}
	r.keep(ctx, x.goes)
	old := x.goes
	if x.changed != nil {
		r.keep(ctx, []*Published{x.changed})
		old = append(slices.Clip(old), x.changed)
	}
	for _, p := range old {
		p.leaving.Store(true)
	}
	if err := r.catalog.Update(ctx, func(tx *dbsql.Conn) error { return x.store(ctx, tx) }); err != nil {
		for _, p := range old {
			p.leaving.Store(false)
		}
		return err
	}
	r.forget(old...)
	for _, p := range next {
		if p.record == x.comes && x.release != nil {
			r.remember(p, x.release)
		} else if p.record == x.becomes && x.changed.pinned.Load() != nil {
			r.remember(p, x.changed.pinned.Load().Release())
		}
	}
	r.show(next)
	if x.comes != nil {
		r.catalog.watcher.markDue(x.comes.SourceTable)
	}
	r.gone = x.goes
	return nil
}

// releasesAfter returns the releases after an exchange, oldest first.
func (r *Releases) releasesAfter(x *exchange) (next []*Published, err error) {
	for _, p := range r.current.Load().releases {
		if p == x.changed {
			if p, err = r.newPublished(x.becomes); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(x.goes, p) {
			next = append(next, p)
		}
	}
	if x.comes == nil {
		return next, nil
	}
	fresh, err := r.newPublished(x.comes)
	return append(next, fresh), err
}

// store applies the exchange to the file in a transaction, while a client waits.
func (x *exchange) store(ctx context.Context, tx *dbsql.Conn) error {
	if err := deleteReleases(ctx, tx, x.goes); err != nil {
		return err
	}
	if x.write != nil {
		if err := x.write(tx); err != nil {
			return err
		}
	}
	return settle(ctx)
}

// remember caches a release that was just stored, or described anew.
func (r *Releases) remember(p *Published, release *anonymize.Release) {
	stored := estimate.Prepare(&anonymize.Release{Method: release.Method, Rows: release.Rows,
		GroupSizes: release.GroupSizes, Units: release.Units, Fragments: release.Fragments, Forged: release.Forged, Model: release.Model})
	r.catalog.Cache().Put(releaseKey(p, preparedPart), 0, stored, r.preparedBytes(stored))
}

type settlerKey struct{}

// A Settler represents the statement that waits for the commit of a release.
type Settler struct {
	// Settle is called before the commit: an error ends the statement, and nothing is stored. After nil, nothing may fail the statement.
	Settle func(context.Context) error
	// Late is closed if something tries to end the statement after that. Nil means that nothing ever does.
	Late func() <-chan struct{}
}

// WithSettler returns a context whose statement is settled before it commits a release.
func WithSettler(ctx context.Context, settler Settler) context.Context {
	return context.WithValue(ctx, settlerKey{}, settler)
}

// settle is the last step of a transaction for which a client waits.
func settle(ctx context.Context) error {
	if settler, ok := ctx.Value(settlerKey{}).(Settler); ok {
		return settler.Settle(ctx)
	}
	return ctx.Err()
}

// ErrLate is the cause of the end of an AfterCommit context.
var ErrLate = errors.New("the statement was to end")

// AfterCommit returns a context for optional work of a statement after the commit of its
// release: it ends when the statement should end. The caller must call release after the work.
func AfterCommit(ctx context.Context) (behind context.Context, release func()) {
	behind, cancel := context.WithCancelCause(ctx)
	settler, ok := ctx.Value(settlerKey{}).(Settler)
	if !ok || settler.Late == nil {
		return behind, func() { cancel(nil) }
	}
	late := settler.Late()
	select {
	case <-late:
		cancel(ErrLate)
	default:
		go func() {
			select {
			case <-late:
				cancel(ErrLate)
			case <-behind.Done():
			}
		}()
	}
	return behind, func() { cancel(nil) }
}
