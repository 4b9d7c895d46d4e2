package catalog

import (
	dbsql "database/sql"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// A tableName is the name of a raw table at some moment.
type tableName struct{ database, table string }

func (n tableName) equal(other tableName) bool {
	return strings.EqualFold(n.database, other.database) && strings.EqualFold(n.table, other.table)
}

// keepName keeps the name of a table that is about to lose it, when releases
// were made of the table: they must know it again under that name.
func keepName(tx *dbsql.Conn, table int64, database, name string) error {
	_, err := sqlite.Execute(tx, `INSERT OR REPLACE INTO former_names (table_id, database, name)
		SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM releases WHERE json_extract(record, '$.SourceTable') = ?1)
			OR EXISTS (SELECT 1 FROM publications WHERE table_id = ?1)`,
		table, database, name)
	return fault.Cannot("remember the name of table "+name, err)
}

// sourceNames returns the names under which the raw table of a release was
// known, the latest last; not the one that it has now.
func (r *Releases) sourceNames(ctx *sql.Context, record *ReleaseRecord) ([]tableName, error) {
	names := []tableName{{record.Database, record.Table}}
	err := r.catalog.View(ctx.Context, func(tx *dbsql.Conn) error {
		rows, err := tx.QueryContext(ctx, `SELECT database, name FROM former_names WHERE table_id = ? ORDER BY rowid`, record.SourceTable)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var n tableName
			if err := rows.Scan(&n.database, &n.table); err != nil {
				return err
			}
			names = append(names, n)
		}
		return rows.Err()
	})
	return names, err
}

// sameSource reports whether a release is of the raw table that record names:
// the same table, or one under a name that the release's table had (dropped and
// loaded again).
func (r *Releases) sameSource(ctx *sql.Context, of, record *ReleaseRecord) (bool, error) {
	if of.Imported || record.Imported {
		return false, nil
	}
	if of.SourceTable == record.SourceTable {
		return true, nil
	}
	names, err := r.sourceNames(ctx, of)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(names, tableName{record.Database, record.Table}.equal), nil
}
