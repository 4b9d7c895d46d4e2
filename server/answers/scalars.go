package answers

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/calendar"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// callScalars replaces casts and operators, which the engine binds to its own code, by
// calls of package scalar, in place. This also keeps a cast to SIGNED of a BIGINT that
// becomes a DOUBLE when an Extension replaces it by an estimate.
func callScalars(t parsed) error {
	trees.Walk(t.Statement, func(node any) {
		if query, ok := node.(*sqlparser.Select); ok {
			signLiterals(query.SelectExprs)
		}
	})
	_, defines := t.Statement.(*sqlparser.DDL)
	trees.Replace(t.Statement, func(e sqlparser.Expr) sqlparser.Expr {
		numberLiterals(e)
		switch e := e.(type) {
		case *sqlparser.SQLVal:
			if e.Type == sqlparser.BitVal && !defines {
				return bytesOfBits(e)
			}
		case *sqlparser.ConvertExpr:
			if call := castCall(e); call != nil {
				return call
			}
		case *sqlparser.BinaryExpr:
			if call := operatorCall(e); call != nil {
				return call
			}
		case *sqlparser.ComparisonExpr:
			e.Left, e.Right = asWritten(e.Left), asWritten(e.Right)
		case *sqlparser.UnaryExpr:
			if e.Operator == sqlparser.TildaStr {
				return trees.Call(scalar.NotFunction, e.Expr)
			}
		case *sqlparser.FuncExpr:
			switch {
			case e.Over != nil && e.Name.EqualString("ntile"): // the engine types it as DOUBLE
				return trees.Call(scalar.UnsignedFunction, e)
			case e.Name.EqualString("count") && len(e.Exprs) == 1: // the engine counts NULL as any constant
				if of, ok := e.Exprs[0].(*sqlparser.AliasedExpr); ok {
					if null, ok := of.Expr.(*sqlparser.NullVal); ok {
						of.Expr = trees.Call("coalesce", null)
					}
				}
			}
		case *sqlparser.CollateExpr:
			if null, ok := e.Expr.(*sqlparser.NullVal); ok { // the engine types it as no text
				return null
			}
		case *sqlparser.CharExpr:
			if call := charCall(e); call != nil {
				return call
			}
		case *sqlparser.ExtractFuncExpr:
			return extractCall(e)
		case *sqlparser.TimestampFuncExpr:
			if strings.EqualFold(e.Name, "timestampdiff") {
				return trees.Call("timestampdiff", trees.Text(e.Unit), e.Expr1, e.Expr2)
			}
			return trees.Call("date_add", e.Expr2, &sqlparser.IntervalExpr{Expr: e.Expr1, Unit: e.Unit})
		case *sqlparser.SubstrExpr:
			if e.Name != nil && e.To != nil {
				return trees.Call("substring", e.Name, e.From, e.To)
			} else if e.Name != nil {
				return trees.Call("substring", e.Name, e.From)
			}
		}
		return e
	})
	return nil
}

// numberLiterals converts, in place, literals of bytes that an expression takes as numbers or Booleans to numbers.
func numberLiterals(e sqlparser.Expr) {
	switch e := e.(type) {
	case *sqlparser.ConvertExpr:
		if e.Type != nil && numeric[strings.ToLower(e.Type.Type)] {
			e.Expr = numbered(e.Expr)
		}
	case *sqlparser.BinaryExpr:
		e.Left, e.Right = numbered(e.Left), numbered(e.Right)
	case *sqlparser.UnaryExpr:
		if e.Operator == sqlparser.UMinusStr || e.Operator == sqlparser.TildaStr {
			e.Expr = numbered(e.Expr)
		}
	case *sqlparser.AndExpr:
		e.Left, e.Right = numbered(e.Left), numbered(e.Right)
	case *sqlparser.OrExpr:
		e.Left, e.Right = numbered(e.Left), numbered(e.Right)
	case *sqlparser.XorExpr:
		e.Left, e.Right = numbered(e.Left), numbered(e.Right)
	case *sqlparser.NotExpr:
		e.Expr = numbered(e.Expr)
	case *sqlparser.IsExpr:
		e.Expr = numbered(e.Expr)
	case *sqlparser.CaseExpr:
		for _, when := range e.Whens {
			if e.Expr == nil {
				when.Cond = numbered(when.Cond)
			}
		}
	case *sqlparser.FuncExpr:
		arguments := e.Exprs
		if e.Name.EqualString("if") {
			arguments = arguments[:min(1, len(arguments))]
		} else if !ofNumbers[e.Name.Lowered()] {
			return
		}
		for _, argument := range arguments {
			if of, ok := argument.(*sqlparser.AliasedExpr); ok {
				of.Expr = numbered(of.Expr)
			}
		}
	}
}

// numeric are the casts to numbers.
var numeric = map[string]bool{
	expression.ConvertToSigned: true, expression.ConvertToUnsigned: true, expression.ConvertToDecimal: true,
	expression.ConvertToDouble: true, expression.ConvertToReal: true, expression.ConvertToFloat: true,
}

// ofNumbers are functions whose arguments are numbers.
var ofNumbers = map[string]bool{
	"sum": true, "avg": true, "std": true, "stddev": true, "variance": true, "abs": true, "round": true, "truncate": true, "floor": true, "ceil": true,
	"ceiling": true, "sign": true, "mod": true, "sqrt": true, "pow": true, "power": true, "bit_count": true,
}

// numbered converts a hexadecimal literal to the BIGINT UNSIGNED of its last eight bytes, its value in numeric contexts
// (MySQL 8, 11.1.4). It returns others unchanged.
func numbered(e sqlparser.Expr) sqlparser.Expr {
	literal, ok := e.(*sqlparser.SQLVal)
	if !ok || literal.Type != sqlparser.HexNum && literal.Type != sqlparser.HexVal {
		return e
	}
	digits := strings.TrimPrefix(strings.ToLower(string(literal.Val)), "0x")
	n, err := strconv.ParseUint("0"+digits[max(0, len(digits)-2*bytesOfNumber):], 16, 64)
	if err != nil {
		return e
	}
	return sqlparser.NewIntVal(strconv.AppendUint(nil, n, 10))
}

const bytesOfNumber = 8

// bytesOfBits converts a bit literal to bytes, its value (MySQL 8, 11.1.5); the engine takes it for a number. Callers convert the
// bytes in numeric contexts.
func bytesOfBits(literal *sqlparser.SQLVal) sqlparser.Expr {
	bits, ok := new(big.Int).SetString("0"+string(literal.Val), 2)
	if !ok {
		return literal
	}
	length := (len(literal.Val) + 7) / 8
	return sqlparser.NewHexVal([]byte(hex.EncodeToString(bits.FillBytes(make([]byte, length)))))
}

// signLiterals makes columns that are number literals signed, in place: the engine types 255 as TINYINT UNSIGNED, from which
// 256 cannot be subtracted.
func signLiterals(columns sqlparser.SelectExprs) {
	for _, column := range columns {
		aliased, ok := column.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		literal, ok := aliased.Expr.(*sqlparser.SQLVal)
		if !ok || literal.Type != sqlparser.IntVal {
			continue
		}
		n, err := strconv.ParseInt(string(literal.Val), 10, 64)
		if err == nil && (n > math.MaxInt8 && n <= math.MaxUint8 || n > math.MaxInt16 && n <= math.MaxUint16 || n > math.MaxInt32 && n <= math.MaxUint32) {
			if aliased.As.IsEmpty() {
				aliased.As = sqlparser.NewColIdent(string(literal.Val))
			}
			aliased.Expr = trees.Call(scalar.SignedFunction, literal)
		}
	}
}

// operatorCall is the call for an operator, nil for one that the engine computes as MySQL
// does.
func operatorCall(e *sqlparser.BinaryExpr) sqlparser.Expr {
	switch strings.ToLower(e.Operator) {
	case sqlparser.ModStr:
		return trees.Call(scalar.ModFunction, e.Left, e.Right)
	case sqlparser.IntDivStr:
		return trees.Call(scalar.DivFunction, e.Left, e.Right)
	case sqlparser.BitAndStr, sqlparser.BitOrStr, sqlparser.BitXorStr, sqlparser.ShiftLeftStr, sqlparser.ShiftRightStr:
		return trees.Call(scalar.BitsFunction, trees.Text(e.Operator), e.Left, e.Right)
	}
	add := map[string]string{sqlparser.PlusStr: "date_add", sqlparser.MinusStr: "date_sub"}[e.Operator]
	if _, ok := e.Right.(*sqlparser.IntervalExpr); ok && add != "" {
		return trees.Call(add, e.Left, e.Right)
	}
	if _, ok := e.Left.(*sqlparser.IntervalExpr); ok && add == "date_add" {
		return trees.Call(add, e.Right, e.Left)
	}
	return nil
}

// charCall is the call for CHAR(...), whose 0 the engine drops and which it leaves untyped; nil for unsupported character sets.
func charCall(e *sqlparser.CharExpr) sqlparser.Expr {
	var list []sqlparser.Expr
	for _, argument := range e.Exprs {
		of, ok := argument.(*sqlparser.AliasedExpr)
		if !ok {
			return nil
		}
		list = append(list, numbered(of.Expr))
	}
	switch strings.ToLower(e.Type) {
	case "":
		return trees.Call(scalar.CharBytesFunction, list...)
	case "utf8mb4", "utf8":
		return trees.Call(scalar.CharTextFunction, list...)
	}
	return nil
}

// extractCall is the call for EXTRACT, for which the engine converts texts and numbers differently.
func extractCall(e *sqlparser.ExtractFuncExpr) sqlparser.Expr {
	switch unit := strings.ToLower(e.Unit); {
	case calendar.ExtractsClock(unit):
		return trees.Call(calendar.ExtractFunction, trees.Text(unit), e.Expr)
	case unit == "year_month":
		hundred := sqlparser.NewIntVal([]byte("100"))
		years := &sqlparser.BinaryExpr{Operator: sqlparser.MultStr, Left: trees.Call("year", e.Expr), Right: hundred}
		return &sqlparser.ParenExpr{Expr: &sqlparser.BinaryExpr{Operator: sqlparser.PlusStr, Left: years, Right: trees.Call("month", trees.Copy(e.Expr))}}
	case unit == "day":
		return trees.Call("dayofmonth", e.Expr)
	case unit == "year", unit == "quarter", unit == "month", unit == "week":
		return trees.Call(unit, e.Expr)
	}
	return e
}

// asWritten keeps the decimals of a literal next to a column with fewer.
func asWritten(e sqlparser.Expr) sqlparser.Expr {
	if v, ok := e.(*sqlparser.SQLVal); ok && v.Type == sqlparser.FloatVal {
		return trees.Call(scalar.ExactFunction, v)
	}
	return e
}

// castCall is the call for a cast, nil for one that the engine makes as MySQL does.
func castCall(cast *sqlparser.ConvertExpr) sqlparser.Expr {
	if cast.Type == nil {
		return nil
	}
	number := func(v *sqlparser.SQLVal) sqlparser.Expr {
		if v == nil {
			return sqlparser.NewIntVal([]byte("0"))
		}
		return v
	}
	switch strings.ToLower(cast.Type.Type) {
	case expression.ConvertToSigned:
		return trees.Call(scalar.SignedFunction, cast.Expr)
	case expression.ConvertToUnsigned:
		return trees.Call(scalar.UnsignedFunction, cast.Expr)
	case expression.ConvertToDecimal:
		return trees.Call(scalar.DecimalFunction, cast.Expr, number(cast.Type.Length), number(cast.Type.Scale))
	case expression.ConvertToDouble, expression.ConvertToReal, expression.ConvertToFloat: // MySQL calculates with a DOUBLE for all
		return trees.Call(scalar.DoubleFunction, cast.Expr)
	case expression.ConvertToDate:
		return trees.Call(scalar.DateFunction, cast.Expr)
	case expression.ConvertToDatetime:
		return trees.Call(scalar.DatetimeFunction, cast.Expr, number(cast.Type.Length))
	case expression.ConvertToTime:
		return trees.Call(scalar.TimeFunction, cast.Expr, number(cast.Type.Length))
	case expression.ConvertToBinary:
		if cast.Type.Length != nil {
			return trees.Call(scalar.BinaryFunction, cast.Expr, cast.Type.Length)
		}
	case expression.ConvertToChar, expression.ConvertToNChar:
		if cast.Type.Length == nil {
			return trees.Call(scalar.TextFunction, cast.Expr)
		}
		return trees.Call(scalar.CharFunction, cast.Expr, cast.Type.Length)
	}
	return nil
}
