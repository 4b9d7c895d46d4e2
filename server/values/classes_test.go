package values

import (
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/expression/function"
)

// Every function that the engine registers has a class: who brings a new one says how
// its result grows.
func TestEveryFunctionHasAClass(t *testing.T) {
	var missing []string
	for _, f := range function.BuiltIns {
		if classOf(f.FunctionName()).kind == unknown {
			missing = append(missing, f.FunctionName())
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("no class in classes.go: %v", missing)
	}
	if len(function.BuiltIns) < 250 {
		t.Errorf("the engine registers %d functions only", len(function.BuiltIns))
	}
}
