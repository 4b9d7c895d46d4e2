package catalog

import (
	dbsql "database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// An origin is the source of a release: a raw table under its name at that time, or files if
// the release was imported.
type origin struct {
	table    int64 // permanent number
	name     tableName
	imported bool
}

// A tableName is the name of a raw table at some time.
type tableName struct{ database, table string }

// String returns database.table.
func (n tableName) String() string { return n.database + "." + n.table }

func (n tableName) equal(other tableName) bool {
	return strings.EqualFold(n.database, other.database) && strings.EqualFold(n.table, other.table)
}

func (r *ReleaseRecord) source() origin {
	return origin{table: r.SourceTable, name: tableName{r.Database, r.Table}, imported: r.Imported}
}

// keepName stores the name of a table that is about to lose it, if releases were made of the
// table: they must recognise it under that name, and its columns under theirs.
func keepName(tx *dbsql.Conn, table int64, database, name string) error {
	_, err := sqlite.Execute(tx, `INSERT OR REPLACE INTO former_names (table_id, database, name)
		SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM releases WHERE json_extract(record, '$.SourceTable') = ?1)
			OR EXISTS (SELECT 1 FROM publications WHERE table_id = ?1) OR EXISTS (SELECT 1 FROM epsilon_spent WHERE table_id = ?1)`,
		table, database, name)
	if err == nil {
		_, err = sqlite.Execute(tx, `UPDATE epsilon_spent SET last_name = coalesce((SELECT c.value ->> 'name' FROM tables, json_each(definition, '$.columns') AS c
			WHERE tables.id = table_id AND c.value ->> 'id' = column_id), last_name) WHERE table_id = ?`, table)
	}
	return fault.Cannot("remember the name of table "+name, err)
}

// knownNames returns the former names of a raw table, the latest last.
func (r *Releases) knownNames(ctx *sql.Context, of origin) ([]tableName, error) {
	names := []tableName{of.name}
	err := r.catalog.View(ctx.Context, func(tx *dbsql.Conn) error {
		rows, err := tx.QueryContext(ctx, `SELECT database, name FROM former_names WHERE table_id = ? ORDER BY rowid`, of.table)
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

// presentName returns the present name of a raw table, or its last one if the table is gone.
func (r *Releases) presentName(ctx *sql.Context, of origin) tableName {
	if t, err := r.catalog.TableByID(ctx, of.table); err == nil {
		return tableName{t.Database(), t.Name()}
	}
	names, err := r.knownNames(ctx, of)
	if err != nil {
		return tableName{} // which nobody may read
	}
	return names[len(names)-1]
}

// sameSource reports whether two releases have the same raw table: the same table, or one that
// has or had a name of the other one (it was dropped, loaded again and perhaps renamed).
func (r *Releases) sameSource(ctx *sql.Context, of, other origin) (bool, error) {
	if of.imported || other.imported {
		return false, nil
	}
	if of.table == other.table {
		return true, nil
	}
	names, err := r.knownNames(ctx, of)
	if err != nil {
		return false, err
	}
	others, err := r.knownNames(ctx, other)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(names, func(name tableName) bool { return slices.ContainsFunc(others, name.equal) }), nil
}

// mayRead reports whether the session may read the source of a release.
func (r *Releases) mayRead(ctx *sql.Context, of origin) bool {
	if of.imported {
		return r.mayImport(ctx)
	}
	name := r.presentName(ctx, of)
	return r.canRead(ctx, name.database, name.table)
}

// mayReadSource reports whether the session may read a release's raw table.
func (r *Releases) mayReadSource(ctx *sql.Context, record *ReleaseRecord) bool {
	return r.mayRead(ctx, record.source())
}

// SourceName returns the current name of a release's raw table, or its last one. Readers of the release must not see it.
func (r *Releases) SourceName(ctx *sql.Context, p *Published) (database, table string) {
	name := r.presentName(ctx, p.record.source())
	return name.database, name.table
}

// SourceIsGone reports whether the server that keeps a release's raw table says that the table no longer exists.
func (r *Releases) SourceIsGone(ctx *sql.Context, p *Published) bool {
	if source.HomeForDatabase(ctx, p.record.Database) != nil {
		return r.sourceIsGone(ctx, p.record) != nil
	}
	_, err := r.catalog.TableByID(ctx, p.record.SourceTable)
	var gone *anonymize.DataError
	return errors.As(err, &gone)
}

// sourceIsGone returns error 1146 if another server has the raw table and says that it no longer exists. An
// owner's server says that only to accounts that may read something of that name; others learn nothing.
func (r *Releases) sourceIsGone(ctx *sql.Context, record *ReleaseRecord) error {
	if source.HomeForDatabase(ctx, record.Database) == nil {
		return nil
	}
	_, err := r.catalog.RawTableByID(ctx, record.SourceTable)
	if told := (*mysql.SQLError)(nil); errors.As(err, &told) && told.Num == mysql.ERNoSuchTable {
		return mysql.NewSQLError(mysql.ERNoSuchTable, "42S02", "the raw table of release %s is not there: %s", record.Name, told.Message)
	}
	return nil
}

// RawTable opens a raw table where the session's tables live. The error for a missing table is the engine's.
func (c *Catalog) RawTable(ctx *sql.Context, database, table string) (source.Table, error) {
	if home := source.HomeForDatabase(ctx, database); home != nil {
		return home.Table(ctx, database, table)
	}
	t, err := c.Table(ctx, database, table)
	if err != nil {
		return nil, err
	}
	return kept(t)
}

// RawTableByID opens the raw table with a permanent number, where the session's tables live.
func (c *Catalog) RawTableByID(ctx *sql.Context, id int64) (source.Table, error) {
	if home := source.HomeOf(ctx); home != nil {
		return home.TableByID(ctx, id)
	}
	t, err := c.TableByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if home := source.HomeForDatabase(ctx, t.Database()); home != nil {
		return home.TableByID(ctx, id)
	}
	return kept(t)
}

// kept refuses the mirror of a table that another server keeps.
func kept(t *raw.Table) (source.Table, error) {
	if strings.HasPrefix(t.Database(), raw.EngineScheme) {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the rows of %s.%s are in an engine that this server was not started with (--engine), or this account has no privileges there", t.Database(), t.Name())}
	}
	if t.Mirrored() {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("the rows of %s.%s are not kept here: its owner asks through the port for owners, --owners-listen", t.Database(), t.Name())}
	}
	return t, nil
}
