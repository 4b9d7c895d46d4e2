package raw

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

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
	v, ok := d.currentMeta(ctx).views[strings.ToLower(name)]
	if s := sessionOf(ctx); ok && s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.view = &storedView{d.Name(), v.CreateViewStatement}
	}
	return v, ok, nil
}

// A storedView is a view's database and text.
type storedView struct{ database, text string }

// TakeView returns the database of the view that the session last looked up, if its text is text. It succeeds once, when the engine parses that text.
func TakeView(ctx context.Context, text string) (database string, ok bool) {
	s := sessionOf(ctx)
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.view
	s.view = nil
	if v == nil || v.text != text {
		return "", false
	}
	return v.database, true
}

// AllViews implements sql.ViewDatabase. Lists of views show only names that the session sees.
func (d *database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	sees := d.store.provider.SeesView
	return slices.DeleteFunc(sortedValues(d.currentMeta(ctx).views), func(v sql.ViewDefinition) bool {
		return sees != nil && !sees(ctx, d.Name(), v.Name)
	}), nil
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

// WithoutTriggers implements the interfaces of triggers and events for a database without any. When the engine
// checks accounts, its wrapper of databases fails INSERT, UPDATE and DELETE in one that lacks these interfaces.
type WithoutTriggers struct{ Of string }

// GetTriggers implements sql.TriggerDatabase.
func (d WithoutTriggers) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (d WithoutTriggers) CreateTrigger(*sql.Context, sql.TriggerDefinition) error {
	return sql.ErrTriggersNotSupported.New(d.Of)
}

// DropTrigger implements sql.TriggerDatabase.
func (d WithoutTriggers) DropTrigger(*sql.Context, string) error {
	return sql.ErrTriggersNotSupported.New(d.Of)
}

// GetEvent implements sql.EventDatabase.
func (d WithoutTriggers) GetEvent(*sql.Context, string) (sql.EventDefinition, bool, error) {
	return sql.EventDefinition{}, false, nil
}

// GetEvents implements sql.EventDatabase.
func (d WithoutTriggers) GetEvents(*sql.Context) ([]sql.EventDefinition, any, error) {
	return nil, nil, nil
}

// SaveEvent implements sql.EventDatabase.
func (d WithoutTriggers) SaveEvent(*sql.Context, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Of)
}

// DropEvent implements sql.EventDatabase.
func (d WithoutTriggers) DropEvent(*sql.Context, string) error {
	return sql.ErrEventsNotSupported.New(d.Of)
}

// UpdateEvent implements sql.EventDatabase.
func (d WithoutTriggers) UpdateEvent(*sql.Context, string, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Of)
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d WithoutTriggers) UpdateLastExecuted(*sql.Context, string, time.Time) error {
	return sql.ErrEventsNotSupported.New(d.Of)
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d WithoutTriggers) NeedsToReloadEvents(*sql.Context, any) (bool, error) { return false, nil }
