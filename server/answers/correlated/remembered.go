package correlated

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/tree"
)

// maxRemembered bounds the memoized values of a subquery. Once it is reached, new values
// are computed each time.
const maxRemembered = 1 << 16

// remembered is a subquery, or EXISTS of one, memoized by the outer columns that it
// reads.
type remembered struct {
	tree.Standin
	places []int // sorted indexes of the columns that it reads; outer columns come first in a row
	memory *memory
}

// memory holds the values of a subquery during one execution of a statement.
type memory struct {
	values map[string]any
}

// Remember memoizes the subqueries and EXISTS that are operands of e.
func Remember(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e.(type) {
	case *plan.ExistsSubquery, *plan.InSubquery:
		return e, transform.SameTree, nil
	}
	children, same := slices.Clone(e.Children()), transform.SameTree
	for i, child := range children {
		subquery, ok := child.(*plan.Subquery)
		if exists, is := child.(*plan.ExistsSubquery); is {
			subquery, ok = exists.Query, true
		}
		if ok && dependent(subquery) && steady(subquery.Query, reader) {
			children[i], same = &remembered{tree.NewStandin(child), places(subquery.Query), &memory{}}, transform.NewTree
		}
	}
	if same {
		return e, same, nil
	}
	changed, err := e.WithChildren(children...)
	if err != nil { // the operator reads the rows of its subquery
		return e, transform.SameTree, nil
	}
	return changed, transform.NewTree, nil
}

// places returns the sorted indexes of all columns that a query and its subqueries read.
func places(query sql.Node) (list []int) {
	tree.Inspect(query, func(n sql.Node) bool {
		if ex, ok := n.(sql.Expressioner); ok {
			for _, e := range ex.Expressions() {
				transform.InspectExpr(e, func(e sql.Expression) bool {
					if field, ok := e.(*expression.GetField); ok {
						list = append(list, field.Index())
					}
					return false
				})
			}
		}
		return true
	})
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *remembered) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	key, ok := r.key(ctx, row)
	if !ok {
		return r.Child.Eval(ctx, row)
	}
	if value, ok := r.memory.values[key]; ok {
		return value, ctx.Err()
	}
	value, err := r.Child.Eval(ctx, row)
	if err == nil {
		r.memory.keep(key, value)
	}
	return value, err
}

// keep stores a value if there is room.
func (m *memory) keep(key string, value any) {
	if len(m.values) >= maxRemembered {
		return
	}
	if m.values == nil {
		m.values = make(map[string]any)
	}
	m.values[key] = value
}

// key encodes the outer columns of a row. It distinguishes more than SQL does: 1.0 from 1.00, and 'a' from 'A'.
func (r *remembered) key(ctx *sql.Context, row sql.Row) (string, bool) {
	var key []byte
	for _, place := range r.places {
		if place >= len(row) {
			break
		}
		value, err := sql.UnwrapAny(ctx, row[place])
		if err != nil {
			return "", false
		}
		var ok bool
		if key, ok = appendValue(key, value); !ok {
			return "", false
		}
	}
	return string(key), true
}

// appendValue appends an injective encoding of a value. ok is false if its Go type is
// none that the engine uses for numbers, texts and times.
func appendValue(key []byte, value any) (_ []byte, ok bool) {
	text := func(kind byte, s string) []byte {
		return append(binary.AppendUvarint(append(key, kind), uint64(len(s))), s...)
	}
	number := func(kind byte, bits uint64) []byte {
		return binary.BigEndian.AppendUint64(append(key, kind), bits)
	}
	switch v := value.(type) {
	case nil:
		return append(key, 'n'), true
	case string:
		return text('s', v), true
	case []byte:
		return text('b', string(v)), true
	case float64:
		return number('f', math.Float64bits(v)), true
	case float32:
		return number('g', math.Float64bits(float64(v))), true
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, bool:
		return text('i', fmt.Sprintf("%T %v", v, v)), true
	case decimal.Decimal:
		return text('d', fmt.Sprint(v.Coefficient(), "e", v.Exponent())), true
	case time.Time:
		return text('t', v.Format(time.RFC3339Nano)), true
	}
	return key, false
}

func (r *remembered) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(r, children)
}
