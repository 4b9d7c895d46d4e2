package worker

import (
	"fmt"
	"syscall"
)

// confine takes from this process what a worker does not need: core dumps.
func confine() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("cannot forbid core dumps: %w", err)
	}
	return nil
}
