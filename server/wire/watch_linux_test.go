package wire

import (
	"os"
	"syscall"
	"testing"
)

// A client that has closed its end has left, whatever it has sent before that nobody has read.
func TestClosedBehindCommands(t *testing.T) {
	for name, sent := range map[string]string{"nothing": "", "COM_PING": "\x01\x00\x00\x00\x0e", "COM_QUIT": "\x01\x00\x00\x00\x01"} {
		ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			t.Fatal(err)
		}
		server, client := os.NewFile(uintptr(ends[0]), "server"), os.NewFile(uintptr(ends[1]), "client")
		defer server.Close()
		socket, err := server.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.WriteString(sent); err != nil {
			t.Fatal(err)
		}
		if closedByPeer(socket) {
			t.Errorf("after %s: a client that waits has left", name)
		}
		client.Close()
		if !closedByPeer(socket) {
			t.Errorf("after %s: a client that has left is there", name)
		}
	}
}
