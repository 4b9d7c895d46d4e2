package correlated

import (
	"errors"
	"io"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/tree"
)

// A partition is a relation that does not depend on the outer row. It is read once, for
// the first outer row. For each outer row it returns the rows for which the equations
// may hold.
type partition struct {
	tree.Leaf
	relation  sql.Node
	equations []*expression.Equals
	// inside means that the relation is in a subquery, whose rows begin with the outer row.
	// Otherwise it is the right side of a join, and the outer row is a row of the left side.
	inside bool

	kept *parts
}

// parts are the rows of a relation by key.
type parts struct {
	mu    sync.Mutex
	read  bool
	whole bool // no rows are kept: the relation is read for every outer row
	pairs []pair
	rows  map[string][]sql.Row
}

func newPartition(relation sql.Node, equations []*expression.Equals) *partition {
	return &partition{relation: relation, equations: equations, kept: &parts{}}
}

func (p *partition) Schema() sql.Schema { return p.relation.Schema() }
func (p *partition) String() string     { return p.relation.String() }

func (p *partition) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(p, children)
}

// Build executes a node of this package with a builder for the nodes below; ok is false
// for others.
func Build(ctx *sql.Context, n sql.Node, row sql.Row, below sql.NodeExecBuilder) (rows sql.RowIter, ok bool, err error) {
	if p, ok := n.(*partition); ok {
		rows, err := p.rowsFor(ctx, below, row)
		return rows, true, err
	}
	return nil, false, nil
}

// rowsFor returns the rows for an outer row.
func (p *partition) rowsFor(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	if err := ctx.Err(); err != nil { // nothing else checks the context while kept rows are returned
		return nil, err
	}
	p.kept.mu.Lock()
	defer p.kept.mu.Unlock()
	if !p.kept.read {
		if err := p.read(ctx, below, row); err != nil {
			return nil, err
		}
	}
	if p.kept.whole {
		return p.all(ctx, below, row)
	}
	key, state, err := keyOf(ctx, row, p.kept.pairs, func(p pair) sql.Expression { return p.outer })
	switch {
	case err != nil:
		return nil, err
	case state == unknown:
		return sql.RowsToRowIter(), nil
	case state == strange:
		return p.all(ctx, below, row)
	case p.inside:
		return &behind{outside: row, rows: p.kept.rows[key]}, nil
	}
	return sql.RowsToRowIter(p.kept.rows[key]...), nil
}

// all reads the whole relation, as the engine does for every outer row.
func (p *partition) all(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) (sql.RowIter, error) {
	relation := p.relation
	if p.inside {
		var err error
		if relation, _, err = transform.Node(relation, plan.PrependRowInPlan(row, false)); err != nil {
			return nil, err
		}
	}
	return below.Build(ctx, relation, row)
}

// read keeps the rows of the relation, if it has a key.
func (p *partition) read(ctx *sql.Context, below sql.NodeExecBuilder, row sql.Row) error {
	p.kept.read, p.kept.whole = true, true
	if p.kept.pairs = pairsOf(p.equations, len(row)); len(p.kept.pairs) == 0 {
		return nil
	}
	rows, err := p.all(ctx, below, row)
	if err != nil {
		return err
	}
	before := 0 // number of outer columns at the beginning of each row
	if p.inside {
		before = len(row)
	}
	err = p.keep(ctx, rows, before)
	return errors.Join(err, rows.Close(ctx))
}

// keep groups the rows by key, without their outer columns. It drops rows with a NULL
// key: they equal no outer row.
func (p *partition) keep(ctx *sql.Context, rows sql.RowIter, before int) error {
	kept := make(map[string][]sql.Row)
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			p.kept.rows, p.kept.whole = kept, false
			return nil
		}
		if err != nil {
			return err
		}
		row = append(make(sql.Row, 0, len(row)-before), row[before:]...)
		key, state, err := keyOf(ctx, row, p.kept.pairs, func(p pair) sql.Expression { return p.inner })
		if err != nil || state == strange {
			return err
		}
		if state == known {
			kept[key] = append(kept[key], row)
		}
	}
}

// behind iterates over rows, each behind the columns of the outer row.
type behind struct {
	outside sql.Row
	rows    []sql.Row
}

func (b *behind) Next(ctx *sql.Context) (sql.Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(b.rows) == 0 {
		return nil, io.EOF
	}
	row := append(append(make(sql.Row, 0, len(b.outside)+len(b.rows[0])), b.outside...), b.rows[0]...)
	b.rows = b.rows[1:]
	return row, nil
}

func (b *behind) Close(*sql.Context) error { return nil }
