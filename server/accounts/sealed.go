package accounts

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// Sealed is a system database as the engine wants it. Where accounts are
// checked, the engine asks every database for views, triggers, procedures and
// events, and takes one that has no such interface for an error, even in
// SELECT.
type Sealed struct{ sql.Database }

var (
	_ sql.ViewDatabase            = Sealed{}
	_ sql.TriggerDatabase         = Sealed{}
	_ sql.StoredProcedureDatabase = Sealed{}
	_ sql.EventDatabase           = Sealed{}
	_ sql.ReadOnlyDatabase        = Sealed{}
	_ sql.CollatedDatabase        = Sealed{}
)

// IsReadOnly implements sql.ReadOnlyDatabase. What writes is refused by the
// guard; the engine would refuse CREATE VIEW over a read-only database too.
func (d Sealed) IsReadOnly() bool { return false }

// GetCollation implements sql.CollatedDatabase.
func (d Sealed) GetCollation(ctx *sql.Context) sql.CollationID {
	if collated, ok := d.Database.(sql.CollatedDatabase); ok {
		return collated.GetCollation(ctx)
	}
	return sql.Collation_Default
}

// SetCollation implements sql.CollatedDatabase.
func (d Sealed) SetCollation(*sql.Context, sql.CollationID) error {
	return sql.ErrDatabaseCollationsNotSupported.New(d.Name())
}

// GetViewDefinition implements sql.ViewDatabase.
func (d Sealed) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	if views, ok := d.Database.(sql.ViewDatabase); ok {
		return views.GetViewDefinition(ctx, name)
	}
	return sql.ViewDefinition{}, false, nil
}

// AllViews implements sql.ViewDatabase.
func (d Sealed) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	if views, ok := d.Database.(sql.ViewDatabase); ok {
		return views.AllViews(ctx)
	}
	return nil, nil
}

// CreateView implements sql.ViewDatabase.
func (d Sealed) CreateView(*sql.Context, string, string, string) error {
	return sql.ErrViewsNotSupported.New(d.Name())
}

// DropView implements sql.ViewDatabase.
func (d Sealed) DropView(*sql.Context, string) error { return sql.ErrViewsNotSupported.New(d.Name()) }

// GetTriggers implements sql.TriggerDatabase.
func (d Sealed) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (d Sealed) CreateTrigger(*sql.Context, sql.TriggerDefinition) error {
	return sql.ErrTriggersNotSupported.New(d.Name())
}

// DropTrigger implements sql.TriggerDatabase.
func (d Sealed) DropTrigger(*sql.Context, string) error {
	return sql.ErrTriggersNotSupported.New(d.Name())
}

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d Sealed) GetStoredProcedure(*sql.Context, string) (sql.StoredProcedureDetails, bool, error) {
	return sql.StoredProcedureDetails{}, false, nil
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d Sealed) GetStoredProcedures(*sql.Context) ([]sql.StoredProcedureDetails, error) {
	return nil, nil
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d Sealed) SaveStoredProcedure(*sql.Context, sql.StoredProcedureDetails) error {
	return sql.ErrStoredProceduresNotSupported.New(d.Name())
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d Sealed) DropStoredProcedure(*sql.Context, string) error {
	return sql.ErrStoredProceduresNotSupported.New(d.Name())
}

// GetEvent implements sql.EventDatabase.
func (d Sealed) GetEvent(*sql.Context, string) (sql.EventDefinition, bool, error) {
	return sql.EventDefinition{}, false, nil
}

// GetEvents implements sql.EventDatabase.
func (d Sealed) GetEvents(*sql.Context) ([]sql.EventDefinition, any, error) { return nil, nil, nil }

// SaveEvent implements sql.EventDatabase.
func (d Sealed) SaveEvent(*sql.Context, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Name())
}

// DropEvent implements sql.EventDatabase.
func (d Sealed) DropEvent(*sql.Context, string) error { return sql.ErrEventsNotSupported.New(d.Name()) }

// UpdateEvent implements sql.EventDatabase.
func (d Sealed) UpdateEvent(*sql.Context, string, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Name())
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d Sealed) UpdateLastExecuted(*sql.Context, string, time.Time) error {
	return sql.ErrEventsNotSupported.New(d.Name())
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d Sealed) NeedsToReloadEvents(*sql.Context, any) (bool, error) { return false, nil }
