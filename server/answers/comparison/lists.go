package comparison

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/documents"
)

// list is x IN (a, b, ...) with values compared with x as = does. Values with the same type of comparison make one list, so that
// an index is used for those of x's type.
func list(ctx *sql.Context, e *expression.InTuple) (sql.Expression, error) {
	values, ok := e.Right().(expression.Tuple)
	if !ok {
		return nil, nil
	}
	if left := Operands(e.Left()); len(left) > 1 {
		return rowList(ctx, left, values)
	}
	if slices.ContainsFunc(values, func(v sql.Expression) bool { return isDocument(e.Left(), v) }) {
		return eachEqual(ctx, e.Left(), values)
	}
	var groups []*group
	changed := false
	for _, value := range values {
		if types.IsTuple(value.Type()) {
			return nil, nil // an error of its own
		}
		if kindOf(value.Type()) == null && len(groups) > 0 {
			groups[0].values = append(groups[0].values, value)
			continue
		}
		left, right := equated(ctx, e.Left(), value)
		left = collated(ctx, left, right)
		asIs := identical(left, e.Left())
		changed = changed || !asIs || !identical(right, value)
		groups = grouped(groups, []sql.Expression{left}, asIs, right)
	}
	if !changed {
		return nil, nil
	}
	lists := make([]sql.Expression, len(groups))
	for i, g := range groups {
		lists[i] = expression.NewInTuple(g.left[0], expression.NewTuple(g.values...))
	}
	return expression.JoinOr(lists...), nil
}

// eachEqual is IN with documents on a side.
func eachEqual(ctx *sql.Context, left sql.Expression, values []sql.Expression) (sql.Expression, error) {
	equations := make([]sql.Expression, len(values))
	for i, value := range values {
		var err error
		if equations[i], _, err = Decide(ctx, expression.NewEquals(left, value)); err != nil {
			return nil, err
		}
	}
	return expression.JoinOr(equations...), nil
}

// collated gives a text the collation by which = would compare it: IN uses the collation of the type, which for a computed text or a
// literal is not that of its columns.
func collated(ctx *sql.Context, left, right sql.Expression) sql.Expression {
	return inCollation(ctx, left, meetingOfTexts(ctx, left, right))
}

// A group is the values of a list that are compared in the same types.
type group struct {
	left   []sql.Expression
	asIs   bool
	types  []sql.Type
	values []sql.Expression
}

// grouped adds values, one per expression of left, to the group that is compared in the same types.
func grouped(groups []*group, left []sql.Expression, asIs bool, values ...sql.Expression) []*group {
	kinds := coercion.Types(left)
	for _, g := range groups {
		same := g.asIs == asIs
		for i := range kinds {
			same = same && types.TypesEqual(kinds[i], g.types[i])
		}
		if same {
			g.values = append(g.values, values...)
			return groups
		}
	}
	return append(groups, &group{left, asIs, kinds, values})
}

// Equated converts two expressions of different kinds to one type whose equality is theirs; changed is false for others.
func Equated(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression, changed bool) {
	if a, b := kindOf(left.Type()), kindOf(right.Type()); a == b || a == other || b == other {
		return left, right, false
	}
	if isDocument(left, right) {
		return documents.Compared(left), documents.Compared(right), true
	}
	l, r = equated(ctx, left, right)
	return l, r, !identical(l, left) || !identical(r, right)
}

// equated converts two expressions to one type whose equality is theirs.
func equated(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression) {
	if sameMembers(left, right) {
		return left, right
	}
	pair := numbered(ctx, []sql.Expression{left, right})
	left, right = pair[0], pair[1]
	typ := meeting(ctx, pair)
	a, b := left.Type(), right.Type()
	switch {
	case typ == types.DatetimeMaxPrecision, coercion.IsInstant(a) && coercion.IsInstant(b) && !types.TypesEqual(a, b):
		return equatedInstants(ctx, left, right)
	case typ == nil && kindOf(a) == number && kindOf(b) == number:
		typ = commonNumber(a, b)
	}
	if typ == nil {
		return left, right
	}
	return convertExactly(ctx, left, typ), convertExactly(ctx, right, typ)
}

// commonNumber returns the common type of two numbers if one has decimals, else nil.
func commonNumber(a, b sql.Type) sql.Type {
	if types.IsFloat(a) || types.IsFloat(b) {
		return types.Float64
	}
	scale := uint8(0)
	for _, t := range []sql.Type{a, b} {
		if d, ok := t.(sql.DecimalType); ok {
			scale = max(scale, d.Scale())
		}
	}
	switch {
	case types.IsDecimal(a), types.IsDecimal(b):
	case !types.TypesEqual(a, b) && (a == types.Uint64 || b == types.Uint64):
		return types.MustCreateDecimalType(digitsOfUnsigned, 0)
	case !types.TypesEqual(a, b) && (types.IsYear(a) || types.IsBit(a) || types.IsYear(b) || types.IsBit(b)):
		return types.Int64
	default:
		return nil
	}
	return types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, scale)
}

// convertExactly is an expression of a type, and no other.
func convertExactly(ctx *sql.Context, e sql.Expression, typ sql.Type) sql.Expression {
	if kindOf(e.Type()) == null || types.TypesEqual(e.Type(), typ) {
		return e
	}
	if made := convert(ctx, e, typ); types.TypesEqual(made.Type(), typ) {
		return made
	}
	if v, ok := constant(ctx, e); ok {
		if made, ok := convertedConstant(v, e.Type(), typ); ok {
			return made
		}
	}
	return converted(e, typ)
}

// equatedInstants leaves a DATE compared with a day alone, so that an index applies.
func equatedInstants(ctx *sql.Context, left, right sql.Expression) (l, r sql.Expression) {
	if v, ok := constant(ctx, right); ok && coercion.IsInstant(left.Type()) && kindOf(right.Type()) != clock {
		moment, ok := coercion.Instant(quiet(), v, right.Type())
		if ok && (!types.IsDateType(left.Type()) || moment.Equal(moment.Truncate(coercion.Day))) {
			if engineReads(right, moment) {
				return left, right
			}
			return left, expression.NewLiteral(moment, types.DatetimeMaxPrecision)
		}
		if !ok {
			return left, right // an error where it is compared
		}
	}
	return convertExactly(ctx, left, types.DatetimeMaxPrecision), convertExactly(ctx, right, types.DatetimeMaxPrecision)
}
