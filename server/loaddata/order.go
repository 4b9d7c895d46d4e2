package loaddata

import (
	"slices"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/tree"
)

// The engine's plan has the values of SET by column, and only the last one of each column. So MarkOrder wraps each value in
// a call with its position, which the binder binds like any other call.
const assignedFunction = "__anon_set"

// MarkOrder adds the position of each assignment of SET to a tree.
func MarkOrder(load *sqlparser.Load) {
	places := strconv.Itoa(len(load.SetExprs))
	for i, a := range load.SetExprs {
		arguments := sqlparser.SelectExprs{}
		for _, e := range []sqlparser.Expr{sqlparser.NewIntVal([]byte(strconv.Itoa(i))), sqlparser.NewIntVal([]byte(places)), a.Expr} {
			arguments = append(arguments, &sqlparser.AliasedExpr{Expr: e})
		}
		a.Expr = &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(assignedFunction), Exprs: arguments}
	}
}

// Functions returns the function that MarkOrder calls.
func Functions() []sql.Function {
	return []sql.Function{sql.Function3{Name: assignedFunction, Fn: func(place, places, value sql.Expression) sql.Expression {
		return &Assignment{tree.NewStandin(value), number(place), number(places)}
	}}}
}

func number(e sql.Expression) int {
	literal, ok := e.(*expression.Literal)
	if !ok {
		return 0
	}
	return int(serialNumber(literal.Value()))
}

// An Assignment is a value of SET, with its position, from 0, and the number of assignments.
type Assignment struct {
	tree.Standin
	place, places int
}

var _ sql.CollationCoercible = (*Assignment)(nil)

// Assigned returns the value.
func (a *Assignment) Assigned() sql.Expression { return a.Child }

func (a *Assignment) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(a, children)
}

// ordered returns the assignments of SET in their order; without positions, in column order.
func ordered(values []sql.Expression) ([]step, error) {
	var steps []step
	last := 0
	for i, e := range values {
		if e == nil {
			continue
		}
		s := step{column: i, value: e}
		if a, ok := e.(*Assignment); ok {
			s.place, s.value, last = a.place, a.Child, a.places
		}
		steps = append(steps, s)
	}
	if last > len(steps) {
		return nil, notSupported("LOAD DATA: SET assigns a column twice; write one expression for it")
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.place - b.place })
	return steps, nil
}

// A step computes one column of a row.
type step struct {
	column, place int
	value         sql.Expression
}

// reads reports whether a step reads the column of another one.
func (s step) reads(others []step) bool {
	return transform.InspectExpr(s.value, func(e sql.Expression) bool {
		field, ok := e.(*expression.GetField)
		return ok && slices.ContainsFunc(others, func(o step) bool { return o.column == field.Index() && o.column != s.column })
	})
}

// byDependence sorts each step after the steps whose columns it reads. Steps that read each other keep their order.
func byDependence(steps []step) (sorted []step) {
	for len(steps) > 0 {
		next := max(0, slices.IndexFunc(steps, func(s step) bool { return !s.reads(steps) }))
		sorted, steps = append(sorted, steps[next]), slices.Delete(steps, next, next+1)
	}
	return sorted
}
