package differential

import (
	dbsql "database/sql"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server/servertest"
)

// withTransactions are arguments for a MariaDB with atomic statements.
var withTransactions = []string{"--innodb", "--default-storage-engine=InnoDB", "--innodb-flush-log-at-trx-commit=0"}

// startMariaDB starts a server and connects. It has no accounts, and no transactions without withTransactions.
func startMariaDB(t *testing.T, arguments ...string) *dbsql.DB {
	t.Helper()
	s := mariadbtest.Start(t, mariadbtest.Options{WithoutAccounts: true, Arguments: arguments})
	return connect(t, "unix", s.Socket, "")
}

// connect opens one connection with a session that both servers interpret alike.
func connect(t *testing.T, network, address, account string) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Logger = network, address, account, &mysql.NopLogger{}
	db := servertest.Dial(t, config)
	db.SetMaxOpenConns(1)
	servertest.Eventually(t, "the server answers at "+address, func() bool { return db.PingContext(t.Context()) == nil })
	servertest.Exec(t, db, "SET time_zone = '+00:00'", "SET sql_mode = 'STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY'",
		"CREATE DATABASE d", "USE d")
	return db
}
