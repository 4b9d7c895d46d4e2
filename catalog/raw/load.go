package raw

import (
	dbsql "database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// loadMetadata reads all definitions. The cost is one JSON document per table.
func loadMetadata(conn *dbsql.Conn) (*metadata, error) {
	m := &metadata{databases: map[string]*databaseMeta{}, tables: map[int64]*TableVersion{}}
	byID := map[int64]*databaseMeta{}
	for _, read := range []func(*dbsql.Conn, *metadata, map[int64]*databaseMeta) error{
		loadDatabases, loadTables, loadViews, loadProcedures,
	} {
		if err := read(conn, m, byID); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func loadDatabases(conn *dbsql.Conn, m *metadata, byID map[int64]*databaseMeta) error {
	return sqlite.ScanRows(conn, func(rows *dbsql.Rows) error {
		db := &databaseMeta{
			tables:     map[string]*TableVersion{},
			views:      map[string]sql.ViewDefinition{},
			procedures: map[string]sql.StoredProcedureDetails{},
		}
		var collation string
		if err := rows.Scan(&db.id, &db.name, &collation); err != nil {
			return err
		}
		var err error
		if db.collation, err = sql.ParseCollation("", collation, false); err != nil {
			return fault.Damaged("the collation of database "+db.name, err)
		}
		byID[db.id] = db
		m.databases[strings.ToLower(db.name)] = db
		return nil
	}, "SELECT id, name, collation FROM databases")
}

func loadTables(conn *dbsql.Conn, m *metadata, byID map[int64]*databaseMeta) error {
	return sqlite.ScanRows(conn, func(rows *dbsql.Rows) error {
		var t TableVersion
		var database int64
		var text, auto string
		if err := rows.Scan(&t.id, &database, &t.name, &t.storage, &text, &t.version, &t.rows, &auto); err != nil {
			return err
		}
		var err error
		if t.definition, err = decodeDefinition(text); err != nil {
			return fault.Damaged(fmt.Sprintf("the definition of table %q", t.name), err)
		}
		if t.auto, err = strconv.ParseUint(auto, 10, 64); err != nil {
			return fault.Damaged(fmt.Sprintf("the counter of table %q", t.name), err)
		}
		db := byID[database]
		if db == nil {
			return errNoDatabase("table", t.name)
		}
		t.database, t.base = db.name, t.version
		meta, err := newTableMeta(t)
		if err != nil {
			return fault.Damaged(fmt.Sprintf("the definition of table %q", t.name), err)
		}
		db.tables[strings.ToLower(t.name)] = meta
		m.tables[t.id] = meta
		return nil
	}, "SELECT id, database_id, name, storage, definition, version, row_count, auto_increment FROM tables")
}

func loadViews(conn *dbsql.Conn, _ *metadata, byID map[int64]*databaseMeta) error {
	return sqlite.ScanRows(conn, func(rows *dbsql.Rows) error {
		var database int64
		var v sql.ViewDefinition
		if err := rows.Scan(&database, &v.Name, &v.TextDefinition, &v.CreateViewStatement, &v.SqlMode); err != nil {
			return err
		}
		db := byID[database]
		if db == nil {
			return errNoDatabase("view", v.Name)
		}
		db.views[strings.ToLower(v.Name)] = v
		return nil
	}, "SELECT database_id, name, definition, statement, sql_mode FROM views")
}

func loadProcedures(conn *dbsql.Conn, _ *metadata, byID map[int64]*databaseMeta) error {
	return sqlite.ScanRows(conn, func(rows *dbsql.Rows) error {
		var database, created, modified int64
		var p sql.StoredProcedureDetails
		if err := rows.Scan(&database, &p.Name, &p.CreateStatement, &created, &modified, &p.SqlMode); err != nil {
			return err
		}
		p.CreatedAt, p.ModifiedAt = time.UnixMicro(created).UTC(), time.UnixMicro(modified).UTC()
		db := byID[database]
		if db == nil {
			return errNoDatabase("procedure", p.Name)
		}
		db.procedures[strings.ToLower(p.Name)] = p
		return nil
	}, "SELECT database_id, name, statement, created_at, modified_at, sql_mode FROM procedures")
}

func errNoDatabase(kind, name string) error {
	return fmt.Errorf("%w: the database of %s %q is not there", fault.ErrDamaged, kind, name)
}

// dropOrphans drops storages that no definition names: remains of an ALTER that failed half-way
// in a committed transaction.
func dropOrphans(conn *dbsql.Conn) error {
	var orphans []string
	err := sqlite.ScanRows(conn, func(rows *dbsql.Rows) error {
		var name string
		err := rows.Scan(&name)
		orphans = append(orphans, name)
		return err
	}, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 't[0-9]*'
		AND name NOT IN (SELECT 't' || storage FROM tables)`)
	if err != nil {
		return err
	}
	for _, name := range orphans {
		if _, err := sqlite.Execute(conn, "DROP TABLE "+name); err != nil {
			return err
		}
	}
	return nil
}
