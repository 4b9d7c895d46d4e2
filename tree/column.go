package tree

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Field returns a reference to a column by id.
func Field(id sql.ColumnId, typ sql.Type, table, name string, nullable bool) sql.Expression {
	return expression.NewGetFieldWithTable(int(id), 0, typ, "", table, name, nullable)
}

// Retyped returns the same reference with another type.
func Retyped(e *expression.GetField, typ sql.Type) sql.Expression {
	field := expression.NewGetFieldWithTable(e.Index(), int(e.TableId()), typ, e.Database(), e.Table(), e.Name(), e.IsNullable())
	return field.WithId(e.Id()).(sql.Expression)
}

// Unalias returns the expression under any number of aliases.
func Unalias(e sql.Expression) sql.Expression {
	for {
		alias, ok := e.(*expression.Alias)
		if !ok {
			return e
		}
		e = alias.Child
	}
}

// ID returns the id of a projected expression, 0 if it has none.
func ID(e sql.Expression) sql.ColumnId {
	if identified, ok := e.(sql.IdExpression); ok {
		return identified.Id()
	}
	return 0
}

// OutputIDs lists the ids of a node's output columns that have one.
func OutputIDs(node sql.Node) []sql.ColumnId {
	var ids []sql.ColumnId
	switch n := node.(type) {
	case sql.Projector:
		for _, e := range n.ProjectedExprs() {
			if identified, ok := e.(sql.IdExpression); ok {
				ids = append(ids, identified.Id())
			}
		}
	case *plan.JoinNode:
		return append(OutputIDs(n.Left()), OutputIDs(n.Right())...)
	case plan.TableIdNode:
		n.Columns().ForEach(func(id sql.ColumnId) { ids = append(ids, id) })
	default:
		if children := node.Children(); len(children) > 0 {
			return OutputIDs(children[0])
		}
	}
	return ids
}

// Fields returns the set of columns that e reads, including its subqueries.
func Fields(e sql.Expression) sql.ColSet {
	var fields sql.ColSet
	transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e := e.(type) {
		case *expression.GetField:
			fields.Add(e.Id())
		case *plan.Subquery:
			fields = fields.Union(e.Correlated())
		}
		return false
	})
	return fields
}
