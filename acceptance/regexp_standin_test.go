package acceptance

import (
	"errors"
	"testing"

	regex "github.com/dolthub/go-icu-regex"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The engine's own functions match nothing: a call that bypasses our parser is an error, never an answer.
func TestEngineMatchesNothing(t *testing.T) {
	t.Parallel()
	text := func(s string) sql.Expression { return expression.NewLiteral(s, types.LongText) }
	for name, make := range map[string]func(...sql.Expression) (sql.Expression, error){
		"LIKE": function.NewRegexpLike, "INSTR": function.NewRegexpInstr, "SUBSTR": function.NewRegexpSubstr, "REPLACE": function.NewRegexpReplace,
	} {
		e, err := make(text("aa!"), text("^(a|a)*$"), text("c"))
		if name == "INSTR" || name == "SUBSTR" {
			e, err = make(text("aa!"), text("^(a|a)*$"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Eval(sql.NewEmptyContext(), nil); !errors.Is(err, regex.ErrPassedBy) {
			t.Errorf("REGEXP_%s: %v, %v", name, got, err)
		}
	}
}
