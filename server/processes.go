package server

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/syntax"
	"github.com/anonsql/anonsql/server/wire"
)

// processes is the engine's process list. Each statement gets a view of the processes
// that its account may see, since SHOW PROCESSLIST and information_schema.processlist
// read the list without a check.
type processes struct {
	sql.ProcessList
	front *front // in a worker: it knows the account's processes
	// visible reports whether the account of ctx sees a process.
	visible func(ctx *sql.Context, process sql.Process) bool
	// begun is called for every statement once its account is known; an error refuses
	// the statement.
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
	if v.front != nil {
		return v.front.processes()
	}
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

// All are all processes, without the check.
func (v *visibleProcesses) All() []sql.Process { return v.processes.ProcessList.Processes() }

// BeginQuery implements sql.ProcessList for statements within the statement.
func (v *visibleProcesses) BeginQuery(ctx *sql.Context, query string) (*sql.Context, error) {
	return v.processes.BeginQuery(ctx, query)
}

func (s *instance) seesProcess(ctx *sql.Context, p sql.Process) bool {
	return accounts.OwnProcess(ctx, p) || s.holds(ctx, "", "", sql.PrivilegeType_Process)
}

// showStatus is the engine's SHOW STATUS plus the uptime, by which tools divide, the
// connections, and the encryption of the session.
func (e execution) showStatus(ctx *sql.Context, n *plan.ShowStatus, row sql.Row) (sql.RowIter, error) {
	shown, err := n.RowIter(ctx, row)
	if err != nil {
		return nil, err
	}
	rows, err := sql.RowIterToRows(ctx, shown)
	if err != nil {
		return nil, err
	}
	uptime := uptime(e.started)
	version, cipher := "", ""
	if session, ok := ctx.Session.(*wire.Session); ok && session.Encryption != nil {
		version, cipher = session.Encryption()
	}
	own := map[string]any{"Uptime": uptime, "Uptime_since_flush_status": uptime, "Ssl_version": version, "Ssl_cipher": cipher,
		"Threads_connected": int64(e.connections.Count()), "Threads_running": int64(e.connections.Running())}
	for _, r := range rows {
		if value, ok := own[r[0].(string)]; ok {
			r[1] = value
		}
	}
	return sql.RowsToRowIter(rows...), nil
}

// uptime is in seconds, at least 1.
func uptime(started time.Time) int64 { return max(1, int64(time.Since(started)/time.Second)) }

// statistics is the answer to COM_STATISTICS, in the form that MySQL's client reads.
func (s *instance) statistics() string {
	seconds := uptime(s.started)
	_, questions, _ := sql.StatusVariables.GetGlobal("Questions")
	asked, _ := questions.(uint64)
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Flush tables: 1  Open tables: 0  Queries per second avg: %.3f",
		seconds, s.connections.Count(), asked, float64(asked)/float64(seconds))
}
