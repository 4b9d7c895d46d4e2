package planner_test

import (
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/planner"
)

// Where nothing has expanded a rollup, its marker and GROUPING are errors, never values.
func TestWhatMarksARollupHasNoValue(t *testing.T) {
	key := expression.NewLiteral("x", types.LongText)
	want := map[string]int{planner.RollupMarker: mysql.ERNotSupportedYet, "grouping": mysql.ERInvalidGroupFuncUse}
	for _, f := range planner.Functions() {
		var arguments []sql.Expression
		if f.FunctionName() == "grouping" {
			arguments = []sql.Expression{key}
		}
		e, err := f.NewInstance(arguments)
		if err != nil {
			t.Fatal(err)
		}
		var refused *mysql.SQLError
		if v, err := e.Eval(sql.NewEmptyContext(), nil); v != nil || !errors.As(err, &refused) || refused.Num != want[f.FunctionName()] {
			t.Errorf("%s is %v, %v", e, v, err)
		}
		if again, err := e.WithChildren(e.Children()...); err != nil || again.String() != e.String() {
			t.Errorf("%s becomes %v, %v", e, again, err)
		}
		delete(want, f.FunctionName())
		if _, err := f.NewInstance(make([]sql.Expression, 100)); !sql.ErrInvalidArgumentNumber.Is(err) {
			t.Errorf("%s of 100 keys: %v", f.FunctionName(), err)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is no %v", want)
	}
}
