package directory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/anonsql/anonsql/catalog/fault"
)

// ErrLocked is the error of Open if another server has the data directory open; it is wrapped
// with the directory and that process.
var ErrLocked = errors.New("data directory is in use")

const lockFile = "LOCK"

// Held is this process's lock of a data directory.
type Held struct{ file *os.File }

// Close unlocks at once. A child that is being forked shares the open file until it executes
// its program, so closing alone would leave the lock to it.
func (h *Held) Close() error {
	return errors.Join(syscall.Flock(int(h.file.Fd()), syscall.LOCK_UN), h.file.Close())
}

// Lock locks <dir>/LOCK until Close. The kernel releases the lock when the process ends in any
// way; the pid in the file is for people.
func Lock(dir string) (*Held, error) {
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600) // root may lock a directory in which an account puts links
	if err != nil {
		return nil, fault.Unwritable("lock the data directory "+dir, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot lock the data directory %s: %w", dir, err)
		}
		holder := "an unknown process"
		if text, err := os.ReadFile(path); err == nil && len(strings.TrimSpace(string(text))) > 0 {
			holder = "process " + strings.TrimSpace(string(text))
		}
		return nil, fmt.Errorf("%w: %s is held by %s", ErrLocked, dir, holder)
	}
	GiveToOwner(dir, path)
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot write %s: %w", path, err)
	}
	return &Held{f}, nil
}

// LockForReading locks a directory for reading. For a read-only mount it returns nil: there is
// nothing to lock.
func LockForReading(dir string) (*Held, error) {
	lock, err := Lock(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return lock, err
	}
	f, err := os.Open(filepath.Join(dir, lockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %s", ErrLocked, dir)
	}
	return &Held{f}, nil
}
