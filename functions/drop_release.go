package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/source"
)

var dropReleaseSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "status", Type: types.LongText},
}

// CALL drop_release('adult') deletes a release with its view and relations. It
// needs what publishing needs, or is called by who made a release whose table is gone (needs): who
// only reads cannot take it away from others. Tables of it on the owner's server (store=upstream) go first.
func (e *Environment) dropRelease(ctx *sql.Context, name string) (sql.RowIter, error) {
	p, err := e.releaseToWithdraw(ctx, name)
	if err != nil {
		return nil, err
	}
	kept, names := p.Kept(), p.Record().RelationNames()
	if _, reached := source.HomeOf(ctx).(source.Keeper); kept != nil && reached {
		if err := e.discard(ctx, kept, names); err != nil {
			return nil, err
		}
	}
	record, err := e.Releases.Drop(ctx, p.Record().Name)
	if err != nil {
		return nil, err
	}
	if kept != nil && source.HomeOf(ctx) == nil {
		warnOfKept(ctx, e.discard(ctx, kept, names))
	}
	return sql.RowsToRowIter(sql.Row{record.Name, "dropped"}), nil
}
