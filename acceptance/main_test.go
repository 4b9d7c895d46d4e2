package acceptance

import (
	"os"
	"runtime/debug"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/server/servertest"
)

// Tests run in parallel, except tests that set state of the whole process (global variables, a bound of connections in server.Config) or
// measure its memory.
func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	debug.SetGCPercent(400) // servers are short-lived, and hold little
	os.Exit(m.Run())
}
