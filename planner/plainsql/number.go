package plainsql

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/planner/arithmetic"
)

// arithmetic writes operators over numbers. SQLite keeps exact numbers as REAL, so results are rounded to their
// decimals.
func (w *writer) arithmetic(e sql.Expression) (text string, known bool, err error) {
	switch e := e.(type) {
	case *expression.Arithmetic:
		text, err = w.plusMinusTimes(e)
	case *expression.UnaryMinus:
		text, err = w.number(e.Child)
		text = "(-" + text + ")"
		if strings.HasPrefix(text, "(--") {
			text = "(- " + text[2:]
		}
	case *expression.Div:
		text, err = w.divide(e)
	case *expression.IntDiv:
		text, err = w.wholeQuotient(e, e.Children())
	case *expression.Mod:
		if err = w.integers(e, e.LeftChild, e.RightChild); err == nil {
			var l, r string
			l, r, err = w.pair(e.LeftChild, e.RightChild, w.expression)
			text = "(" + l + " % " + r + ")"
		}
	default:
		return "", false, nil
	}
	return text, true, err
}

// wholeQuotient writes DIV over integers.
func (w *writer) wholeQuotient(e sql.Expression, operands []sql.Expression) (string, error) {
	if err := w.integers(e, operands...); err != nil {
		return "", err
	}
	l, r, err := w.pair(operands[0], operands[1], w.expression)
	return fmt.Sprintf("CAST((%s - %s %% %s) / %s AS SIGNED)", l, l, r, r), err
}

// number writes an expression that must be a number.
func (w *writer) number(e sql.Expression) (string, error) {
	if c := classOf(e.Type()); c != numberClass && c != nullClass {
		return "", refusePlain("%s as a number: it is %s", e, orType(c, e))
	}
	return w.expression(e)
}

func (w *writer) integers(whole sql.Expression, parts ...sql.Expression) error {
	for _, e := range parts {
		if !types.IsInteger(e.Type()) && !types.IsBoolean(e.Type()) {
			return refusePlain("%s over other numbers than integers", whole)
		}
	}
	return nil
}

func (w *writer) plusMinusTimes(e *expression.Arithmetic) (string, error) {
	l, r, err := w.pair(e.LeftChild, e.RightChild, w.number)
	if err != nil {
		return "", err
	}
	text := "(" + l + " " + e.Op + " " + r + ")"
	a, exactLeft := decimalPlaces(e.LeftChild.Type())
	b, exactRight := decimalPlaces(e.RightChild.Type())
	if hasQuotient(e) {
		if exactLeft && exactRight && !w.unrounded {
			return "", refusePlain("%s, which rounds a quotient of exact numbers: multiply with 1e0", e)
		}
		return text, nil
	}
	if !exactLeft || !exactRight || a+b == 0 {
		return text, nil
	}
	places := max(a, b)
	if e.Op == "*" {
		places = a + b
	}
	return fmt.Sprintf("ROUND(%s, %d)", text, min(places, maxDigits)), nil
}

// divide casts the dividend to DOUBLE: SQLite would divide integers as integers. The quotient of exact numbers has
// four more decimals than the dividend.
func (w *writer) divide(e *expression.Div) (string, error) {
	l, r, err := w.pair(e.LeftChild, e.RightChild, w.number)
	if err != nil {
		return "", err
	}
	text := "(CAST(" + l + " AS DOUBLE) / " + r + ")"
	places, exactLeft := decimalPlaces(e.LeftChild.Type())
	if _, exactRight := decimalPlaces(e.RightChild.Type()); !exactLeft || !exactRight || w.unrounded {
		return text, nil
	}
	if hasQuotient(e.Children()...) {
		return "", refusePlain("%s, a quotient of exact quotients: multiply with 1e0", e)
	}
	return exactQuotient(e, l, r, text, places+4), nil
}

// exactQuotient rounds the quotient of the exact numbers l and r to places. For few places, it divides integers, so
// that the half of a last place is exact in SQLite too: 10000.0 is a DECIMAL in MySQL and a REAL in SQLite.
func exactQuotient(e *expression.Div, l, r, quotient string, places int) string {
	left, leftExact := arithmetic.ClassOf(e.LeftChild).Scale()
	right, rightExact := arithmetic.ClassOf(e.RightChild).Scale()
	if !leftExact || !rightExact || left != places-4 || places > fewDigits || right > fewDigits {
		return fmt.Sprintf("ROUND(%s, %d)", quotient, places)
	}
	return fmt.Sprintf("ROUND(ROUND(%s * %s.0 / %s) / %s, %d)", wholeOf(l, left), power(4+right), wholeOf(r, right), power(places), places)
}

// wholeOf writes an exact number in units of its last decimal.
func wholeOf(text string, scale int) string {
	if scale == 0 {
		return text
	}
	return fmt.Sprintf("ROUND(%s * %s)", text, power(scale))
}

// power writes a power of ten.
func power(n int) string { return "1" + strings.Repeat("0", n) }

// roundTo rounds e, written as text, to places, from 0. Half a decimal place is no binary fraction, so SQLite would
// round an exact 1.15 to 1.1. So roundTo first scales an exact number to an integer of its last place, whose halves
// are exact.
func roundTo(e sql.Expression, text string, places int) string {
	scale, exact := arithmetic.ClassOf(e).Scale()
	if !exact || places == 0 || scale <= places || scale > fewDigits {
		return fmt.Sprintf("ROUND(%s, %d)", text, places)
	}
	return fmt.Sprintf("ROUND(ROUND(%s / %s) / %s, %d)", wholeOf(text, scale), power(scale-places), power(places), places)
}

// maxDigits is the number of decimal digits that a DOUBLE keeps. fewDigits is the number of decimals up to which
// scaled integers are likely to fit into a DOUBLE, and up to which MySQL keeps the decimals of a quotient.
const maxDigits, fewDigits = 15, 9

// keepPlaces suspends the rounding of exact quotients until the returned function is called: the server compares and
// casts unrounded quotients.
func (w *writer) keepPlaces() func() {
	before := w.unrounded
	w.unrounded = true
	return func() { w.unrounded = before }
}

func hasQuotient(list ...sql.Expression) bool {
	for _, e := range list {
		if transform.InspectExpr(e, func(e sql.Expression) bool { _, ok := e.(*expression.Div); return ok }) {
			return true
		}
	}
	return false
}

// isWholeText reports whether a cast to CHAR or NCHAR has no length, so that it cuts nothing off.
func isWholeText(e, child sql.Expression) bool {
	return reflect.DeepEqual(e, expression.NewConvert(child, expression.ConvertToChar)) ||
		reflect.DeepEqual(e, expression.NewConvert(child, expression.ConvertToNChar))
}

// cast writes casts between numbers, and of integers to text. SQLite keeps fractions under CAST ... AS SIGNED, and
// parses texts in its own way.
func (w *writer) cast(e, child sql.Expression) (string, error) {
	defer w.keepPlaces()()
	text, err := w.expression(child)
	if err != nil {
		return "", err
	}
	from, to := child.Type(), e.Type()
	class, whole := classOf(from), types.IsInteger(from) || types.IsBoolean(from)
	switch {
	case class == nullClass:
		return text, nil
	case class == numberClass && to.Type() == query.Type_FLOAT64:
		return "CAST(" + text + " AS DOUBLE)", nil
	case class == numberClass && to.Type() == query.Type_INT64 && whole:
		return text, nil
	case class == numberClass && to.Type() == query.Type_INT64:
		return "CAST(ROUND(" + text + ") AS SIGNED)", nil
	case class == numberClass && types.IsDecimal(to):
		places, _ := decimalPlaces(to)
		return roundTo(child, text, places), nil
	case whole && types.IsTextOnly(to):
		return "CAST(" + text + " AS CHAR)", nil
	case class == textClass && types.IsTextOnly(to) && isWholeText(e, child):
		return text, nil
	case class == dayClass && isDay(to):
		return text, nil
	case class == momentClass && isDay(to):
		return "SUBSTR(CAST(" + text + " AS CHAR), 1, 10)", nil
	}
	return "", refusePlain("%s", e)
}
