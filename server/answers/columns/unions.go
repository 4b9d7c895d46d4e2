package columns

import (
	"reflect"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/tree"
)

// setOperation converts the branches' columns to common types.
func (r *retyper) setOperation(n *plan.SetOp) (sql.Node, error) {
	left, right := branchTypes(n.Left()), branchTypes(n.Right())
	if len(left) != len(right) {
		return n, nil
	}
	now := [2]sql.Schema{n.Left().Schema(), n.Right().Schema()}
	common, changed := make([]sql.Type, len(left)), false
	ids, others := branchIDs(n.Left()), branchIDs(n.Right())
	for i := range left {
		common[i] = coercion.Common(left[i], right[i])
		if a, b := isWritten(n.Left(), i), isWritten(n.Right(), i); a != b && types.IsTextOnly(left[i]) && types.IsTextOnly(right[i]) {
			common[i] = withCollationOf(common[i], map[bool]sql.Type{true: right[i], false: left[i]}[a])
		}
		if types.IsNumber(left[i]) && types.IsNumber(right[i]) && (coercion.IsTruth(left[i]) || coercion.IsTruth(right[i])) && types.IsInteger(common[i]) {
			common[i] = types.Int64 // truth is no number to the engine, and true not 1
		}
		isTotal := i < len(ids) && r.totals[ids[i]] || i < len(others) && r.totals[others[i]]
		if !isTotal && asItIs(common[i], [2]sql.Type{left[i], right[i]}, [2]sql.Type{now[0][i].Type, now[1][i].Type}) {
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
			if wide := coercion.Common(left[i], right[i]); characterSet(wide) != characterSet(typ) ||
				characterSet(wide) != characterSet(left[i]) { // the binder forgets UTF-32, and above it has the left branch's
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
	return r.expressions(orderedAsShown(made)) // what it is ordered by
}

// orderedAsShown orders a set operation by the types of its columns; a computed column without a name is found by its text.
func orderedAsShown(n sql.Node) sql.Node {
	set, ok := n.(*plan.SetOp)
	if !ok {
		return n
	}
	made, fields := *set, slices.Clone(set.SortFields)
	for i, f := range fields {
		field, ok := f.Column.(*expression.GetField)
		if !ok {
			continue
		}
		at := slices.IndexFunc(set.Schema(), func(c *sql.Column) bool { return c.Name == field.Name() })
		if at >= 0 && !set.Schema()[at].Type.Equals(field.Type()) {
			fields[i].Column = tree.Retyped(field, set.Schema()[at].Type)
		}
	}
	made.SortFields = fields
	return &made
}

// isWritten recognises a column of a branch that is a text literal, whose collation yields to a column's.
func isWritten(branch sql.Node, i int) bool {
	project, ok := branch.(*plan.Project)
	if !ok || i >= len(project.Projections) {
		return false
	}
	if binders, ok := binderProject(branch); ok {
		if _, literal := unconverted(binders, i).(*expression.Literal); literal {
			return true
		}
		return isWritten(binders.Child, i)
	}
	_, literal := tree.Unalias(project.Projections[i]).(*expression.Literal)
	return literal
}

// withCollationOf is a text in the collation of another.
func withCollationOf(typ, of sql.Type) sql.Type {
	text, ok := typ.(sql.StringType)
	other, isText := of.(sql.StringType)
	if !ok || !isText {
		return typ
	}
	made, err := types.CreateString(text.Type(), text.MaxCharacterLength(), other.Collation())
	if err != nil {
		return typ
	}
	return made
}

// stored is a value in a column of a type. An average has more digits than its own type.
func stored(e sql.Expression, typ sql.Type) sql.Expression {
	if of, isDecimal := e.Type().(sql.DecimalType); isDecimal {
		e = arithmetic.NewDecimalCast(e, of)
	}
	return scalar.As(e, typ)
}

// characterSet is a text's.
func characterSet(t sql.Type) sql.CharacterSetID {
	if text, ok := t.(sql.StringType); ok {
		return text.CharacterSet()
	}
	return sql.CharacterSet_Unspecified
}

// asItIs recognises a column whose branches already have the binder's common type,
// which is right except for dates as texts.
func asItIs(common sql.Type, was, now [2]sql.Type) bool {
	if common == types.Int64 && (coercion.IsTruth(was[0]) || coercion.IsTruth(was[1])) {
		return coercion.IsTruth(now[0]) == coercion.IsTruth(now[1]) && now[0] == common && !coercion.IsTruth(was[0]) && !coercion.IsTruth(was[1])
	}
	if types.IsTextOnly(common) {
		return types.IsTextOnly(was[0]) && types.IsTextOnly(was[1]) && reflect.DeepEqual(now[0], now[1]) && // which the engine asks, too
			weights.Collation(now[0]) == weights.Collation(common)
	}
	return common.Equals(now[0]) && common.Equals(now[1])
}

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
		ids, below := make([]sql.ColumnId, len(n.Projections)), []sql.ColumnId(nil)
		for i, e := range n.Projections {
			ids[i] = tree.ID(e)
			if alias, ok := e.(*expression.Alias); !ok || alias.Id() != 0 {
				continue
			}
			if below == nil {
				below = branchIDs(n.Child)
			}
			if len(below) == len(ids) {
				ids[i] = below[i]
			}
		}
		return ids
	}
	return tree.OutputIDs(branch)
}

// branchTypes are the types of a branch's columns without the binder's conversions.
func branchTypes(branch sql.Node) []sql.Type {
	project, ok := binderProject(branch)
	list := make([]sql.Type, 0, len(branch.Schema()))
	for i, c := range branch.Schema() {
		typ := c.Type
		if ok {
			typ = unconverted(project, i).Type()
		}
		list = append(list, typ)
	}
	return list
}

// unconverted is a column without the binder's conversion. A reference by name has the type of the column below.
func unconverted(project *plan.Project, i int) sql.Expression {
	e := project.Projections[i]
	if alias, ok := e.(*expression.Alias); ok && alias.Id() == 0 {
		e = alias.Child
		if convert, ok := e.(*expression.Convert); ok {
			e = convert.Child
		}
	}
	if field, ok := e.(*expression.GetField); ok && field.Id() == 0 {
		if below := project.Child.Schema(); i < len(below) && !below[i].Type.Equals(field.Type()) {
			return tree.Retyped(field, below[i].Type)
		}
	}
	return e
}

// converted is a branch with columns converted to types, nil for unchanged ones.
func converted(branch sql.Node, to []sql.Type) sql.Node {
	project, ok := binderProject(branch)
	schema := branch.Schema()
	projections := make([]sql.Expression, len(schema))
	ids := tree.OutputIDs(branch)
	for i, c := range schema {
		var e sql.Expression
		if ok {
			e = unconverted(project, i)
			if to[i] == nil {
				e = project.Projections[i]
			}
		} else if len(ids) == len(schema) {
			e = expression.NewGetFieldWithTable(int(ids[i]), 0, c.Type, c.DatabaseSource, c.Source, c.Name, c.Nullable)
		} else if _, constants := branch.(*plan.Project); constants {
			return convertedOutput(branch, to)
		} else {
			return branch
		}
		if to[i] != nil {
			if of := tree.Unalias(e); types.IsDecimal(of.Type()) || !reflect.DeepEqual(of.Type(), to[i]) { // which the engine asks, too
				e = expression.NewAlias(c.Name, stored(of, to[i]))
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
