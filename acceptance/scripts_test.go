package acceptance

import (
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Statements and answers in text, over the wire, without any extension.
func TestScripts(t *testing.T) {
	t.Parallel()
	servertest.RunScripts(t, "testdata/scripts", server.Config{})
}
