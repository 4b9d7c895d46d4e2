package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// A HavingName is a name in HAVING that is an alias of the SELECT list, and that the
// binder may have taken for a table's column.
type HavingName interface {
	sql.Expression
	// Named is the expression to which the binder has resolved the name.
	Named() sql.Expression
}

// SelectedNames replaces the marked names in HAVING by columns of the SELECT list. The
// engine calls its rules for each subquery.
func SelectedNames(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		having, ok := n.(*plan.Having)
		if !ok {
			return n, transform.SameTree, nil
		}
		condition, same, err := transform.Expr(having.Cond, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			marked, ok := e.(HavingName)
			if !ok {
				return e, transform.SameTree, nil
			}
			field, ok := marked.Named().(*expression.GetField)
			if !ok {
				return marked.Named(), transform.NewTree, nil
			}
			return selectedAs(field, having.Child), transform.NewTree, nil
		})
		if err != nil || same {
			return n, transform.SameTree, err
		}
		return plan.NewHaving(condition, having.Child), transform.NewTree, nil
	})
}

// selectNames is SelectedNames of a plan and of the subqueries in it, which the planner visits itself.
func (p *planner) selectNames(n sql.Node) (sql.Node, error) {
	n, _, err := SelectedNames(p.ctx, n)
	if err != nil {
		return nil, err
	}
	n, _, err = rewriteValues(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		return transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			subquery, ok := e.(*plan.Subquery)
			if !ok {
				return e, transform.SameTree, nil
			}
			query, err := p.selectNames(subquery.Query)
			if err != nil || query == subquery.Query {
				return e, transform.SameTree, err
			}
			return subquery.WithQuery(query), transform.NewTree, nil
		})
	})
	return n, err
}

// selectedAs is the column of a SELECT list with a field's name, otherwise the field.
func selectedAs(field *expression.GetField, below sql.Node) sql.Expression {
	project, ok := below.(*plan.Project)
	if !ok {
		return field
	}
	var found *expression.Alias
	for _, e := range project.Projections {
		alias, ok := e.(*expression.Alias)
		if !ok || !strings.EqualFold(alias.Name(), field.Name()) {
			continue
		}
		if _, plain := alias.Child.(*expression.GetField); !plain || alias.Child.(*expression.GetField).Table() == "" {
			found = alias
			break
		}
		if found == nil {
			found = alias
		}
	}
	if found == nil {
		return field
	}
	return expression.NewGetFieldWithTable(int(found.Id()), 0, found.Type(), "", "", found.Name(), found.IsNullable())
}
