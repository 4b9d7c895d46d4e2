package sqlite

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/catalog/fault"
)

// dataSource returns the SQLite connection string for path.
//
//   - WAL: readers keep their snapshot while one connection writes.
//   - synchronous=FULL: an acknowledged commit survives a power cut.
//   - secure_delete: deleted rows and dropped tables are overwritten; the file
//     holds data about people.
//   - cache of 16 MiB a connection, statements cached: the editors run the
//     same few statements for every row.
func dataSource(path string) string {
	return dataSourceOf(path, map[string]string{
		"_journal_mode":    "WAL",
		"_synchronous":     "FULL",
		"_foreign_keys":    "on",
		"_secure_delete":   "on",
		"_busy_timeout":    "10000",
		"_cache_size":      "-16384",
		"_stmt_cache_size": "64",
	})
}

func dataSourceOf(path string, options map[string]string) string {
	values := make(url.Values, len(options))
	for name, value := range options {
		values.Set(name, value)
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + values.Encode()
}

// A Connector opens connections that know the engine's collations.
type Connector struct {
	source string
	driver *sqlite3.SQLiteDriver
}

// NewConnector returns a connector to the database at path. The first one makes SQLite put its temporary files beside that database.
func NewConnector(path string) *Connector {
	keepTemporaryFilesIn(filepath.Dir(path))
	return &Connector{
		source: dataSource(path),
		driver: &sqlite3.SQLiteDriver{ConnectHook: prepareConnection},
	}
}

// memories numbers the in-memory databases of the process.
var memories atomic.Int64

// NewMemory returns a connector to a new in-memory database, which exists while a connection is
// open. It needs no large page caches.
func NewMemory() *Connector {
	return &Connector{
		source: dataSourceOf(fmt.Sprintf("/memory-%d", memories.Add(1)), map[string]string{
			"vfs": "memdb", "_foreign_keys": "on", "_busy_timeout": "10000", "_cache_size": "-64",
		}),
		driver: &sqlite3.SQLiteDriver{ConnectHook: prepareConnection},
	}
}

// Connect implements driver.Connector.
func (c *Connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }

// Driver implements driver.Connector.
func (c *Connector) Driver() driver.Driver { return c.driver }

// temporaryFiles runs once: SQLite reads its environment when a process opens its first connection, and never again.
var temporaryFiles sync.Once

// keepTemporaryFilesIn makes SQLite put its temporary files, for undo of large statements and for sorts, into dir. They have
// copies of rows, so they stay on the rows' disk; a container may also have no other writable place. SQLite unlinks each on
// opening. SQLITE_TMPDIR in the environment overrides dir; SQLite uses its defaults if dir is not writable.
func keepTemporaryFilesIn(dir string) {
	temporaryFiles.Do(func() {
		if os.Getenv(temporaryPlace) != "" {
			return
		}
		if whole, err := filepath.Abs(dir); err == nil {
			_ = os.Setenv(temporaryPlace, whole) // the system may refuse a name
		}
	})
}

const temporaryPlace = "SQLITE_TMPDIR"

func prepareConnection(conn *sqlite3.SQLiteConn) error {
	// A bulk load leaves a log of its own size; SQLite keeps 64 MiB of it.
	if _, err := conn.Exec("PRAGMA journal_size_limit = 67108864", nil); err != nil {
		return err
	}
	return registerCollations(conn)
}

// Execute runs one statement directly on the driver: editors call it for every row, and
// database/sql would check and convert each argument again. The context does not reach SQLite,
// because an interrupted write would roll back the session's whole transaction.
func Execute(conn *dbsql.Conn, statement string, args ...driver.Value) (changed int64, err error) {
	err = conn.Raw(func(raw any) error {
		result, err := raw.(*sqlite3.SQLiteConn).Exec(statement, args)
		if err != nil {
			return err
		}
		changed, err = result.RowsAffected()
		return err
	})
	return changed, err
}

// Query runs one statement and calls f with every row. It reuses the slice.
func Query(conn *dbsql.Conn, f func(row []driver.Value) error, statement string, args ...driver.Value) error {
	return conn.Raw(func(raw any) error {
		rows, err := raw.(*sqlite3.SQLiteConn).Query(statement, args)
		if err != nil {
			return err
		}
		defer rows.Close()
		row := make([]driver.Value, len(rows.Columns()))
		for {
			if err := rows.Next(row); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
			if err := f(row); err != nil {
				return err
			}
		}
	})
}

// InTransaction reports whether the connection has an open transaction. SQLite ends one by
// itself if the disk fails.
func InTransaction(conn *dbsql.Conn) (open bool, err error) {
	err = conn.Raw(func(raw any) error {
		open = !raw.(*sqlite3.SQLiteConn).AutoCommit()
		return nil
	})
	return open, err
}

// IsUniqueViolation reports whether a unique index refused a row.
func IsUniqueViolation(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrConstraint &&
		(e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey || e.ExtendedCode == sqlite3.ErrConstraintRowID)
}

// Scan assigns stored values to *int64 and *string. A stored value of another type is damage.
func Scan(row []driver.Value, to ...any) error {
	for i, target := range to {
		ok := false
		switch target := target.(type) {
		case *int64:
			*target, ok = row[i].(int64)
		case *string:
			*target, ok = row[i].(string)
		}
		if !ok {
			return fmt.Errorf("%w: a %T stands in the place of a %T", fault.ErrDamaged, row[i], target)
		}
	}
	return nil
}

// ScanRows scans every row of a query.
func ScanRows(conn *dbsql.Conn, f func(rows *dbsql.Rows) error, statement string, args ...any) error {
	rows, err := conn.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// NewReader returns a connector to a database that changes nothing.
func NewReader(path string, more map[string]string) *Connector {
	c := NewConnector(path)
	options := map[string]string{"mode": "ro", "_busy_timeout": "10000", "_cache_size": "-65536", "_query_only": "on"}
	maps.Copy(options, more)
	c.source = dataSourceOf(path, options)
	return c
}

// NewTarget returns a connector to the file of a copy. It journals nothing: an unfinished copy
// is thrown away, and the caller must sync a finished one.
func NewTarget(path string) *Connector {
	c := NewConnector(path)
	c.source = dataSourceOf(path, map[string]string{"_journal_mode": "OFF", "_synchronous": "OFF"})
	return c
}
