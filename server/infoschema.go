package server

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
)

// informationSchema is the engine's, made anew for every look. The engine keeps
// one set of tables and writes into them while it binds, analyses and reads a
// statement (AssignCatalog, the defaults of columns), so that two statements at
// once race for them. A lock around the writes would not do, since the readers
// are the engine's own, and one around whole statements would let one client
// that reads slowly hold up all others; tables of the statement's own leave
// nothing to lock. They cost 10 microseconds a look.
type informationSchema struct{}

// Name implements sql.Database.
func (informationSchema) Name() string { return sql.InformationSchemaDatabaseName }

// GetTableInsensitive implements sql.Database.
func (informationSchema) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	table, ok, err := information_schema.NewInformationSchemaDatabase().GetTableInsensitive(ctx, name)
	if own, engine := table.(*information_schema.InformationSchemaTable); engine && strings.EqualFold(name, information_schema.ProcessListTableName) {
		own.Reader = readProcesses
	}
	return table, ok, err
}

// GetTableNames implements sql.Database.
func (informationSchema) GetTableNames(ctx *sql.Context) ([]string, error) {
	return information_schema.NewInformationSchemaDatabase().GetTableNames(ctx)
}
