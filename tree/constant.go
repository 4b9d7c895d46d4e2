package tree

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// OneValue reports whether e has one value for the whole statement, which can be
// computed while it is planned, as far as the engine's own expressions are concerned.
func OneValue(e sql.Expression) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *plan.Subquery, *plan.ExistsSubquery, *expression.BindVar, *expression.Interval, sql.Aggregation:
			return true
		}
		return !e.Resolved() || Acts(e)
	})
}

// Acts reports whether evaluating e does more than to compute: nothing of that
// kind may happen where a statement is only explained. What has another value
// every time is likewise left alone.
func Acts(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.SetField:
		return true
	case sql.NonDeterministicExpression:
		return e.IsNonDeterministic()
	case sql.FunctionExpression:
		return slices.Contains([]string{"sleep", "get_lock", "release_lock", "release_all_locks", "uuid"}, strings.ToLower(e.FunctionName()))
	}
	return false
}
