package loaddata

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/catalog/raw"
)

// newSink begins the statement on its table: as a bulk load if the statement neither replaces nor skips rows with
// duplicate keys, otherwise row by row.
func newSink(ctx *sql.Context, insert *plan.InsertInto) (sink, error) {
	table, err := plan.GetInsertable(insert.Destination)
	if err != nil {
		return nil, err
	}
	raw, isRaw := table.(*raw.Table)
	if !isRaw || insert.IsReplace {
		return newEditor(ctx, table, insert.IsReplace)
	}
	if insert.Ignore {
		keyed, err := hasUniqueKey(ctx, raw)
		if err != nil {
			return nil, err
		}
		if keyed {
			return newEditor(ctx, table, false)
		}
	}
	loader, err := raw.BulkLoad(ctx)
	if err != nil {
		return nil, err
	}
	return &bulk{loader}, nil
}

func hasUniqueKey(ctx *sql.Context, table sql.Table) (bool, error) {
	for _, c := range table.Schema() {
		if c.PrimaryKey {
			return true, nil
		}
	}
	indexed, ok := table.(sql.IndexAddressable)
	if !ok {
		return false, nil
	}
	indexes, err := indexed.GetIndexes(ctx)
	if err != nil {
		return false, err
	}
	for _, index := range indexes {
		if index.IsUnique() {
			return true, nil
		}
	}
	return false, nil
}

// bulk is the sink for raw tables. It writes many rows in one statement of the store.
type bulk struct{ loader *raw.BulkLoader }

func (b *bulk) write(ctx *sql.Context, row sql.Row) (int, error) {
	return 0, b.loader.Append(ctx, row)
}

func (b *bulk) close(ctx *sql.Context) error { return b.loader.Close(ctx) }

// The statement fails with its cause. If the abort fails too, the session notices at the end of its transaction.
func (b *bulk) abort(ctx *sql.Context, _ error) { _ = b.loader.Abort(ctx) }
