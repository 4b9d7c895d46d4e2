package upstream

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/raw"
)

// TestServerIsRecognised: a server at another address is none that was forgotten, nor another one that was not there, until the owner says which.
func TestServerIsRecognised(t *testing.T) {
	store, err := raw.Open(t.TempDir(), raw.Above{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	want := func(address, known, name, refused string) {
		t.Helper()
		got, err := NameIn(store, address, known)
		if got != name || (err != nil) != (refused != "") || err != nil && !strings.Contains(err.Error(), refused) {
			t.Errorf("%s, known as %q: %q, %v; want %q, %q", address, known, got, err, name, refused)
		}
	}
	const moved, socket = "10.0.0.5:3306", "/run/mysqld/mysqld.sock"
	want(moved, "", moved, "")
	want(moved, "db.example:3306", "", "it knows of none")
	for _, home := range []string{"mysql://db.example:3306", "trino://db.example:8080/lake"} {
		_, err := store.Mirror(sql.NewEmptyContext(), homes.MirrorDatabase(home, "a/b"), "t", sql.Schema{{Name: "a", Type: types.Int64}}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	want("db.example:3306", "", "db.example:3306", "")
	want("DB.example:3306", "", "db.example:3306", "")
	want(moved, "", "", "knows tables of db.example:3306, and the upstream server is "+moved)
	want("db.example:330", "", "", "add ?known_as=db.example:3306 to --upstream. If it is another server, add ?known_as=db.example:330")
	want(socket, "db.example:3306", "db.example:3306", "")
	want(socket, "db.example", "", "it knows of db.example:3306")
	want(socket, socket, socket, "")
	if _, err := store.Mirror(sql.NewEmptyContext(), homes.MirrorDatabase("mysql://"+socket, "s"), "t", sql.Schema{{Name: "a", Type: types.Int64}}, nil); err != nil {
		t.Fatal(err)
	}
	want(socket, "", socket, "")
	want(moved, "", "", "knows tables of "+socket+", db.example:3306, and")
}

func TestWhatTheOwnerIsTold(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		err    error
		number int // 0: told as it is
	}{
		{fmt.Errorf("read: %w", &Error{Number: 1054, State: "42S22", Message: "Unknown column 'a'"}), 1054},
		{errors.Join(nil, fmt.Errorf("read: %w", ErrLost)), 1430},
		{broken, 0},
		{nil, 0},
	} {
		for _, more := range []string{"", "; see there"} {
			if c.err == nil && more != "" {
				continue
			}
			got := clientErrorWith(c.err, more)
			var e *mysql.SQLError
			switch errors.As(got, &e); {
			case c.number == 0 && !errors.Is(got, c.err):
				t.Errorf("%v is told as %v", c.err, got)
			case c.number != 0 && (e == nil || e.Num != c.number):
				t.Errorf("%v is told as %v, must have number %d", c.err, got, c.number)
			case got != nil && !strings.HasSuffix(got.Error(), more) && (e == nil || !strings.HasSuffix(e.Message, more)):
				t.Errorf("%v is told as %v, must end with %q", c.err, got, more)
			}
		}
	}
}
