package correlated

import (
	"encoding/binary"
	"math"
	"reflect"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/weights"
)

// A pair is an equation's two sides: inner over a row of the relation, outer over the row
// for which it is asked.
type pair struct {
	inner, outer sql.Expression
	compared     compared
}

// compared is how the values of a pair are.
type compared int

const (
	asNumbers compared = iota + 1
	asTexts            // in the collation of both
	asTimes
)

// comparison says how an equation compares, 0 when its keys are not known.
func comparison(a, b sql.Expression) compared {
	s, t := a.Type(), b.Type()
	exact := func(t sql.Type) bool { return types.IsInteger(t) || types.IsDecimal(t) }
	switch {
	case exact(s) && exact(t):
		return asNumbers
	case types.IsTextOnly(s) && types.IsTextOnly(t):
		// The collation of what is computed is not always that of its type.
		if isColumn(a) && isColumn(b) && weights.Collation(s) == weights.Collation(t) {
			return asTexts
		}
	case types.IsTime(s) && types.TypesEqual(s, t):
		return asTimes
	}
	return 0
}

func isColumn(e sql.Expression) bool {
	_, ok := e.(*expression.GetField)
	return ok
}

// equationsOf are those terms of a condition by which rows may be kept: equations of what
// reads columns on both sides, and computes only.
func equationsOf(condition sql.Expression) (equations []*expression.Equals) {
	for _, term := range expression.SplitConjunction(condition) {
		e, ok := term.(*expression.Equals)
		if ok && comparison(e.Left(), e.Right()) != 0 && reads(e.Left()) && reads(e.Right()) && computes(e) {
			equations = append(equations, e)
		}
	}
	return equations
}

// pairsOf are the equations of which one side reads the first columns of a row, as many as
// are outside, and the other one those behind.
func pairsOf(equations []*expression.Equals, outside int) (pairs []pair) {
	for _, e := range equations {
		p := pair{inner: e.Right(), outer: e.Left(), compared: comparison(e.Left(), e.Right())}
		if !readsOnly(p.outer, 0, outside) {
			p.inner, p.outer = p.outer, p.inner
		}
		if readsOnly(p.outer, 0, outside) && readsOnly(p.inner, outside, math.MaxInt) {
			p.inner = moved(p.inner, -outside)
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// readsOnly reports whether all columns that e reads have places from one to before another.
func readsOnly(e sql.Expression, from, to int) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		field, ok := e.(*expression.GetField)
		return ok && (field.Index() < from || field.Index() >= to)
	})
}

// moved reads the columns by places away.
func moved(e sql.Expression, by int) sql.Expression {
	e, _, _ = transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if field, ok := e.(*expression.GetField); ok {
			return field.WithIndex(field.Index() + by), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	return e
}

// A state is what is known of a key.
type state int

const (
	known   state = iota
	unknown       // NULL: no row is equal
	strange       // a value that its type does not tell of
)

// keyOf is 8 bytes a pair, the same for all rows whose sides the engine holds equal.
func keyOf(ctx *sql.Context, row sql.Row, pairs []pair, side func(pair) sql.Expression) (string, state, error) {
	key := make([]byte, 0, 8*len(pairs))
	for _, p := range pairs {
		e := side(p)
		value, err := e.Eval(ctx, row)
		if err == nil {
			value, err = sql.UnwrapAny(ctx, value)
		}
		if err != nil {
			return "", strange, err
		}
		if value == nil {
			return "", unknown, nil
		}
		bits, ok := uint64(0), false
		switch p.compared {
		case asNumbers:
			bits, ok = bitsOfNumber(value)
		case asTexts:
			if text, is := value.(string); is {
				hash, err := weights.Collation(e.Type()).HashToUint(text)
				bits, ok = hash, err == nil
			}
		case asTimes:
			if moment, is := value.(time.Time); is {
				bits, ok = uint64(moment.UnixNano()), true
			}
		}
		if !ok {
			return "", strange, nil
		}
		key = binary.BigEndian.AppendUint64(key, bits)
	}
	return string(key), known, nil
}

// bitsOfNumber are those of the nearest DOUBLE: equal numbers have the same, and a few
// beyond 2^53 that are not equal.
func bitsOfNumber(value any) (bits uint64, ok bool) {
	if d, ok := value.(decimal.Decimal); ok {
		value = d.InexactFloat64()
	}
	x := 0.0
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		x = float64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		x = float64(v.Uint())
	case reflect.Float64:
		x = v.Float()
	case reflect.Bool:
		if v.Bool() {
			x = 1
		}
	default:
		return 0, false
	}
	return math.Float64bits(x + 0), !math.IsNaN(x) // -0 is 0
}
