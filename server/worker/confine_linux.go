package worker

import (
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable is this binary, even if its file was replaced meanwhile.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes of a worker: it dies with its front. If isolated, it has namespaces of its own, without a network and without privileges
// outside; within, it has the server's user id.
func attributes(isolated bool) (*syscall.SysProcAttr, error) {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if isolated {
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a, nil
}

// keepDescriptors marks all descriptors close-on-exec, also those inherited or opened by a library, so that child processes do not get them.
func keepDescriptors() error {
	return unix.CloseRange(callsDescriptor, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}
