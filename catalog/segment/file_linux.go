package segment

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newFile returns an empty memory file, open for writing and separately for reading.
func newFile() (write, read *os.File, err error) {
	fd, err := unix.MemfdCreate("anonsql-segment", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return newUnlinked()
	}
	if err != nil {
		return nil, nil, os.NewSyscallError("memfd_create", err)
	}
	write = os.NewFile(uintptr(fd), "anonsql-segment")
	if read, err = os.Open(fmt.Sprintf("/proc/self/fd/%d", fd)); err != nil {
		write.Close()
	}
	return write, read, err
}

// seal makes a memory file immutable. A file of a file system cannot be sealed, but nobody else has it open for writing.
func seal(write *os.File) error {
	_, err := unix.FcntlInt(write.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE|unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	if err != nil && !errors.Is(err, unix.EINVAL) {
		return os.NewSyscallError("fcntl", err)
	}
	return nil
}
