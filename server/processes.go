package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/syntax"
)

// processes is the engine's process list. Each statement gets a view of it
// that shows the processes its account may see: the engine reads the list
// without asking, in SHOW PROCESSLIST and in information_schema.processlist.
type processes struct {
	sql.ProcessList
	// visible tells whether the account of ctx sees a process.
	visible func(ctx *sql.Context, process sql.Process) bool
	// begun is called with every statement, when its account is known; an error
	// refuses the statement.
	begun func(ctx *sql.Context) error
	// running is the statement that runs on a connection, nil for none.
	running func(connection uint32) *running.Statement
}

// Kill implements sql.ProcessList.
func (p *processes) Kill(connection uint32) {
	kill := func() { p.ProcessList.Kill(connection) }
	if st := p.running(connection); st != nil {
		st.UnlessSettled(kill)
		if st.Hurry != nil {
			st.Hurry()
		}
		return
	}
	kill()
}

// BeginQuery implements sql.ProcessList.
func (p *processes) BeginQuery(ctx *sql.Context, query string) (*sql.Context, error) {
	begun, err := p.ProcessList.BeginQuery(ctx, query)
	if err != nil {
		return nil, err
	}
	begun.ProcessList = &visibleProcesses{processes: p, ctx: begun}
	if err := p.begun(begun); err != nil {
		p.ProcessList.EndQuery(begun)
		return nil, err
	}
	return begun, nil
}

// BeginOperation implements sql.ProcessList: a statement is prepared.
func (p *processes) BeginOperation(ctx *sql.Context) (*sql.Context, error) {
	begun, err := p.ProcessList.BeginOperation(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.begun(begun); err != nil {
		p.ProcessList.EndOperation(begun)
		return nil, err
	}
	return begun, nil
}

type visibleProcesses struct {
	*processes
	ctx *sql.Context
}

// Processes implements sql.ProcessList.
func (v *visibleProcesses) Processes() []sql.Process {
	all := v.All()
	seen := all[:0]
	for _, p := range all {
		if v.visible(v.ctx, p) {
			if syntax.HoldsPassword(p.Query) && p.Connection != v.ctx.ID() {
				p.Query = loggable(p.Query)
			}
			seen = append(seen, p)
		}
	}
	return seen
}

// All are the processes, whoever may see them.
func (v *visibleProcesses) All() []sql.Process { return v.processes.ProcessList.Processes() }

// BeginQuery implements sql.ProcessList for statements within the statement.
func (v *visibleProcesses) BeginQuery(ctx *sql.Context, query string) (*sql.Context, error) {
	return v.processes.BeginQuery(ctx, query)
}

func (s *instance) seesProcess(ctx *sql.Context, p sql.Process) bool {
	return accounts.OwnProcess(ctx, p) || s.holds(ctx, "", "", sql.PrivilegeType_Process)
}

// showProcesses is SHOW PROCESSLIST, by connection. The engine's own draws the
// phases of a statement as a tree of partitions over several lines.
func showProcesses(ctx *sql.Context) sql.RowIter {
	return processRows(ctx, func(p sql.Process, db any) sql.Row {
		return sql.NewRow(int64(p.Connection), p.User, p.Host, db, string(p.Command), int64(p.Seconds()), stateOf(p), p.Query)
	})
}

// readProcesses is information_schema.processlist.
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

// stateOf is what a statement does now: the phase of a long one, and how much of
// the phase is done.
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
