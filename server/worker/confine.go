package worker

import (
	"fmt"
	"syscall"
)

// confine disables core dumps of this process.
func confine() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("cannot forbid core dumps: %w", err)
	}
	return nil
}
