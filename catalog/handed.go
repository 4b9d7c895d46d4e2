package catalog

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// A Handed is a release as it is handed over to a process that serves accounts which read releases only: what is public of it, and a number
// by which that process asks for its parts.
type Handed struct {
	Number int64
	Record ReleaseRecord // see [ReleaseRecord.Public]
}

// Hand lists what the session may know of the releases of which it sees a relation, as values.
func (r *Releases) Hand(ctx *sql.Context, sees func(relation string) bool) []Handed {
	var handed []Handed
	for _, p := range r.All(ctx) {
		if slices.ContainsFunc(p.record.RelationNames(), sees) {
			handed = append(handed, Handed{p.record.ID, *p.public})
		}
	}
	return handed
}

// Moment is the same as long as the releases that the statement sees are.
func (r *Releases) Moment(ctx *sql.Context) any { return r.snapshotOf(ctx) }

// ErrHandedGone says that a release is not there any more.
var ErrHandedGone = errors.New("the release was dropped, or published anew, while it was read")

// HandPart visits the chunks of a part of a release that was handed over. Which those are the caller knows. One that was dropped since is an error.
func (r *Releases) HandPart(ctx *sql.Context, part Part, visit func([]byte) error) error {
	err := r.withChunks(ctx, func(chunks chunks) error { return chunks(part, visit) })
	if err == nil && r.known(nil)[part.Release] == nil {
		return ErrHandedGone
	}
	return err
}

// A Supply reads a part of a release from where it was handed over.
type Supply func(ctx context.Context, part Part, visit func([]byte) error) error

// ReceivedReleases are those that [Releases.Receive] is given. Nobody may publish, since there is no table.
func ReceivedReleases(c *Catalog, canRead Access, supply Supply) *Releases {
	r := &Releases{catalog: c, canRead: canRead, now: time.Now, toSweep: make(chan struct{}, 1), supply: supply}
	c.releases.Store(r)
	r.current.Store(&releaseSnapshot{})
	return r
}

// Receive puts releases in the place of those that were handed over before. What is loaded of one that is still there stays; of one that is not
// any more, only running statements keep it.
func (r *Releases) Receive(handed []Handed) error {
	r.publishing.Lock()
	defer r.publishing.Unlock()
	before, records, known := r.known(nil), make([]*ReleaseRecord, len(handed)), map[int64]*Published{}
	for i, h := range handed {
		record := h.Record
		record.ID = h.Number
		records[i] = &record
		if p := before[h.Number]; p != nil && reflect.DeepEqual(p.record, &record) {
			known[h.Number] = p
			delete(before, h.Number)
		}
	}
	if err := r.show(records, known); err != nil {
		return err
	}
	for _, gone := range before {
		r.forget(gone)
	}
	return nil
}
