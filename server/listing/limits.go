package listing

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
)

// limitsTableName is the table of the system database with the limits of accounts. An account with CREATE USER sees
// all rows, other accounts see their own.
const limitsTableName = "limits"

// WithLimits adds the table to the system database.
func WithLimits(limits func(*sql.Context) []accounts.AccountLimits, system sql.Database) sql.Database {
	t := &limitsTable{limits: limits}
	for _, name := range []string{"user", "host"} {
		t.schema = append(t.schema, &sql.Column{Name: name, Type: types.LongText, Source: limitsTableName, DatabaseSource: catalog.SystemDatabaseName})
	}
	for _, name := range []string{"statement_timeout", "max_result_rows", "max_result_bytes", "memory", "max_connections"} {
		t.schema = append(t.schema, &sql.Column{Name: name, Type: types.Int64, Source: limitsTableName, DatabaseSource: catalog.SystemDatabaseName})
	}
	return limitedDatabase{system, t}
}

type limitedDatabase struct {
	sql.Database
	limits *limitsTable
}

// GetTableInsensitive implements sql.Database.
func (d limitedDatabase) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	if strings.EqualFold(name, limitsTableName) {
		return d.limits, true, nil
	}
	return d.Database.GetTableInsensitive(ctx, name)
}

// GetTableNames implements sql.Database.
func (d limitedDatabase) GetTableNames(ctx *sql.Context) ([]string, error) {
	names, err := d.Database.GetTableNames(ctx)
	return append(names, limitsTableName), err
}

type limitsTable struct {
	limits func(*sql.Context) []accounts.AccountLimits
	schema sql.Schema
}

var _ sql.Table = (*limitsTable)(nil)

func (t *limitsTable) Name() string               { return limitsTableName }
func (t *limitsTable) String() string             { return limitsTableName }
func (t *limitsTable) Schema() sql.Schema         { return t.schema }
func (t *limitsTable) Collation() sql.CollationID { return sql.Collation_Default }

// onePartition is the only partition of the table.
type onePartition struct{}

// Key implements sql.Partition.
func (onePartition) Key() []byte { return []byte{0} }

// Partitions implements sql.Table.
func (t *limitsTable) Partitions(*sql.Context) (sql.PartitionIter, error) {
	return sql.PartitionsToPartitionIter(onePartition{}), nil
}

// PartitionRows implements sql.Table.
func (t *limitsTable) PartitionRows(ctx *sql.Context, _ sql.Partition) (sql.RowIter, error) {
	all := t.limits(ctx)
	rows := make([]sql.Row, len(all))
	for i, l := range all {
		rows[i] = sql.Row{l.User, l.Host, l.StatementTimeout, l.MaxResultRows, l.MaxResultBytes, l.Memory, l.MaxConnections}
	}
	return sql.RowsToRowIter(rows...), nil
}
