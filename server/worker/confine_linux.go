package worker

import (
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// executable is this binary, also where its file was replaced meanwhile.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes of a worker: it dies with its front, and is in namespaces of its own where isolated says so: without a network, and without
// rights over anything outside: it is the server's user there.
func attributes(isolated bool) (*syscall.SysProcAttr, error) {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if isolated {
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a, nil
}

// keepDescriptors keeps from processes that are started those descriptors which this one was given by the process that started it, or has from a library.
func keepDescriptors() error {
	return unix.CloseRange(callsDescriptor, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}
