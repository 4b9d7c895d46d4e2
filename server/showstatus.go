package server

import (
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/anonsql/anonsql/server/wire"
)

// showStatus is the engine's SHOW STATUS with what it does not know: how long the server
// runs, by which tools divide, who is connected, and the encryption of the session.
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

// uptime is how long the server runs, in seconds, at least 1.
func uptime(started time.Time) int64 { return max(1, int64(time.Since(started)/time.Second)) }

// statistics is the answer to COM_STATISTICS, as MySQL's client reads it.
func (s *instance) statistics() string {
	seconds := uptime(s.started)
	_, questions, _ := sql.StatusVariables.GetGlobal("Questions")
	asked, _ := questions.(uint64)
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Flush tables: 1  Open tables: 0  Queries per second avg: %.3f",
		seconds, s.connections.Count(), asked, float64(asked)/float64(seconds))
}
