package plainsql

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/tree"
)

// expression writes a constant as its value, and operators and functions in the form that both dialects share. Any
// other expression over one column becomes the table of its values. Every operator has parentheses.
func (w *writer) expression(e sql.Expression) (string, error) {
	if w.estimate == nil {
		if text, ok := w.groupedBy.find(e); ok {
			return text, nil
		}
	}
	if oneValue(e) && !countsInstants(e) {
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

// condition writes an expression of WHERE, ON, CASE WHEN or AND. It must be a number, true if it is not 0: the
// dialects disagree about the truth of texts.
func (w *writer) condition(e sql.Expression) (string, error) {
	if c := classOf(e.Type()); c != numberClass && c != nullClass {
		return "", refusePlain("%s as a condition: it is %s", e, orType(c, e))
	}
	return w.expression(e)
}

// oneValue reports whether e has one value for the whole statement.
func oneValue(e sql.Expression) bool { return tree.OneValue(e) && len(answer.ViewColumns(e)) == 0 }

// countsInstants recognises arithmetic with dates or times. Only the server's finished plans take these for the numbers of their
// digits, and this package evaluates expressions before.
func countsInstants(e sql.Expression) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.Arithmetic, *expression.Div, *expression.UnaryMinus:
			children := e.Children()
			moved := slices.ContainsFunc(children, func(child sql.Expression) bool { _, ok := child.(*expression.Interval); return ok })
			return !moved && slices.ContainsFunc(children, func(child sql.Expression) bool {
				return types.IsTime(child.Type()) || types.IsTimespan(child.Type())
			})
		}
		return false
	})
}

// portable writes e by its kind.
func (w *writer) portable(e sql.Expression) (string, error) {
	switch e := e.(type) {
	case *answer.ViewColumn:
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
			text, err := w.condition(e.LeftChild) // NOT IN (SELECT ...) is parsed to this
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
		return w.cast(e, e.Child)
	case *arithmetic.Unrounded:
		defer w.keepPlaces()()
		return w.expression(e.Child)
	case *arithmetic.DecimalCast:
		return w.expression(e.Child) // UNION itself finds a common type
	case *expression.CollatedExpression:
		asked, _ := w.collationOf(e)
		if own, _ := w.collationOf(e.Children()[0]); IgnoresCase(own) && !IgnoresCase(asked) { // MySQL would use the column's collation
			return "", refusePlain("%s, which is compared by another collation than its own", e)
		}
		return w.expression(e.Children()[0]) // comparisons take the collation into account
	case *expression.Like:
		return w.writeLike(e)
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

func (w *writer) viewColumn(e *answer.ViewColumn) (string, error) {
	if w.estimate == nil {
		return "", refusePlain("%s", e)
	}
	if classOf(e.Type()) == otherClass {
		return "", refusePlain("%s, of the type %s", e, e.Type())
	}
	return w.estimate.columns[e.Name()], nil
}

// pair writes two expressions.
func (w *writer) pair(left, right sql.Expression, write func(sql.Expression) (string, error)) (l, r string, err error) {
	if l, err = write(left); err != nil {
		return "", "", err
	}
	r, err = write(right)
	return l, r, err
}

func (w *writer) logical(left sql.Expression, word string, right sql.Expression) (string, error) {
	l, r, err := w.pair(left, right, w.condition)
	return "(" + l + " " + word + " " + r + ")", err
}

func (w *writer) isTrue(e *expression.IsTrue) (string, error) {
	text, err := w.condition(e.Child)
	word := expression.IsTrueStr
	if reflect.DeepEqual(e, expression.NewIsFalse(e.Child)) {
		word = expression.IsFalseStr
	}
	return "(" + text + " " + word + ")", err
}

func (w *writer) comparison(e sql.Expression) (text string, known bool, err error) {
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

// inList writes IN over a list. It compares every member on its own.
func (w *writer) inList(e *expression.InTuple) (string, error) {
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

// caseOf writes CASE. With a value, it compares as = does.
func (w *writer) caseOf(e *expression.Case) (string, error) {
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

// sameClass refuses branches of different classes, which MySQL converts to texts.
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
