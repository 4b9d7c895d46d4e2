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

// dataSource is the SQLite connection string of path.
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

// NewConnector opens connections to the database at path. The first one says where SQLite puts its temporary files: beside the database.
func NewConnector(path string) *Connector {
	keepTemporaryFilesIn(filepath.Dir(path))
	return &Connector{
		source: dataSource(path),
		driver: &sqlite3.SQLiteDriver{ConnectHook: prepareConnection},
	}
}

// memories are those of the process, which are told apart by name.
var memories atomic.Int64

// NewMemory opens connections to one new database that is in memory, and there as long as one of them is open. Its small caches are copies of
// memory.
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

// temporaryFiles is done once: SQLite looks at its environment when it opens the first connection of a process, and never again.
var temporaryFiles sync.Once

// keepTemporaryFilesIn has SQLite put its temporary files into dir: what a large statement may have to undo, and what it sorts. They are copies of
// rows, so they stay on the disk that the rows are on; and elsewhere a container may have no place to write. SQLite unlinks each when it opens it.
// SQLITE_TMPDIR in the environment says another place; SQLite takes its usual ones where dir cannot be written to.
func keepTemporaryFilesIn(dir string) {
	temporaryFiles.Do(func() {
		if os.Getenv(temporaryPlace) != "" {
			return
		}
		if whole, err := filepath.Abs(dir); err == nil {
			_ = os.Setenv(temporaryPlace, whole) // a name that the system refuses is no place
		}
	})
}

const temporaryPlace = "SQLITE_TMPDIR"

func prepareConnection(conn *sqlite3.SQLiteConn) error {
	// A bulk load leaves a log as large as the load; 64 MiB of it are kept.
	if _, err := conn.Exec("PRAGMA journal_size_limit = 67108864", nil); err != nil {
		return err
	}
	return registerCollations(conn)
}

// Execute runs one statement on the driver directly: the editors call it for
// every row, and database/sql would check and convert each argument again.
// The context does not reach SQLite, because an interrupted write would roll
// back the whole transaction behind the session's back.
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

// Query runs one statement and hands every row to f. The slice is reused.
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

// InTransaction reports whether a transaction is open on the connection. SQLite ends
// one by itself when the disk fails it.
func InTransaction(conn *dbsql.Conn) (open bool, err error) {
	err = conn.Raw(func(raw any) error {
		open = !raw.(*sqlite3.SQLiteConn).AutoCommit()
		return nil
	})
	return open, err
}

// IsUniqueViolation reports whether SQLite refused a row because of a unique
// index.
func IsUniqueViolation(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrConstraint &&
		(e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey || e.ExtendedCode == sqlite3.ErrConstraintRowID)
}

// Scan assigns stored values to *int64 and *string. Another type is not
// what was stored there.
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

// NewReader opens connections that change nothing.
func NewReader(path string, more map[string]string) *Connector {
	c := NewConnector(path)
	options := map[string]string{"mode": "ro", "_busy_timeout": "10000", "_cache_size": "-65536", "_query_only": "on"}
	maps.Copy(options, more)
	c.source = dataSourceOf(path, options)
	return c
}

// NewTarget opens the file of a copy: nothing is journaled, since a copy that is
// not finished is thrown away, and one that is finished has to be synced.
func NewTarget(path string) *Connector {
	c := NewConnector(path)
	c.source = dataSourceOf(path, map[string]string{"_journal_mode": "OFF", "_synchronous": "OFF"})
	return c
}
