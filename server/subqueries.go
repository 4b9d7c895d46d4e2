package server

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// The engine makes one kind of join of NOT IN (SELECT ...) and of NOT EXISTS, in
// which a comparison with NULL, whose outcome is unknown, drops the row. That is
// right for NOT IN of one column, and for nothing else. So NOT IN is kept from
// becoming a join (in_rows.go looks it up), and unknown is false in the joins.

// keepFromJoins writes IN (SELECT ...) in a form of the same value of which the
// engine makes no join, in place: NOT IN, IN below NOT, and IN in a table that
// a SELECT defines, where it looks for the columns of a table with an alias at
// wrong places, and panics.
func keepFromJoins(statement sqlparser.Statement) {
	replaceExpressions(statement, func(e sqlparser.Expr) sqlparser.Expr {
		in, ok := e.(*sqlparser.ComparisonExpr)
		if !ok || in.Operator != sqlparser.NotInStr || !isSubquery(in.Right) {
			return e
		}
		positive := *in
		positive.Operator = sqlparser.InStr
		return &sqlparser.XorExpr{Left: &positive, Right: sqlparser.BoolVal(true)}
	})
	within := func(node any) {
		replaceBelow(reflect.ValueOf(node), func(e sqlparser.Expr) sqlparser.Expr {
			if in, ok := e.(*sqlparser.ComparisonExpr); ok && in.Operator == sqlparser.InStr && isSubquery(in.Right) {
				return &sqlparser.XorExpr{Left: in, Right: sqlparser.BoolVal(false)}
			}
			return e
		})
	}
	walkTree(reflect.ValueOf(statement), func(node any) {
		switch node := node.(type) {
		case *sqlparser.NotExpr:
			within(node)
		case *sqlparser.AliasedTableExpr: // WITH has them too
			if subquery, ok := node.Expr.(*sqlparser.Subquery); ok {
				within(subquery)
			}
		case *sqlparser.ViewSpec:
			within(node)
		}
	})
}

func isSubquery(e sqlparser.Expr) bool {
	_, ok := e.(*sqlparser.Subquery)
	return ok
}

// known is a condition that is false where it is unknown.
type known struct{ condition sql.Expression }

// Eval implements sql.Expression.
func (k known) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.condition.Eval(ctx, row)
	if err != nil || value != nil {
		return value, err
	}
	return false, nil
}

func (k known) Type() sql.Type             { return types.Boolean }
func (k known) String() string             { return k.condition.String() }
func (k known) Resolved() bool             { return k.condition.Resolved() }
func (k known) IsNullable() bool           { return false }
func (k known) Children() []sql.Expression { return []sql.Expression{k.condition} }
func (k known) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return known{children[0]}, nil
}
