package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/server/answers/comparison"
	"github.com/anonsql/anonsql/server/answers/documents"
	"github.com/anonsql/anonsql/server/answers/weights"
	"github.com/anonsql/anonsql/tree"
)

// hashKeys gives equal keys to values that a join may find equal; the join compares
// rows with equal keys again. This includes texts with a bytewise collation, since
// those of functions may compare otherwise.
func hashKeys(_ *sql.Context, node sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	n, ok := node.(*plan.HashLookup)
	if !ok {
		return node, transform.SameTree, nil
	}
	left, right := comparison.Operands(n.LeftProbeKey), comparison.Operands(n.RightEntryKey)
	changed := false
	if len(left) != len(right) {
		return n, transform.SameTree, nil
	}
	for i := range left {
		a, b := left[i].Type(), right[i].Type()
		switch textA, textB := types.IsTextOnly(a), types.IsTextOnly(b); {
		case types.IsJSON(a) || types.IsJSON(b): // a document cannot be a map key
			left[i], right[i] = documents.Key(left[i]), documents.Key(right[i])
		case textA && textB:
			collation := sql.CollationID(sql.Collation_utf8mb4_0900_ai_ci)
			for _, t := range []sql.Type{a, b} {
				if own := weights.Collation(t); planner.IgnoresCase(own) {
					collation = own
					break
				}
			}
			left[i], right[i] = weights.New(left[i], collation), weights.New(right[i], collation)
		case types.IsInteger(a) && types.IsInteger(b):
			continue
		case (textA || types.IsNumber(a)) && (textB || types.IsNumber(b)):
			left[i] = expression.NewConvert(left[i], expression.ConvertToDouble)
			right[i] = expression.NewConvert(right[i], expression.ConvertToDouble)
		case textA || textB: // a text that need not be a date
			left[i], right[i] = expression.NewLiteral(int8(0), types.Int8), expression.NewLiteral(int8(0), types.Int8)
		default:
			continue
		}
		changed = true
	}
	if !changed {
		return n, transform.SameTree, nil
	}
	looked, err := n.WithExpressions(expression.Tuple(right), expression.Tuple(left))
	return looked, transform.NewTree, err
}

// exactKeys makes an index look-up find nothing for a key that the column cannot have;
// the engine would look for the nearest value.
func exactKeys(_ *sql.Context, node sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	n, ok := node.(*plan.IndexedTableAccess)
	if !ok {
		return node, transform.SameTree, nil
	}
	if n.IsStatic() {
		return n, transform.SameTree, nil
	}
	keys, columns, nulls, changed := n.Expressions(), n.Index().ColumnExpressionTypes(), n.NullMask(), false
	exact := append([]sql.Expression(nil), keys...)
	for i, key := range keys {
		if i >= len(columns) || i < len(nulls) && nulls[i] && n.Index().ID() != "PRIMARY" { // a key that finds NULL
			continue
		}
		column := columns[i].Type
		if types.TypesEqual(key.Type(), column) || types.IsInteger(key.Type()) && types.IsInteger(column) {
			continue
		}
		exact[i], changed = &exactKey{tree.NewStandin(key), column}, true
	}
	if !changed {
		return n, transform.SameTree, nil
	}
	looked, err := n.WithExpressions(exact...)
	return looked, transform.NewTree, err
}

// exactKey is a value in the type of a column, NULL if the column cannot have an equal
// value.
type exactKey struct {
	tree.Standin
	column sql.Type
}

func (k *exactKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.Child.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	converted, _, err := k.column.Convert(ctx, value)
	if err != nil || converted == nil {
		converted = k.column.Zero()
	}
	equal, err := expression.NewEquals(expression.NewLiteral(value, k.Child.Type()), expression.NewLiteral(converted, k.column)).Eval(ctx, nil)
	if err != nil || equal != true {
		return nil, nil
	}
	return converted, nil
}

func (k *exactKey) Type() sql.Type   { return k.column }
func (k *exactKey) IsNullable() bool { return true }

func (k *exactKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(k, children)
}
