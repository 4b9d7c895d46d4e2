package directory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A data directory has raw data, so only its owner may access it.
const (
	directoryMode fs.FileMode = 0o700
	FileMode      fs.FileMode = 0o600
	// otherUsers are the rights of the group and of everybody.
	otherUsers fs.FileMode = 0o077
)

// ownFiles are the patterns of the files in a data directory that hold data or keys,
// of every version of the program.
var ownFiles = []string{DatabaseFile + "*", "*.db", "*.db" + WALSuffix, "*.db" + SHMSuffix, lockFile, "jobs.log*", "*-key.pem"}

// Make creates a data directory that only its owner may enter, whatever the umask. On an
// existing directory and its files it withdraws others' rights and returns notes for the log
// about what it withdrew or could not: others may have read the files. Failing to withdraw
// rights is no error, because a mounted directory may belong to somebody else, who decides.
func Make(dir string) (notes []string, err error) {
	_, err = os.Stat(dir)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(dir, directoryMode); err != nil {
		return nil, fmt.Errorf("cannot create the data directory: %w", err)
	}
	if isNew { // the umask may have removed more
		return nil, os.Chmod(dir, directoryMode)
	}
	if note := narrow(dir, directoryMode); note != "" {
		notes = append(notes, note)
	}
	for _, pattern := range ownFiles {
		files, err := filepath.Glob(filepath.Join(escaped(dir), pattern))
		if err != nil {
			return notes, err
		}
		for _, file := range files {
			if note := narrow(file, FileMode); note != "" {
				notes = append(notes, note)
			}
		}
	}
	return notes, nil
}

// GiveToOwner gives a file the owner of its data directory, if root has written it: the account of the service must be able to open it. It never follows
// a link, which that account may have put there. A mount may refuse the change; then its owner decides.
func GiveToOwner(dir, path string) {
	info, err := os.Stat(dir)
	if err != nil || os.Geteuid() != 0 {
		return
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(path, int(owner.Uid), int(owner.Gid))
	}
}

// escaped returns a path as a pattern that matches only itself.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// narrow withdraws others' rights on a file and returns a note; "" if they had none.
func narrow(path string, to fs.FileMode) string {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode()&otherUsers == 0 {
		return ""
	}
	was := info.Mode().Perm()
	if err := os.Chmod(path, was&to); err != nil {
		return fmt.Sprintf("%s may be used by others (mode %04o), and stays so: %v; it holds raw data, take these rights from them", path, was, err)
	}
	return fmt.Sprintf("%s could be used by others (mode %04o): mode %04o now; it holds raw data, find out who has read it", path, was, was&to)
}
