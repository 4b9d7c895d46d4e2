package server

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// sealed is a system database as the engine wants it. Where accounts are
// checked, the engine asks every database for views, triggers, procedures and
// events, and takes one that has no such interface for an error, even in
// SELECT.
type sealed struct{ sql.Database }

var (
	_ sql.ViewDatabase            = sealed{}
	_ sql.TriggerDatabase         = sealed{}
	_ sql.StoredProcedureDatabase = sealed{}
	_ sql.EventDatabase           = sealed{}
	_ sql.ReadOnlyDatabase        = sealed{}
	_ sql.CollatedDatabase        = sealed{}
)

// IsReadOnly implements sql.ReadOnlyDatabase. What writes is refused by the
// guard; the engine would refuse CREATE VIEW over a read-only database too.
func (d sealed) IsReadOnly() bool { return false }

// GetCollation implements sql.CollatedDatabase.
func (d sealed) GetCollation(ctx *sql.Context) sql.CollationID {
	if collated, ok := d.Database.(sql.CollatedDatabase); ok {
		return collated.GetCollation(ctx)
	}
	return sql.Collation_Default
}

// SetCollation implements sql.CollatedDatabase.
func (d sealed) SetCollation(*sql.Context, sql.CollationID) error {
	return sql.ErrDatabaseCollationsNotSupported.New(d.Name())
}

// GetViewDefinition implements sql.ViewDatabase.
func (d sealed) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	if views, ok := d.Database.(sql.ViewDatabase); ok {
		return views.GetViewDefinition(ctx, name)
	}
	return sql.ViewDefinition{}, false, nil
}

// AllViews implements sql.ViewDatabase.
func (d sealed) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	if views, ok := d.Database.(sql.ViewDatabase); ok {
		return views.AllViews(ctx)
	}
	return nil, nil
}

// CreateView implements sql.ViewDatabase.
func (d sealed) CreateView(*sql.Context, string, string, string) error {
	return sql.ErrViewsNotSupported.New(d.Name())
}

// DropView implements sql.ViewDatabase.
func (d sealed) DropView(*sql.Context, string) error { return sql.ErrViewsNotSupported.New(d.Name()) }

// GetTriggers implements sql.TriggerDatabase.
func (d sealed) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (d sealed) CreateTrigger(*sql.Context, sql.TriggerDefinition) error {
	return sql.ErrTriggersNotSupported.New(d.Name())
}

// DropTrigger implements sql.TriggerDatabase.
func (d sealed) DropTrigger(*sql.Context, string) error {
	return sql.ErrTriggersNotSupported.New(d.Name())
}

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d sealed) GetStoredProcedure(*sql.Context, string) (sql.StoredProcedureDetails, bool, error) {
	return sql.StoredProcedureDetails{}, false, nil
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d sealed) GetStoredProcedures(*sql.Context) ([]sql.StoredProcedureDetails, error) {
	return nil, nil
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d sealed) SaveStoredProcedure(*sql.Context, sql.StoredProcedureDetails) error {
	return sql.ErrStoredProceduresNotSupported.New(d.Name())
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d sealed) DropStoredProcedure(*sql.Context, string) error {
	return sql.ErrStoredProceduresNotSupported.New(d.Name())
}

// GetEvent implements sql.EventDatabase.
func (d sealed) GetEvent(*sql.Context, string) (sql.EventDefinition, bool, error) {
	return sql.EventDefinition{}, false, nil
}

// GetEvents implements sql.EventDatabase.
func (d sealed) GetEvents(*sql.Context) ([]sql.EventDefinition, any, error) { return nil, nil, nil }

// SaveEvent implements sql.EventDatabase.
func (d sealed) SaveEvent(*sql.Context, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Name())
}

// DropEvent implements sql.EventDatabase.
func (d sealed) DropEvent(*sql.Context, string) error { return sql.ErrEventsNotSupported.New(d.Name()) }

// UpdateEvent implements sql.EventDatabase.
func (d sealed) UpdateEvent(*sql.Context, string, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Name())
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d sealed) UpdateLastExecuted(*sql.Context, string, time.Time) error {
	return sql.ErrEventsNotSupported.New(d.Name())
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d sealed) NeedsToReloadEvents(*sql.Context, any) (bool, error) { return false, nil }
