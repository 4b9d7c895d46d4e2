package plainsql_test

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/plainsql"
	"github.com/anonsql/anonsql/planner/plannertest"
)

// Estimates in, plain SQL out, whose rows are those of the estimates: every file of
// testdata.
func TestScripts(t *testing.T) { plannertest.Run(t, "testdata") }

// What no recognised plan of today has is refused too.
func TestNets(t *testing.T) {
	nothing := plan.NewResolvedDualTable()
	over := func(e sql.Expression) sql.Node {
		return plan.NewProject([]sql.Expression{expression.NewNot(e)}, nothing)
	}
	for want, node := range map[string]sql.Node{
		"this part of the statement":        plan.NewShowColumns(false, nothing),
		"age":                               over(answer.NewViewColumn(&sql.Column{Name: "age", Type: types.Int32})),
		"t.c, which refers to an outer":     over(expression.NewGetFieldWithTable(7, 0, types.Int32, "", "t", "c", true)),
		"a join with a SELECT without FROM": plan.NewCrossJoin(nothing, nothing),
	} {
		_, err := plainsql.Write(sql.NewEmptyContext(), node)
		known, ok := err.(*mysql.SQLError)
		if !ok || known.Num != mysql.ERNotSupportedYet || !strings.Contains(known.Message, "no plain SQL, the same for SQLite and MySQL, for "+want) {
			t.Errorf("%v is not error 1235 for %q", err, want)
		}
	}
}
