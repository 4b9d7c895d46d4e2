package loaddata

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// A shown is what SHOW PROCESSLIST says of a statement: how many rows were taken. How many there will be nobody knows, since a client does not say how
// long its file is.
type shown struct {
	state string
	next  int64 // rows from which on it is told again
}

// shownEvery is how many rows are taken from one state to the next: some ten a second where rows come fast.
const shownEvery = 8192

// reportRows is called with the rows taken so far.
func (s *shown) reportRows(ctx *sql.Context, rows int64) {
	if rows < s.next {
		return
	}
	s.next = rows + shownEvery
	if s.state != "" {
		ctx.ProcessList.RemoveTableProgress(ctx.Pid(), s.state)
	}
	s.state = fmt.Sprintf("load: %d rows", rows)
	ctx.ProcessList.AddTableProgress(ctx.Pid(), s.state, -1)
}
