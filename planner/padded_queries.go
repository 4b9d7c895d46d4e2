package planner

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/tree"
)

// unpaddedQuery is a query whose chosen columns have no trailing spaces; nil for one that stays. The columns of a UNION are
// trimmed beneath the binder's conversions, which the server replaces by its own.
func (p *padder) unpaddedQuery(query sql.Node, chosen []bool) sql.Node {
	switch n := query.(type) {
	case *plan.Distinct, *plan.SetOp, *plan.Sort, *plan.Limit, *plan.Offset:
		return p.unpaddedChildren(n, chosen)
	case *plan.Project:
		if convertsAll(n) {
			return p.unpaddedChildren(n, chosen)
		}
		if list := p.unpaddedColumns(n.Projections, n.Schema(), chosen); list != nil {
			return plan.NewProject(list, n.Child)
		}
		return nil
	}
	schema, ids := query.Schema(), tree.OutputIDs(query)
	if len(ids) != len(schema) {
		return nil
	}
	fields := make([]sql.Expression, len(schema))
	for i, c := range schema {
		fields[i] = expression.NewGetFieldWithTable(int(ids[i]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
	}
	if list := p.unpaddedColumns(fields, schema, chosen); list != nil {
		return plan.NewProject(list, query)
	}
	return nil
}

func (p *padder) unpaddedChildren(n sql.Node, chosen []bool) sql.Node {
	children, changed := n.Children(), false
	for i, child := range children {
		if bare := p.unpaddedQuery(child, chosen); bare != nil {
			children[i], changed = bare, true
		}
	}
	if made, err := n.WithChildren(children...); changed && err == nil {
		return made
	}
	return nil
}

// unpaddedColumns are the columns of a query with their names and ids, the chosen ones without trailing spaces; nil if none changes.
func (p *padder) unpaddedColumns(list []sql.Expression, schema sql.Schema, chosen []bool) []sql.Expression {
	if len(list) != len(chosen) {
		return nil
	}
	made, changed := slices.Clone(list), false
	for i, e := range list {
		value := tree.Unalias(e)
		if bare := p.withoutPadding(value); chosen[i] && bare != value {
			made[i], changed = expression.NewAlias(schema[i].Name, bare).WithId(tree.ID(e)).(sql.Expression), true
		}
	}
	if !changed {
		return nil
	}
	return made
}

// convertsAll matches the projection that the binder puts over a branch of a UNION to convert its columns: it passes all on, without ids.
func convertsAll(n *plan.Project) bool {
	below := n.Child.Schema()
	for i, e := range n.Projections {
		if alias, ok := e.(*expression.Alias); ok && alias.Id() != 0 || len(below) != len(n.Projections) {
			return false
		}
		value := tree.Unalias(e)
		if convert, ok := value.(*expression.Convert); ok {
			value = convert.Child
		}
		if field, ok := value.(*expression.GetField); !ok || field.Name() != below[i].Name {
			return false
		}
	}
	return true
}
