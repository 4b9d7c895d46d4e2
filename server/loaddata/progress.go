package loaddata

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
)

// A shown reports the rows taken so far to SHOW PROCESSLIST. It knows no total, since a client does not send the length of its file.
type shown struct {
	state string
	next  int64 // the number of rows at which to report again
}

// shownEvery is the number of rows between two reports: a fast load makes some ten reports a second.
const shownEvery = 8192

// reportRows reports the number of rows taken so far, if enough have come since the last report.
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
