package catalog

import (
	dbsql "database/sql"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/raw"
)

// A liveState has what anonsql.releases shows the owner of a release that follows its table, as
// SQL values; all NULL for other releases.
type liveState struct {
	pending     any // rows changed since; NULL if the following has ended, or another server keeps the table
	waiting     any
	updates     any
	autoRefresh any
	versions    any // kept versions of the release, including this one
	refreshed   any // NULL for the first version
	problem     any // why it cannot be refreshed, or why the last automatic refresh failed
}

func (r *Releases) liveState(ctx *sql.Context, p *Published) (state liveState, err error) {
	live := p.record.Live
	if live == nil {
		return state, nil
	}
	state.waiting, state.updates = int64(live.Waiting), live.Updates
	if !live.Refreshed.IsZero() {
		state.refreshed = live.Refreshed
	}
	if live.Earlier {
		return state, nil
	}
	state.autoRefresh = int64(live.AutoRefresh)
	state.versions = int32(1 + len(r.current.Load().versions(p)))
	err = r.catalog.View(ctx, func(tx *dbsql.Conn) error {
		l, err := p.record.lineage(tx)
		if ended, ok := errors.AsType[*anonymize.DataError](err); ok {
			state.problem = ended.Reason
			return nil
		}
		if err != nil {
			return err
		}
		if !raw.IsMirror(p.record.Database) {
			if state.pending, err = raw.CountTouched(tx, l.ID, -1); err != nil {
				return err
			}
		}
		problem, err := raw.Problem(tx, l.ID)
		if problem != "" {
			state.problem = problem
		}
		return err
	})
	return state, err
}
