package directory

import (
	"bytes"
	"context"
	dbsql "database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// DatabaseFile is the file of a data directory that has everything. While it is open, and after
// a kill, its log stands beside it, with WALSuffix.
const (
	DatabaseFile = "anonsql.db"
	WALSuffix    = "-wal"
	SHMSuffix    = "-shm"
	freshSuffix  = ".new"
	// A restore appends replacedSuffix and the time to the name of a replaced database.
	replacedSuffix = ".replaced-"
)

// sqliteMagic begins every database of SQLite.
var sqliteMagic = []byte("SQLite format 3\x00")

// Admit checks that path can be opened, and creates the database if nothing is there. It
// refuses what SQLite would silently take for a new database although an old one was there: an
// empty file, or a log without a database.
func Admit(ctx context.Context, path string) error {
	problem, missing, err := Inspect(path)
	switch {
	case err != nil:
		return err
	case problem != "":
		return fault.FailureOf("open "+path, fmt.Errorf("%w: %s", fault.ErrDamaged, problem))
	case missing:
		if aside, err := movedAside(path); aside != "" || err != nil {
			return fault.FailureOf("open "+path, errors.Join(err, fmt.Errorf("%w: %s is missing, and %s is there: a restore was interrupted. "+
				"Restore again, or give this file its old name back", fault.ErrDamaged, path, aside)))
		}
		return makeFile(ctx, path)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fault.Unwritable("open the catalog", err)
	}
	return f.Close()
}

// makeFile makes an empty catalog under another name first, so that path is complete or absent.
func makeFile(ctx context.Context, path string) error {
	fresh := path + freshSuffix
	for _, suffix := range []string{"", WALSuffix, SHMSuffix} {
		if err := os.Remove(fresh + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot make the catalog: %w", err)
		}
	}
	// SQLite would create the file readable for everybody.
	f, err := os.OpenFile(fresh, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fault.Unwritable("make the catalog", err)
	}
	f.Close()
	db := dbsql.OpenDB(sqlite.NewConnector(fresh))
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fault.Cannot("make "+path, err)
	}
	err = Migrate(ctx, conn, path)
	if err := errors.Join(err, conn.Close(), db.Close()); err != nil { // closing removes the log
		return fault.Cannot("make "+path, err)
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("cannot make the catalog: %w", err)
	}
	return Sync(filepath.Dir(path))
}

// Inspect checks the first bytes and the size of a database without SQLite. missing means that
// neither the database nor a log exists.
func Inspect(path string) (problem string, missing bool, err error) {
	log, err := SizeOf(path + WALSuffix)
	if err != nil {
		return "", false, err
	}
	size, err := SizeOf(path)
	switch {
	case err != nil:
		return "", false, err
	case size < 0 && log > 0:
		return fmt.Sprintf("%s is missing, while its log %s has %d bytes: a log alone is no catalog", path, filepath.Base(path+WALSuffix), log), false, nil
	case size < 0:
		return "", true, nil
	case size == 0:
		return path + " is empty (0 bytes): its content is gone", false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false, fmt.Errorf("cannot open the catalog: %w", err)
	}
	defer f.Close()
	header := make([]byte, 100)
	if n, err := io.ReadFull(f, header); err != nil {
		return fmt.Sprintf("%s is cut short: it has %d bytes", path, n), false, nil
	}
	return describeHeader(path, header, size, log), false, nil
}

// describeHeader checks SQLite's file header (its file format, section 1.3): magic at 0, page
// size at 16, number of pages at 28, which is valid if the numbers at 24 and 92 are equal.
func describeHeader(path string, header []byte, size, log int64) string {
	if !bytes.HasPrefix(header, sqliteMagic) {
		return path + " is no database, or its beginning was overwritten"
	}
	page := int64(binary.BigEndian.Uint16(header[16:]))
	if page == 1 {
		page = 65536
	}
	if page < 512 || page&(page-1) != 0 {
		return path + " is no database, or its beginning was overwritten"
	}
	pages := int64(binary.BigEndian.Uint32(header[28:]))
	if log <= 0 && pages > 0 && bytes.Equal(header[24:28], header[92:96]) && pages*page > size {
		return fmt.Sprintf("%s is cut short: it has %d bytes, its content takes %d", path, size, pages*page)
	}
	return ""
}

// SizeOf returns the size of a file, -1 for none.
func SizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return -1, nil
	case err != nil:
		return 0, fmt.Errorf("cannot look at the catalog: %w", err)
	case info.IsDir():
		return 0, fmt.Errorf("%s is a directory, must be the catalog's file", path)
	}
	return info.Size(), nil
}

// movedAside returns the newest file that [MoveAside] renamed, "" for none.
func movedAside(path string) (last string, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, e := range entries { // sorted by name
		if strings.HasPrefix(e.Name(), filepath.Base(path)+replacedSuffix) && !strings.HasSuffix(e.Name(), WALSuffix) {
			last = e.Name()
		}
	}
	return last, err
}

// SyncFile makes a file's content survive a power cut.
func SyncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// Finish syncs a written file, then renames it: path always has a complete file, or its previous content.
func Finish(written, path string) error {
	if err := SyncFile(written); err != nil {
		return err
	}
	if err := os.Rename(written, path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return Sync(filepath.Dir(path))
}

// Sync makes a directory's new names survive a power cut.
func Sync(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// MoveAside renames the catalog first, then its log. In between the log stands alone, which
// Open refuses; SQLite would take an old log beside a new catalog for the catalog's own.
func MoveAside(target string) (string, error) {
	aside := target + replacedSuffix + time.Now().UTC().Format("20060102T150405.000")
	for _, suffix := range []string{"", WALSuffix} {
		if err := os.Rename(target+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("cannot move %s away: %w", target, err)
		}
	}
	if err := os.Remove(target + SHMSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("cannot move %s away: %w", target, err)
	}
	return aside, Sync(filepath.Dir(target))
}

// NewReader opens a file that nobody else has open. Without a log it creates no file. With one,
// SQLite creates an index of the log; if the directory is not writable, SQLite keeps the index
// in memory, as it may for a sole connection.
func NewReader(path string) (*sqlite.Connector, error) {
	log, err := SizeOf(path + WALSuffix)
	switch {
	case err != nil:
		return nil, err
	case log <= 0:
		return sqlite.NewReader(path, map[string]string{"immutable": "1"}), nil
	case Writable(filepath.Dir(path)):
		return sqlite.NewReader(path, nil), nil
	}
	return sqlite.NewReader(path, map[string]string{"vfs": "unix-none", "_locking_mode": "EXCLUSIVE"}), nil
}

// Writable reports whether the process may create files in a directory.
func Writable(dir string) bool {
	const write = 2 // W_OK of access(2)
	return syscall.Access(dir, write) == nil
}
