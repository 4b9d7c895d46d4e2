package wire

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// interactiveClient is the flag CLIENT_INTERACTIVE of a client's greeting: interactive_timeout is its session's initial wait_timeout.
const interactiveClient = 1 << 10

// idleness ends a connection that sends nothing for wait_timeout. A connection with a
// running statement is not idle. An owner's ends with its connection to the other server.
type idleness struct {
	interactive bool
	patience    time.Duration // 0 before the first command
	timer       *time.Timer   // runs until a command has arrived completely; may be nil
}

// firstPatience is wait_timeout of a new session.
func (i *idleness) firstPatience() int64 {
	if i.interactive {
		return GlobalNumber("interactive_timeout")
	}
	return GlobalNumber("wait_timeout")
}

// bearIdle takes over the session's wait_timeout after a statement. The session, which may be nil, must be idle.
func (p *PacketConn) bearIdle(s *Session) {
	if p == nil || s == nil {
		return
	}
	if value, err := s.GetSessionVariable(nil, "wait_timeout"); err == nil {
		if seconds, ok := value.(int64); ok {
			p.idle.patience = time.Duration(seconds) * time.Second
		}
	}
}

// StartIdle sets a new session's wait_timeout for an interactive client.
func (p *PacketConn) StartIdle(s *Session) {
	if p != nil && p.idle.interactive {
		_ = s.SetSessionVariable(sql.NewEmptyContext(), "wait_timeout", p.idle.firstPatience()) // both variables take the same values
	}
}

// await waits for the header of the next command, and ends the connection if none
// arrives in time, with an unsolicited error, as MySQL does since 8.0.24.
func (p *PacketConn) await() error {
	if p.idle.patience == 0 {
		p.idle.patience = time.Duration(p.idle.firstPatience()) * time.Second
	}
	var expired atomic.Bool
	p.idle.stop()
	if p.Owner == nil {
		p.idle.timer = time.AfterFunc(p.idle.patience, func() {
			expired.Store(true)
			_ = p.Conn.SetReadDeadline(time.Now()) // fails only when it is closed
		})
	}
	_, err := p.in.Peek(packetHead)
	if err != nil && expired.Load() {
		p.refused = true
		p.sequence = 0xff // so that the error's is 0
		_ = p.Conn.SetWriteDeadline(time.Now().Add(time.Second))
		_ = p.writeError(sqlerror.IdleTooLong, "The client was disconnected by the server because of inactivity. "+
			"See wait_timeout and interactive_timeout for configuring this behavior.") // the client may be gone already
		return io.EOF
	}
	return err
}

// stop is called when a command has arrived completely: a client that sends half of one is idle.
func (i *idleness) stop() {
	if i.timer != nil {
		i.timer.Stop()
	}
}

// ended is called when the connection is closed.
func (p *PacketConn) ended() {
	p.idle.stop()
	if p.Guest != nil {
		p.Guest.Leave()
	}
}
