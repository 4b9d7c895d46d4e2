package catalog

import (
	"context"
	dbsql "database/sql"
	"strings"
)

// An object is what SQLite's schema says of one: its kind, the table that it
// belongs to, the statement that makes it ("" for what SQLite makes by itself).
type object struct{ kind, table, text string }

// same reports whether two objects are made alike: SQLite writes "x" for x where
// it changed a statement.
func (o object) same(p object) bool {
	plain := strings.NewReplacer(`"`, "", "\n", " ")
	return o.kind == p.kind && o.table == p.table && plain.Replace(o.text) == plain.Replace(p.text)
}

// readObjects returns what is in SQLite's schema by name, and names by root page.
func readObjects(ctx context.Context, conn *dbsql.Conn) (map[string]object, map[int64]string, error) {
	objects, roots := make(map[string]object), make(map[int64]string)
	rows, err := conn.QueryContext(ctx, "SELECT type, name, tbl_name, coalesce(sql, ''), coalesce(rootpage, 0) FROM sqlite_schema")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var o object
		var root int64
		if err := rows.Scan(&o.kind, &name, &o.table, &o.text, &root); err != nil {
			return nil, nil, err
		}
		objects[name] = o
		if root > 0 {
			roots[root] = name
		}
	}
	return objects, roots, rows.Err()
}
