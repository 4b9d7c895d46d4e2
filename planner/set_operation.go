package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// alignSetOp makes the branches of a UNION, INTERSECT or EXCEPT agree again
// after one of them turned a count into a DOUBLE: the other branch's numbers
// become DOUBLE too. Where the binder saw two types it has put a conversion to
// a common one over both branches, chosen before the count was a DOUBLE; that
// one is replaced.
func alignSetOp(n *plan.SetOp) (sql.Node, error) {
	leftBranch, rightBranch := followChild(n.Left()), followChild(n.Right())
	left, right := branchTypes(leftBranch), branchTypes(rightBranch)
	leftNow, rightNow := leftBranch.Schema(), rightBranch.Schema()
	widened := make([]bool, len(left))
	differ := false
	for i := range left {
		if i < len(right) && types.IsNumber(left[i]) && types.IsNumber(right[i]) &&
			(types.IsFloat(left[i]) || types.IsFloat(right[i])) &&
			!(leftNow[i].Type.Equals(figureType) && rightNow[i].Type.Equals(figureType)) {
			widened[i], differ = true, true
		}
	}
	if !differ {
		return n.WithChildren(leftBranch, rightBranch)
	}
	l, err := converted(leftBranch, widened)
	if err != nil {
		return nil, err
	}
	r, err := converted(rightBranch, widened)
	if err != nil {
		return nil, err
	}
	return n.WithChildren(l, r)
}

// followChild gives the fields of the projection that the binder puts over a
// branch the types of the columns below, by position: aliases below have no
// ids by which the retyper could have found them.
func followChild(branch sql.Node) sql.Node {
	project, ok := branch.(*plan.Project)
	if !ok {
		return branch
	}
	below := project.Child.Schema()
	if len(below) != len(project.Projections) {
		return branch
	}
	projections := make([]sql.Expression, len(below))
	for i, e := range project.Projections {
		projections[i] = e
		field, ok := unalias(withoutBinderConversion(e)).(*expression.GetField)
		if !ok || !strings.EqualFold(field.Name(), below[i].Name) || field.Type().Equals(below[i].Type) {
			continue
		}
		retyped := getField(field.Id(), below[i].Type, field.Table(), field.Name(), field.IsNullable())
		if _, aliased := e.(*expression.Alias); aliased {
			retyped = expression.NewAlias(project.Schema()[i].Name, retyped).WithId(idOf(e)).(sql.Expression)
		}
		projections[i] = retyped
	}
	return plan.NewProject(projections, project.Child)
}

// branchTypes lists the types of a branch's columns below the binder's
// conversions.
func branchTypes(branch sql.Node) []sql.Type {
	list := make([]sql.Type, 0, len(branch.Schema()))
	for _, c := range branch.Schema() {
		list = append(list, c.Type)
	}
	if project, ok := branch.(*plan.Project); ok {
		for i, e := range project.Projections {
			list[i] = withoutBinderConversion(e).Type()
		}
	}
	return list
}

// withoutBinderConversion returns what the binder converted: it wraps in an
// alias without an id.
func withoutBinderConversion(e sql.Expression) sql.Expression {
	if alias, ok := e.(*expression.Alias); ok && alias.Id() == 0 {
		if convert, ok := alias.Child.(*expression.Convert); ok {
			return convert.Child
		}
	}
	return e
}

// converted makes columns of a branch DOUBLE under their names and ids, in the
// branch's own projection where it has one.
func converted(branch sql.Node, widened []bool) (sql.Node, error) {
	switch n := branch.(type) {
	case *plan.Project:
		projections := make([]sql.Expression, len(n.Projections))
		for i, e := range n.Projections {
			if projections[i] = e; widened[i] {
				projections[i] = asDouble(withoutBinderConversion(e), n.Schema()[i].Name, idOf(e))
			}
		}
		return plan.NewProject(projections, n.Child), nil
	case *plan.SetOp:
		left, err := converted(n.Left(), widened)
		if err != nil {
			return nil, err
		}
		right, err := converted(n.Right(), widened)
		if err != nil {
			return nil, err
		}
		return n.WithChildren(left, right)
	case *plan.Distinct, *plan.Limit, *plan.Offset, *plan.Sort, *plan.TopN, *plan.Having, *plan.Filter:
		child, err := converted(branch.Children()[0], widened)
		if err != nil {
			return nil, err
		}
		return branch.WithChildren(child)
	}
	schema, ids := branch.Schema(), outputIds(branch)
	if len(ids) != len(schema) {
		return nil, refuse("this UNION mixes estimated counts with numbers of another type: put CAST(... AS DOUBLE) around the others")
	}
	projections := make([]sql.Expression, len(schema))
	for i, c := range schema {
		projections[i] = getField(ids[i], c.Type, c.Source, c.Name, c.Nullable)
		if widened[i] {
			projections[i] = asDouble(projections[i], c.Name, ids[i])
		}
	}
	return plan.NewProject(projections, branch), nil
}

func asDouble(e sql.Expression, name string, id sql.ColumnId) sql.Expression {
	e = unalias(e)
	if !e.Type().Equals(figureType) {
		e = expression.NewConvert(e, expression.ConvertToDouble)
	}
	return expression.NewAlias(name, e).WithId(id).(sql.Expression)
}

// idOf returns the id of a projected expression, 0 when it has none.
func idOf(e sql.Expression) sql.ColumnId {
	if identified, ok := e.(sql.IdExpression); ok {
		return identified.Id()
	}
	return 0
}

// outputIds lists the ids of a node's output columns.
func outputIds(node sql.Node) []sql.ColumnId {
	var expressions []sql.Expression
	switch n := node.(type) {
	case *plan.Project:
		expressions = n.Projections
	case *plan.GroupBy:
		expressions = n.SelectedExprs
	case *plan.Window:
		expressions = n.SelectExprs
	case *Estimate:
		expressions = n.ProjectedExprs()
	case plan.TableIdNode:
		var ids []sql.ColumnId
		n.Columns().ForEach(func(id sql.ColumnId) { ids = append(ids, id) })
		return ids
	default:
		if children := node.Children(); len(children) > 0 {
			return outputIds(children[0])
		}
	}
	var ids []sql.ColumnId
	for _, e := range expressions {
		if identified, ok := e.(sql.IdExpression); ok {
			ids = append(ids, identified.Id())
		}
	}
	return ids
}
