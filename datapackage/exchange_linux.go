package datapackage

import (
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// exchange gives two entries of a folder each other's name, at once. Not every file system can.
func exchange(root *os.Root, one, other string) error {
	folder, err := root.Open(path.Dir(one))
	if err != nil {
		return err
	}
	defer folder.Close()
	at := int(folder.Fd())
	return unix.Renameat2(at, path.Base(one), at, path.Base(other), unix.RENAME_EXCHANGE)
}
