package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Follow begins to record which rows of a table change in the named columns, in
// a transaction of its own, so that the table can be read afterwards and no
// change is missed. Publish takes the lineage over with a release (LiveRecord);
// when there will be none, Unfollow ends it, and so does the next start.
//
// The session's snapshot ends here: ask the catalog for the table again. A
// session with uncommitted changes is refused.
func (r *Releases) Follow(ctx *sql.Context, table *raw.Table, columns []string) (id int64, err error) {
	if err := r.refuseOpenWrites(ctx); err != nil {
		return 0, err
	}
	return r.catalog.Follow(ctx, table, columns)
}

// refuseOpenWrites: what follows a table is of committed rows.
func (r *Releases) refuseOpenWrites(ctx *sql.Context) error {
	if s := r.catalog.SessionOf(ctx); s != nil && s.Writes() {
		return errors.New("a release that follows its table is not published inside a transaction that changes something: COMMIT or ROLLBACK first")
	}
	return nil
}

// Unfollow ends a lineage that has no release, also after the client has left.
// One that has a release goes on.
func (r *Releases) Unfollow(ctx *sql.Context, id int64) error {
	return r.catalog.Write(ctx.WithContext(context.WithoutCancel(ctx)), func(w *raw.Work) error {
		return endOrphans(w.Conn(), func(lineage int64) bool { return lineage == id })
	})
}

// dropOrphanLineages ends the lineages that have no release: the process was
// killed between Follow and Publish.
func dropOrphanLineages(tx *dbsql.Conn) error {
	return endOrphans(tx, func(int64) bool { return true })
}

// endOrphans ends those of the asked lineages that have no release.
func endOrphans(tx *dbsql.Conn, asked func(lineage int64) bool) error {
	published := make(map[int64]bool)
	err := sqlite.Each(tx, func(rows *dbsql.Rows) error {
		var lineage int64
		err := rows.Scan(&lineage)
		published[lineage] = true
		return err
	}, `SELECT coalesce(json_extract(record, '$.Live.Lineage'), 0) FROM releases`)
	if err != nil {
		return fault.Cannot("read what follows a table", err)
	}
	return raw.EndLineagesBut(tx, func(lineage int64) bool { return published[lineage] || !asked(lineage) })
}
