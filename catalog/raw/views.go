package raw

import (
	"maps"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// CreateView implements sql.ViewDatabase.
func (d *database) CreateView(ctx *sql.Context, name string, definition, statement string) error {
	if err := checkName("view", name); err != nil {
		return err
	}
	return d.change(ctx, func(w *Work, db *databaseMeta) error {
		if db.taken(name) {
			return sql.ErrExistingView.New(db.name, name)
		}
		view := sql.ViewDefinition{
			Name: name, TextDefinition: definition, CreateViewStatement: statement,
			SqlMode: sql.LoadSqlMode(ctx).String(),
		}
		db.views = withEntry(db.views, strings.ToLower(name), view)
		_, err := sqlite.Execute(w.conn, "INSERT INTO views (database_id, name, definition, statement, sql_mode) VALUES (?, ?, ?, ?, ?)",
			db.id, name, definition, statement, view.SqlMode)
		return fault.Cannot("create view "+name, err)
	})
}

// DropView implements sql.ViewDatabase.
func (d *database) DropView(ctx *sql.Context, name string) error {
	return d.change(ctx, func(w *Work, db *databaseMeta) error {
		key := strings.ToLower(name)
		if _, ok := db.views[key]; !ok {
			return sql.ErrViewDoesNotExist.New(db.name, name)
		}
		db.views = withoutEntry(db.views, key)
		_, err := sqlite.Execute(w.conn, "DELETE FROM views WHERE database_id = ? AND name = ?", db.id, name)
		return fault.Cannot("drop view "+name, err)
	})
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *database) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	v, ok := d.now(ctx).views[strings.ToLower(name)]
	return v, ok, nil
}

// AllViews implements sql.ViewDatabase.
func (d *database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	return sortedValues(d.now(ctx).views), nil
}

func withEntry[V any](m map[string]V, key string, v V) map[string]V {
	next := maps.Clone(m)
	next[key] = v
	return next
}

func withoutEntry[V any](m map[string]V, key string) map[string]V {
	next := maps.Clone(m)
	delete(next, key)
	return next
}
