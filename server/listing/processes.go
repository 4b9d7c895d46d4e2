package listing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// ShowProcesses answers SHOW PROCESSLIST, by connection. The engine would draw the phases of a statement as a tree of
// partitions over several lines.
func ShowProcesses(ctx *sql.Context) sql.RowIter {
	return processRows(ctx, func(p sql.Process, db any) sql.Row {
		return sql.NewRow(int64(p.Connection), p.User, p.Host, db, string(p.Command), int64(p.Seconds()), stateOf(p), p.Query)
	})
}

// readProcesses returns the rows of information_schema.processlist.
func readProcesses(ctx *sql.Context, _ sql.Catalog) (sql.RowIter, error) {
	return processRows(ctx, func(p sql.Process, db any) sql.Row {
		return sql.NewRow(uint64(p.Connection), p.User, p.Host, db, string(p.Command), int32(p.Seconds()), stateOf(p), p.Query)
	}), nil
}

func processRows(ctx *sql.Context, row func(p sql.Process, db any) sql.Row) sql.RowIter {
	processes := ctx.ProcessList.Processes()
	slices.SortFunc(processes, func(a, b sql.Process) int { return int(a.Connection) - int(b.Connection) })
	rows := make([]sql.Row, len(processes))
	for i, p := range processes {
		var db any
		if p.Database != "" {
			db = p.Database
		}
		rows[i] = row(p, db)
	}
	return sql.RowsToRowIter(rows...)
}

// stateOf returns the current phase of a long statement, and its progress.
func stateOf(p sql.Process) string {
	var phases []string
	for name, phase := range p.Progress {
		if phase.Total > 0 {
			name = fmt.Sprintf("%s: %d%% (%d of %d)", name, 100*phase.Done/phase.Total, phase.Done, phase.Total)
		}
		phases = append(phases, name)
	}
	if len(phases) == 0 && p.Command == sql.ProcessCommandQuery {
		return "running"
	}
	slices.Sort(phases)
	return strings.Join(phases, ", ")
}
