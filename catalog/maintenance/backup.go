package maintenance

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// backupPages is the number of pages per step of a backup, 4 MiB at SQLite's page size. Between
// steps Backup checks the context.
const backupPages = 1024

// partialSuffix ends the name of a file that is being written.
const partialSuffix = ".partial"

// Copying is the phase whose progress counts bytes.
const Copying = "copying"

// Backup copies the catalog of a data directory into file, mode 0600, even while a server has
// it open: it reads one snapshot as any reader does, without the directory's lock or the
// writer's turn. It removes the copy's identity in an engine, checks the copy ([CheckFile]) and
// then renames it, so file is a complete catalog or absent. It overwrites an existing file only
// with force.
//
// Meanwhile the server's log grows by what it commits. The copy has everything in the catalog:
// raw rows and the private sides of releases.
func Backup(ctx context.Context, dir, file string, force bool, progress fault.Progress) (*fault.Report, error) {
	source := filepath.Join(dir, directory.DatabaseFile)
	problem, missing, err := directory.Inspect(source)
	switch {
	case err != nil:
		return nil, err
	case missing:
		return nil, fmt.Errorf("there is no catalog in the data directory %s", dir)
	case problem != "":
		return nil, fault.FailureOf("back up "+dir, fmt.Errorf("%w: %s", fault.ErrDamaged, problem))
	}
	if _, err := os.Lstat(file); err == nil && !force {
		return nil, fmt.Errorf("%s exists already: give another name, or overwrite it with --force", file)
	}
	if err := refuseSame(file, source); err != nil {
		return nil, err
	}
	partial, err := newPartial(file)
	if err != nil {
		return nil, err
	}
	defer os.Remove(partial)
	if err := copyDatabase(ctx, source, partial, progress); err != nil {
		return nil, err
	}
	report, err := CheckFile(ctx, partial, progress)
	if err != nil {
		return nil, err
	}
	if err := report.Err(); err != nil {
		return report, fmt.Errorf("the catalog is damaged, and so is its copy, which was not kept: %w", err)
	}
	if err := forgetIdentity(ctx, partial); err != nil {
		return report, err
	}
	return report, directory.Finish(partial, file)
}

// forgetIdentity removes from a copy the identity by which the original owns relations in an
// engine and leftover tables on an owner's server. Otherwise the copy could drop them.
func forgetIdentity(ctx context.Context, file string) error {
	conn, end, err := openDriver(ctx, sqlite.NewTarget(file))
	if err != nil {
		return fault.Cannot("write "+file, err)
	}
	defer end()
	_, err = conn.Exec("DELETE FROM settings WHERE name IN (?, ?)", []driver.Value{catalog.EngineIdentitySetting, leftovers.Setting})
	return fault.Cannot("write "+file, err)
}

// refuseSame refuses the catalog's own files as the target of a backup.
func refuseSame(file, source string) error {
	target, err := os.Stat(file)
	if err != nil {
		return nil // not there
	}
	for _, suffix := range []string{"", directory.WALSuffix, directory.SHMSuffix} {
		if own, err := os.Stat(source + suffix); err == nil && os.SameFile(own, target) {
			return fmt.Errorf("%s is a file of the catalog itself: give another name", file)
		}
	}
	return nil
}

// newPartial creates an empty file beside file that only its owner may read.
func newPartial(file string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*"+partialSuffix) // mode 0600
	if err != nil {
		return "", fmt.Errorf("cannot write the backup: %w", err)
	}
	return f.Name(), errors.Join(f.Chmod(directory.FileMode), f.Close())
}

// copyDatabase copies one snapshot of a database into an empty file by SQLite's backup. It
// holds the snapshot throughout, so no write restarts the copy.
func copyDatabase(ctx context.Context, source, target string, progress fault.Progress) error {
	reader, release, err := sourceReader(source)
	if err != nil {
		return err
	}
	defer release()
	from, end, err := openDriver(ctx, reader)
	if err != nil {
		return fault.Cannot("read "+source, err)
	}
	defer end()
	to, endTarget, err := openDriver(ctx, sqlite.NewTarget(target))
	if err != nil {
		return fault.Cannot("write "+target, err)
	}
	defer endTarget()
	if _, err = from.Exec("BEGIN", nil); err == nil {
		err = readFirst(from)
	}
	if err != nil {
		return fault.Cannot("read "+source, err)
	}
	backup, err := to.Backup("main", from, "main")
	if err != nil {
		return fault.Cannot("copy "+source, err)
	}
	defer backup.Close()
	page := pageSize(from)
	for done := false; !done; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if done, err = backup.Step(backupPages); err != nil {
			return fault.Cannot("copy "+source, err)
		}
		total := int64(backup.PageCount())
		progress.Report(Copying, (total-int64(backup.Remaining()))*page, total*page)
	}
	return fault.Cannot("copy "+source, backup.Finish())
}

// sourceReader reads a catalog that a server may have open. If the directory is not writable,
// no server has it open, or one uses another mount and holds the lock.
func sourceReader(source string) (reader *sqlite.Connector, release func(), err error) {
	shared, nothing := sqlite.NewReader(source, nil), func() {}
	dir := filepath.Dir(source)
	if directory.Writable(dir) {
		return shared, nothing, nil
	}
	lock, err := directory.LockForReading(dir)
	switch {
	case errors.Is(err, directory.ErrLocked):
		return shared, nothing, nil
	case err != nil:
		return nil, nil, err
	case lock != nil:
		release = func() { lock.Close() }
	default:
		release = nothing
	}
	reader, err = directory.NewReader(source)
	if err != nil {
		release()
	}
	return reader, release, err
}

// openDriver opens a connection without database/sql, which does not offer the backup.
func openDriver(ctx context.Context, c *sqlite.Connector) (*sqlite3.SQLiteConn, func(), error) {
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	return conn.(*sqlite3.SQLiteConn), func() { conn.Close() }, nil
}

// readFirst begins the snapshot: BEGIN alone does not.
func readFirst(conn *sqlite3.SQLiteConn) error {
	rows, err := conn.Query("SELECT count(*) FROM sqlite_schema", nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	return rows.Next(make([]driver.Value, 1))
}

func pageSize(conn *sqlite3.SQLiteConn) int64 {
	rows, err := conn.Query("PRAGMA page_size", nil)
	if err != nil {
		return 0
	}
	defer rows.Close()
	row := make([]driver.Value, 1)
	if rows.Next(row) != nil {
		return 0
	}
	size, _ := row[0].(int64)
	return size
}
