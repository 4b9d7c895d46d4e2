package acceptance

import (
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// The whole product, statement by statement: every file of testdata/product
// runs against a fresh server.
func TestProductScripts(t *testing.T) {
	t.Parallel()
	servertest.RunScripts(t, "testdata/product", server.Config{Extend: server.Product})
}
