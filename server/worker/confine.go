package worker

import (
	"fmt"
	"os"
	"syscall"
)

// executable is this binary, also where its file was replaced meanwhile.
const executable = "/proc/self/exe"

// attributes of a worker: it dies with its front, and is in namespaces of its own where isolated says so: without a network, and of a user that is nobody
// outside.
func attributes(isolated bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	if isolated {
		a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// confine takes from this process what a worker does not need: core dumps, and descriptors of new files beyond its sockets.
func confine() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("cannot forbid core dumps: %w", err)
	}
	return nil
}
