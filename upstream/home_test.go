package upstream

import (
	"context"
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

// An answering is an upstream server that answers SHOW CREATE TABLE with a text, "" for no row, or with an error, and other queries with nothing.
type answering struct {
	text string
	err  error
}

func (a answering) Query(_ context.Context, text string, row func([][]byte) error) error {
	if !strings.HasPrefix(text, "SHOW CREATE TABLE `s`.`t`") {
		return nil
	}
	if a.text != "" {
		if err := row([][]byte{[]byte("t"), []byte(a.text)}); err != nil {
			return err
		}
	}
	return a.err
}

// TestUnlessUpstreamSaysThatItIsNotHidden: an account holds SELECT if upstream says so of the table, and not of a temporary one that hides it.
func TestUnlessUpstreamSaysThatItIsNotHidden(t *testing.T) {
	for _, c := range []struct {
		says  answering
		holds bool
	}{
		{answering{text: "CREATE TABLE `t` (a INT)"}, true},
		{answering{text: "CREATE ALGORITHM=UNDEFINED DEFINER=`r`@`%` SQL SECURITY DEFINER VIEW `t` AS SELECT 1"}, true},
		{answering{err: &Error{Number: 1142, Message: "SHOW VIEW command denied to user 'a'@'b' for table `s`.`t`"}}, true},
		{answering{err: &Error{Number: 1142, Message: "SHOW command denied to user 'a'@'b' for table `s`.`t`"}}, false},
		{answering{err: &Error{Number: 1317, Message: "Query execution was interrupted"}}, false},
		{answering{text: "CREATE TABLE `t` (a INT)", err: ErrLost}, false},
		{answering{}, false},
		{answering{text: "CREATE TEMPORARY TABLE `t` (a INT)"}, false},
		{answering{text: "\x00" + strings.Join(strings.Split("CREATE TEMPORARY TABLE", ""), "\x00")}, false},
		{answering{text: "CREATE@0020TEMPORARY@0020TABLE"}, false},
	} {
		home := &Home{Asker: c.says}
		if got := home.Holds(sql.NewEmptyContext(), "s", "t", sql.PrivilegeType_Select); got != c.holds {
			t.Errorf("%q, %v: holds is %v", c.says.text, c.says.err, got)
		}
	}
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
