package differential

import (
	dbsql "database/sql"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
)

// startMariaDB starts a server in a directory of the test's own, which listens on a socket
// there and nowhere else, and connects. It has no accounts.
func startMariaDB(t *testing.T) *dbsql.DB {
	t.Helper()
	program, err := exec.LookPath("mariadbd")
	if err != nil {
		if os.Getenv("ANONSQL_FORBID_SKIP") == "1" {
			t.Fatal("mariadbd (mariadb-server) is not installed")
		}
		t.Skip("mariadbd (mariadb-server) is not installed")
	}
	// A socket's path has at most 107 bytes: that of the test's own directory may be longer.
	directory, err := os.MkdirTemp("", "anonsql-mariadb-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	who, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	data, socket := filepath.Join(directory, "data"), filepath.Join(directory, "socket")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, "--no-defaults", "--datadir="+data, "--socket="+socket, "--pid-file="+filepath.Join(directory, "pid"),
		"--user="+who.Username, "--skip-networking", "--skip-grant-tables", "--skip-innodb", "--default-storage-engine=MyISAM", "--default-time-zone=+00:00")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGKILL) // its files go with it
		_ = command.Wait()
	})
	return connect(t, "unix", socket, "")
}

// connect opens one connection whose session both servers understand in the same way.
func connect(t *testing.T, network, address, account string) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Logger = network, address, account, &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := dbsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	servertest.Eventually(t, "the server answers at "+address, func() bool { return db.PingContext(t.Context()) == nil })
	servertest.Exec(t, db, "SET time_zone = '+00:00'", "SET sql_mode = 'STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY'",
		"CREATE DATABASE d", "USE d")
	return db
}
