// Package faults_test runs servers in separate processes. It kills them, and fills, write-protects or damages their
// disks, while clients use them over the wire.
package faults_test

import (
	dbsql "database/sql"
	"io"
	"log"
	"maps"
	"os"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
)

func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	_ = mysql.SetLogger(log.New(io.Discard, "", 0)) // the tests break connections
	os.Exit(m.Run())
}

func open(t *testing.T, address string) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", address, "root"
	config.Params = maps.Clone(servertest.ListsRelations)
	return servertest.Dial(t, config)
}

var run = servertest.Exec
