// Package indexes bounds the engine's index ranges. The rows stay the same, and planning time does not grow with the product of the
// lengths of IN lists.
package indexes

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// The engine converts conditions on the columns of an index to ranges, and multiplies the ranges of several columns: three lists of
// 36 texts make 46,656 ranges, five 60 million, before anything can cancel the statement. So if conditions would make more than
// maxRanges ranges, this package rewrites some as (x IN (...)) IS TRUE, which selects the same rows but uses no index.

// maxRanges bounds the product of ranges over several columns. maxValues bounds the values of one list: the engine compares its ranges with
// each other, and 30,000 take more than a minute.
const maxRanges, maxValues = 1024, 4096

// FewRanges makes conditions with too many ranges, or with values that an index cannot hold, use no index.
func FewRanges(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	return transform.NodeWithOpaque(n, func(n sql.Node) (sql.Node, transform.TreeIdentity, error) {
		n, same, err := transform.OneNodeExpressions(n, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			subquery, ok := e.(*plan.Subquery)
			if !ok {
				return e, transform.SameTree, nil
			}
			query, same, err := FewRanges(ctx, subquery.Query)
			if err != nil || same {
				return e, transform.SameTree, err
			}
			return subquery.WithQuery(query), transform.NewTree, nil
		})
		if err != nil {
			return n, transform.SameTree, err
		}
		var condition sql.Expression
		switch own := n.(type) {
		case *plan.Filter:
			condition = own.Expression
		case *plan.JoinNode:
			condition = own.Filter
		}
		bounded := fittingRanges(ctx, condition)
		if bounded != nil {
			condition = bounded
		}
		if few := boundedRanges(condition, true); few != nil {
			switch columns := widestIndex(ctx, n); {
			case columns > 1:
				bounded = few
			case columns == 1:
				if few = boundedRanges(condition, false); few != nil {
					bounded = few
				}
			}
		}
		if bounded == nil {
			return n, same, nil
		}
		n, err = n.(sql.Expressioner).WithExpressions(bounded)
		return n, transform.NewTree, err
	})
}

// fittingRanges keeps the terms that compare a DECIMAL column with a number that it cannot hold from using an index, where
// the engine's lookup would fail. It returns nil if there is no such term.
func fittingRanges(ctx *sql.Context, condition sql.Expression) sql.Expression {
	if condition == nil {
		return nil
	}
	conditions, changed := expression.SplitConjunction(condition), false
	for i, e := range conditions {
		if _, left := e.(*expression.IsTrue); !left && meetsUnfit(ctx, e) {
			conditions[i], changed = expression.NewIsTrue(e), true
		}
	}
	if !changed {
		return nil
	}
	return expression.JoinAnd(conditions...)
}

func meetsUnfit(ctx *sql.Context, e sql.Expression) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		var column sql.DecimalType
		for _, operand := range e.Children() {
			if field, ok := operand.(*expression.GetField); ok && types.IsDecimal(field.Type()) {
				column, _ = field.Type().(sql.DecimalType)
			}
		}
		if column == nil {
			return false
		}
		for _, operand := range e.Children() {
			if number, ok := operand.(*expression.Literal); ok && number.Value() != nil {
				if _, fits, err := column.Convert(ctx, number.Value()); err != nil || !bool(fits) {
					return true
				}
			}
		}
		return false
	})
}

// widestIndex returns the greatest number of columns of an index of the tables below a node; 0 if there is no index.
func widestIndex(ctx *sql.Context, n sql.Node) (columns int) {
	transform.Inspect(n, func(n sql.Node) bool {
		table, ok := n.(*plan.ResolvedTable)
		if !ok {
			return true
		}
		indexed, ok := table.UnderlyingTable().(sql.IndexAddressable)
		if !ok {
			return true
		}
		indexes, err := indexed.GetIndexes(ctx)
		for _, index := range indexes {
			if err == nil {
				columns = max(columns, len(index.Expressions()))
			}
		}
		return true
	})
	return columns
}

// boundedRanges rewrites a condition that makes too many ranges, or returns nil. several: ranges multiply over the columns of an index.
func boundedRanges(condition sql.Expression, several bool) sql.Expression {
	if condition == nil {
		return nil
	}
	conditions, all, changed := expression.SplitConjunction(condition), 1.0, false
	for i, e := range conditions {
		ranges, multiplied := rangesOf(e)
		switch {
		case ranges == 1:
		case ranges > maxValues:
			conditions[i], changed = expression.NewIsTrue(e), true
		case !several:
		case all*ranges <= maxRanges || all == 1 && !multiplied:
			all *= ranges
		default:
			conditions[i], changed = expression.NewIsTrue(e), true
		}
	}
	if !changed {
		return nil
	}
	return expression.JoinAnd(conditions...)
}

// rangesOf returns an upper bound of the ranges of a condition, and whether they are a product.
func rangesOf(e sql.Expression) (ranges float64, multiplied bool) {
	switch e := e.(type) {
	case *expression.InTuple:
		if list, ok := e.Right().(expression.Tuple); ok {
			return max(float64(len(list)), 1), false
		}
	case *expression.Not:
		ranges, multiplied = rangesOf(e.Child)
		return ranges + 1, multiplied
	case *expression.Or:
		left, a := rangesOf(e.LeftChild)
		right, b := rangesOf(e.RightChild)
		return left + right, a || b
	case *expression.And:
		left, a := rangesOf(e.LeftChild)
		right, b := rangesOf(e.RightChild)
		return left * right, a || b || left > 1 && right > 1
	}
	return 1, false
}
