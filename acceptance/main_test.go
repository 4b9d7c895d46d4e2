package acceptance

import (
	"os"
	"runtime/debug"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/server/servertest"
)

// Tests run side by side, but for those that set what is of the whole process (global variables, a bound of connections in server.Config) or
// measure its memory.
func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	debug.SetGCPercent(400) // servers come and go, and hold little
	os.Exit(m.Run())
}
