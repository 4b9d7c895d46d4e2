package answer

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"

	"github.com/anonsql/anonsql/planner/arithmetic"
)

// Inside a cell the columns of a release are taken for independent. The measured width of intervals covers the resulting error for
// conditions on one column each. The error of expressions over several columns of a record, such as DATEDIFF(discharged, admitted), is
// unknown: only the hard bounds hold.

// combined finds the first part of the question that computes with several columns, one of them generalized; nil if there is none.
func (e *Estimate) combined() sql.Expression {
	general := make(map[string]bool)
	for _, f := range e.View.Record().Fragments {
		for _, c := range f.Columns {
			general[c.Name] = !c.Point
		}
	}
	for _, x := range e.Expressions() {
		if found := combinedIn(x, general); found != nil {
			return found
		}
	}
	return nil
}

// combinedIn descends below expressions that only choose between parts, since their conditions may concern single columns.
func combinedIn(x sql.Expression, general map[string]bool) sql.Expression {
	names, some := ViewColumns(x), false
	for _, name := range names {
		some = some || general[name]
	}
	if !some || len(names) < 2 {
		return nil
	}
	own := len(x.Children()) > 1 && !chooses(x)
	for _, child := range x.Children() {
		if len(ViewColumns(child)) == len(names) { // one child reads all of them
			own = false
		}
		if found := combinedIn(child, general); found != nil {
			return found
		}
	}
	if own {
		return x
	}
	return nil
}

// chooses reports whether the value of an expression is one of its children's, or a Boolean combination of them. CASE a WHEN b and NULLIF compare.
func chooses(x sql.Expression) bool {
	switch x.(type) {
	case *expression.And, *expression.Or, *expression.Xor, *expression.Not, expression.Tuple:
		return true
	}
	if c := arithmetic.CaseOf(x); c != nil {
		return c.Expr == nil
	}
	f, ok := x.(sql.FunctionExpression)
	return ok && (f.FunctionName() == "if" || f.FunctionName() == "ifnull" || f.FunctionName() == "coalesce")
}

// possible are the hard bounds of an output, which replace its interval; NULL without bounds.
func (a *answered) possible(row int, o Output) (low, high any) {
	bounds := a.spread.Bounds[row][o.Index]
	return figure(bounds.Low), figure(bounds.High)
}

// independence is the part of the note that says that intervals are the hard bounds.
func (e *Estimate) independence() string {
	if x := e.combined(); x != nil {
		return fmt.Sprintf("%s combines generalized columns, which are taken for independent inside a cell: its interval is the hard bounds "+
			"(a column of it in the table, published like the others, would do better)", x)
	}
	return ""
}
