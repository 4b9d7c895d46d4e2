package answer_test

import (
	"testing"

	"github.com/anonsql/anonsql/planner/plannertest"
)

// Statements in, figures and what EXPLAIN says of them out: every file of testdata.
func TestScripts(t *testing.T) { plannertest.Run(t, "testdata") }
