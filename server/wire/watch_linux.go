package wire

import "golang.org/x/sys/unix"

// hungUp reports whether the client has closed its end of a socket, behind whatever bytes nobody has read.
func hungUp(fd int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}, 0)
	return err == nil && n > 0
}
