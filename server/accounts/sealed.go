package accounts

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/raw"
)

// Sealed adapts a system database to the engine. With authorization the engine asks
// every database for views, triggers, procedures and events, and fails, even in SELECT,
// if it lacks these interfaces.
type Sealed struct {
	sql.Database
	raw.WithoutTriggers
}

// Seal wraps a system database.
func Seal(db sql.Database) Sealed { return Sealed{db, raw.WithoutTriggers{Of: db.Name()}} }

var (
	_ sql.ViewDatabase            = Sealed{}
	_ sql.TriggerDatabase         = Sealed{}
	_ sql.StoredProcedureDatabase = Sealed{}
	_ sql.EventDatabase           = Sealed{}
	_ sql.ReadOnlyDatabase        = Sealed{}
	_ sql.CollatedDatabase        = Sealed{}
)

// IsReadOnly implements sql.ReadOnlyDatabase. It is false, since the engine would refuse
// even CREATE VIEW over a read-only database; the authorization handler refuses writes.
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
