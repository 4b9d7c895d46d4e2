//go:build !linux

package worker

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

// attributes of a worker: without namespaces none can be isolated.
func attributes(isolated bool) (*syscall.SysProcAttr, error) {
	if isolated {
		return nil, syscall.EPERM
	}
	return &syscall.SysProcAttr{Setsid: true}, nil
}

func keepDescriptors() error { return nil }
