package raw

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// There are no triggers and no events. The engine must be told so: where
// accounts are checked it wraps every database, and its wrapper takes a
// database without these interfaces for an error, in every INSERT, UPDATE and
// DELETE.
var (
	_ sql.TriggerDatabase = (*database)(nil)
	_ sql.EventDatabase   = (*database)(nil)
)

// GetTriggers implements sql.TriggerDatabase.
func (d *database) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) { return nil, nil }

// CreateTrigger implements sql.TriggerDatabase.
func (d *database) CreateTrigger(*sql.Context, sql.TriggerDefinition) error {
	return sql.ErrTriggersNotSupported.New(d.Name())
}

// DropTrigger implements sql.TriggerDatabase.
func (d *database) DropTrigger(*sql.Context, string) error {
	return sql.ErrTriggersNotSupported.New(d.Name())
}

// GetEvent implements sql.EventDatabase.
func (d *database) GetEvent(*sql.Context, string) (sql.EventDefinition, bool, error) {
	return sql.EventDefinition{}, false, nil
}

// GetEvents implements sql.EventDatabase.
func (d *database) GetEvents(*sql.Context) ([]sql.EventDefinition, any, error) { return nil, nil, nil }

// SaveEvent implements sql.EventDatabase.
func (d *database) SaveEvent(*sql.Context, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Name())
}

// DropEvent implements sql.EventDatabase.
func (d *database) DropEvent(*sql.Context, string) error {
	return sql.ErrEventsNotSupported.New(d.Name())
}

// UpdateEvent implements sql.EventDatabase.
func (d *database) UpdateEvent(*sql.Context, string, sql.EventDefinition) (bool, error) {
	return false, sql.ErrEventsNotSupported.New(d.Name())
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d *database) UpdateLastExecuted(*sql.Context, string, time.Time) error {
	return sql.ErrEventsNotSupported.New(d.Name())
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d *database) NeedsToReloadEvents(*sql.Context, any) (bool, error) { return false, nil }
