package fault_test

import (
	"errors"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Clients get the number of an error even if the engine leaves only its text.
func TestNumbersOfTexts(t *testing.T) {
	seen := map[int]bool{}
	want := func(err error, number int) {
		t.Helper()
		var told *mysql.SQLError
		if !errors.As(sqlerror.ToClient(errors.New(err.Error())), &told) || told.Num != number || told.Message != err.Error() {
			t.Errorf("%v is %v to the client, want number %d", err, told, number)
		}
		seen[number] = true
	}
	for _, code := range []sqlite3.ErrNo{sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat, sqlite3.ErrMismatch, sqlite3.ErrConstraint,
		sqlite3.ErrFull, sqlite3.ErrReadonly, sqlite3.ErrPerm, sqlite3.ErrCantOpen, sqlite3.ErrIoErr} {
		var known *mysql.SQLError
		err := fault.Cannot("insert rows", sqlite3.Error{Code: code})
		if !errors.As(err, &known) {
			t.Errorf("code %d is no failure: %v", code, err)
			continue
		}
		want(err, known.Num)
	}
	want(fault.Cannot("read rows", fault.Damaged("chunk 3", errors.New("too short"))), fault.TableCorrupt)
	want(fault.ErrUndone, fault.DiskFull)
	for _, number := range []int{fault.DiskFull, 1030, fault.ReadOnlyFile, fault.TableCorrupt} {
		if !seen[number] {
			t.Errorf("no failure has number %d", number)
		}
	}
}
