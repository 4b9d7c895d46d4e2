package running

import (
	"errors"
	"math"
	"reflect"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/ledger"
	"github.com/anonsql/anonsql/server/values"
)

// A held counts what one statement keeps while it sorts, groups, drops duplicates,
// joins, recurses or looks through windows, and ends it beyond the bounds that it was
// given, and where the session's ledger has no room. That counts
// large values where they are made (server/values), and here what is small.
//
// The engine asks its memory's reporter once for every row or group that it puts
// into a cache, and does not say how large it is. So the last row that came to
// where rows are kept (a keeper that asks) is remembered until the engine asks.
// Where it keeps rows without asking, they are counted as they come. What a sort, a
// group, a window or a recursion kept is given back when it closes: a subquery may
// be executed for every row. What joins keep is kept until the statement ends.
type held struct {
	maxRows, maxBytes int64
	rows, bytes       atomic.Int64
	last              atomic.Pointer[Rows] // whose row may be kept next
	tally             *ledger.Tally
	Refused           atomic.Pointer[ledger.Exceeded] // by the tally
}

// keptOverhead is what the engine adds to a row that it keeps, or to a group, in
// bytes: its place in a map or in a slice that grows, and the buffers of aggregates.
const keptOverhead = 128

// KeepsAtMost sets how many rows, and bytes, the statement may keep, 0 for no bound;
// it is called once, before the statement executes. What is kept is counted where
// there is a bound, or one of the session or of the process (counted).
func (st *Statement) KeepsAtMost(rows, bytes int64, counted bool) {
	if rows <= 0 && bytes <= 0 && !counted && !st.Ledger.Limited() {
		return
	}
	st.Held = &held{maxRows: math.MaxInt64, maxBytes: math.MaxInt64, tally: st.Tally}
	if rows > 0 {
		st.Held.maxRows = rows
	}
	if bytes > 0 {
		st.Held.maxBytes = bytes
	}
}

func (h *held) add(bytes, small int64) (within bool) {
	rows, all := h.rows.Add(1), h.bytes.Add(bytes)
	if rows > h.maxRows || all > h.maxBytes {
		return false
	}
	err := h.tally.Take(small + keptOverhead)
	var beyond *ledger.Exceeded
	if errors.As(err, &beyond) {
		h.Refused.Store(beyond)
	}
	return err == nil
}

// MaxMemory implements sql.Reporter: there is room when 1 is used.
func (h *held) MaxMemory() uint64 { return 2 }

// UsedMemory implements sql.Reporter. It is called once for every row or group
// that is kept, while there is room.
func (h *held) UsedMemory() uint64 {
	bytes, small := int64(0), int64(0)
	if from := h.last.Swap(nil); from != nil {
		bytes, small = from.size, from.small
		from.rows++
		from.bytes, from.smalls = from.bytes+bytes, from.smalls+small
	}
	if h.add(bytes, small) {
		return 1
	}
	return 2
}

// Rows are the rows that come to a keeper.
type Rows struct {
	sql.RowIter
	Held *held
	// first is how many of them it keeps without asking; the others, it asks for.
	First int64

	size, small int64 // bytes of the last row, and of its values that are not large
	rows, bytes int64 // kept
	smalls      int64
}

func (i *Rows) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := i.RowIter.Next(ctx)
	if err != nil {
		return row, err
	}
	if i.First < 0 {
		i.size, i.small = RowMemory(row), SmallRowMemory(row)
		i.Held.last.Store(i)
	} else if i.rows < i.First && !i.Keep(row) {
		return nil, sql.ErrNoMemoryAvailable.New()
	}
	return row, nil
}

// Keep counts a row that is kept.
func (i *Rows) Keep(row sql.Row) (within bool) {
	size, small := RowMemory(row), SmallRowMemory(row)
	i.rows, i.bytes, i.smalls = i.rows+1, i.bytes+size, i.smalls+small
	return i.Held.add(size, small)
}

// KeepSpare counts a row that is kept to save time: only while half of what the statement may
// keep is free, which it may need for what it cannot do without.
func (i *Rows) KeepSpare(row sql.Row) (within bool) {
	h := i.Held
	return h.rows.Load() < h.maxRows/2 && h.bytes.Load() < h.maxBytes/2 && i.Keep(row)
}

// GiveBack says that the rows are not kept any more. nil kept none.
func (i *Rows) GiveBack() {
	if i == nil {
		return
	}
	i.Held.rows.Add(-i.rows)
	i.Held.bytes.Add(-i.bytes)
	i.Held.tally.Give(i.smalls + i.rows*keptOverhead)
	i.rows, i.bytes, i.smalls = 0, 0, 0
}

// RowMemory is about what a row takes in memory, in bytes: its values, and 16 bytes
// for each as an interface.
func RowMemory(row sql.Row) int64 {
	n := 24 + 16*len(row)
	for _, value := range row {
		switch value := value.(type) {
		case nil:
		case string:
			n += 16 + len(value)
		case []byte:
			n += 24 + len(value)
		case sql.JSONWrapper:
			n += int(values.Memory(value))
		default: // numbers, times, decimals
			n += 16
		}
	}
	return int64(n)
}

// SmallRowMemory is RowMemory without large values, which are counted where they are
// made.
func SmallRowMemory(row sql.Row) int64 {
	size := RowMemory(row)
	for _, value := range row {
		switch value := value.(type) {
		case string:
			if len(value) >= ledger.Large {
				size -= int64(len(value))
			}
		case []byte:
			if len(value) >= ledger.Large {
				size -= int64(len(value))
			}
		}
	}
	return size
}

// A keeper is a node that keeps rows, while it is built.
type keeper struct {
	node, child sql.Node
	// first of the rows from child are kept without asking; -1: it asks.
	first int64
	// lasts says that the rows are kept when the iterator is closed.
	lasts bool
	rows  *Rows // from child, nil before that is built
}

const (
	asks  = -1
	Every = math.MaxInt64
)

// keeperOf returns nil for a node that keeps no rows of its child.
func keeperOf(ctx *sql.Context, n sql.Node) *keeper {
	switch n := n.(type) {
	case *plan.Sort:
		return &keeper{node: n, child: n.Child, first: asks}
	case *plan.GroupBy:
		return &keeper{node: n, child: n.Child, first: asks}
	case *plan.Window:
		return &keeper{node: n, child: n.Child, first: Every}
	case *plan.TopN:
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil {
			return nil // which the engine will say
		}
		return &keeper{node: n, child: n.Child, first: max(limit, 0)}
	case *plan.CachedResults:
		return &keeper{node: n, child: n.Child, first: asks, lasts: true}
	case *plan.HashLookup:
		return &keeper{node: n, child: n.Child, first: Every, lasts: true}
	}
	return nil
}

// outgoing are the rows of a keeper, which gives back what it kept.
type outgoing struct {
	sql.RowIter
	kept *Rows
}

func (o outgoing) Close(ctx *sql.Context) error {
	o.kept.GiveBack()
	return o.RowIter.Close(ctx)
}

// A Builder stands in for the engine's where rows are kept or read. The engine's
// builder asks it for every node; its own state says which nodes it is asked for a
// second time, to be built by the engine. The zero value is the first.
type Builder struct {
	// keeper is the node that is being built, nil for none.
	keeper *keeper
	// reads is the table that is being opened, nil for none.
	reads sql.Node
}

// Build builds a node that keeps rows or, for a statement with limits, reads a table;
// ok is false for every other node, which the caller builds. below is the engine's
// builder of what is below, with the state that it is given. Nodes that == cannot tell
// apart are not counted.
func (b Builder) Build(ctx *sql.Context, n sql.Node, row sql.Row, below func(Builder) sql.NodeExecBuilder) (rows sql.RowIter, ok bool, err error) {
	st := Of(ctx)
	if st == nil || !reflect.TypeOf(n).Comparable() {
		return nil, false, nil
	}
	if rows, ok, err = b.counted(ctx, st, n, row, below); ok {
		return rows, true, err
	}
	return b.paced(ctx, st, n, row, below)
}

// counted builds a node that keeps rows.
func (b Builder) counted(
	ctx *sql.Context,
	st *Statement,
	n sql.Node,
	row sql.Row,
	below func(Builder) sql.NodeExecBuilder,
) (rows sql.RowIter, ok bool, err error) {
	if st.Held == nil {
		return nil, false, nil
	}
	if above := b.keeper; above != nil {
		switch n {
		case above.node:
			return nil, false, nil
		case above.child:
			b.keeper = nil
			rows, err := below(b).Build(ctx, n, row)
			if err != nil {
				return nil, true, err
			}
			above.rows = &Rows{RowIter: rows, Held: st.Held, First: above.first}
			return above.rows, true, nil
		}
	}
	own := keeperOf(ctx, n)
	recursive, recurses := n.(*plan.RecursiveCte)
	if recurses { // which keeps the rows that it gives
		own = &keeper{node: recursive}
	}
	if own == nil {
		return nil, false, nil
	}
	b.keeper = own
	if rows, err = below(b).Build(ctx, n, row); err != nil {
		return nil, true, err
	}
	switch kept := own.rows; {
	case recurses:
		kept = &Rows{RowIter: rows, Held: st.Held, First: Every}
		return outgoing{kept, kept}, true, nil
	case kept != nil && !own.lasts:
		return outgoing{rows, kept}, true, nil
	}
	return rows, true, nil
}
