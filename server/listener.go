package server

import (
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/wire"
)

// A doorListener accepts the clients that the door admits (package admission), and
// survives a lack of file descriptors, where the protocol layer would take the error
// for the end of the listener.
type doorListener struct {
	net.Listener
	door    *admission.Door
	metrics *metrics
	tls     *tls.Config // nil: not offered
	logger  *slog.Logger
	pace    wire.Pace

	begun    sync.Once
	arrivals chan arrival
	heirs    chan *wire.PacketConn // connections that take over the sockets of ended ones
	closed   chan struct{}
}

// An arrival is a client's socket, or the error that ends the listener.
type arrival struct {
	socket net.Conn
	err    error
}

// opened makes the channels. It must be called first.
func (l *doorListener) opened() {
	l.arrivals, l.heirs, l.closed = make(chan arrival), make(chan *wire.PacketConn), make(chan struct{})
}

// Accept implements net.Listener.
func (l *doorListener) Accept() (net.Conn, error) {
	l.begun.Do(func() { go l.accept() })
	select {
	case came := <-l.arrivals:
		if came.err != nil {
			close(l.closed)
			return nil, came.err
		}
		l.metrics.connected.Inc()
		return l.admitSocket(came.socket, wire.NewPacketConn(came.socket, l.tls)), nil
	case heir := <-l.heirs:
		l.admitSocket(heir.Conn, heir).Guest.MarkAnswered()
		return heir, nil
	}
}

// accept waits for clients, until the listener ends.
func (l *doorListener) accept() {
	for {
		l.door.Await(seenOff)
		socket, err := l.Listener.Accept()
		if err == nil || !admission.OutOfRoom(err) {
			l.arrivals <- arrival{socket, err}
			if err != nil {
				return
			}
			continue
		}
		l.makeRoom(err)
	}
}

// succeed admits a connection that takes over the socket of another one.
func (l *doorListener) succeed(heir *wire.PacketConn) {
	select {
	case l.heirs <- heir:
	case <-l.closed:
		_ = heir.Close() // its client may be gone
	}
}

// admitSocket registers a socket with the door, which closes it to turn the client out,
// whatever the client does: a slow TLS handshake, one byte a second, or nothing.
func (l *doorListener) admitSocket(conn net.Conn, packets *wire.PacketConn) *wire.PacketConn {
	packets.TakesOver(l.succeed)
	from, _ := accounts.AddressOf(conn.RemoteAddr()) // a socket without an address counts as local
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

const (
	// seenOff is how long the next client waits at most until the goroutines of
	// turned-out clients have ended.
	seenOff = time.Second
	// roomMade is how many unauthenticated clients are turned out if file descriptors
	// run out, and roomPause the time for closing their sockets.
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
