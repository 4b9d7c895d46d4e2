package answer

import (
	"fmt"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
)

// plainFunctions are the aggregates that an owner's server computes as the estimator does.
var plainFunctions = map[estimate.Kind]string{
	estimate.Count: "COUNT", estimate.Sum: "SUM", estimate.Average: "AVG", estimate.Least: "MIN", estimate.Greatest: "MAX",
}

// plain converts the question to one that the home of the raw table may answer itself: comparisons of columns with literals, aggregates of
// columns, and columns as keys. It returns false for others. The expressions must be frozen.
func (e *Estimate) plain() (*source.Question, bool) {
	q := &source.Question{}
	for _, x := range e.Where {
		c, ok := plainCondition(x)
		if !ok {
			return nil, false
		}
		q.Where = append(q.Where, c)
	}
	for _, key := range e.Keys {
		c, ok := key.(*ViewColumn)
		if !ok {
			return nil, false
		}
		q.Keys = append(q.Keys, c.name)
	}
	for _, a := range e.Aggregates {
		function, ok := plainFunctions[a.Kind]
		ok = ok && a.Units == nil
		asked := source.Aggregate{Function: function}
		if a.Argument != nil {
			c, isColumn := a.Argument.(*ViewColumn)
			if ok = ok && isColumn; ok {
				asked.Column = c.name
			}
		}
		if !ok {
			return nil, false
		}
		q.Aggregates = append(q.Aggregates, asked)
	}
	return q, true
}

func plainCondition(x sql.Expression) (source.Condition, bool) {
	switch x := x.(type) {
	case *expression.And:
		return plainJoined(source.And, x.Children()...)
	case *expression.Or:
		return plainJoined(source.Or, x.Children()...)
	case *expression.Not:
		return plainJoined(source.Not, x.Child)
	case *expression.IsNull:
		return plainComparison(source.IsNull, x.Child)
	case *expression.Equals:
		return plainSides(source.Equal, source.Equal, x)
	case *expression.LessThan:
		return plainSides(source.Less, source.Greater, x)
	case *expression.LessThanOrEqual:
		return plainSides(source.LessOrEqual, source.GreaterOrEqual, x)
	case *expression.GreaterThan:
		return plainSides(source.Greater, source.Less, x)
	case *expression.GreaterThanOrEqual:
		return plainSides(source.GreaterOrEqual, source.LessOrEqual, x)
	case *expression.Between:
		return plainComparison(source.Between, x.Val, x.Lower, x.Upper)
	case *expression.InTuple:
		if list, ok := x.Right().(expression.Tuple); ok {
			return plainComparison(source.In, x.Left(), list...)
		}
	case *expression.Like:
		if literal, ok := x.Escape.(*expression.Literal); x.Escape == nil || ok && literal.Value() == `\` { // the default
			return plainComparison(source.Like, x.LeftChild, x.RightChild)
		}
	}
	return source.Condition{}, false
}

func plainJoined(operator source.Operator, parts ...sql.Expression) (source.Condition, bool) {
	joined := source.Condition{Operator: operator}
	for _, x := range parts {
		c, ok := plainCondition(x)
		if !ok {
			return joined, false
		}
		joined.Of = append(joined.Of, c)
	}
	return joined, true
}

// plainSides is a comparison with the column on either side.
func plainSides(operator, turned source.Operator, x expression.Comparer) (source.Condition, bool) {
	if _, ok := x.Left().(*ViewColumn); ok {
		return plainComparison(operator, x.Left(), x.Right())
	}
	return plainComparison(turned, x.Right(), x.Left())
}

func plainComparison(operator source.Operator, column sql.Expression, literals ...sql.Expression) (source.Condition, bool) {
	c, ok := unwidened(column).(*ViewColumn)
	if !ok {
		return source.Condition{}, false
	}
	compared := source.Condition{Operator: operator, Column: c.name}
	for _, x := range literals {
		l, ok := plainLiteral(x)
		if !ok {
			return compared, false
		}
		compared.Literals = append(compared.Literals, l)
	}
	return compared, true
}

// unwidened removes the conversion of an integer or DECIMAL to a DECIMAL with more digits, for a comparison with a list of decimals, which changes no value.
func unwidened(x sql.Expression) sql.Expression {
	wide, ok := x.Type().(sql.DecimalType)
	if call, is := x.(sql.FunctionExpression); !ok || !is || call.FunctionName() != "__anon_as" {
		return x
	}
	column := x.Children()[0]
	narrow, isDecimal := column.Type().(sql.DecimalType)
	if isDecimal && narrow.Scale() <= wide.Scale() || types.IsInteger(column.Type()) {
		return column
	}
	return x
}

func plainLiteral(x sql.Expression) (l source.Literal, ok bool) {
	if minus, negative := x.(*expression.UnaryMinus); negative {
		l, ok = plainLiteral(minus.Child)
		return source.Literal{Class: l.Class, Text: "-" + l.Text}, ok && l.Class == source.NumberClass && l.Text[0] != '-'
	}
	literal, ok := x.(*expression.Literal)
	if !ok {
		return l, false
	}
	switch v := literal.Value().(type) {
	case string:
		return source.Literal{Class: source.TextClass, Text: v}, types.IsText(literal.Type())
	case time.Time:
		return source.Literal{Class: source.MomentClass, Text: v.Format("2006-01-02 15:04:05.000000")}, true
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return source.Literal{Text: fmt.Sprint(v)}, true
	case float64:
		return source.Literal{Text: strconv.FormatFloat(v, 'e', -1, 64)}, true // without an exponent it would be a DECIMAL
	case fmt.Stringer:
		return source.Literal{Text: v.String()}, types.IsDecimal(literal.Type())
	}
	return l, false
}

// actualElsewhere gets the actual figures from the home of the raw table, by key; false if the home does not answer the question.
func (e *Estimate) actualElsewhere(ctx *sql.Context, keys []conversion) (map[string][]anonymize.Value, bool, error) {
	question, ok := e.plain()
	if !ok {
		return nil, false, nil
	}
	groups, ok, err := e.View.SourceAggregates(ctx, question)
	if !ok || err != nil {
		return nil, false, err
	}
	figures := make(map[string][]anonymize.Value, len(groups))
	for _, g := range groups {
		converted := make([]anonymize.Value, len(g.Keys))
		for i, v := range g.Keys {
			typ := e.Keys[i].Type()
			value, err := coding.SQLValue(typ, v)
			if err != nil {
				return nil, false, err
			}
			if converted[i], err = keys[i](typ, value); err != nil {
				return nil, false, err
			}
		}
		text := keyText(converted)
		if _, twice := figures[text]; twice {
			return nil, false, nil // two groups there are one group here
		}
		figures[text] = g.Figures
	}
	return figures, true, nil
}
