package columns

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// A collated text is a computed text whose type has its collation: the types of functions have none, but sorting, grouping and
// look-ups use types.
type collated struct {
	tree.Standin
	typ sql.Type
}

var _ sql.CollationCoercible = (*collated)(nil)

func (c *collated) Type() sql.Type { return c.typ }

// Collated is the text itself, for callers that need its maximum length.
func (c *collated) Collated() sql.Expression { return c.Child }

func (c *collated) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

// collate gives a computed text, or what has its name, the type of its collation; changed is false for others.
func (r *retyper) collate(e sql.Expression) (made sql.Expression, changed bool) {
	switch own := e.(type) {
	case *expression.Alias:
		if made, changed = r.collate(own.Child); changed {
			return expression.NewAlias(own.Name(), made).WithId(own.Id()).(sql.Expression), true
		}
		return e, false
	case *collated, *expression.GetField, *expression.Literal, *expression.CollatedExpression, *expression.BindVar,
		*expression.Convert, // the binder also puts it around columns of a UNION
		sql.Aggregation, sql.WindowAdaptableExpression:
		return e, false
	}
	if !e.Resolved() || !types.IsTextOnly(e.Type()) {
		return e, false
	}
	if call, ok := e.(sql.FunctionExpression); ok && call.FunctionName() == scalar.AsFunction { // its type was chosen explicitly
		return e, false
	}
	typ, ok := e.Type().(sql.StringType)
	if !ok || typ.Collation() != sql.Collation_Default { // the collation of types without one
		return e, false
	}
	collation, _ := sql.GetCoercibility(r.ctx, e)
	if collation == typ.Collation() || collation == sql.Collation_binary || collation == sql.Collation_Unspecified {
		return e, false
	}
	said, err := types.CreateString(typ.Type(), typ.MaxCharacterLength(), collation)
	if err != nil {
		return e, false
	}
	return &collated{tree.NewStandin(e), said}, true
}

func (r *retyper) collateAll(list []sql.Expression) ([]sql.Expression, bool) {
	made, changed := slices.Clone(list), false
	for i, e := range list {
		other, collated := r.collate(e)
		made[i], changed = other, changed || collated
	}
	return made, changed
}

// operands gives the texts that an expression compares types with their collations: those of an aggregate or a window, and of the
// equations of a join. Package comparison does so for IN.
func (r *retyper) operands(e sql.Expression, ofJoin bool) (sql.Expression, transform.TreeIdentity, error) {
	switch e.(type) {
	case sql.Aggregation, sql.WindowAdaptableExpression:
	case *expression.Equals, *expression.NullSafeEquals:
		if !ofJoin {
			return e, transform.SameTree, nil
		}
	default:
		return e, transform.SameTree, nil
	}
	list, changed := r.collateAll(e.Children())
	if !changed {
		return e, transform.SameTree, nil
	}
	made, err := e.WithChildren(list...)
	return made, transform.NewTree, err
}

// collations gives the texts that a node shows, groups and sorts types with their collations.
func (r *retyper) collations(n sql.Node) sql.Node {
	var made sql.Node // nil for n itself: == panics for nodes that are slices
	switch n := n.(type) {
	case *plan.Project:
		_, ofBinder := binderProject(n)
		if list, changed := r.collateAll(n.Projections); changed && !ofBinder {
			made = plan.NewProject(list, n.Child)
		}
	case *plan.SetOp:
		left, changed := overNameless(n.Left(), branchTypes(n.Right()))
		right, other := overNameless(n.Right(), branchTypes(n.Left()))
		if changed || other {
			if of, err := n.WithChildren(left, right); err == nil {
				made = of
			}
		}
	case *plan.GroupBy:
		selected, shown := r.collateAll(n.SelectedExprs)
		keys, grouped := r.collateAll(n.GroupByExprs)
		if shown || grouped {
			made = plan.NewGroupBy(selected, keys, n.Child)
		}
	case *plan.Window:
		if list, changed := r.collateAll(n.SelectExprs); changed {
			made = plan.NewWindow(list, n.Child)
		}
	case *planner.Estimate:
		if list, changed := r.collateAll(n.Expressions()); changed {
			if of, err := n.WithExpressions(list...); err == nil {
				made = of
			}
		}
	case *plan.Sort:
		fields, changed := slices.Clone(n.SortFields), false
		for i, f := range fields {
			e, other := r.collate(f.Column)
			fields[i].Column, changed = e, changed || other
		}
		if changed {
			made = plan.NewSort(fields, n.Child)
		}
	}
	if made == nil {
		return n
	}
	r.same = transform.NewTree
	return made
}

// overNameless gives columns the collations of the computed texts that they show and that have no number by which these are known:
// such a projection is what the binder puts over a branch of a UNION. Columns of the other branch that have another character set decide by themselves.
func overNameless(branch sql.Node, other []sql.Type) (sql.Node, bool) {
	n, ok := branch.(*plan.Project)
	if !ok {
		return branch, false
	}
	below, ok := n.Child.(*plan.Project)
	if !ok {
		return branch, false
	}
	list, changed := slices.Clone(n.Projections), false
	for i, e := range n.Projections {
		field, ok := tree.Unalias(e).(*expression.GetField)
		if !ok || !types.IsTextOnly(field.Type()) || i >= len(other) || types.IsTextOnly(other[i]) && !sameCharacters(other[i], field.Type()) {
			continue
		}
		shown := slices.IndexFunc(below.Schema(), func(c *sql.Column) bool { return c.Name == field.Name() })
		if shown < 0 || tree.ID(below.Projections[shown]) != 0 && tree.ID(below.Projections[shown]) != field.Id() {
			continue
		}
		if _, computed := tree.Unalias(below.Projections[shown]).(*collated); !computed || field.Type().Equals(below.Projections[shown].Type()) {
			continue
		}
		list[i], changed = tree.Retyped(field, below.Projections[shown].Type()), true
		if alias, ok := e.(*expression.Alias); ok {
			list[i] = expression.NewAlias(alias.Name(), list[i]).WithId(alias.Id()).(sql.Expression)
		}
	}
	if !changed {
		return branch, false
	}
	return plan.NewProject(list, n.Child), true
}

// sameCharacters reports whether two texts have one character set.
func sameCharacters(a, b sql.Type) bool {
	x, isText := a.(sql.StringType)
	y, both := b.(sql.StringType)
	return isText && both && x.CharacterSet() == y.CharacterSet()
}
