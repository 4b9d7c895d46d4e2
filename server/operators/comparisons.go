package operators

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/dialect"
	"github.com/anonsql/anonsql/tree"
)

// Compare rewrites x > __anon_all((SELECT ...)) in place, anywhere in a tree: the call gets the operator and x as
// arguments before the query.
func Compare(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
		comparison, ok := node.(*sqlparser.ComparisonExpr)
		if !ok {
			return
		}
		call, ok := comparison.Right.(*sqlparser.FuncExpr)
		if !ok || len(call.Exprs) != 1 || !call.Name.EqualString(dialect.Any) && !call.Name.EqualString(dialect.All) {
			return
		}
		call.Exprs = append(sqlparser.SelectExprs{
			&sqlparser.AliasedExpr{Expr: sqlparser.NewStrVal([]byte(comparison.Operator))},
			&sqlparser.AliasedExpr{Expr: comparison.Left},
		}, call.Exprs...)
		// The comparison remains: the call is true, false or NULL.
		comparison.Operator, comparison.Left, comparison.Right = sqlparser.EqualStr, call, sqlparser.NewIntVal([]byte("1"))
	})
}

var operators = map[string]func(left, right sql.Expression) sql.Expression{
	"=":  func(l, r sql.Expression) sql.Expression { return expression.NewEquals(l, r) },
	"<":  func(l, r sql.Expression) sql.Expression { return expression.NewLessThan(l, r) },
	"<=": func(l, r sql.Expression) sql.Expression { return expression.NewLessThanOrEqual(l, r) },
	">":  func(l, r sql.Expression) sql.Expression { return expression.NewGreaterThan(l, r) },
	">=": func(l, r sql.Expression) sql.Expression { return expression.NewGreaterThanOrEqual(l, r) },
	"!=": func(l, r sql.Expression) sql.Expression { return expression.NewNot(expression.NewEquals(l, r)) },
	"<>": func(l, r sql.Expression) sql.Expression { return expression.NewNot(expression.NewEquals(l, r)) },
}

func comparison(name string, all bool) sql.Function {
	return sql.FunctionN{Name: name, Fn: func(given ...sql.Expression) (sql.Expression, error) {
		if len(given) != 3 {
			return nil, errors.New("ANY and ALL stand behind a comparison")
		}
		return &quantified{tree.Nary{Operands: given}, name, all}, nil
	}}
}

// A quantified compares a value with the rows of a query by an operator: with any, or with all of them.
type quantified struct {
	tree.Nary
	name string
	all  bool
}

var (
	_ sql.FunctionExpression = (*quantified)(nil)
	_ sql.CollationCoercible = (*quantified)(nil)
)

func (q *quantified) FunctionName() string { return q.name }

func (q *quantified) Description() string { return "a comparison with the rows of a query" }

func (q *quantified) String() string {
	return fmt.Sprintf("(%s %s %s %s)", q.Operands[1], unquoted(q.Operands[0]), strings.ToUpper(q.name[len("__anon_"):]), q.Operands[2])
}

func (q *quantified) Type() sql.Type { return types.Boolean }

func (q *quantified) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (q *quantified) IsNullable() bool { return true }

// WithChildren implements sql.Expression. The last child must be a query, or the list of all its rows.
func (q *quantified) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) == 3 && len(q.Operands) == 3 && isRows(q.Operands[2]) && !isRows(children[2]) {
		return nil, sql.ErrInvalidChildType.New(q, children[2], q.Operands[2])
	}
	return tree.WithChildren(q, children)
}

func isRows(e sql.Expression) bool {
	switch e.(type) {
	case *plan.Subquery, expression.Tuple:
		return true
	}
	return false
}

// ReadsRows implements [tree.RowsReader].
func (q *quantified) ReadsRows(child int) bool { return child == 2 }

// Eval implements sql.Expression. Over no rows ALL is true and ANY false. Otherwise the result is NULL if a row is
// NULL and no other row decides.
func (q *quantified) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	operator := operators[unquoted(q.Operands[0])]
	if operator == nil {
		return nil, errors.New("ANY and ALL stand behind a comparison and before a query")
	}
	left, err := q.Operands[1].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	rows, err := q.rows(ctx, row)
	if err != nil {
		return nil, err
	}
	typed := expression.NewLiteral(left, q.Operands[1].Type())
	unknown := false
	for _, value := range rows {
		is, err := operator(typed, value).Eval(ctx, row)
		switch {
		case err != nil:
			return nil, err
		case is == nil:
			unknown = true
		case is.(bool) != q.all:
			return !q.all, nil
		}
	}
	if unknown {
		return nil, nil
	}
	return q.all, nil
}

// rows returns the values to compare with.
func (q *quantified) rows(ctx *sql.Context, row sql.Row) (list expression.Tuple, err error) {
	switch rows := q.Operands[2].(type) {
	case expression.Tuple:
		return rows, nil
	case *plan.Subquery:
		return tree.Rows(ctx, rows, row)
	}
	return nil, errors.New("ANY and ALL stand before a query")
}
