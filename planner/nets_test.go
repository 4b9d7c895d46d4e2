package planner

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/planner/answer"
)

// What the binder of today does not make is refused too.
func TestNets(t *testing.T) {
	b := &scopeBuilder{planner: &planner{}, source: &source{}, estimate: answer.New(nil)}
	noName := b.addSelected(expression.NewLiteral(int64(1), types.Int64))
	// A node that has columns without ids.
	_, noIds := converted(plan.NewShowColumns(false, plan.NothingImpl), []sql.Type{types.Float64})
	for want, err := range map[string]error{
		"GROUP BY over a published view cannot select 1": noName,
		"this UNION mixes estimated counts":              noIds,
	} {
		known, ok := err.(*mysql.SQLError)
		if !ok || known.Num != mysql.ERNotSupportedYet || !strings.Contains(known.Message, want) {
			t.Errorf("%v is not error 1235 that says %q", err, want)
		}
	}
}
