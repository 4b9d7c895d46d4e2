package server

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"syscall"
	"time"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/wire"
)

// A doorListener lets every client in that the door lets in (room admission),
// and outlives a process without free file descriptors: the protocol layer would
// take any error for the end.
type doorListener struct {
	net.Listener
	door    *admission.Door
	metrics *metrics
	tls     *tls.Config // nil: not offered
	logger  *slog.Logger
	pace    wire.Pace
}

// Accept implements net.Listener.
func (l *doorListener) Accept() (net.Conn, error) {
	for {
		l.door.Await(seenOff)
		conn, err := l.Listener.Accept()
		if err == nil {
			l.metrics.connected.Inc()
			return l.welcome(conn), nil
		}
		if !outOfRoom(err) {
			return nil, err
		}
		l.makeRoom(err)
	}
}

// welcome hands a socket to the door. Whoever is turned out has the socket closed
// under it, whatever it does: a handshake of TLS, one byte a second, or waiting.
func (l *doorListener) welcome(conn net.Conn) *wire.PacketConn {
	packets := wire.NewPacketConn(conn, l.tls)
	from, _ := accounts.AddressOf(conn.RemoteAddr()) // what has no address is counted as of this machine
	packets.Guest = l.door.Arrive(from, func(why admission.Reason) {
		switch why {
		case admission.Late:
			l.metrics.turnedOut.WithLabelValues("late").Inc()
		case admission.Displaced:
			l.metrics.turnedOut.WithLabelValues("displaced").Inc()
		}
		_ = conn.Close() // it may be closed already
	})
	return packets
}

// outOfRoom recognises that the process, or the machine, has no file descriptors
// or memory for another socket.
func outOfRoom(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

const (
	// seenOff is how long the next client waits at most for those that were turned
	// out: their goroutines end at once.
	seenOff = time.Second
	// roomMade is how many clients that have not logged in give way when there is
	// no room, and roomPause the time for their sockets to be closed.
	roomMade  = 16
	roomPause = 10 * time.Millisecond
)

func (l *doorListener) makeRoom(err error) {
	if ok, left := l.pace.Admits(time.Now()); ok {
		l.logger.Error("no room for another connection: clients that have not logged in are turned out", "error", err, "not_logged", left)
	}
	l.door.MakeRoom(roomMade)
	time.Sleep(roomPause)
}
