package sqlite

import (
	"context"
	dbsql "database/sql"
	"strings"
)

// An Object is an object of SQLite's schema: its kind, its table, and the statement that makes
// it ("" for SQLite's internal ones).
type Object struct{ Kind, Table, Text string }

// Same reports whether two objects have equal definitions. SQLite writes "x" for x in
// statements that it changed.
func (o Object) Same(p Object) bool {
	plain := strings.NewReplacer(`"`, "", "\n", " ")
	return o.Kind == p.Kind && o.Table == p.Table && plain.Replace(o.Text) == plain.Replace(p.Text)
}

// Objects returns the objects of SQLite's schema by name, and their names by root page.
func Objects(ctx context.Context, conn *dbsql.Conn) (map[string]Object, map[int64]string, error) {
	objects, roots := make(map[string]Object), make(map[int64]string)
	rows, err := conn.QueryContext(ctx, "SELECT type, name, tbl_name, coalesce(sql, ''), coalesce(rootpage, 0) FROM sqlite_schema")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var o Object
		var root int64
		if err := rows.Scan(&o.Kind, &name, &o.Table, &o.Text, &root); err != nil {
			return nil, nil, err
		}
		objects[name] = o
		if root > 0 {
			roots[root] = name
		}
	}
	return objects, roots, rows.Err()
}
