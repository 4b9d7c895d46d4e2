package tree

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// OneValue reports whether e has one value for the whole statement, which the planner can compute. It judges only the
// engine's own expressions.
func OneValue(e sql.Expression) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *plan.Subquery, *plan.ExistsSubquery, *expression.BindVar, *expression.Interval, sql.Aggregation:
			return true
		}
		return !e.Resolved() || Acts(e)
	})
}

// Acts reports whether evaluating e does more than compute, or gives another value every time. EXPLAIN must not
// evaluate such an expression.
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

// varying are functions that act, or give another value every time.
var varying = strings.Fields("rand uuid random_bytes sleep get_lock release_lock release_all_locks __anon_assign __anon_variable")

// Varies recognises a function that acts, or gives another value every time. It is narrower than [Acts]: NOW has one value for the
// statement, and the engine evaluates a subquery without outer columns once.
func Varies(e sql.Expression) bool {
	f, ok := e.(sql.FunctionExpression)
	return ok && slices.Contains(varying, strings.ToLower(f.FunctionName()))
}
