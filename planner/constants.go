package planner

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/tree"
)

// constantCalls are functions with one value per statement, by the engine's names. They
// include SYSDATE, which MySQL evaluates for every row, since an estimate has no rows.
var constantCalls = map[string]bool{
	"now": true, "current_timestamp": true, "localtime": true, "localtimestamp": true, "sysdate": true, "curdate": true, "current_date": true,
	"curtime": true, "current_time": true, "utc_timestamp": true, "utc_date": true, "utc_time": true, "unix_timestamp": true,
	"connection_id": true, "database": true, "schema": true, "user": true, "current_user": true, "session_user": true, "system_user": true,
	"version": true, "current_role": true, "last_insert_id": true, "row_count": true, "found_rows": true,
}

// datedCalls are functions that are folded if all their arguments are folded or
// literals.
var datedCalls = map[string]bool{
	"date_add": true, "date_sub": true, "adddate": true, "subdate": true, "timestampadd": true, "date": true, "timestamp": true, "time": true,
	"year": true, "quarter": true, "month": true, "week": true, "day": true, "dayofmonth": true, "dayofyear": true, "weekday": true, "last_day": true,
	"date_format": true, "str_to_date": true, "from_unixtime": true, "unix_timestamp": true, "to_days": true, "from_days": true,
	"makedate": true, "convert_tz": true,
}

// foldConstants replaces expressions that are constant for a statement by values, in a
// whole plan: the current time, variables, the account, and dates computed only from
// these. Every execution binds its statement again, a prepared one too.
func foldConstants(ctx *sql.Context, node sql.Node) (sql.Node, error) {
	return (&folder{ctx, map[*expression.Literal]bool{}}).node(node)
}

// A folder remembers the literals that it has put into a plan.
type folder struct {
	ctx    *sql.Context
	folded map[*expression.Literal]bool
}

func (f *folder) node(node sql.Node) (sql.Node, error) {
	changed, _, err := rewriteValues(node, f.value)
	return changed, err
}

// rewriteValues rewrites the expressions of all nodes of a plan except assignments. Columns keep their names.
func rewriteValues(node sql.Node, rewrite transform.ExprFunc) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(node, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		ex, ok := n.(sql.Expressioner)
		if !ok || assigns(n) {
			return n, transform.SameTree, nil
		}
		_, projects := n.(*plan.Project)
		same := transform.SameTree
		expressions := append([]sql.Expression(nil), ex.Expressions()...)
		for i, e := range expressions {
			changed, unchanged, err := rewrite(e)
			if err != nil {
				return n, transform.SameTree, err
			}
			if unchanged {
				continue
			}
			if _, alias := e.(*expression.Alias); projects && !alias {
				changed = expression.NewAlias(e.String(), changed) // the column keeps its name
			}
			expressions[i], same = changed, transform.NewTree
		}
		if same {
			return n, same, nil
		}
		changed, err := ex.WithExpressions(expressions...)
		return changed, transform.NewTree, err
	})
}

// assigns reports whether the variables in a node's expressions are targets of assignments.
func assigns(n sql.Node) bool {
	switch n.(type) {
	case *plan.Into, *plan.Call, *plan.ExecuteQuery:
		return true
	}
	return false
}

// value folds within an expression of a node. Targets of SET stay, and so do variables that the statement assigns.
func (f *folder) value(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if tree.ReadsAssigned(e) {
		return e, transform.SameTree, nil
	}
	set, ok := e.(*expression.SetField)
	if !ok {
		return transform.Expr(e, f.expression)
	}
	right, same, err := transform.Expr(set.RightChild, f.expression)
	if err != nil || same {
		return e, same, err
	}
	changed, err := set.WithChildren(set.LeftChild, right)
	return changed, transform.NewTree, err
}

// expression folds one expression, whose children are folded.
func (f *folder) expression(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if subquery, ok := e.(*plan.Subquery); ok {
		query, err := f.node(subquery.Query)
		if err != nil || query == subquery.Query {
			return e, transform.SameTree, err
		}
		return subquery.WithQuery(query), transform.NewTree, nil
	}
	if !f.constant(e) {
		return e, transform.SameTree, nil
	}
	value, err := f.evaluate(e)
	if err != nil { // reported when the value is evaluated
		return e, transform.SameTree, nil
	}
	literal := expression.NewLiteral(value, e.Type())
	f.folded[literal] = true
	return literal, transform.NewTree, nil
}

// evaluate takes NOW from the session's clock: the engine's is an hour off in the hours before clocks change.
func (f *folder) evaluate(e sql.Expression) (any, error) {
	value, err := e.Eval(f.ctx, nil)
	now, ok := e.(*function.Now)
	if !ok || err != nil {
		return value, err
	}
	digits := 0
	for _, literal := range now.Children() {
		if digits, err = strconv.Atoi(literal.String()); err != nil {
			return nil, err
		}
	}
	clock, err := coding.ClockOf(f.ctx)
	return clock.WallTime(f.ctx.QueryTime()).Truncate(time.Duration(math.Pow10(9 - digits))), err
}

// constant reports whether to fold an expression.
func (f *folder) constant(e sql.Expression) bool {
	written, folded := true, false
	for _, child := range e.Children() {
		if interval, ok := child.(*expression.Interval); ok {
			child = interval.Child
		}
		literal, ok := child.(*expression.Literal)
		written, folded = written && ok, folded || f.folded[literal]
	}
	switch e := e.(type) {
	case *expression.UserVar, *expression.SystemVar:
		return true
	case *expression.Arithmetic:
		return written && folded && (hasInterval(e) || isSmall(e.LeftChild) && isSmall(e.RightChild))
	case sql.FunctionExpression:
		name := strings.ToLower(e.FunctionName())
		return written && (constantCalls[name] && (len(e.Children()) == 0 || name != "unix_timestamp") || folded && datedCalls[name])
	}
	return false
}

// hasInterval reports whether an expression adds or subtracts an interval.
func hasInterval(e *expression.Arithmetic) bool {
	_, left := e.LeftChild.(*expression.Interval)
	_, right := e.RightChild.(*expression.Interval)
	return left || right
}

// isSmall recognises an integer with which the engine calculates as MySQL does. It does not with dates and times, and wraps
// around below 0 of BIGINT UNSIGNED and beyond 64 bits: server/answers corrects that in the finished plan, where it finds the
// calculation and not its result. A number that is written has the narrowest type, with a sign or without.
func isSmall(e sql.Expression) bool {
	literal, ok := e.(*expression.Literal)
	if !ok || !types.IsInteger(literal.Type()) || literal.Type() == types.Uint64 {
		return false
	}
	_, err := strconv.ParseInt(fmt.Sprint(literal.Value()), 10, 32)
	return err == nil
}
