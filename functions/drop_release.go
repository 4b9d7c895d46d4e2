package functions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

var dropReleaseSchema = sql.Schema{
	{Name: "release", Type: types.LongText},
	{Name: "status", Type: types.LongText},
}

// CALL drop_release('adult') deletes a release with its view and relations. It needs the privileges of
// publishing; if the release's table is gone, its publisher may call it, too (needs). So a mere reader
// cannot drop it. Its tables on the owner's server (store=upstream) are dropped last: those that stay are leftovers.
func (e *Environment) dropRelease(ctx *sql.Context, name string) (sql.RowIter, error) {
	p, err := e.releaseToWithdraw(ctx, name)
	if err != nil {
		return nil, err
	}
	record, err := e.Releases.Drop(ctx, p)
	if err != nil {
		return nil, err
	}
	if kept := p.Kept(); kept != nil {
		warnOfKept(ctx, e.discard(ctx, kept, record.RelationNames()))
	}
	return sql.RowsToRowIter(sql.Row{record.Name, "dropped"}), nil
}
