package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
)

// informationSchema is the engine's, made anew for every look. The engine
// keeps one set of tables and writes into them while it analyses a statement,
// so that two statements at once would race for them.
type informationSchema struct{}

// Name implements sql.Database.
func (informationSchema) Name() string { return sql.InformationSchemaDatabaseName }

// GetTableInsensitive implements sql.Database.
func (informationSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	return information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
}

// GetTableNames implements sql.Database.
func (informationSchema) GetTableNames(ctx *sql.Context) ([]string, error) {
	return information_schema.NewInformationSchemaDatabase().GetTableNames(ctx)
}
