package existence

import (
	"math/bits"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/tree"
)

// Conditions rewrites plans whose conditions the engine would lose, or resolve against the wrong table:
//   - the condition of an inner join beside an outer join, if only some of its terms read the nullable side ([risen]);
//   - a filter below a condition that it turns into a join ([merged]);
//   - one in WHERE that it would apply only on the nullable side of an outer join ([uncrossed]);
//   - one of an inner join in a subquery that reads outer columns ([lifted]);
//   - one in a subquery that reads only outer columns, which it takes for inner columns of the same names ([outside]).
func Conditions(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, same := arranged(n)
		made, err := tree.TransformExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			subquery, ok := e.(*plan.Subquery)
			if !ok {
				return e, transform.SameTree, nil
			}
			query, unchanged, err := Conditions(ctx, subquery.Query)
			if err != nil {
				return e, transform.SameTree, err
			}
			query, raised, err := lifted(query, subquery.Correlated())
			if err != nil {
				return e, transform.SameTree, err
			}
			query, own, err := outside(query, subquery.Correlated())
			if err != nil || bool(unchanged && raised && own) {
				return e, transform.SameTree, err
			}
			same = transform.NewTree
			return subquery.WithQuery(query), transform.NewTree, nil
		})
		if err != nil || bool(same) {
			return n, transform.SameTree, err
		}
		return made, transform.NewTree, nil
	})
}

// arranged moves the conditions of a filter or a join to where the engine keeps them. It leaves other nodes alone.
func arranged(n sql.Node) (sql.Node, transform.TreeIdentity) {
	if filter, ok := n.(*plan.Filter); ok {
		return merged(filter)
	}
	join, ok := n.(*plan.JoinNode)
	if !ok {
		return n, transform.SameTree
	}
	switch {
	case join.Op.IsLeftOuter():
		if right := uncrossed(join.Right()); right != join.Right() {
			return plan.NewJoin(join.Left(), right, join.Op, join.Filter).WithComment(join.CommentStr), transform.NewTree
		}
	case join.Op.IsRightOuter():
		if left := uncrossed(join.Left()); left != join.Left() {
			return plan.NewJoin(left, join.Right(), join.Op, join.Filter).WithComment(join.CommentStr), transform.NewTree
		}
	}
	return risen(join)
}

// merged combines two filters. The engine turns an EXISTS in the upper one into a join, reorders the tables of the join, and loses the lower filter.
func merged(filter *plan.Filter) (sql.Node, transform.TreeIdentity) {
	below, ok := filter.Child.(*plan.Filter)
	if !ok {
		return filter, transform.SameTree
	}
	return plan.NewFilter(expression.JoinAnd(filter.Expression, below.Expression), below.Child), transform.NewTree
}

// uncrossed replaces cross joins on the nullable side of an outer join by inner joins ON 1. The engine would merge a cross join and a
// condition of WHERE into an inner join, and not apply the condition to the NULL-extended rows.
func uncrossed(n sql.Node) sql.Node {
	join, ok := n.(*plan.JoinNode)
	if !ok {
		return n
	}
	left, right := uncrossed(join.Left()), uncrossed(join.Right())
	switch {
	case join.Op.IsCross():
		return plan.NewInnerJoin(left, right, expression.NewLiteral(int8(1), types.Int8)).WithComment(join.CommentStr)
	case left != join.Left() || right != join.Right():
		return plan.NewJoin(left, right, join.Op, join.Filter).WithComment(join.CommentStr)
	}
	return n
}

// risen keeps those terms of a join's condition that read the nullable sides of the same outer joins. The others become a filter
// above the join. It also lifts the filters that earlier steps put below an inner join or on the preserved side of an outer join.
func risen(join *plan.JoinNode) (sql.Node, transform.TreeIdentity) {
	inner := join.Op == plan.JoinTypeInner || join.Op == plan.JoinTypeCross
	left, right := join.Left(), join.Right()
	var above, below []sql.Expression
	if filter, ok := left.(*plan.Filter); ok && (inner || join.Op.IsLeftOuter()) {
		above, left = append(above, expression.SplitConjunction(filter.Expression)...), filter.Child
	}
	if filter, ok := right.(*plan.Filter); ok && (inner || join.Op.IsRightOuter()) {
		above, right = append(above, expression.SplitConjunction(filter.Expression)...), filter.Child
	}
	condition := join.Filter
	if join.Op == plan.JoinTypeInner {
		var lost, within []sql.Expression
		outer := append(madeUp(left), madeUp(right)...)
		below, lost = divided(expression.SplitConjunction(condition), outer)
		if below, within = splitSides(below, len(outer) > 0, left, right); len(lost)+len(within) > 0 {
			above = slices.Concat(above, lost, within)
			if condition = expression.JoinAnd(below...); len(below) == 0 {
				condition = expression.NewLiteral(int8(1), types.Int8)
			}
		}
	}
	if len(above) == 0 {
		return join, transform.SameTree
	}
	return plan.NewFilter(expression.JoinAnd(above...), plan.NewJoin(left, right, join.Op, condition).WithComment(join.CommentStr)), transform.NewTree
}

// divided separates the terms that read the nullable sides of one smallest set of outer joins (kept) from all others (lost).
func divided(terms []sql.Expression, sides []sql.ColSet) (kept, lost []sql.Expression) {
	const constant = ^uint64(0)
	reads, least := make([]uint64, len(terms)), constant
	for i, term := range terms {
		fields := tree.Fields(term)
		if reads[i] = constant; fields.Empty() {
			continue
		}
		reads[i] = 0
		for j, side := range sides[:min(len(sides), 63)] {
			if fields.Intersects(side) {
				reads[i] |= 1 << j
			}
		}
		if bits.OnesCount64(reads[i]) < bits.OnesCount64(least) {
			least = reads[i]
		}
	}
	for i, term := range terms {
		if reads[i] == least {
			kept = append(kept, term)
		} else {
			lost = append(lost, term)
		}
	}
	return kept, lost
}

// splitSides separates the terms of a join that read only one side which is itself a join (within). The engine pushes them down as a filter and loses
// it over derived tables. Next to an outer join (outer) it loses such terms of any side.
func splitSides(terms []sql.Expression, outer bool, sides ...sql.Node) (kept, within []sql.Expression) {
	for _, term := range terms {
		fields := tree.Fields(term)
		if !fields.Empty() && slices.ContainsFunc(sides, func(side sql.Node) bool {
			_, join := side.(*plan.JoinNode)
			return (join || outer) && fields.Difference(sql.NewColSet(tree.OutputIDs(side)...)).Empty()
		}) {
			within = append(within, term)
		} else {
			kept = append(kept, term)
		}
	}
	return kept, within
}

// madeUp returns, for each outer join, the columns of each side that it may NULL-extend.
func madeUp(n sql.Node) (sides []sql.ColSet) {
	join, ok := n.(*plan.JoinNode)
	if !ok {
		return nil
	}
	sides = append(madeUp(join.Left()), madeUp(join.Right())...)
	if join.Op.IsLeftOuter() || join.Op.IsFullOuter() {
		sides = append(sides, sql.NewColSet(tree.OutputIDs(join.Right())...))
	}
	if join.Op.IsRightOuter() || join.Op.IsFullOuter() {
		sides = append(sides, sql.NewColSet(tree.OutputIDs(join.Left())...))
	}
	return sides
}

// outside wraps the conditions of a subquery that read only outer columns, so that the engine does not resolve them against inner tables.
func outside(query sql.Node, columns sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	if columns.Empty() {
		return query, transform.SameTree, nil
	}
	return transform.NodeWithOpaque(query, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		filter, ok := n.(*plan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		condition, same, err := tree.Transform(filter.Expression, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			fields := tree.Fields(e)
			if !types.IsBoolean(e.Type()) || fields.Empty() || !fields.Difference(columns).Empty() {
				return e, transform.SameTree, nil
			}
			switch e.(type) {
			case *expression.GetField, *expression.And, *expression.Or, *expression.Not, *tree.Opaque, *known:
				return e, transform.SameTree, nil
			}
			return tree.NewOpaque(e), transform.NewTree, nil
		})
		if err != nil || bool(same) {
			return n, transform.SameTree, err
		}
		return plan.NewFilter(condition, filter.Child), transform.NewTree, nil
	})
}

// Lateral keeps every condition of a LATERAL table inside it ([unhoisted]).
func Lateral(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		lateral, ok := n.(*plan.SubqueryAlias)
		if !ok || !lateral.IsLateral {
			return n, transform.SameTree, nil
		}
		child, same, err := unhoisted(lateral.Child, lateral.Correlated)
		if err != nil || bool(same) {
			return n, transform.SameTree, err
		}
		return lateral.WithChild(child), transform.NewTree, nil
	})
}

// unhoisted moves the conditions of a LATERAL table that read only outer columns, or none, to HAVING. The engine hoists them out of a filter, and
// finds no place for them.
func unhoisted(query sql.Node, columns sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	return transform.Node(query, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		filter, ok := n.(*plan.Filter)
		if !ok {
			return n, transform.SameTree, nil
		}
		var own, others []sql.Expression
		for _, term := range expression.SplitConjunction(filter.Expression) {
			if tree.Fields(term).Difference(columns).Empty() {
				others = append(others, term)
			} else {
				own = append(own, term)
			}
		}
		if len(others) == 0 {
			return n, transform.SameTree, nil
		}
		child := filter.Child
		if len(own) > 0 {
			child = plan.NewFilter(expression.JoinAnd(own...), child)
		}
		return plan.NewHaving(expression.JoinAnd(others...), child), transform.NewTree, nil
	})
}

// lifted moves those terms of a subquery's inner joins that read outer columns to a filter above the joins: the engine looks for such terms only in filters.
func lifted(query sql.Node, columns sql.ColSet) (sql.Node, transform.TreeIdentity, error) {
	if columns.Empty() {
		return query, transform.SameTree, nil
	}
	return transform.Node(query, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		if _, join := n.(*plan.JoinNode); join {
			return n, transform.SameTree, nil
		}
		children, same := slices.Clone(n.Children()), transform.SameTree
		for i, child := range children {
			if below, terms := raise(child, columns); len(terms) > 0 {
				if filter, ok := n.(*plan.Filter); ok { // one filter, since the engine makes joins of the upper one (see merged)
					return plan.NewFilter(expression.JoinAnd(append(terms, filter.Expression)...), below), transform.NewTree, nil
				}
				children[i], same = plan.NewFilter(expression.JoinAnd(terms...), below), transform.NewTree
			}
		}
		if same {
			return n, same, nil
		}
		made, err := n.WithChildren(children...)
		return made, same, err
	})
}

// raise takes such terms out of a join tree, except from the nullable sides of outer joins.
func raise(n sql.Node, columns sql.ColSet) (below sql.Node, terms []sql.Expression) {
	join, ok := n.(*plan.JoinNode)
	if !ok {
		return n, nil
	}
	left, right, condition := join.Left(), join.Right(), join.Filter
	inner := join.Op == plan.JoinTypeInner || join.Op == plan.JoinTypeCross
	if inner || join.Op.IsLeftOuter() {
		left, terms = raise(left, columns)
	}
	if inner || join.Op.IsRightOuter() {
		below, more := raise(right, columns)
		right, terms = below, append(terms, more...)
	}
	if join.Op == plan.JoinTypeInner {
		var own []sql.Expression
		for _, term := range expression.SplitConjunction(condition) {
			if tree.Fields(term).Intersects(columns) {
				terms = append(terms, term)
			} else {
				own = append(own, term)
			}
		}
		if condition = expression.JoinAnd(own...); len(own) == 0 {
			condition = expression.NewLiteral(int8(1), types.Int8)
		}
	}
	if len(terms) == 0 {
		return n, nil
	}
	return plan.NewJoin(left, right, join.Op, condition).WithComment(join.CommentStr), terms
}

// StrippedOnce merges two adjacent StripRowNodes. The engine strips the outer columns from the tables of a join in a subquery once per analysis,
// for a branch of a UNION and then for the whole.
func StrippedOnce(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	strip, ok := n.(*plan.StripRowNode)
	if !ok {
		return n, transform.SameTree, nil
	}
	below, again := strip.Child.(*plan.StripRowNode)
	if !again {
		return n, transform.SameTree, nil
	}
	return plan.NewStripRowNode(below.Child, strip.NumCols), transform.NewTree, nil
}
