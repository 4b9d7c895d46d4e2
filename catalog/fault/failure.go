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

// ErrDamaged is what reading a catalog returns (wrapped, with what is damaged)
// when the stored bytes cannot be what was stored.
var ErrDamaged = errors.New("the stored bytes are damaged")

// MySQL's numbers of failures of the storage.
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

// A failure is an error of the file under the catalog, or of the disk under the
// file, for users: what failed, what it means, what to do. SQLite's own words
// stay behind Unwrap.
type failure struct {
	*mysql.SQLError
	cause error
}

// New is an error with MySQL's number and a message for users; the cause is
// behind Unwrap.
func New(number int, message string, cause error) error {
	return &failure{mysql.NewSQLError(number, mysql.SSUnknownSQLState, "%s", message), cause}
}

func (f *failure) Error() string   { return f.Message }
func (f *failure) Unwrap() []error { return []error{f.SQLError, f.cause} }

// Cannot says what failed and hands the cause on. A cause that is no fault
// of a statement says what to do about it.
func Cannot(doing string, err error) error {
	if err == nil {
		return nil
	}
	if f := FailureOf(doing, err); f != nil {
		return f
	}
	return fmt.Errorf("storage: cannot %s: %w", doing, err)
}

// FailureOf returns err as a failure, nil when it is none.
func FailureOf(doing string, err error) error {
	if _, ok := errors.AsType[*mysql.SQLError](err); ok {
		return err
	}
	number, what, remedy := 0, "", ""
	var stored sqlite3.Error
	switch {
	case errors.Is(err, ErrDamaged):
		number, what, remedy = TableCorrupt, "the catalog is damaged: "+err.Error(), remedyDamage
	case strings.Contains(err.Error(), "sql: Scan error"): // database/sql's, which has no type: of another type than was stored
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

// missing are signs in SQLite's messages that something is not there, or not as it was
// made.
var missing = []string{"no such table", "no such column", "malformed", "already exists",
	"no such index", "no such trigger", "no such collation", "unsupported file format"}

// Describe says what an error of SQLite means. Statements are our own, so
// that one which SQLite does not understand means that the schema is not what
// was made.
func Describe(err sqlite3.Error) (number int, what, remedy string) {
	switch err.Code {
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat, sqlite3.ErrMismatch:
		return TableCorrupt, "the catalog's file is damaged", remedyDamage
	case sqlite3.ErrConstraint: // duplicate keys of users' rows have gone another way
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

// Damaged says that something that was read is not what was stored.
func Damaged(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrDamaged):
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrDamaged, what, err)
}

// ErrUndone is what a transaction says whose writes SQLite undid as a whole,
// because one of them failed on a full disk or on another failure of the disk:
// what its earlier statements did is gone too.
var ErrUndone = New(DiskFull,
	"the transaction was rolled back when one of its writes failed; nothing of it is stored: ROLLBACK and repeat it", errors.New("no transaction is open"))

// Explained gives an error of a whole operation its meaning, unless it has one.
func Explained(doing string, err error) error {
	if err == nil || errors.Is(err, dbsql.ErrNoRows) {
		return err
	}
	if f := FailureOf(doing, err); f != nil {
		return f
	}
	return err
}

// Unwritable says what to do about a file that cannot be opened for writing.
func Unwritable(doing string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("cannot %s: %w: the server needs to write into its data directory; "+
			"mount it for writing and give it to the account that runs the server", doing, err)
	}
	return fmt.Errorf("cannot %s: %w", doing, err)
}
