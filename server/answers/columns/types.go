package columns

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// Types gives the columns of a UNION the type that the values of all branches have,
// and makes numbers of dates and texts where a number is calculated or compared with
// them; what is above follows, from the leaves up. The engine takes a derived table's types
// from its first branch, 127 for 70000, and seconds for days.
func Types(_ *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	if !mayRetype(n) {
		return n, transform.SameTree, nil
	}
	r := &retyper{types: map[sql.ColumnId]sql.Type{}, same: transform.SameTree}
	changed, err := r.node(n)
	if err != nil {
		return n, transform.SameTree, err
	}
	changed, wide := widenedOutput(changed)
	if bool(r.same) && !wide {
		return n, transform.SameTree, nil
	}
	return changed, transform.NewTree, nil
}

// mayRetype tells of plans of queries, which are all that is looked at.
func mayRetype(n sql.Node) bool {
	switch n.(type) {
	case *plan.CreateProcedure, *plan.Call, *plan.CreateView, *plan.Update, *plan.DeleteFrom, *plan.CreateTrigger, *plan.Set, *plan.BeginEndBlock:
		return false
	}
	return true
}

// A retyper knows the types of the columns that have another than the binder gave them.
type retyper struct {
	types map[sql.ColumnId]sql.Type
	same  transform.TreeIdentity
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
		if err != nil || r.same {
			return n, err
		}
		return own.WithSource(source), nil
	case *plan.RecursiveCte: // its types are those of its first branch
		return n, nil
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
			if output, wide := widenedOutput(children[0]); wide {
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
	if n, err = r.expressions(n); err != nil {
		return nil, err
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

// nullableFigures is a table made of a query whose computed columns may be NULL: the engine says of figures that they never
// are. nil where there are none.
func nullableFigures(n *plan.CreateTable) sql.Node {
	if n.Select() == nil || n.Collation != sql.Collation_Unspecified || n.TableOpts != nil {
		return nil
	}
	selected, inferred := n.Select().Schema(), n.PkSchema().Schema
	if len(selected) != len(inferred) {
		return nil
	}
	schema, changed := slices.Clone(inferred), false
	for i, c := range inferred {
		if !c.Nullable && selected[i].DatabaseSource == "" {
			schema[i], changed = c.Copy(), true
			schema[i].Nullable = true
		}
	}
	if !changed {
		return nil
	}
	return plan.NewCreateTableSelect(n.Db, n.Name(), n.IfNotExists(), n.Temporary(), n.Select(), &plan.TableSpec{Schema: sql.NewPrimaryKeySchema(schema)})
}

// expressions retypes the columns that a node reads, and descends into subqueries.
func (r *retyper) expressions(n sql.Node) (sql.Node, error) {
	_, isJoin := n.(*plan.JoinNode)
	same := transform.SameTree
	changed, err := tree.TransformExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		e, unchanged, err := r.expression(e, isJoin)
		same = same && unchanged
		return e, unchanged, err
	})
	if err != nil || same {
		return n, err
	}
	r.same = transform.NewTree
	return changed, nil
}

func (r *retyper) expression(e sql.Expression, ofJoin bool) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.GetField:
		if typ, ok := r.types[e.Id()]; ok && !typ.Equals(e.Type()) {
			field := expression.NewGetFieldWithTable(e.Index(), int(e.TableId()), typ, e.Database(), e.Table(), e.Name(), e.IsNullable())
			return field.WithId(e.Id()).(sql.Expression), transform.NewTree, nil
		}
	case *plan.Subquery:
		before := r.same
		r.same = transform.SameTree
		query, err := r.node(e.Query)
		if err == nil {
			if output, wide := widenedOutput(query); wide {
				query, r.same = output, transform.NewTree
			}
		}
		unchanged := r.same
		r.same = before && unchanged
		if err != nil || unchanged {
			return e, transform.SameTree, err
		}
		return e.WithQuery(query), transform.NewTree, nil
	}
	if ofJoin {
		return e, transform.SameTree, nil
	}
	e, unrounded, err := quotients(e)
	if err != nil {
		return nil, transform.SameTree, err
	}
	made, unchanged, err := numbers(e)
	return made, unchanged && unrounded, err
}

// calculating are the functions of numbers that see all digits of a quotient.
var calculating = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("round truncate format floor ceil ceiling sign abs sqrt exp pow power ln log log2 log10 sin cos tan cot asin acos atan atan2 degrees radians " +
		"sum avg std stddev stddev_pop stddev_samp variance var_pop var_samp __anon_decimal __anon_signed __anon_unsigned") {
		all[name] = true
	}
	return all
}()

// quotients keeps the digits of quotients that something is calculated of, or compared with.
func quotients(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch own := e.(type) {
	case sql.FunctionExpression:
		if !calculating[strings.ToLower(own.FunctionName())] {
			return e, transform.SameTree, nil
		}
	case *expression.Convert:
		if !types.IsFloat(own.Type()) {
			return e, transform.SameTree, nil
		}
	case *expression.Equals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual, *expression.Between:
	default:
		return e, transform.SameTree, nil
	}
	children, changed := slices.Clone(e.Children()), false
	for i, child := range children {
		if exact := scalar.Unrounded(child); exact != nil {
			children[i], changed = exact, true
		}
	}
	if !changed {
		return e, transform.SameTree, nil
	}
	made, err := e.WithChildren(children...)
	return made, transform.NewTree, err
}

// widenedOutput is a query in whose columns the whole numbers that are written are BIGINTs. The branches of a set operation
// have a common type already.
func widenedOutput(n sql.Node) (sql.Node, bool) {
	switch own := n.(type) {
	case *plan.Project:
		list, some := widened(own.Projections)
		if !some {
			list = own.Projections
		}
		for i, e := range list {
			alias, ok := e.(*expression.Alias)
			if !ok {
				continue
			}
			if wide, changed := widened(alias.Children()); changed {
				made, err := alias.WithChildren(wide...)
				if err != nil {
					return n, false
				}
				if !some {
					list, some = slices.Clone(list), true
				}
				list[i] = made
			}
		}
		if !some {
			return n, false
		}
		return plan.NewProject(list, own.Child), true
	case *plan.Sort, *plan.Limit, *plan.Offset, *plan.Distinct, *plan.Filter, *plan.Having:
		children := n.Children()
		output, wide := widenedOutput(children[0])
		if !wide {
			return n, false
		}
		made, err := n.WithChildren(output)
		return made, err == nil
	}
	return n, false
}

// widened are expressions in which the whole numbers that are written are BIGINTs: the engine gives each the narrowest type,
// 255 that of no sign, and a table or a choice of them has it too.
func widened(list []sql.Expression) (wide []sql.Expression, changed bool) {
	for i, e := range list {
		literal, ok := e.(*expression.Literal)
		if !ok || !types.IsInteger(literal.Type()) || literal.Type() == types.Int64 || literal.Type() == types.Uint64 || isTruth(literal.Type()) {
			continue
		}
		v, _, err := types.Int64.Convert(context.Background(), literal.Value())
		if err != nil || v == nil {
			continue
		}
		if !changed {
			wide, changed = slices.Clone(list), true
		}
		wide[i] = expression.NewLiteral(v, types.Int64)
	}
	return wide, changed
}

// numbers makes numbers of what an operator calculates with or compares with a number.
func numbers(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e := e.(type) {
	case *expression.Arithmetic, *expression.Div, *expression.UnaryMinus:
		if sum := unsignedSum(e); sum != nil {
			return sum, transform.NewTree, nil
		}
		children, changed := e.Children(), false
		for i, child := range children {
			_, negative := e.(*expression.UnaryMinus)
			switch t := child.Type(); {
			case types.IsDateType(t), types.IsTimespan(t):
				children[i], changed = scalar.Number(child), true
			case negative && types.IsInteger(t) && t != types.Int64 && !isLiteral(child): // whose negation wraps around
				children[i], changed = scalar.As(child, types.Int64), true
			}
		}
		if !changed {
			return e, transform.SameTree, nil
		}
		made, err := e.WithChildren(children...)
		return made, transform.NewTree, err
	case *aggregation.Sum, *aggregation.Avg:
		of := e.Children()[0]
		if t := of.Type(); !types.IsTextOnly(t) && !types.IsDateType(t) && !types.IsDatetimeType(t) && !types.IsTimestampType(t) && !types.IsTimespan(t) {
			return e, transform.SameTree, nil
		}
		made, err := e.WithChildren(scalar.Number(of))
		return made, transform.NewTree, err
	case *expression.Case:
		same := transform.SameTree
		if wide, some := widened(e.Children()); some {
			if made, err := e.WithChildren(wide...); err == nil {
				if of, ok := made.(*expression.Case); ok {
					e, same = of, transform.NewTree
				}
			}
		}
		if made := scalar.Typed(e); made != nil {
			return made, transform.NewTree, nil
		}
		return e, same, nil
	case sql.FunctionExpression:
		if wide, some := widened(e.Children()); some {
			if made, err := e.WithChildren(wide...); err == nil { // the engine's CURTIME(2) cannot be made again
				return made, transform.NewTree, nil
			}
		}
	case *expression.Equals, *expression.NullSafeEquals, *expression.LessThan, *expression.LessThanOrEqual, *expression.GreaterThan, *expression.GreaterThanOrEqual:
		children := e.Children()
		if _, ok := e.(*expression.NullSafeEquals); ok && types.IsTextOnly(children[0].Type()) && types.IsTextOnly(children[1].Type()) {
			return scalar.Same(children[0], children[1]), transform.NewTree, nil
		}
		if isField(children[0]) && isField(children[1]) {
			return e, transform.SameTree, nil // the rows of two tables may be joined by it
		}
		for i, child := range children {
			if other := children[1-i]; comparedAsNumber(child, other) {
				children[i] = scalar.Number(child)
				made, err := e.WithChildren(children...)
				return made, transform.NewTree, err
			}
		}
	case *expression.Between:
		children := e.Children()
		for i, child := range children {
			if types.IsDecimal(child.Type()) && any1(children, types.IsFloat) {
				children[i] = scalar.Number(child)
			}
		}
		if any1(e.Children(), types.IsDecimal) && any1(e.Children(), types.IsFloat) {
			made, err := e.WithChildren(children...)
			return made, transform.NewTree, err
		}
	case *expression.InTuple:
		if made := inDoubles(e); made != nil {
			return made, transform.NewTree, nil
		}
	case *expression.Like:
		children := e.Children()
		if left := scalar.Text(children[0]); left != children[0] {
			children[0] = left
			made, err := e.WithChildren(children...)
			return made, transform.NewTree, err
		}
	}
	return e, transform.SameTree, nil
}

// inDoubles is x IN (...) of DOUBLEs where one side has them and the other decimals, to whose places the engine rounds; nil for
// all others.
func inDoubles(e *expression.InTuple) sql.Expression {
	list, ok := e.Right().(expression.Tuple)
	if !ok {
		return nil
	}
	all := append([]sql.Expression{e.Left()}, list...)
	if !any1(all, types.IsFloat) || !any1(all, types.IsDecimal) {
		return nil
	}
	for i, x := range all {
		if types.IsDecimal(x.Type()) {
			all[i] = scalar.Number(x)
		}
	}
	return expression.NewInTuple(all[0], expression.NewTuple(all[1:]...))
}

func any1(list []sql.Expression, is func(sql.Type) bool) bool {
	for _, e := range list {
		if is(e.Type()) {
			return true
		}
	}
	return false
}

func isLiteral(e sql.Expression) bool {
	_, ok := e.(*expression.Literal)
	return ok
}

func isField(e sql.Expression) bool {
	_, ok := e.(*expression.GetField)
	return ok
}

// comparedAsNumber tells of a date or a text beside a number, and of a DECIMAL beside a DOUBLE. A constant text is left to
// the engine where it is a number, so that an index is asked for it.
func comparedAsNumber(e, other sql.Expression) bool {
	if !types.IsNumber(other.Type()) {
		return false
	}
	if types.IsFloat(other.Type()) && types.IsDecimal(e.Type()) { // to whose places the engine rounds the DOUBLE
		return true
	}
	if literal, ok := e.(*expression.Literal); ok {
		s, isText := literal.Value().(string)
		return isText && !coercion.IsNumeral(s)
	}
	return types.IsDateType(e.Type()) || types.IsTextOnly(e.Type())
}

// setOperation makes the branches' columns ones of a common type.
func (r *retyper) setOperation(n *plan.SetOp) (sql.Node, error) {
	left, right := beneath(n.Left()), beneath(n.Right())
	if len(left) != len(right) {
		return n, nil
	}
	now := [2]sql.Schema{n.Left().Schema(), n.Right().Schema()}
	common, changed := make([]sql.Type, len(left)), false
	ids := branchIDs(n.Left())
	for i := range left {
		common[i] = coercion.Common(left[i], right[i])
		if types.IsNumber(left[i]) && types.IsNumber(right[i]) && (isTruth(left[i]) || isTruth(right[i])) && types.IsInteger(common[i]) {
			common[i] = types.Int64 // truth is no number to the engine, and true not 1
		}
		if asItIs(common[i], [2]sql.Type{left[i], right[i]}, [2]sql.Type{now[0][i].Type, now[1][i].Type}) {
			common[i] = nil // as it is
			continue
		}
		changed = true
	}
	for i := range common {
		typ := now[0][i].Type
		if common[i] != nil {
			typ = common[i]
		}
		if i >= len(ids) || ids[i] == 0 {
			continue
		}
		if common[i] == nil && types.IsTextOnly(left[i]) && types.IsTextOnly(right[i]) {
			if wide := coercion.Common(left[i], right[i]); characterSet(wide) != characterSet(typ) { // the binder forgets UTF-32
				r.types[ids[i]] = wide
				continue
			}
		}
		// Above, it is the left branch's, or what the binder made of it, or a branch's within.
		_, known := r.types[ids[i]]
		same := typ.Equals(left[i]) && typ.Equals(now[0][i].Type) || types.IsTextOnly(typ) && types.IsTextOnly(left[i])
		if known || !same {
			r.types[ids[i]] = typ
		}
	}
	if !changed {
		return r.expressions(n) // what it is ordered by
	}
	branches := make([]sql.Node, 2)
	for i, branch := range n.Children() {
		branches[i] = converted(branch, common)
	}
	r.same = transform.NewTree
	made, err := n.WithChildren(branches...)
	if err != nil {
		return nil, err
	}
	return r.expressions(made) // what it is ordered by
}

// characterSet is a text's.
func characterSet(t sql.Type) sql.CharacterSetID {
	if text, ok := t.(sql.StringType); ok {
		return text.CharacterSet()
	}
	return sql.CharacterSet_Unspecified
}

// asItIs tells of a column whose branches the binder has given the common type, or a DOUBLE.
// It writes dates as texts with a time of the day.
func asItIs(common sql.Type, was, now [2]sql.Type) bool {
	if common == types.Int64 && (isTruth(was[0]) || isTruth(was[1])) {
		return isTruth(now[0]) == isTruth(now[1]) && now[0] == common && !isTruth(was[0]) && !isTruth(was[1])
	}
	if types.IsTextOnly(common) {
		return types.IsTextOnly(was[0]) && types.IsTextOnly(was[1])
	}
	return common.Equals(now[0]) && common.Equals(now[1]) || types.IsNumber(was[0]) && types.IsFloat(now[0]) && types.IsFloat(now[1])
}

func isTruth(t sql.Type) bool { return t == types.Boolean }

// binderProject is the projection that the binder puts over a branch to convert columns,
// which it gives no ids.
func binderProject(branch sql.Node) (*plan.Project, bool) {
	project, ok := branch.(*plan.Project)
	if !ok {
		return nil, false
	}
	for _, e := range project.Projections {
		if alias, ok := e.(*expression.Alias); ok && alias.Id() == 0 {
			switch alias.Child.(type) {
			case *expression.Convert:
				return project, true
			}
		}
	}
	return nil, false
}

// branchIDs are the numbers by which nodes above a set operation refer to its columns: those of its first
// branch, beneath what the binder and converted put on it, whose names have no number.
func branchIDs(branch sql.Node) []sql.ColumnId {
	switch n := branch.(type) {
	case *plan.SetOp:
		return branchIDs(n.Left())
	case *plan.Project:
		numbered := func(e sql.Expression) bool {
			alias, ok := e.(*expression.Alias)
			return !ok || alias.Id() != 0
		}
		if !slices.ContainsFunc(n.Projections, numbered) {
			return branchIDs(n.Child)
		}
	}
	return tree.OutputIDs(branch)
}

// beneath are the types of a branch's columns without the binder's conversions.
func beneath(branch sql.Node) []sql.Type {
	project, ok := binderProject(branch)
	list := make([]sql.Type, 0, len(branch.Schema()))
	for i, c := range branch.Schema() {
		typ := c.Type
		if ok {
			typ = unconverted(project.Projections[i]).Type()
		}
		list = append(list, typ)
	}
	return list
}

func unconverted(e sql.Expression) sql.Expression {
	if alias, ok := e.(*expression.Alias); ok && alias.Id() == 0 {
		if convert, ok := alias.Child.(*expression.Convert); ok {
			return convert.Child
		}
	}
	return e
}

// converted is a branch whose columns have other types, nil for those that they have.
func converted(branch sql.Node, to []sql.Type) sql.Node {
	project, ok := binderProject(branch)
	schema := branch.Schema()
	projections := make([]sql.Expression, len(schema))
	ids := tree.OutputIDs(branch)
	for i, c := range schema {
		var e sql.Expression
		if ok {
			e = project.Projections[i]
		} else if len(ids) == len(schema) {
			e = expression.NewGetFieldWithTable(int(ids[i]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		} else {
			return branch
		}
		if to[i] != nil {
			if of := tree.Unalias(unconverted(e)); !reflect.DeepEqual(of.Type(), to[i]) { // which the engine asks, too
				e = expression.NewAlias(c.Name, scalar.As(of, to[i]))
			} else {
				e = expression.NewAlias(c.Name, of)
			}
		}
		projections[i] = e
	}
	if ok {
		return plan.NewProject(projections, project.Child)
	}
	return plan.NewProject(projections, branch)
}

// record notes the types of the columns that a node defines, whose types may have changed.
func (r *retyper) record(n sql.Node) {
	note := func(list []sql.Expression) {
		for _, e := range list {
			switch e.(type) {
			case *expression.GetField, *aggregation.Sum, *aggregation.Avg: // DOUBLE, though they say the type of what they add
				continue
			}
			if id := tree.ID(e); id > 0 {
				r.types[id] = e.Type()
			}
		}
	}
	switch n := n.(type) {
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
