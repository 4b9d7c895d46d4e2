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

// A pair holds the two sides of an equation. inner reads a row of the relation, outer the
// outer row.
type pair struct {
	inner, outer sql.Expression
	compared     compared
}

// compared is how the engine compares the two values of a pair.
type compared int

const (
	asNumbers compared = iota + 1
	asTexts            // in the collation of both
	asTimes
)

// comparison returns how an equation compares its sides, 0 if no key is known for it.
func comparison(a, b sql.Expression) compared {
	s, t := a.Type(), b.Type()
	exact := func(t sql.Type) bool { return types.IsInteger(t) || types.IsDecimal(t) }
	switch {
	case exact(s) && exact(t):
		return asNumbers
	case types.IsTextOnly(s) && types.IsTextOnly(t):
		// The collation of a computed text may differ from the collation of its type.
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

// equationsOf returns the terms of a condition that can serve as keys: deterministic
// equations whose sides both read columns.
func equationsOf(condition sql.Expression) (equations []*expression.Equals) {
	for _, term := range expression.SplitConjunction(condition) {
		e, ok := term.(*expression.Equals)
		if ok && comparison(e.Left(), e.Right()) != 0 && reads(e.Left()) && reads(e.Right()) && computes(e) {
			equations = append(equations, e)
		}
	}
	return equations
}

// pairsOf returns the equations between the outer columns, which are the first ones of a
// row, and the columns after them.
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

// readsOnly reports whether e reads only columns with indexes in [from, to).
func readsOnly(e sql.Expression, from, to int) bool {
	return !transform.InspectExpr(e, func(e sql.Expression) bool {
		field, ok := e.(*expression.GetField)
		return ok && (field.Index() < from || field.Index() >= to)
	})
}

// moved shifts the column indexes of e by the given number.
func moved(e sql.Expression, by int) sql.Expression {
	e, _, _ = transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if field, ok := e.(*expression.GetField); ok {
			return field.WithIndex(field.Index() + by), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	return e
}

// A state says whether a key is usable.
type state int

const (
	known   state = iota
	unknown       // NULL: equal to no row
	strange       // a value that its type does not announce
)

// keyOf returns 8 bytes per pair. Values that the engine considers equal have equal keys.
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

// bitsOfNumber returns the bits of the nearest DOUBLE. Equal numbers share them, and so
// do some unequal ones with more than 53 significant bits.
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
