package pertable

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/tree"
)

// maxRows bounds the rows of a merged answer.
const maxRows = 200_000

// someRows is the number of rows between two checks of the context.
const someRows = 256

// RowIter implements sql.ExecSourceRel. The plan runs when the first row is read, so that
// a client that leaves ends it.
func (q *Query) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return tree.Collect(q.collect, nil), nil
}

// collect makes the rows of an answer from completed tables.
func (q *Query) collect(ctx *sql.Context) ([]sql.Row, error) {
	m := newMerger(q)
	for d := 0; d < q.Tables && m.matched; d++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Every view becomes completed table d, an ordinary table to the engine
		// (substitute.go), which analyzes and runs the plan.
		if err := q.runOn(ctx, d, m); err != nil {
			return nil, err
		}
		// Rows are matched by their keys (merge.go). Once tables differ in them,
		// further tables cannot change that.
		if err := m.endTable(ctx, d); err != nil {
			return nil, err
		}
	}
	// The figures of matched rows are combined; otherwise table 1 answers.
	rows, err := m.rows(ctx)
	if err == nil {
		q.addNote(ctx, m)
	}
	return rows, err
}

// runOn runs the plan on completed table d, and adds its rows.
func (q *Query) runOn(ctx *sql.Context, d int, m *merger) error {
	planned, err := ofTable(q.Plan, d)
	if err != nil {
		return err
	}
	// A scope below the statement: the session's sql_select_limit applies to the whole statement.
	scope := (*plan.Scope)(nil).NewScopeFromSubqueryAlias(&plan.SubqueryAlias{})
	analyzed, err := q.engine.Analyze(ctx, planned, scope, q.flags)
	if err != nil {
		return err
	}
	iter, err := q.engine.ExecBuilder.Build(ctx, analyzed, nil)
	if err != nil {
		return err
	}
	err = addAll(ctx, iter, m)
	if closed := iter.Close(ctx); err == nil {
		err = closed
	}
	return err
}

func addAll(ctx *sql.Context, iter sql.RowIter, m *merger) error {
	for n := 0; ; n++ {
		if n%someRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		row, err := iter.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = m.add(row)
		}
		if err != nil {
			return err
		}
		if max(len(m.list), m.taken) > maxRows {
			return answer.Refuse("the answer has more than %d rows, each of which is matched over completed tables: "+
				"aggregate more, or restrict the rows in WHERE", maxRows)
		}
	}
}
