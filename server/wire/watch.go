package wire

import (
	"context"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/dolthub/vitess/go/mysql"
)

// clientCheck is the time between two checks of a running statement's socket. Shorter statements cost one timer.
const clientCheck = 500 * time.Millisecond

// watchClient cancels with errClientGone once the client has closed its end. The engine checks only while it pulls rows, so a statement that
// works long before its first row would go on for nobody.
func watchClient(conn *mysql.Conn, cancel context.CancelCauseFunc) (stop func()) {
	socket := socketOf(conn.Conn)
	if socket == nil {
		return func() {}
	}
	var (
		mu      sync.Mutex
		stopped bool
		timer   *time.Timer
	)
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(clientCheck, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		if closedByPeer(socket) {
			cancel(errClientGone)
			return
		}
		timer.Reset(clientCheck)
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

func socketOf(conn net.Conn) syscall.RawConn {
	if raw, ok := conn.(syscall.Conn); ok {
		if socket, err := raw.SyscallConn(); err == nil {
			return socket
		}
	}
	return nil
}

// closedByPeer peeks without blocking and without consuming a byte: at the end of the
// stream a peek returns zero bytes. Commands that wait are before the end.
func closedByPeer(socket syscall.RawConn) bool {
	closed := false
	err := socket.Control(func(fd uintptr) {
		var buffer [1]byte
		n, _, err := syscall.Recvfrom(int(fd), buffer[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch err {
		case nil:
			closed = n == 0 || hungUp(int(fd))
		case syscall.EAGAIN, syscall.EINTR:
		default:
			closed = true
		}
	})
	return closed || err != nil
}
