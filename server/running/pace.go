package running

import (
	"runtime"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// paceRows and paceTime are how many rows an analyst's statement reads of a table,
// and how long at least, before it lets other statements run. Go's scheduler by
// itself lets each of them go on for ten milliseconds, so that twenty statements that
// compute keep a small one waiting for a tenth of a second at each of its steps.
const (
	paceRows = 64
	paceTime = 200 * time.Microsecond
)

// paced builds what reads a table for a statement with limits; ok is false for every
// other node.
func (b Builder) paced(
	ctx *sql.Context,
	st *Statement,
	n sql.Node,
	row sql.Row,
	below func(Builder) sql.NodeExecBuilder,
) (rows sql.RowIter, ok bool, err error) {
	if b.reads != nil && b.reads == n || !st.Ledger.Limited() {
		return nil, false, nil
	}
	switch n.(type) {
	case *plan.ResolvedTable, *plan.IndexedTableAccess:
	default:
		return nil, false, nil
	}
	b.reads = n
	if rows, err = below(b).Build(ctx, n, row); err != nil {
		return nil, true, err
	}
	return &pacedRows{RowIter: rows, last: time.Now()}, true, nil
}

type pacedRows struct {
	sql.RowIter
	n    int
	last time.Time
}

// Next implements sql.RowIter.
func (p *pacedRows) Next(ctx *sql.Context) (sql.Row, error) {
	if p.n++; p.n >= paceRows {
		p.n = 0
		if now := time.Now(); now.Sub(p.last) > paceTime {
			runtime.Gosched()
			p.last = now
		}
	}
	return p.RowIter.Next(ctx)
}
