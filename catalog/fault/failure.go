package fault

import (
	dbsql "database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/mattn/go-sqlite3"
)

// ErrDamaged is the error for stored bytes that the program cannot have written; it is wrapped
// with what is damaged.
var ErrDamaged = errors.New("the stored bytes are damaged")

// MySQL's error numbers for failures of the storage.
const (
	DiskFull     = 1021
	errStorage   = 1030
	ReadOnlyFile = 1036
	TableCorrupt = 1877
)

const (
	remedyDamage = "anonsql check --data-dir says what else is damaged, with the server stopped; " +
		"anonsql restore puts a backup in its place"
	remedyFull     = "nothing of the statement is stored, what was committed before is: make room and repeat it"
	remedyReadOnly = "nothing of the statement is stored: the server needs to write into its data directory; " +
		"mount it for writing and give it to the account that runs the server"
	remedyStorage = "nothing of the statement is stored: the system's log says what is the matter with the disk; " +
		"anonsql check --data-dir says whether the catalog is whole"
)

// A failure is an error of the catalog's file or disk, worded for users: what failed, what it
// means, what to do. Unwrap returns SQLite's error.
type failure struct {
	*mysql.SQLError
	cause error
}

// New returns an error with MySQL's number and a message for users; Unwrap returns cause.
func New(number int, message string, cause error) error {
	return &failure{mysql.NewSQLError(number, mysql.SSUnknownSQLState, "%s", message), cause}
}

func (f *failure) Error() string   { return f.Message }
func (f *failure) Unwrap() []error { return []error{f.SQLError, f.cause} }

// Cannot says what failed and wraps err. For an error that is not the statement's fault it also
// says what to do.
func Cannot(doing string, err error) error {
	if err == nil {
		return nil
	}
	if f := FailureOf(doing, err); f != nil {
		return f
	}
	return fmt.Errorf("storage: cannot %s: %w", doing, err)
}

// FailureOf returns err as a failure, nil if it is none.
func FailureOf(doing string, err error) error {
	if _, ok := errors.AsType[*mysql.SQLError](err); ok {
		return err
	}
	number, what, remedy := 0, "", ""
	var stored sqlite3.Error
	switch {
	case errors.Is(err, ErrDamaged):
		number, what, remedy = TableCorrupt, "the catalog is damaged: "+err.Error(), remedyDamage
	case strings.Contains(err.Error(), "sql: Scan error"): // database/sql's untyped error: the stored type is another
		number, what, remedy = TableCorrupt, "the catalog is damaged: a value is not of the type that was stored", remedyDamage
	case !errors.As(err, &stored):
		return nil
	default:
		number, what, remedy = Describe(stored)
	}
	if number == 0 {
		return nil
	}
	if number == TableCorrupt && !errors.Is(err, ErrDamaged) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return New(number, fmt.Sprintf("cannot %s: %s; %s", doing, what, remedy), err)
}

// missing are signs in SQLite's messages that an object is missing or altered.
var missing = []string{"no such table", "no such column", "malformed", "already exists",
	"no such index", "no such trigger", "no such collation", "unsupported file format"}

// Describe explains an error of SQLite. The program's own statements are correct, so one that
// SQLite does not understand means an altered schema.
func Describe(err sqlite3.Error) (number int, what, remedy string) {
	switch err.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat, sqlite3.ErrMismatch:
		return TableCorrupt, "the catalog's file is damaged", remedyDamage
	case sqlite3.ErrConstraint: // duplicate keys of users' rows do not get here
		return TableCorrupt, "the catalog is damaged: its tables do not agree with each other (" + err.Error() + ")", remedyDamage
	case sqlite3.ErrFull:
		return DiskFull, "the disk is full", remedyFull
	case sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen:
		return ReadOnlyFile, "the catalog's files cannot be written", remedyReadOnly
	case sqlite3.ErrIoErr:
		return errStorage, "the disk does not do what it is asked for (" + err.Error() + ")", remedyStorage
	case sqlite3.ErrError:
		text := err.Error()
		for _, sign := range missing {
			if strings.Contains(text, sign) {
				return TableCorrupt, "the catalog is damaged: what must be there is not there", remedyDamage
			}
		}
	}
	return 0, "", ""
}

// Damaged returns an error: what was read is not what was stored.
func Damaged(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDamaged):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
}

// ErrUndone is the error of a transaction that SQLite rolled back as a whole because one of its
// writes failed, for instance on a full disk. The changes of its earlier statements are lost
// too.
var ErrUndone = New(DiskFull,
	"the transaction was rolled back when one of its writes failed; nothing of it is stored: ROLLBACK and repeat it", errors.New("no transaction is open"))

// Explained explains an error of a whole operation, unless that has been done.
func Explained(doing string, err error) error {
	if err == nil || errors.Is(err, dbsql.ErrNoRows) {
		return err
	}
	if f := FailureOf(doing, err); f != nil {
		return f
	}
	return err
}

// Unwritable says what to do if a file cannot be opened for writing.
func Unwritable(doing string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("cannot %s: %w: the server needs to write into its data directory; "+
			"mount it for writing and give it to the account that runs the server", doing, err)
	}
	return fmt.Errorf("cannot %s: %w", doing, err)
}
