package server_test

import (
	"os"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/server/servertest"
)

func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	os.Exit(m.Run())
}
