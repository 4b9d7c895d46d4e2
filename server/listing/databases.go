package listing

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// ShowDatabases answers SHOW DATABASES with what the account may see. The engine shows mysql, the database of accounts, to
// every account, and tools then try to read it. others are databases whose tables are elsewhere.
func ShowDatabases(ctx *sql.Context, n *plan.ShowDatabases, accounts *mysql_db.MySQLDb, others []string) sql.RowIter {
	names := slices.Clone(others)
	for _, db := range n.Catalog.AllDatabases(ctx) {
		names = append(names, db.Name())
	}
	held := accounts.UserActivePrivilegeSet(ctx)
	if held.Count() > 0 || held.Database(accounts.Name()).HasPrivileges() {
		names = append(names, accounts.Name())
	}
	slices.Sort(names)
	rows := make([]sql.Row, len(names))
	for i, name := range names {
		rows[i] = sql.NewRow(name)
	}
	return sql.RowsToRowIter(rows...)
}

// HideTables makes information_schema.tables check privileges, like the other tables of information_schema. The
// engine skips the check for this table, so that a privilege on one table shows the names of all tables in its
// database.
func HideTables() {
	all := information_schema.AllDatabasesWithNames
	information_schema.AllDatabasesWithNames = func(ctx *sql.Context, c sql.Catalog, _ bool) ([]information_schema.DbWithNames, error) {
		return all(ctx, c, false)
	}
}
