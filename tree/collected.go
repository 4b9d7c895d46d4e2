package tree

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
)

// collected are rows that are computed when the first is read.
type collected struct {
	work  func(*sql.Context) ([]sql.Row, error) // nil when it is done
	rows  []sql.Row
	below sql.RowIter
}

// Collect returns the rows of work. work runs once, when the first row is read, so that whatever ends the statement also ends work.
// Closing the rows also closes below, unless it is nil.
func Collect(work func(*sql.Context) ([]sql.Row, error), below sql.RowIter) sql.RowIter {
	return &collected{work: work, below: below}
}

func (c *collected) Next(ctx *sql.Context) (sql.Row, error) {
	if work := c.work; work != nil {
		c.work = nil
		rows, err := work(ctx)
		if err != nil {
			return nil, err
		}
		c.rows = rows
	}
	if len(c.rows) == 0 {
		return nil, io.EOF
	}
	row := c.rows[0]
	c.rows = c.rows[1:]
	return row, nil
}

func (c *collected) Close(ctx *sql.Context) error {
	c.work, c.rows = nil, nil
	if c.below == nil {
		return nil
	}
	return c.below.Close(ctx)
}
