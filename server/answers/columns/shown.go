package columns

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// CompareShown makes LIKE and WHERE of SHOW COLUMNS compare without case.
func CompareShown(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	filter, ok := n.(*plan.Filter)
	if !ok {
		return n, transform.SameTree, nil
	}
	if _, ok := filter.Child.(*plan.ShowColumns); !ok {
		return n, transform.SameTree, nil
	}
	made, same, err := tree.Transform(filter.Expression, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		field, ok := e.(*expression.GetField)
		if !ok || !types.IsTextOnly(field.Type()) {
			return e, transform.SameTree, nil
		}
		return tree.Retyped(field, types.CreateLongText(sql.Collation_utf8mb4_0900_as_ci)), transform.NewTree, nil
	})
	if err != nil || bool(same) {
		return n, transform.SameTree, err
	}
	return plan.NewFilter(made, filter.Child), transform.NewTree, nil
}
