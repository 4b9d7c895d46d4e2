package answers

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// nameColumns gives every column of a set operation of three or more branches an alias,
// in place. The engine finds columns by name, and fails for expressions and duplicate
// names when it unifies the types of nested set operations.
func nameColumns(t parsed) error {
	trees.Walk(t.Statement, func(node any) {
		op, ok := node.(*sqlparser.SetOp)
		if !ok || !isSetOp(op.Left) && !isSetOp(op.Right) {
			return
		}
		for _, branch := range branches(op) {
			for _, column := range branch.SelectExprs {
				if column, ok := column.(*sqlparser.AliasedExpr); ok && column.As.IsEmpty() {
					column.As = sqlparser.NewColIdent(nameOf(column))
				}
			}
		}
	})
	return nil
}

// nameOf is a column's name without AS.
func nameOf(column *sqlparser.AliasedExpr) string {
	if name, ok := column.Expr.(*sqlparser.ColName); ok {
		return name.Name.String()
	}
	if column.InputExpression != "" {
		return column.InputExpression
	}
	return sqlparser.String(column.Expr)
}

func isSetOp(s sqlparser.SelectStatement) bool {
	if inner, ok := s.(*sqlparser.ParenSelect); ok {
		return isSetOp(inner.Select)
	}
	_, ok := s.(*sqlparser.SetOp)
	return ok
}

// branches is the SELECTs of a tree of set operations.
func branches(s sqlparser.SelectStatement) []*sqlparser.Select {
	switch s := s.(type) {
	case *sqlparser.ParenSelect:
		return branches(s.Select)
	case *sqlparser.SetOp:
		return append(branches(s.Left), branches(s.Right)...)
	case *sqlparser.Select:
		return []*sqlparser.Select{s}
	}
	return nil
}

// sortedSetOperations orders set operations by their columns, except those within
// expressions, in whose rows columns of outer rows come first.
func sortedSetOperations(_ *sql.Context, n sql.Node, inside bool) (sql.Node, transform.TreeIdentity, error) {
	if op, ok := n.(*plan.SetOp); ok && !inside && len(op.SortFields) > 0 {
		return sortedByColumns(op), transform.NewTree, nil
	}
	return n, transform.SameTree, nil
}

// sortedByColumns orders a set operation by its columns. The engine looks for some
// of them in the rows of a branch, and finds another, or none.
func sortedByColumns(n *plan.SetOp) sql.Node {
	schema, columns := n.Schema(), n.SortFields.ToExpressions()
	for i, e := range columns {
		name := e.String() // as the engine names a column
		switch e := e.(type) {
		case *expression.Literal:
			if text, ok := e.Val.(string); ok { // a string is a column of its text
				name = text
			}
		case *expression.GetField:
			name = e.Name()
			if at := e.Index(); at < len(schema) && strings.EqualFold(schema[at].Name, name) {
				continue
			}
		}
		at := slices.IndexFunc(schema, func(column *sql.Column) bool { return strings.EqualFold(column.Name, name) })
		if at >= 0 {
			columns[i] = expression.NewGetField(at, schema[at].Type, name, schema[at].Nullable)
		}
	}
	sorted := *n
	sorted.SortFields = n.SortFields.FromExpressions(columns...)
	return &sorted
}

// taken splits a set operation into the operation that keeps duplicates, and nodes for
// DISTINCT, ORDER BY, OFFSET and LIMIT, in this order: the engine skips the rows of
// OFFSET before it sorts.
func taken(n *plan.SetOp) sql.Node {
	left, right := n.Left(), n.Right()
	if n.Distinct && n.SetOpType == plan.ExceptType {
		left, right = distinctRows(left), distinctRows(right)
	}
	all := comparedRows(plan.NewSetOp(n.SetOpType, left, right, false, nil, nil, nil))
	if n.Distinct && n.SetOpType != plan.ExceptType {
		all = distinctRows(all)
	}
	switch {
	case len(n.SortFields) == 0:
	case n.Limit != nil && n.Offset == nil:
		return plan.NewTopN(n.SortFields, n.Limit, all)
	default:
		all = plan.NewSort(n.SortFields, all)
	}
	if n.Offset != nil {
		all = plan.NewOffset(n.Offset, all)
	}
	if n.Limit != nil {
		all = plan.NewLimit(n.Limit, all)
	}
	return all
}
