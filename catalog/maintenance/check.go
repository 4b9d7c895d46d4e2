package maintenance

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// CheckDirectory reads everything in a data directory that no server has open and changes
// nothing: SQLite's check of the file, definitions, all rows, all releases with their private
// sides, the audit. It cannot detect a value overwritten by another value of its type, because
// rows have no checksums. The error is for a directory that cannot be read; the report has its
// defects.
func CheckDirectory(ctx context.Context, dir string, progress fault.Progress) (*fault.Report, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no data directory %s", dir)
	}
	lock, err := directory.LockForReading(dir)
	if err != nil {
		if errors.Is(err, directory.ErrLocked) {
			return nil, fmt.Errorf("%w: stop the server first; a backup can be made while it runs (anonsql backup) and is checked when it is made", err)
		}
		return nil, err
	}
	if lock != nil {
		defer lock.Close()
	}
	report, err := checkFile(ctx, fault.DoRestore, filepath.Join(dir, directory.DatabaseFile), progress)
	if err != nil {
		return nil, err
	}
	return report, audit.Check(ctx, dir, report)
}

// CheckFile is CheckDirectory for one file that no server has open, such as a backup.
func CheckFile(ctx context.Context, file string, progress fault.Progress) (*fault.Report, error) {
	return checkFile(ctx, fault.DoAnother, file, progress)
}

// checkFile is CheckFile with the remedy for a file that cannot be read.
func checkFile(ctx context.Context, do, file string, progress fault.Progress) (*fault.Report, error) {
	report := &fault.Report{}
	problem, missing, err := directory.Inspect(file)
	switch {
	case err != nil:
		return nil, err
	case missing:
		return nil, fmt.Errorf("there is no catalog %s", file)
	case problem != "":
		report.Find(do, "%s", problem)
		return report, nil
	}
	reader, err := directory.NewReader(file)
	if err != nil {
		return nil, err
	}
	db := dbsql.OpenDB(reader)
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err == nil {
		defer conn.Close()
		c := &checker{ctx: ctx, conn: conn, report: report, progress: progress}
		err = c.check()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		report.Find(do, "%s cannot be read: %v", file, err)
	}
	return report, nil
}

// A checker checks one catalog through one connection.
type checker struct {
	ctx      context.Context
	conn     *dbsql.Conn
	report   *fault.Report
	progress fault.Progress
	objects  map[string]sqlite.Object // of SQLite's schema, by name
	roots    map[int64]string         // their names by root page
	tables   *raw.Inspection          // nil when the definitions cannot be read
}

// check goes from the outside to the inside and skips what depends on a missing part.
func (c *checker) check() error {
	if _, err := sqlite.Execute(c.conn, "BEGIN"); err != nil {
		return err
	}
	defer func() { _, _ = sqlite.Execute(c.conn, "ROLLBACK") }()
	var err error
	if c.objects, c.roots, err = sqlite.Objects(c.ctx, c.conn); err != nil {
		return err
	}
	current, err := c.version()
	if err != nil {
		return err
	}
	if current {
		if c.tables, err = raw.Inspect(c.ctx, c.conn, c.objects, c.report, c.progress); err != nil {
			c.report.Find(fault.DoRestore, "the definitions cannot be read: %v", err)
		}
	}
	for _, step := range []func() error{c.integrity, c.references} {
		if err := step(); err != nil {
			return err
		}
	}
	if c.tables == nil {
		return nil
	}
	for _, step := range []func() error{c.schema, c.tables.Tables, c.tables.Storages} {
		if err := step(); err != nil {
			return err
		}
	}
	return catalog.InspectReleases(c.ctx, c.conn, c.tables, c.report, c.progress)
}

// version reports whether the schema is this program's version.
func (c *checker) version() (current bool, err error) {
	version, newest, err := directory.SchemaVersion(c.ctx, c.conn)
	if err != nil {
		return false, err
	}
	switch {
	case version > newest:
		c.report.Find("use the anonsql that wrote it, or a newer one", "its schema is version %d, this program knows %d", version, newest)
	case version == 0:
		c.report.Find(fault.DoRestore, "it is no catalog: it has no schema")
	case version < newest:
		c.report.Notes = append(c.report.Notes, fmt.Sprintf(
			"its schema is version %d, this program's is %d: only the file as such was checked; "+
				"a server of this program brings it up to date when it starts", version, newest))
	}
	return version == newest, nil
}

// schema reports the differences between SQLite's schema and this program's.
func (c *checker) schema() error {
	problems, err := c.tables.SchemaProblems()
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		what, do := c.describe(name)
		c.report.Find(do, "%s: the schema of %s: %s", what, name, problems[name])
	}
	return err
}
