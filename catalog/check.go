package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Progress is told how far a long operation is: done of total, in bytes or in
// steps; total 0 when nobody knows. May be nil.
type Progress func(phase string, done, total int64)

func (p Progress) tell(phase string, done, total int64) {
	if p != nil {
		p(phase, done, total)
	}
}

// A Finding is something that is wrong with a catalog, and what to do about it.
type Finding struct{ What, Do string }

// A CheckReport is what [CheckDirectory] and [CheckFile] found out. The catalog is
// whole when there are no findings. Notes need nothing to be done.
type CheckReport struct {
	Tables, Rows, Releases int64
	Findings               []Finding
	Notes                  []string
}

// Whole returns an error that names the first finding, nil when there is none.
func (r *CheckReport) Whole() error {
	if len(r.Findings) == 0 {
		return nil
	}
	more := ""
	if n := len(r.Findings) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("%w: %s%s", ErrDamaged, r.Findings[0].What, more)
}

func (r *CheckReport) find(do, format string, arguments ...any) {
	r.Findings = append(r.Findings, Finding{What: fmt.Sprintf(format, arguments...), Do: do})
}

const (
	doRestore    = "restore a backup: anonsql restore FILE --data-dir DIR --force"
	doReload     = "restore a backup, or drop the table and import it again"
	doTidy       = "start the server once, which removes it"
	doBeginAudit = "move the file away: the server begins a new audit, and needs nothing of the old one"
	doReport     = "restore a backup, and report it: this should not be"
)

func doRepublish(name string) string {
	return fmt.Sprintf("restore a backup, or CALL drop_release('%s') and publish it again", name)
}

// CheckDirectory reads everything in a data directory that no server has open,
// and changes nothing: SQLite's own check of the file, definitions, every row,
// every release with its private side, the file of the audit. What it cannot see is a value that was
// overwritten by another value of its type: rows have no checksums. The error is
// for a directory that cannot be looked at; what is wrong with it is in the
// report.
func CheckDirectory(ctx context.Context, dir string, progress Progress) (*CheckReport, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no data directory %s", dir)
	}
	lock, err := lockForReading(dir)
	if err != nil {
		if errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("%w: stop the server first; a backup can be made while it runs (anonsql backup) and is checked when it is made", err)
		}
		return nil, err
	}
	if lock != nil {
		defer lock.Close()
	}
	report, err := CheckFile(ctx, filepath.Join(dir, databaseFile), progress)
	if err != nil {
		return nil, err
	}
	return report, checkAudit(ctx, dir, report)
}

// checkAudit is SQLite's check of the audit's file, which may be missing.
func checkAudit(ctx context.Context, dir string, report *CheckReport) error {
	file := filepath.Join(dir, auditFile)
	size, err := sizeOf(file)
	if err != nil || size <= 0 { // an empty one is begun anew
		return err
	}
	if problem, _, err := inspectFile(file); err != nil || problem != "" {
		if problem != "" {
			report.find(doBeginAudit, "the audit: %s", problem)
		}
		return err
	}
	reader, err := newFileReader(file)
	if err != nil {
		return err
	}
	db := dbsql.OpenDB(reader)
	defer db.Close()
	var first string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&first)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		report.find(doBeginAudit, "the audit %s cannot be read: %v", file, err)
	case first != "ok":
		report.find(doBeginAudit, "the audit %s has problems in its file, the first: %s", file, strings.TrimPrefix(first, "*** in database main ***\n"))
	}
	return nil
}

// lockForReading takes the lock of a directory. One that is mounted read-only
// can be looked at all the same; nil means that there is nothing to lock.
func lockForReading(dir string) (*os.File, error) {
	lock, err := lockDirectory(dir)
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
	return f, nil
}

// CheckFile does the same for one file, such as a backup, which no server has
// open.
func CheckFile(ctx context.Context, file string, progress Progress) (*CheckReport, error) {
	report := &CheckReport{}
	problem, missing, err := inspectFile(file)
	switch {
	case err != nil:
		return nil, err
	case missing:
		return nil, fmt.Errorf("there is no catalog %s", file)
	case problem != "":
		report.find(doRestore, "%s", problem)
		return report, nil
	}
	reader, err := newFileReader(file)
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
		report.find(doRestore, "%s cannot be read: %v", file, err)
	}
	return report, nil
}

// newReader opens connections that change nothing.
func newReader(path string, more map[string]string) *connector {
	c := newConnector(path)
	options := map[string]string{"mode": "ro", "_busy_timeout": "10000", "_cache_size": "-65536", "_query_only": "on"}
	maps.Copy(options, more)
	c.source = dataSourceOf(path, options)
	return c
}

// newFileReader is for a file that nobody else has open. Without a log nothing is
// made beside it. With one, SQLite makes an index of the log beside it; where the
// directory cannot be written, the index is kept in memory, which SQLite does for a
// connection that is alone.
func newFileReader(path string) (*connector, error) {
	log, err := sizeOf(path + walSuffix)
	switch {
	case err != nil:
		return nil, err
	case log <= 0:
		return newReader(path, map[string]string{"immutable": "1"}), nil
	case writable(filepath.Dir(path)):
		return newReader(path, nil), nil
	}
	return newReader(path, map[string]string{"vfs": "unix-none", "_locking_mode": "EXCLUSIVE"}), nil
}

// writable reports whether files can be made in a directory.
func writable(dir string) bool {
	const write = 2 // W_OK of access(2)
	return syscall.Access(dir, write) == nil
}

// A checker looks at one catalog through one connection.
type checker struct {
	ctx      context.Context
	conn     *dbsql.Conn
	report   *CheckReport
	progress Progress
	meta     *metadata
	objects  map[string]object // of SQLite's schema, by name
	roots    map[int64]string  // their names by root page
}

// An object is what SQLite's schema says of one: its kind, the table that it
// belongs to, the statement that makes it ("" for what SQLite makes by itself).
type object struct{ kind, table, text string }

// same reports whether two objects are made alike: SQLite writes "x" for x where
// it changed a statement.
func (o object) same(p object) bool {
	plain := strings.NewReplacer(`"`, "", "\n", " ")
	return o.kind == p.kind && o.table == p.table && plain.Replace(o.text) == plain.Replace(p.text)
}

// check goes from the outside to the inside; what is not there is not looked
// into.
func (c *checker) check() error {
	if _, err := execute(c.conn, "BEGIN"); err != nil {
		return err
	}
	defer func() { _, _ = execute(c.conn, "ROLLBACK") }()
	var err error
	if c.objects, c.roots, err = readObjects(c.ctx, c.conn); err != nil {
		return err
	}
	current, err := c.version()
	if err != nil {
		return err
	}
	if current {
		if c.meta, err = loadMetadata(c.conn); err != nil {
			c.report.find(doRestore, "the definitions cannot be read: %v", err)
		}
	}
	for _, step := range []func() error{c.integrity, c.references} {
		if err := step(); err != nil {
			return err
		}
	}
	if !current || c.meta == nil {
		return nil
	}
	for _, step := range []func() error{c.schema, c.tables, c.storages, c.releases, c.publications, c.orphans} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// version reports whether the schema is this program's.
func (c *checker) version() (current bool, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return false, err
	}
	var version int
	if err := c.conn.QueryRowContext(c.ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return false, err
	}
	switch {
	case version > len(files):
		c.report.find("use the anonsql that wrote it, or a newer one", "its schema is version %d, this program knows %d", version, len(files))
	case version == 0:
		c.report.find(doRestore, "it is no catalog: it has no schema")
	case version < len(files):
		c.report.Notes = append(c.report.Notes, fmt.Sprintf(
			"its schema is version %d, this program's is %d: only the file as such was checked; a server of this program brings it up to date when it starts", version, len(files)))
	}
	return version == len(files), nil
}

// readObjects returns what is in SQLite's schema by name, and names by root page.
func readObjects(ctx context.Context, conn *dbsql.Conn) (map[string]object, map[int64]string, error) {
	objects, roots := make(map[string]object), make(map[int64]string)
	rows, err := conn.QueryContext(ctx, "SELECT type, name, tbl_name, coalesce(sql, ''), coalesce(rootpage, 0) FROM sqlite_schema")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var o object
		var root int64
		if err := rows.Scan(&o.kind, &name, &o.table, &o.text, &root); err != nil {
			return nil, nil, err
		}
		objects[name] = o
		if root > 0 {
			roots[root] = name
		}
	}
	return objects, roots, rows.Err()
}
