package plainsql_test

import (
	"testing"

	"github.com/anonsql/anonsql/planner/plannertest"
)

// Estimates in, plain SQL out, whose rows are those of the estimates: every file of
// testdata.
func TestScripts(t *testing.T) { plannertest.Run(t, "testdata") }
