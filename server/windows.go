package server

import (
	"fmt"
	"io"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// framed are the functions that see a frame: by default the partition, or with
// ORDER BY, what is before the row in it and the row's peers.
var framed = map[string]bool{
	"sum": true, "avg": true, "min": true, "max": true, "count": true,
	"first": true, "last": true, "first_value": true, "last_value": true,
	"bitand": true, "bitor": true, "bitxor": true, "bit_and": true, "bit_or": true, "bit_xor": true,
}

// window is a function over a window as MySQL sees it. The engine takes two rows of
// one decimal for no peers, or of texts that are equal, does not see ORDER BY in the
// frame of some functions, or peers in that of others, and sums no numbers to 0.
func window(e sql.WindowAdaptableExpression) (sql.Expression, transform.TreeIdentity, error) {
	w, changed := e.Window(), false
	order, frame := append(sql.SortFields(nil), w.OrderBy...), w.Frame
	for i, field := range order {
		switch t := field.Column.Type(); {
		case types.IsTextOnly(t):
			order[i].Column = &orderKey{field.Column, typeCollation(t)}
			changed = true
		case types.IsDecimal(t) && frame == nil: // a frame may count from it
			order[i].Column = &orderKey{of: field.Column}
			changed = true
		}
	}
	function, named := e.(sql.FunctionExpression)
	if named && frame == nil && framed[strings.ToLower(function.FunctionName())] {
		frame, changed = toLastPeer{}, true
	}
	if changed {
		e = e.WithWindow(sql.NewWindowDefinition(w.PartitionBy, order, frame, w.Ref, w.Name))
	}
	if sum, ok := e.(*aggregation.Sum); ok {
		return &sumOfSome{sum}, transform.NewTree, nil
	}
	return e, transform.TreeIdentity(!changed), nil
}

// sumOfSome is SUM over a window, NULL where the frame has no number; the engine's
// is 0 there.
type sumOfSome struct{ *aggregation.Sum }

func (s *sumOfSome) Children() []sql.Expression { return []sql.Expression{s.Sum} }

// WithChildren implements sql.Expression.
func (s *sumOfSome) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 1)
	}
	sum, ok := children[0].(*aggregation.Sum)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(s, children[0], sum)
	}
	return &sumOfSome{sum}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (s *sumOfSome) NewWindowFunction() (sql.WindowFunction, error) {
	all, err := s.Sum.NewWindowFunction()
	return &numbered{WindowFunction: all, of: s.Sum.Child}, err
}

type numbered struct {
	sql.WindowFunction
	of      sql.Expression
	start   int
	numbers []int // in the first i rows of the partition
}

// StartPartition implements sql.WindowFunction.
func (n *numbered) StartPartition(ctx *sql.Context, partition sql.WindowInterval, rows sql.WindowBuffer) error {
	n.start, n.numbers = partition.Start, append(n.numbers[:0], 0)
	for _, row := range rows[partition.Start:partition.End] {
		value, err := n.of.Eval(ctx, row)
		if err != nil {
			return err
		}
		before := n.numbers[len(n.numbers)-1]
		if value != nil {
			before++
		}
		n.numbers = append(n.numbers, before)
	}
	return n.WindowFunction.StartPartition(ctx, partition, rows)
}

// Compute implements sql.WindowFunction.
func (n *numbered) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	if frame.Start >= frame.End || n.numbers[frame.End-n.start] == n.numbers[frame.Start-n.start] {
		return nil
	}
	return n.WindowFunction.Compute(ctx, frame, rows)
}

// toLastPeer is the frame RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.
type toLastPeer struct{}

var _ sql.WindowFrame = toLastPeer{}

// NewFramer implements sql.WindowFrame.
func (toLastPeer) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	return &lastPeerFramer{order: w.OrderBy.ToExpressions()}, nil
}

func (toLastPeer) String() string                  { return "range between unbounded preceding and current row" }
func (toLastPeer) UnboundedPreceding() bool        { return true }
func (toLastPeer) UnboundedFollowing() bool        { return false }
func (toLastPeer) StartCurrentRow() bool           { return false }
func (toLastPeer) EndCurrentRow() bool             { return true }
func (toLastPeer) StartNPreceding() sql.Expression { return nil }
func (toLastPeer) StartNFollowing() sql.Expression { return nil }
func (toLastPeer) EndNPreceding() sql.Expression   { return nil }
func (toLastPeer) EndNFollowing() sql.Expression   { return nil }

// lastPeerFramer gives each row of a partition the frame that ends with its last peer.
type lastPeerFramer struct {
	order     []sql.Expression
	partition sql.WindowInterval
	at, end   int // the row that is next, and where the frame of the last one ends
}

// NewFramer implements sql.WindowFramer.
func (f *lastPeerFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &lastPeerFramer{order: f.order, partition: partition, at: partition.Start, end: partition.Start}, nil
}

// Next implements sql.WindowFramer.
func (f *lastPeerFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	if f.at >= f.partition.End {
		return sql.WindowInterval{}, io.EOF
	}
	if f.at >= f.end {
		key, err := peersKey(ctx, f.order, rows[f.at])
		if err != nil {
			return sql.WindowInterval{}, err
		}
		for f.end = f.at + 1; f.end < f.partition.End; f.end++ {
			next, err := peersKey(ctx, f.order, rows[f.end])
			if err != nil {
				return sql.WindowInterval{}, err
			}
			if next != key {
				break
			}
		}
	}
	f.at++
	return f.Interval()
}

// peersKey is a hash that a row shares with its peers.
func peersKey(ctx *sql.Context, order []sql.Expression, row sql.Row) (uint64, error) {
	key := make(sql.Row, len(order))
	for i, e := range order {
		var err error
		if key[i], err = e.Eval(ctx, row); err != nil {
			return 0, err
		}
	}
	return sql.HashOf(ctx, key)
}

// FirstIdx, LastIdx and Interval implement sql.WindowFramer: they tell the current
// frame.
func (f *lastPeerFramer) FirstIdx() int { return f.partition.Start }

func (f *lastPeerFramer) LastIdx() int { return f.end }

func (f *lastPeerFramer) Interval() (sql.WindowInterval, error) {
	return sql.WindowInterval{Start: f.partition.Start, End: f.end}, nil
}

// orderKey is a text whose bytes are ordered as texts are by their collation, or
// as decimals are.
type orderKey struct {
	of        sql.Expression
	collation sql.CollationID // of a text
}

// Eval implements sql.Expression.
func (k *orderKey) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := k.of.Eval(ctx, row)
	if err != nil || value == nil {
		return nil, err
	}
	if value, err = sql.UnwrapAny(ctx, value); err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case string:
		sorter := k.collation.Sorter()
		if sorter == nil || isBytewise(k.collation) {
			return value, nil
		}
		key := make([]byte, 0, 5*len(value))
		for _, r := range value { // seven bits in a byte, so that it is a text
			weight := uint32(sorter(r))
			key = append(key, byte(weight>>28), byte(weight>>21&0x7f), byte(weight>>14&0x7f), byte(weight>>7&0x7f), byte(weight&0x7f))
		}
		return string(key), nil
	case decimal.Decimal:
		return decimalKey(value), nil
	}
	return fmt.Sprint(value), nil
}

// decimalKey is a sign, how many whole digits there are, in two digits, and the
// digits. Below zero, each is what is missing to nine, and a byte ends them that is
// greater than digits.
func decimalKey(d decimal.Decimal) string {
	whole, fraction, _ := strings.Cut(d.Abs().String(), ".")
	if whole == "0" {
		whole = ""
	}
	digits := []byte(fmt.Sprintf("%02d%s%s", len(whole), whole, strings.TrimRight(fraction, "0")))
	if !d.IsNegative() {
		return "1" + string(digits)
	}
	for i, digit := range digits {
		digits[i] = '0' + '9' - digit
	}
	return "0" + string(digits) + "~"
}

func (k *orderKey) Type() sql.Type             { return types.LongText }
func (k *orderKey) String() string             { return k.of.String() }
func (k *orderKey) Resolved() bool             { return k.of.Resolved() }
func (k *orderKey) IsNullable() bool           { return k.of.IsNullable() }
func (k *orderKey) Children() []sql.Expression { return []sql.Expression{k.of} }
func (k *orderKey) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(k, len(children), 1)
	}
	return &orderKey{children[0], k.collation}, nil
}

var _ sql.CollationCoercible = (*orderKey)(nil)

// CollationCoercibility implements sql.CollationCoercible.
func (k *orderKey) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 0
}
