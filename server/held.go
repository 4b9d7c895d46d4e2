package server

import (
	"math"
	"reflect"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
)

// A held counts what one statement keeps while it sorts, groups, drops duplicates,
// joins, recurses or looks through windows, and ends it beyond Config.MaxHeldRows
// and Config.MaxHeldBytes.
//
// The engine asks its memory's reporter once for every row or group that it puts
// into a cache, and does not say how large it is. So the last row that came to
// where rows are kept (passing) is remembered until the engine asks. Where it keeps
// rows without asking, they are counted as they come (keeping). Rows are counted
// once and never given back: a statement that sorts twice holds both.
type held struct {
	maxRows, maxBytes uint64
	rows, bytes       atomic.Uint64
	last              atomic.Uint64 // bytes of the row that may be kept next
}

// newHeld returns nil when nothing is bounded.
func newHeld(c *Config) *held {
	if c.MaxHeldRows <= 0 && c.MaxHeldBytes <= 0 {
		return nil
	}
	h := &held{maxRows: math.MaxUint64, maxBytes: math.MaxUint64}
	if c.MaxHeldRows > 0 {
		h.maxRows = uint64(c.MaxHeldRows)
	}
	if c.MaxHeldBytes > 0 {
		h.maxBytes = uint64(c.MaxHeldBytes)
	}
	return h
}

func (h *held) add(bytes uint64) (within bool) {
	rows, all := h.rows.Add(1), h.bytes.Add(bytes)
	return rows <= h.maxRows && all <= h.maxBytes
}

// MaxMemory implements sql.Reporter: there is room when 1 is used.
func (h *held) MaxMemory() uint64 { return 2 }

// UsedMemory implements sql.Reporter. It is called once for every row or group
// that is kept, while there is room.
func (h *held) UsedMemory() uint64 {
	if h.add(h.last.Swap(0)) {
		return 1
	}
	return 2
}

// passing remembers the size of rows that the engine may keep.
type passing struct {
	sql.RowIter
	held *held
}

func (p passing) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := p.RowIter.Next(ctx)
	if err == nil {
		p.held.last.Store(memoryOf(row))
	}
	return row, err
}

// keeping counts rows that the engine keeps without asking, the first of them.
type keeping struct {
	sql.RowIter
	held  *held
	first int64
}

func (k *keeping) Next(ctx *sql.Context) (sql.Row, error) {
	row, err := k.RowIter.Next(ctx)
	if err != nil || k.first <= 0 {
		return row, err
	}
	k.first--
	if !k.held.add(memoryOf(row)) {
		return nil, sql.ErrNoMemoryAvailable.New()
	}
	return row, nil
}

// memoryOf is about what a row takes in memory: its values, and 16 bytes for each
// as an interface.
func memoryOf(row sql.Row) uint64 {
	n := 24 + 16*uint64(len(row))
	for _, value := range row {
		switch value := value.(type) {
		case nil:
		case string:
			n += 16 + uint64(len(value))
		case []byte:
			n += 24 + uint64(len(value))
		default: // numbers, times, decimals
			n += 16
		}
	}
	return n
}

// A keeper is a node that is being built: what comes to it from its child is
// counted.
type keeper struct {
	node, child sql.Node
	count       func(sql.RowIter) sql.RowIter
}

// keeperOf returns how the rows of a node's child are counted; nil when the node
// keeps none.
func (h *held) keeperOf(ctx *sql.Context, n sql.Node) *keeper {
	passes := func(rows sql.RowIter) sql.RowIter { return passing{rows, h} }
	keeps := func(rows sql.RowIter) sql.RowIter { return &keeping{rows, h, math.MaxInt64} }
	switch n := n.(type) {
	case *plan.Sort:
		return &keeper{n, n.Child, passes}
	case *plan.GroupBy:
		return &keeper{n, n.Child, passes}
	case *plan.CachedResults:
		return &keeper{n, n.Child, passes}
	case *plan.Window:
		return &keeper{n, n.Child, keeps}
	case *plan.HashLookup:
		return &keeper{n, n.Child, keeps}
	case *plan.TopN:
		limit, err := iters.GetInt64Value(ctx, n.Limit)
		if err != nil {
			return nil // which the engine will say
		}
		return &keeper{n, n.Child, func(rows sql.RowIter) sql.RowIter { return &keeping{rows, h, limit} }}
	}
	return nil
}

// counted builds a node that keeps rows; ok is false for every other node, which
// the caller builds. Nodes that == cannot tell apart keep none.
func (e execution) counted(ctx *sql.Context, n sql.Node, row sql.Row) (rows sql.RowIter, ok bool, err error) {
	st := statementOf(ctx)
	if st == nil || st.held == nil || !reflect.TypeOf(n).Comparable() {
		return nil, false, nil
	}
	if above := e.keeper; above != nil {
		switch n {
		case above.node:
			return nil, false, nil
		case above.child:
			e.keeper = nil
			rows, err := rowexec.NewOverrideBuilder(e).Build(ctx, n, row)
			if err != nil {
				return nil, true, err
			}
			return above.count(rows), true, nil
		}
	}
	if _, recursive := n.(*plan.RecursiveCte); recursive {
		e.keeper = &keeper{node: n}
		rows, err := rowexec.NewOverrideBuilder(e).Build(ctx, n, row)
		if err != nil {
			return nil, true, err
		}
		return &keeping{rows, st.held, math.MaxInt64}, true, nil
	}
	if e.keeper = st.held.keeperOf(ctx, n); e.keeper == nil {
		return nil, false, nil
	}
	rows, err = rowexec.NewOverrideBuilder(e).Build(ctx, n, row)
	return rows, true, err
}
