package importer

import (
	"context"
	"crypto/sha256"
	dbsql "database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/cmd/anonsql/client"
	"github.com/anonsql/anonsql/quoting"
)

// ToServer imports over the MySQL protocol. The account needs CREATE and INSERT on the
// database, SELECT on its tables, DROP to undo and to replace, and DELETE to replace the rows
// of a table that stays.
func ToServer(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Server == "" {
		return nil, errors.New("no server to import to is given: write it as host:port")
	}
	db, conn, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	defer conn.Close()
	return (&server{db: db, conn: conn}).run(ctx, o)
}

// uploadMemory bounds the memory of a file that a server reads, in bytes.
const uploadMemory = 256 << 20

// LoadFile imports a file into a new table over a connection of a pool, and returns its columns
// with their types. The account needs the privileges of [ToServer].
func LoadFile(ctx context.Context, db *dbsql.DB, file, database, table string) (rows int64, columns [][2]string, notes []string, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, nil, nil, err
	}
	defer conn.Close()
	result, err := (&server{db: db, conn: conn}).run(ctx, Options{File: file, Database: database, Table: table, Memory: uploadMemory})
	if err != nil {
		return 0, nil, nil, err
	}
	for _, c := range result.Columns {
		columns = append(columns, [2]string{c.Name, c.Type})
	}
	for _, r := range result.Renamed {
		notes = append(notes, fmt.Sprintf("column %q is called %s", r.Header, r.Column))
	}
	return result.Rows, columns, append(notes, result.Notes...), nil
}

// connect opens one session.
func connect(ctx context.Context, o Options) (*dbsql.DB, *dbsql.Conn, error) {
	db, err := client.Account{Server: o.Server, User: o.User, Password: o.Password, TLS: o.TLS}.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("connect to %s: %w", o.Server, err)
	}
	return db, conn, nil
}

// server is the connection to a running server. It uses one session throughout, because
// transactions belong to it.
type server struct {
	db   *dbsql.DB
	conn *dbsql.Conn
	tx   *dbsql.Tx
}

// run calls the package's run under a lock, because another import into the same table would drop or rename the table that this one loads.
func (s *server) run(ctx context.Context, o Options) (*Result, error) {
	release, err := lock(ctx, s.conn, o, 0)
	if err != nil {
		return nil, err
	}
	defer release()
	return run(ctx, s, o)
}

// errLocked means that another import into the table is in progress.
var errLocked = errors.New("another import into the table is under way: wait for its end, or import into a table of another name")

// lock takes the lock for imports into a table and waits for it for some seconds. The lock also ends with the session.
func lock(ctx context.Context, conn *dbsql.Conn, o Options, seconds int) (release func(), err error) {
	sum := sha256.Sum256([]byte(strings.ToLower(o.quoted(o.Table))))
	name := quoting.Text("anonsql import " + hex.EncodeToString(sum[:16])) // names of locks have at most 64 characters
	var taken dbsql.NullBool
	if err := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT GET_LOCK(%s, %d)", name, seconds)).Scan(&taken); err != nil {
		return nil, err
	}
	if !taken.Bool {
		return nil, fmt.Errorf("%s.%s is not imported into: %w", o.Database, o.Table, errLocked)
	}
	return func() { // a closed session has released it
		_ = conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK("+name+")").Scan(&taken)
	}, nil
}

// MySQL's error numbers for a missing database and a missing table.
const (
	numberNoDatabase = 1049
	numberNoTable    = 1146
)

func (s *server) columns(ctx context.Context, database, table string) ([]column, error) {
	rows, err := s.conn.QueryContext(ctx, "SELECT * FROM "+quoting.Name(database, table)+" LIMIT 0")
	if err != nil {
		return nil, unlessMissing(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	columns := make([]column, len(types))
	for i, t := range types {
		columns[i] = column{t.Name(), kindOf(t.DatabaseTypeName())}
	}
	return columns, rows.Err()
}

// unlessMissing returns err, but nil for a missing table.
func unlessMissing(err error) error {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok && (e.Number == numberNoDatabase || e.Number == numberNoTable) {
		return nil
	}
	return err
}

// lost finds nothing in a server without the database anonsql.
func (s *server) lost(ctx context.Context, o Options) (lines []string, err error) {
	rows, err := s.conn.QueryContext(ctx, o.lost())
	if err != nil {
		return nil, unlessMissing(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, rows.Err()
}

func (s *server) create(ctx context.Context, o Options, table string, inf *delimited.Inference) error {
	if _, err := s.conn.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+quoting.Name(o.Database)); err != nil {
		return err
	}
	if o.Policy == Replace {
		there, err := s.columns(ctx, o.Database, o.replaced())
		if err != nil {
			return err
		}
		if there != nil {
			return fmt.Errorf("table %s.%s is in the way: it is yours, or has the old rows of an import that was killed. Give it another name, or drop it",
				o.Database, o.replaced())
		}
	}
	if err := dropOwn(ctx, s.conn, o, table); err != nil { // left by an import that was killed
		return err
	}
	_, err := s.conn.ExecContext(ctx, "CREATE TABLE "+o.quoted(table)+" (\n"+inf.Schema()+"\n) COMMENT = "+quoting.Text(o.mark()))
	return err
}

// errForeign says that a table has no mark of an import into the table.
var errForeign = errors.New("no import into that table has made it. Give it another name, or drop it")

// dropOwn drops a table that an import into o.Table has made.
func dropOwn(ctx context.Context, conn *dbsql.Conn, o Options, table string) error {
	var comment string
	err := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
		quoting.Text(o.Database), quoting.Text(table))).Scan(&comment)
	switch {
	case errors.Is(err, dbsql.ErrNoRows):
		return nil
	case err == nil && !strings.EqualFold(comment, o.mark()):
		return fmt.Errorf("table %s.%s is in the way of an import into %s: %w", o.Database, table, o.Table, errForeign)
	case err == nil:
		_, err = conn.ExecContext(ctx, "DROP TABLE IF EXISTS "+o.quoted(table))
	}
	return err
}

// readers makes the driver's names of readers unique.
var readers atomic.Int64

func (s *server) load(ctx context.Context, statement, name string, text io.Reader) (int64, error) {
	name = fmt.Sprintf("%s-%d", name, readers.Add(1))
	mysql.RegisterReaderHandler(name, func() io.Reader { return text })
	defer mysql.DeregisterReaderHandler(name)
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	result, err := s.tx.ExecContext(ctx, fmt.Sprintf(statement, "Reader::"+name))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// begin opens the transaction unless one is open.
func (s *server) begin(ctx context.Context) (err error) {
	if s.tx == nil {
		s.tx, err = s.conn.BeginTx(ctx, nil)
	}
	return err
}

func (s *server) empty(ctx context.Context, o Options) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	_, err := s.tx.ExecContext(ctx, "DELETE FROM "+o.quoted(o.Table))
	return err
}

func (s *server) commit(context.Context) error {
	if s.tx == nil {
		return nil
	}
	tx := s.tx
	s.tx = nil
	return tx.Commit()
}

// finish renames. To replace a table, one statement renames both, and the old one is dropped last: the name always exists.
func (s *server) finish(ctx context.Context, o Options, from string, replaces bool) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	if !replaces {
		return s.rename(ctx, o, from, o.Table)
	}
	lost, err := s.lost(ctx, o) // again, now that the file is loaded
	if err != nil {
		return err
	}
	if len(lost) > 0 {
		return fmt.Errorf("table %s.%s is not replaced: while the file was loaded this began: %s. Import the file again, and its rows take the place of the table's",
			o.Database, o.Table, strings.Join(lost, ", and "))
	}
	old := o.replaced()
	if err := s.rename(ctx, o, o.Table, old, from, o.Table); err != nil {
		return err
	}
	if _, err := s.conn.ExecContext(context.WithoutCancel(ctx), "DROP TABLE "+o.quoted(old)); err != nil {
		return fmt.Errorf("table %s.%s has the new rows; the old ones are left in %s: drop it: %w", o.Database, o.Table, old, err)
	}
	return nil
}

// rename renames tables in one atomic statement. names alternate old and new.
func (s *server) rename(ctx context.Context, o Options, names ...string) error {
	// RENAME requires a current database even for qualified names.
	if _, err := s.conn.ExecContext(ctx, "USE "+quoting.Name(o.Database)); err != nil {
		return err
	}
	var renamed []string
	for i := 0; i < len(names); i += 2 {
		renamed = append(renamed, o.quoted(names[i])+" TO "+o.quoted(names[i+1]))
	}
	_, err := s.conn.ExecContext(ctx, "RENAME TABLE "+strings.Join(renamed, ", "))
	return err
}

// undo drops over a separate connection: a cancelled statement has closed the other one, and
// the server rolls back when it notices. If the other connection's lock is gone too, undo takes
// the lock, so that it drops nothing of another import.
func (s *server) undo(ctx context.Context, o Options, created string) error {
	var err error
	if s.tx != nil {
		err = s.tx.Rollback()
		if errors.Is(err, dbsql.ErrTxDone) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysql.ErrInvalidConn) {
			err = nil
		}
		s.tx = nil
	}
	if created == "" {
		return err
	}
	if err := s.drop(ctx, o, created); err != nil {
		return fmt.Errorf("table %s.%s, if it was made, is left, empty or with rows: drop it: %w", o.Database, created, err)
	}
	return nil
}

func (s *server) drop(ctx context.Context, o Options, created string) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if s.conn.PingContext(ctx) != nil {
		release, err := lock(ctx, conn, o, 10)
		if err != nil {
			return err
		}
		defer release()
	}
	if err = dropOwn(ctx, conn, o, created); errors.Is(err, errForeign) {
		return nil
	}
	return err
}
