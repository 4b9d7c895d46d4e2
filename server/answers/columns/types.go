package columns

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// Types gives the columns of a UNION the type that the values of all branches have,
// and makes numbers of dates and texts where a number is calculated or compared with
// them; what is above follows, from the leaves up. The engine takes a derived table's types
// from its first branch, 127 for 70000, and seconds for days.
func Types(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if !mayRetype(n) {
		return comparisons(ctx, n)
	}
	r := &retyper{
		ctx: ctx, types: map[sql.ColumnId]sql.Type{}, totals: map[sql.ColumnId]bool{}, windows: map[string]sql.ColumnId{},
		assigned: map[string]declared.Column{}, same: transform.SameTree,
	}
	changed, err := r.node(n)
	if err != nil {
		return n, transform.SameTree, err
	}
	changed, wide := r.widenedOutput(changed)
	if bool(r.same) && !wide {
		return n, transform.SameTree, nil
	}
	return changed, transform.NewTree, nil
}

// mayRetype recognises plans of queries; others are left alone.
func mayRetype(n sql.Node) bool {
	switch n.(type) {
	case *plan.CreateProcedure, *plan.Call, *plan.CreateView, *plan.CreateTrigger, *plan.BeginEndBlock:
		return false
	}
	return true
}

// A retyper knows the types of the columns that have another than the binder gave them.
type retyper struct {
	ctx   *sql.Context
	types map[sql.ColumnId]sql.Type
	// totals are columns that may have more digits than the decimals of their types.
	totals map[sql.ColumnId]bool
	// windows are the columns of figures over windows, by the names that the binder gave these.
	windows map[string]sql.ColumnId
	// rounds: an expression is rounded where it is shown.
	rounds bool
	// assigned are the types of read columns that round assigned values, by text.
	assigned map[string]declared.Column
	// working are the types of a recursive query's own rows, by column name.
	working map[string]sql.Type
	same    transform.TreeIdentity
}

func (r *retyper) node(n sql.Node) (sql.Node, error) {
	switch own := n.(type) {
	case *plan.DescribeQuery:
		query, err := r.node(own.Query())
		if err != nil || r.same {
			return n, err
		}
		return own.WithQuery(query), nil
	case *plan.InsertInto:
		source, err := r.node(own.Source)
		if err != nil {
			return n, err
		}
		if !bool(r.same) {
			n = own.WithSource(source)
		}
		return r.expressions(n) // of ON DUPLICATE KEY UPDATE, and CHECKs
	case *plan.RecursiveCte:
		return r.recursion(own)
	}
	children := n.Children()
	visited, changed := make([]sql.Node, len(children)), false
	for i, child := range children {
		before := r.same
		r.same = transform.SameTree
		var err error
		if visited[i], err = r.node(child); err != nil {
			return nil, err
		}
		changed = changed || !bool(r.same)
		r.same = before && r.same
	}
	var err error
	if changed {
		if n, err = n.WithChildren(visited...); err != nil {
			return nil, err
		}
	}
	switch n.(type) {
	case *plan.SubqueryAlias, *plan.CreateTable:
		if children := n.Children(); len(children) == 1 {
			if output, wide := r.widenedOutput(children[0]); wide {
				r.same = transform.NewTree
				changed = true
				if n, err = n.WithChildren(output); err != nil {
					return nil, err
				}
			}
		}
	}
	if create, ok := n.(*plan.CreateTable); ok {
		if changed {
			return planner.RetypeCreateTable(create), nil
		}
		if nullable := nullableFigures(create); nullable != nil {
			r.same = transform.NewTree
			return nullable, nil
		}
		return n, nil
	}
	if window, ok := n.(*plan.Window); ok {
		r.nameWindows(window)
	}
	if n, err = r.expressions(n); err != nil {
		return nil, err
	}
	n = r.collations(n)
	if project, ok := n.(*plan.Project); ok {
		if list, wide := wholeProducts(project.Projections); wide {
			n, r.same = namedAs(project, plan.NewProject(list, project.Child)), transform.NewTree
		}
	}
	if set, ok := n.(*plan.SetOp); ok {
		if n, err = r.setOperation(set); err != nil {
			return nil, err
		}
	}
	if len(r.types) > 0 || !bool(r.same) {
		r.record(n)
	}
	return n, nil
}

// nameWindows records the figures of a window. If a SELECT has one twice, it is one column, and the binder gives the second use an id without a column.
func (r *retyper) nameWindows(n *plan.Window) {
	for _, e := range n.SelectExprs {
		if id := tree.ID(e); id > 0 && !isField(e) {
			r.windows[strings.ToLower(e.String())] = id
		}
	}
}

// nullableFigures makes computed columns, and all columns of an outer join, nullable in a table made of a query: the engine
// takes figures for NOT NULL, and columns as their tables declare them. nil if there are none.
func nullableFigures(n *plan.CreateTable) sql.Node {
	if n.Select() == nil || n.Collation != sql.Collation_Unspecified || n.TableOpts != nil {
		return nil
	}
	selected, inferred := n.Select().Schema(), n.PkSchema().Schema
	if len(selected) != len(inferred) {
		return nil
	}
	schema, changed, outer := slices.Clone(inferred), false, hasOuterJoin(n.Select())
	for i, c := range inferred {
		if !c.Nullable && (outer || selected[i].DatabaseSource == "") {
			schema[i], changed = c.Copy(), true
			schema[i].Nullable = true
		}
	}
	if !changed {
		return nil
	}
	return plan.NewCreateTableSelect(n.Db, n.Name(), n.IfNotExists(), n.Temporary(), n.Select(), &plan.TableSpec{Schema: sql.NewPrimaryKeySchema(schema)})
}

func hasOuterJoin(n sql.Node) (found bool) {
	_, _, _ = transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) { // which only looks
		join, ok := n.(*plan.JoinNode)
		found = found || ok && (join.Op.IsLeftOuter() || join.Op.IsFullOuter() || join.Op.IsRightOuter())
		return n, transform.SameTree, nil
	})
	return found
}

// expressions retypes the columns that a node reads, and descends into subqueries.
func (r *retyper) expressions(n sql.Node) (sql.Node, error) {
	_, isJoin := n.(*plan.JoinNode)
	same := transform.SameTree
	changed, err := tree.TransformExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		e, kept, err := r.operands(e, isJoin)
		if err != nil {
			return nil, transform.SameTree, err
		}
		e, unchanged, err := r.expression(e, isJoin)
		same = same && unchanged && kept
		return e, unchanged && kept, err
	})
	if err != nil {
		return n, err
	}
	changed, unchanged, err := conditions(r.ctx, changed)
	if err != nil || same && unchanged {
		return n, err
	}
	r.same = transform.NewTree
	return namedAs(n, changed), nil
}

// namedAs gives the columns of a query the names that they had before their expressions changed.
func namedAs(before, after sql.Node) sql.Node {
	old, ok := before.(*plan.Project)
	if !ok {
		return after
	}
	project, ok := after.(*plan.Project)
	if !ok || len(project.Projections) != len(old.Projections) {
		return after
	}
	list, changed := slices.Clone(project.Projections), false
	for i, e := range list {
		if _, named := e.(sql.IdExpression); !named && e.String() != old.Projections[i].String() {
			list[i], changed = expression.NewAlias(old.Projections[i].String(), e), true
		}
	}
	if !changed {
		return after
	}
	return plan.NewProject(list, project.Child)
}

func (r *retyper) expression(e sql.Expression, ofJoin bool) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.GetField:
		typ, known := r.types[e.Id()]
		if id, twin := r.windows[e.Name()]; twin && !known && r.types[id] != nil {
			return tree.Retyped(e, r.types[id]).(*expression.GetField).WithId(id).(sql.Expression), transform.NewTree, nil
		}
		if known && !typ.Equals(e.Type()) {
			return tree.Retyped(e, typ), transform.NewTree, nil
		}
		if typ, ok := r.ofRecursion(e); ok && !typ.Equals(e.Type()) {
			return tree.Retyped(e, typ), transform.NewTree, nil
		}
		if column, ok := e.Type().(declared.Column); ok {
			r.assigned[e.String()] = column
			return tree.Retyped(e, column.Read()), transform.NewTree, nil
		}
	case *expression.SetField: // rounds what it assigns
		if field, ok := e.LeftChild.(*expression.GetField); ok && r.assigned[field.String()] != nil {
			return expression.NewSetField(tree.Retyped(field, r.assigned[field.String()]), e.RightChild), transform.NewTree, nil
		}
	case *plan.Subquery:
		return r.subquery(e)
	}
	switch own := e.(type) {
	case *function.Trim:
		return scalar.Trim(own)
	case *plan.InSubquery:
		if made := inSubquery(r.ctx, own); made != nil {
			return made, transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	}
	unrounded := transform.SameTree
	if !ofJoin {
		var err error
		if e, unrounded, err = quotients(e); err != nil {
			return nil, transform.SameTree, err
		}
	}
	if _, rounds := e.(*arithmetic.DecimalCast); rounds && !bool(unrounded) {
		r.rounds = true
		return e, transform.NewTree, nil
	}
	e, decided, err := decide(r.ctx, e)
	if err != nil {
		return nil, transform.SameTree, err
	}
	made, unchanged, err := numbers(e)
	if err != nil || ofJoin || len(r.totals) == 0 && !r.rounds {
		return made, unchanged && unrounded && decided, err
	}
	made, same, err := r.roundShown(made)
	return made, same && unchanged && unrounded && decided, err
}

// subquery retypes a subquery. A UNION in it whose columns come from an outer row does not change these.
func (r *retyper) subquery(e *plan.Subquery) (sql.Expression, transform.TreeIdentity, error) {
	before, outside := r.same, map[sql.ColumnId]sql.Type{}
	e.Correlated().ForEach(func(id sql.ColumnId) { outside[id] = r.types[id] })
	r.same = transform.SameTree
	query, err := r.node(e.Query)
	if err == nil {
		if output, wide := r.widenedOutput(query); wide {
			query, r.same = output, transform.NewTree
		}
	}
	unchanged := r.same
	r.same = before && unchanged
	for id, typ := range outside {
		if r.types[id] = typ; typ == nil {
			delete(r.types, id)
		}
	}
	if err != nil || unchanged {
		return e, transform.SameTree, err
	}
	return e.WithQuery(query), transform.NewTree, nil
}

// record notes the types of the columns that a node defines, whose types may have changed.
func (r *retyper) record(n sql.Node) {
	note := func(list []sql.Expression) {
		for _, e := range list {
			if isField(e) {
				continue
			}
			r.noteTotal(e)
			if id := tree.ID(e); id > 0 {
				r.types[id] = e.Type()
			}
		}
	}
	switch n := n.(type) {
	case *planner.Estimate: // its keys may have other types now
		for _, o := range n.Outputs {
			if n.FollowsExpression(o) {
				r.types[o.ID] = o.Column.Type
			}
		}
	case *plan.Project:
		note(n.Projections)
	case *plan.GroupBy:
		note(n.SelectedExprs)
	case *plan.Window:
		note(n.SelectExprs)
	case *plan.SubqueryAlias:
		schema, below, i := n.Schema(), branchIDs(n.Child), 0
		n.Columns().ForEach(func(id sql.ColumnId) {
			if i < len(schema) {
				r.types[id] = schema[i].Type
			}
			if i < len(schema) && i < len(below) && types.IsTextOnly(schema[i].Type) {
				if of, known := r.types[below[i]]; known && types.IsTextOnly(of) {
					r.types[id] = of
				}
			}
			i++
		})
	}
}
