package listing

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
)

// AddLimits adds the table with the limits of accounts to the system database. An account with CREATE USER sees
// all rows, other accounts see their own.
func AddLimits(system catalog.SystemDatabase, limits func(*sql.Context) []accounts.AccountLimits) {
	columns := system.Add("limits", func(ctx *sql.Context) (rows []sql.Row, err error) {
		for _, l := range limits(ctx) {
			rows = append(rows, sql.Row{l.User, l.Host, l.StatementTimeout, l.MaxResultRows, l.MaxResultBytes, l.Memory, l.MaxConnections})
		}
		return rows, nil
	}, "user", types.LongText, "host", types.LongText, "statement_timeout", types.Int64, "max_result_rows", types.Int64,
		"max_result_bytes", types.Int64, "memory", types.Int64, "max_connections", types.Int64)
	for _, c := range columns {
		c.Nullable = false
	}
}
