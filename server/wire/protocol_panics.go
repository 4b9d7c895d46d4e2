package wire

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// ProtocolPanics counts panics of the protocol layer, and logs a few of them: anybody who can connect may be able to cause them.
type ProtocolPanics struct {
	counter prometheus.Counter
	pace    Pace
}

// NewProtocolPanics registers the counter.
func NewProtocolPanics(registry *prometheus.Registry) *ProtocolPanics {
	p := &ProtocolPanics{counter: prometheus.NewCounter(prometheus.CounterOpts{Name: "anonsql_protocol_panics_total",
		Help: "Connections that ended with a panic of the protocol layer; the log has the stack. Each is a mistake of the server."})}
	registry.MustRegister(p.counter)
	return p
}

// Caught logs a panic that ends a connection, and sends the client an error. It must be called while the stack is still that of the panic.
func (p *ProtocolPanics) Caught(logger *slog.Logger, c *mysql.Conn, cause any) {
	p.counter.Inc()
	if ok, left := p.pace.Admits(time.Now()); ok {
		logger.Error("protocol layer panicked, connection closed", "connection", c.ConnectionID, "panic", fmt.Sprint(cause),
			"stack", string(debug.Stack()), "not_logged", left)
	}
	if packets := PacketsOf(c.Conn); packets != nil && !packets.answer.written {
		_ = packets.Conn.SetWriteDeadline(time.Now().Add(time.Second))
		_ = packets.writeError(sqlerror.MalformedPacket, "Malformed communication packet") // the client may be gone already
	}
}

// pacePerSecond is how many panics a second are logged.
const pacePerSecond = 5

// A Pace admits at most pacePerSecond events a second.
type Pace struct {
	mu      sync.Mutex
	second  int64
	used    int
	dropped int // since the last admitted one
}

// Admits reports whether an event may be logged, and how many were dropped before it.
func (p *Pace) Admits(now time.Time) (ok bool, before int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := now.Unix(); s != p.second {
		p.second, p.used = s, 0
	}
	if p.used == pacePerSecond {
		p.dropped++
		return false, 0
	}
	p.used++
	before, p.dropped = p.dropped, 0
	return true, before
}

var uncaughtPace Pace

// ReportUncaught is the protocol layer's error log. It reports only panics before or after the handler, not ended connections. The protocol
// layer does not know its server, so it writes to the default log.
func ReportUncaught(format string, values ...any) {
	if !strings.Contains(format, "caught panic") {
		return
	}
	if ok, left := uncaughtPace.Admits(time.Now()); ok {
		slog.Error("protocol layer panicked", "panic", fmt.Sprintf(format, values...), "not_logged", left)
	}
}
