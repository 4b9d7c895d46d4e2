package grouping

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/tree"
)

// The binder identifies aggregates, windows and keys of ORDER BY by their text in lower
// case: it takes MAX(CONCAT(s, 'A')) for MAX(CONCAT(s, 'a')). This file gives all but the
// first of those that differ only in strings another text:
//
//	MAX(CONCAT(s, 'a')), MAX(__anon_apart(1, CONCAT(s, 'A')))

// apartFunction is the mark. Its arguments are a number and an expression.
const apartFunction = "__anon_apart"

// A figure is a part of a SELECT that the binder identifies by its text.
type figure struct {
	shape   string   // its text without strings, in lower case
	strings []string // string literals and parameters
	mark    func(number int)
}

// MarkFigures marks the figures of every SELECT that the binder would confuse, in place.
func MarkFigures(statement sqlparser.Statement) {
	trees.Walk(statement, func(node any) {
		if query, ok := node.(*sqlparser.Select); ok {
			numberShapes(figuresOf(query))
			numberShapes(keysOf(query))
		}
	})
}

// numberShapes numbers the figures of one shape by their strings, and marks those that could be confused.
func numberShapes(figures []figure) {
	shapes := map[string][]figure{}
	for _, f := range figures {
		shapes[f.shape] = append(shapes[f.shape], f)
	}
	for _, alike := range shapes {
		var different [][]string
		for _, f := range alike {
			number := slices.IndexFunc(different, func(others []string) bool { return slices.Equal(others, f.strings) })
			if number < 0 {
				number = len(different)
				different = append(different, f.strings)
			}
			if slices.ContainsFunc(different[:number], func(others []string) bool { return confused(others, f.strings) }) {
				f.mark(number)
			}
		}
	}
}

// parameter is the prefix of parameters in figure.strings. Their values are not known yet.
const parameter = "\x00"

// confused reports whether the binder may take one list of strings for the other.
func confused(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool {
		return strings.EqualFold(x, y) || strings.HasPrefix(x, parameter) || strings.HasPrefix(y, parameter)
	})
}

// figuresOf returns the aggregates and windows of a SELECT, without those of its subqueries.
func figuresOf(query *sqlparser.Select) (figures []figure) {
	for _, part := range []any{query.SelectExprs, query.Having, query.OrderBy} {
		trees.WalkOutside(part, func(node any) {
			switch call := node.(type) {
			case *sqlparser.FuncExpr:
				if trees.IsAggregate(call) || call.Over != nil {
					figures = append(figures, figureOf(call, "", func(number int) { markCall(call, number) }))
				}
			case *sqlparser.GroupConcatExpr:
				figures = append(figures, figureOf(call, call.Separator.SeparatorString, func(number int) { markArguments(call.Exprs, number) }))
			}
		})
	}
	return figures
}

// keysOf returns the keys of ORDER BY.
func keysOf(query *sqlparser.Select) (keys []figure) {
	for _, order := range query.OrderBy {
		keys = append(keys, figureOf(order.Expr, "", func(number int) { order.Expr = marked(order.Expr, number) }))
	}
	return keys
}

func figureOf(e sqlparser.Expr, separator string, mark func(int)) figure {
	f := figure{mark: mark, strings: []string{separator}}
	shape := trees.Copy(e)
	trees.Walk(&shape, func(node any) {
		switch node := node.(type) {
		case *sqlparser.SQLVal:
			switch node.Type {
			case sqlparser.StrVal:
				f.strings = append(f.strings, string(node.Val))
			case sqlparser.ValArg:
				f.strings = append(f.strings, parameter+string(node.Val))
			default:
				return
			}
			node.Type, node.Val = sqlparser.StrVal, nil
		case *sqlparser.GroupConcatExpr:
			node.Separator = sqlparser.Separator{}
		}
	})
	f.shape = strings.ToLower(sqlparser.String(shape))
	return f
}

func markCall(call *sqlparser.FuncExpr, number int) {
	if call.Over == nil {
		markArguments(call.Exprs, number)
		return
	}
	markArguments(call.Exprs[:min(len(call.Exprs), 1)], number) // the second may have to stay a number
	for i, e := range call.Over.PartitionBy {
		call.Over.PartitionBy[i] = marked(e, number)
	}
	for _, order := range call.Over.OrderBy {
		order.Expr = marked(order.Expr, number)
	}
}

func markArguments(arguments sqlparser.SelectExprs, number int) {
	for _, given := range arguments {
		aliased, ok := given.(*sqlparser.AliasedExpr)
		if !ok {
			continue
		}
		if call, ok := aliased.Expr.(*sqlparser.FuncExpr); ok && strings.HasPrefix(call.Name.Lowered(), "__anon_") { // the aggregate looks for this function
			markArguments(call.Exprs, number)
		} else {
			aliased.Expr = marked(aliased.Expr, number)
		}
	}
}

func marked(e sqlparser.Expr, number int) sqlparser.Expr {
	return trees.Call(apartFunction, sqlparser.NewIntVal([]byte(strconv.Itoa(number))), e)
}

// another is an expression whose text ends with as many extra spaces as its number.
type another struct {
	tree.Standin
	number int
}

func newAnother(number, e sql.Expression) sql.Expression {
	n := 0
	if literal, ok := number.(*expression.Literal); ok {
		n, _ = strconv.Atoi(literal.String())
	}
	return &another{tree.NewStandin(e), n}
}

func (a *another) String() string { return a.Child.String() + strings.Repeat(" ", a.number) }

func (a *another) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(a, children)
}
