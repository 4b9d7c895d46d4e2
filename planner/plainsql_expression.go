package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// expression writes an expression: a constant as its value, operators and
// functions in words that both dialects share, the rest of one column as the
// table of its values. Every operator has its parentheses.
func (w *sqlWriter) expression(e sql.Expression) (string, error) {
	if len(w.groupedBy) > 0 && w.estimate == nil {
		if text, ok := w.groupedBy[e.String()]; ok {
			return text, nil
		}
	}
	if oneValue(e) {
		if value, err := e.Eval(w.ctx, nil); err == nil {
			return literal(value, e.Type())
		}
	}
	text, err := w.portable(e)
	if err != nil {
		if table, ok := w.valueTable(e, false); ok {
			return table, nil
		}
	}
	return text, err
}

// condition writes what stands in WHERE, ON, CASE WHEN or beside AND: a number
// is true where it is not 0, a text where it begins with such a number, which
// the dialects do not agree upon.
func (w *sqlWriter) condition(e sql.Expression) (string, error) {
	if c := classOf(e.Type()); c != numberClass && c != nullClass {
		return "", refusePlain("%s as a condition: it is %s", e, orType(c, e))
	}
	return w.expression(e)
}

// oneValue reports whether e has one value for the whole statement.
func oneValue(e sql.Expression) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *viewColumn, *plan.Subquery, *plan.ExistsSubquery, *expression.BindVar, *expression.Interval, *weightedAggregate:
			return true
		case sql.Aggregation:
			return true
		}
		return !e.Resolved() || acts(e)
	})
}

// acts reports whether evaluating e does more than to compute: nothing of that
// kind may happen where a statement is only explained. What has another value
// every time is likewise left alone.
func acts(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.SetField:
		return true
	case sql.NonDeterministicExpression:
		return e.IsNonDeterministic()
	case sql.FunctionExpression:
		return slices.Contains([]string{"sleep", "get_lock", "release_lock", "release_all_locks", "uuid"}, strings.ToLower(e.FunctionName()))
	}
	return false
}

// portable writes e by its kind.
func (w *sqlWriter) portable(e sql.Expression) (string, error) {
	switch e := e.(type) {
	case *viewColumn:
		return w.viewColumn(e)
	case *expression.GetField:
		if text, ok := w.fields[e.Id()]; ok && w.estimate == nil {
			return text, nil
		}
		return "", refusePlain("%s, which refers to an outer query", e)
	case *expression.Literal:
		return literal(e.Value(), e.Type())
	case *expression.Alias:
		return w.expression(e.Child)
	case *expression.And:
		return w.logical(e.LeftChild, "AND", e.RightChild)
	case *expression.Or:
		return w.logical(e.LeftChild, "OR", e.RightChild)
	case *expression.Xor:
		if not, ok := e.RightChild.(*expression.Literal); ok && (not.Value() == true || not.Value() == false) {
			text, err := w.condition(e.LeftChild) // what NOT IN (SELECT ...) is parsed to
			if not.Value() == true {
				text = "(NOT " + text + ")"
			}
			return text, err
		}
		l, r, err := w.pair(e.LeftChild, e.RightChild, w.condition)
		return fmt.Sprintf("((%s <> 0) <> (%s <> 0))", l, r), err
	case *expression.Not:
		text, err := w.condition(e.Child)
		return "(NOT " + text + ")", err
	case *expression.IsNull:
		text, err := w.expression(e.Child)
		return "(" + text + " IS NULL)", err
	case *expression.IsTrue:
		return w.isTrue(e)
	case *expression.Case:
		return w.caseOf(e)
	case *expression.Convert:
		return w.cast(e)
	case *decimalCast:
		return w.expression(e.child) // UNION finds a common type by itself
	case *expression.CollatedExpression:
		return w.expression(e.Children()[0]) // comparisons ask for the collation
	case *expression.Like:
		return w.like(e)
	case *plan.Subquery, *plan.ExistsSubquery, *plan.InSubquery:
		return w.subquery(e)
	}
	if text, known, err := w.comparison(e); known || err != nil {
		return text, err
	}
	if text, known, err := w.arithmetic(e); known || err != nil {
		return text, err
	}
	if call, ok := e.(sql.FunctionExpression); ok {
		if _, aggregate := e.(sql.Aggregation); !aggregate {
			return w.function(call)
		}
	}
	return "", refusePlain("%s", e)
}

func (w *sqlWriter) viewColumn(e *viewColumn) (string, error) {
	if w.estimate == nil {
		return "", refusePlain("%s", e)
	}
	if classOf(e.typ) == otherClass {
		return "", refusePlain("%s, of the type %s", e, e.typ)
	}
	return w.estimate.columns[e.name], nil
}

// pair writes two expressions.
func (w *sqlWriter) pair(left, right sql.Expression, write func(sql.Expression) (string, error)) (l, r string, err error) {
	if l, err = write(left); err != nil {
		return "", "", err
	}
	r, err = write(right)
	return l, r, err
}

func (w *sqlWriter) logical(left sql.Expression, word string, right sql.Expression) (string, error) {
	l, r, err := w.pair(left, right, w.condition)
	return "(" + l + " " + word + " " + r + ")", err
}

func (w *sqlWriter) isTrue(e *expression.IsTrue) (string, error) {
	text, err := w.condition(e.Child)
	word := expression.IsTrueStr
	if strings.HasSuffix(e.String(), expression.IsFalseStr) {
		word = expression.IsFalseStr
	}
	return "(" + text + " " + word + ")", err
}

func (w *sqlWriter) comparison(e sql.Expression) (text string, known bool, err error) {
	switch e := e.(type) {
	case *expression.Equals:
		text, err = w.compare(e.Left(), e.Right(), "=")
	case *expression.NullSafeEquals:
		text, err = w.nullSafe(e.Left(), e.Right())
	case *expression.GreaterThan:
		text, err = w.compare(e.Left(), e.Right(), ">")
	case *expression.GreaterThanOrEqual:
		text, err = w.compare(e.Left(), e.Right(), ">=")
	case *expression.LessThan:
		text, err = w.compare(e.Left(), e.Right(), "<")
	case *expression.LessThanOrEqual:
		text, err = w.compare(e.Left(), e.Right(), "<=")
	case *expression.Between:
		var low, high string
		if low, err = w.compare(e.Val, e.Lower, ">="); err == nil {
			high, err = w.compare(e.Val, e.Upper, "<=")
		}
		text = "(" + low + " AND " + high + ")"
	case *expression.InTuple:
		text, err = w.inList(e)
	default:
		return "", false, nil
	}
	return text, true, err
}

// inList writes IN over a list; every member is compared by itself.
func (w *sqlWriter) inList(e *expression.InTuple) (string, error) {
	members, ok := e.Right().(expression.Tuple)
	if _, rows := e.Left().(expression.Tuple); !ok || rows {
		return "", refusePlain("%s", e)
	}
	left := ""
	list := make([]string, len(members))
	for i, member := range members {
		l, r, err := w.comparable(e.Left(), member, false)
		if err != nil {
			return "", err
		}
		if left != "" && l != left && member.Type() != types.Null {
			return "", refusePlain("%s, whose members compare by different rules", e)
		}
		left, list[i] = l, r
	}
	return fmt.Sprintf("(%s IN (%s))", left, strings.Join(list, ", ")), nil
}

// caseOf writes CASE; one over a value compares as = does.
func (w *sqlWriter) caseOf(e *expression.Case) (string, error) {
	text := "CASE"
	var values []sql.Expression
	for _, b := range e.Branches {
		var condition string
		var err error
		if e.Expr != nil {
			condition, err = w.compare(e.Expr, b.Cond, "=")
		} else {
			condition, err = w.condition(b.Cond)
		}
		if err != nil {
			return "", err
		}
		value, err := w.expression(b.Value)
		if err != nil {
			return "", err
		}
		values = append(values, b.Value)
		text += " WHEN " + condition + " THEN " + value
	}
	if e.Else != nil {
		value, err := w.expression(e.Else)
		if err != nil {
			return "", err
		}
		values = append(values, e.Else)
		text += " ELSE " + value
	}
	return "(" + text + " END)", sameClass(e, values...)
}

// sameClass refuses branches of different classes, which MySQL makes texts of.
func sameClass(whole sql.Expression, branches ...sql.Expression) error {
	first := nullClass
	for _, b := range branches {
		c := classOf(b.Type())
		if c == nullClass || c == first {
			continue
		}
		if first != nullClass {
			return refusePlain("%s, whose branches have different types", whole)
		}
		first = c
	}
	return nil
}
