package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/tree"
)

// alignSetOp makes the branches of a UNION, INTERSECT or EXCEPT agree again
// after figures in them got other types than the binder gave them: numbers of
// both become a type that holds both, DOUBLE where one is estimated. Where the
// binder saw two types it has put a conversion to a common one over both
// branches, chosen before; that one is replaced.
func alignSetOp(n *plan.SetOp) (sql.Node, error) {
	leftBranch, rightBranch := followChild(n.Left()), followChild(n.Right())
	left, right := branchTypes(leftBranch), branchTypes(rightBranch)
	leftNow, rightNow := leftBranch.Schema(), rightBranch.Schema()
	widened := make([]sql.Type, len(left))
	differ := false
	for i := range left {
		if i >= len(right) || leftNow[i].Type.Equals(left[i]) && rightNow[i].Type.Equals(right[i]) &&
			(left[i].Equals(right[i]) || types.IsInteger(left[i]) && types.IsInteger(right[i])) {
			continue // as the binder saw them
		}
		if common, ok := arithmetic.Common(left[i], right[i]); ok && !(leftNow[i].Type.Equals(common) && rightNow[i].Type.Equals(common)) {
			widened[i], differ = common, true
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
		field, ok := tree.Unalias(withoutBinderConversion(e)).(*expression.GetField)
		if !ok || !strings.EqualFold(field.Name(), below[i].Name) || field.Type().Equals(below[i].Type) {
			continue
		}
		retyped := tree.Field(field.Id(), below[i].Type, field.Table(), field.Name(), field.IsNullable())
		if _, aliased := e.(*expression.Alias); aliased {
			retyped = expression.NewAlias(project.Schema()[i].Name, retyped).WithId(tree.ID(e)).(sql.Expression)
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

// converted makes columns of a branch numbers of another type under their names and ids, in the
// branch's own projection where it has one.
func converted(branch sql.Node, widened []sql.Type) (sql.Node, error) {
	switch n := branch.(type) {
	case *plan.Project:
		projections := make([]sql.Expression, len(n.Projections))
		for i, e := range n.Projections {
			if projections[i] = e; widened[i] != nil {
				projections[i] = castAs(widened[i], withoutBinderConversion(e), n.Schema()[i].Name, tree.ID(e))
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
	schema, ids := branch.Schema(), tree.OutputIDs(branch)
	if len(ids) != len(schema) {
		return nil, answer.Refuse("this UNION mixes estimated counts with numbers of another type: put CAST(... AS DOUBLE) around the others")
	}
	projections := make([]sql.Expression, len(schema))
	for i, c := range schema {
		projections[i] = tree.Field(ids[i], c.Type, c.Source, c.Name, c.Nullable)
		if widened[i] != nil {
			projections[i] = castAs(widened[i], projections[i], c.Name, ids[i])
		}
	}
	return plan.NewProject(projections, branch), nil
}

// castAs is e as a number of a type that two branches share.
func castAs(typ sql.Type, e sql.Expression, name string, id sql.ColumnId) sql.Expression {
	e = tree.Unalias(e)
	if !e.Type().Equals(typ) {
		e = convert(e, typ)
	}
	return expression.NewAlias(name, e).WithId(id).(sql.Expression)
}

func convert(e sql.Expression, typ sql.Type) sql.Expression {
	switch decimal, ok := typ.(sql.DecimalType); {
	case ok:
		return arithmetic.NewDecimalCast(e, decimal)
	case types.IsInteger(typ):
		return expression.NewConvert(e, expression.ConvertToSigned)
	}
	return expression.NewConvert(e, expression.ConvertToDouble)
}
