package catalog

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/mattn/go-sqlite3"
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

// A connector opens connections that know the engine's collations.
type connector struct {
	source string
	driver *sqlite3.SQLiteDriver
}

func newConnector(path string) *connector {
	return &connector{
		source: dataSource(path),
		driver: &sqlite3.SQLiteDriver{ConnectHook: prepareConnection},
	}
}

// Connect implements driver.Connector.
func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return c.driver }

// collationName returns the SQLite collation that compares like the engine's.
// The _bin collations order by code point, which UTF-8 orders bytewise, so
// they need no callback.
func collationName(id sql.CollationID) string {
	name := id.Name()
	if name == "binary" || strings.HasSuffix(name, "_bin") || id.Sorter() == nil {
		return "BINARY"
	}
	return "mysql_" + name
}

func prepareConnection(conn *sqlite3.SQLiteConn) error {
	// A bulk load leaves a log as large as the load; 64 MiB of it are kept.
	if _, err := conn.Exec("PRAGMA journal_size_limit = 67108864", nil); err != nil {
		return err
	}
	return registerCollations(conn)
}

func registerCollations(conn *sqlite3.SQLiteConn) error {
	all := sql.NewCollationsIterator()
	for c, ok := all.Next(); ok; c, ok = all.Next() {
		name := collationName(c.ID)
		if name == "BINARY" {
			continue
		}
		if err := conn.RegisterCollation(name, comparison(c.ID)); err != nil {
			return fmt.Errorf("collation %s: %w", c.Name, err)
		}
	}
	return nil
}

// comparison compares rune by rune by the collation's weights, as the engine's
// string type does. The strings are UTF-8 here whatever their character set
// is, as they are inside the engine. Bytes that are not UTF-8 weigh like the
// replacement character and are told apart at the end by length alone.
func comparison(id sql.CollationID) func(a, b string) int {
	weight := id.Sorter()
	return func(a, b string) int {
		same := commonPrefix(a, b)
		a, b = a[same:], b[same:]
		for len(a) > 0 && len(b) > 0 {
			x, n := utf8.DecodeRuneInString(a)
			y, m := utf8.DecodeRuneInString(b)
			if v, w := weight(x), weight(y); v != w {
				if v < w {
					return -1
				}
				return 1
			}
			a, b = a[n:], b[m:]
		}
		return len(a) - len(b)
	}
}

// commonPrefix returns the length of the bytes that both begin with, without a
// rune that is cut: weighing equal runes would cost most of a comparison.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == len(a) && i == len(b) {
		return i
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	return i
}

// execute runs one statement on the driver directly: the editors call it for
// every row, and database/sql would check and convert each argument again.
// The context does not reach SQLite, because an interrupted write would roll
// back the whole transaction behind the session's back.
func execute(conn *dbsql.Conn, statement string, args ...driver.Value) (changed int64, err error) {
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

// query runs one statement and hands every row to f. The slice is reused.
func query(conn *dbsql.Conn, f func(row []driver.Value) error, statement string, args ...driver.Value) error {
	return conn.Raw(func(raw any) error {
		rows, err := raw.(*sqlite3.SQLiteConn).Query(statement, args)
		if err != nil {
			return err
		}
		defer rows.Close()
		row := make([]driver.Value, len(rows.Columns()))
		for {
			if err := rows.Next(row); err != nil {
				if err.Error() == "EOF" {
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

// isUniqueViolation reports whether SQLite refused a row because of a unique
// index.
func isUniqueViolation(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.Code == sqlite3.ErrConstraint &&
		(e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey || e.ExtendedCode == sqlite3.ErrConstraintRowID)
}
