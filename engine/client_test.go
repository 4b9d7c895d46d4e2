package engine_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/enginetest"
)

// open is a client of a stand-in.
func open(t *testing.T, s *enginetest.StandIn, parameters string) *engine.Client {
	t.Helper()
	target, err := engine.ParseURL("trino://owner@" + s.Address() + "/lake" + parameters)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, target)
}

func opened(t *testing.T, target *engine.Target) *engine.Client {
	t.Helper()
	c, err := engine.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func standIn(t *testing.T, answer enginetest.Answer) *enginetest.StandIn {
	t.Helper()
	s := enginetest.NewStandIn(func(string) enginetest.Answer { return answer })
	t.Cleanup(s.Close)
	return s
}

// rows are the rows of a query, as Go writes them.
func rows(c engine.Conn, text string) (found []string, err error) {
	err = c.Query(context.Background(), text, func(v []any) error {
		found = append(found, fmt.Sprintf("%T%v", v[0], v))
		return nil
	})
	return found, err
}

func TestQuery(t *testing.T) {
	s := standIn(t, enginetest.Answer{Columns: []string{"a bigint", "b varchar", "c decimal", "d date", "e timestamp", "f double", "g boolean"},
		Rows: [][]any{{1, "ü", "0.10", "2020-02-29", "2020-02-29 01:02:03.000004", 0.5, true}, {nil, nil, nil, nil, nil, nil, nil}}})
	found, err := rows(open(t, s, ""), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"int64[1 ü 0.10 2020-02-29 00:00:00 +0000 UTC 2020-02-29 01:02:03.000004 +0000 UTC 0.5 true]", "<nil>[<nil> <nil> <nil> <nil> <nil> <nil> <nil>]"}
	if strings.Join(found, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows are %q, want %q", found, want)
	}
	for _, h := range s.Headers() {
		if h.Get("X-Trino-User") != "owner" || h.Get("Authorization") != "" || h.Get("X-Trino-Query-Data-Encoding") != "" {
			t.Errorf("a request has the headers %v", h)
		}
	}
	if h := s.Headers()[0]; h.Get("X-Trino-Catalog") != "lake" || h.Get("X-Trino-Time-Zone") != "UTC" || h.Get("X-Trino-Source") != "anonsql" {
		t.Errorf("the statement has the headers %v", h)
	}
}

func TestExec(t *testing.T) {
	s := standIn(t, enginetest.Answer{Updated: 42})
	if n, err := open(t, s, "").Exec(context.Background(), "CREATE TABLE t AS SELECT 1"); n != 42 || err != nil {
		t.Errorf("%d rows, %v, want 42", n, err)
	}
}

// TestSession: every statement has the session properties.
func TestSession(t *testing.T) {
	s := standIn(t, enginetest.Answer{Updated: 1})
	target, err := engine.ParseURL("trino://owner@" + s.Address() + "/lake")
	if err != nil {
		t.Fatal(err)
	}
	target.Session = map[string]string{"retry_policy": "TASK"}
	if _, err := opened(t, target).Exec(context.Background(), "DROP TABLE t"); err != nil {
		t.Fatal(err)
	}
	if got := s.Headers()[0].Get("X-Trino-Session"); got != "retry_policy=TASK" {
		t.Errorf("the statement has the properties %q", got)
	}
}

// TestRowsEnd: an error of the row function ends the statement, and is returned.
func TestRowsEnd(t *testing.T) {
	s := standIn(t, enginetest.Answer{Columns: []string{"a bigint"}, Rows: [][]any{{1}, {2}}})
	enough, n := errors.New("enough"), 0
	err := open(t, s, "").Query(context.Background(), "SELECT 1", func([]any) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d rows, %v, want one and %v", n, err, enough)
	}
}

// number is the MySQL number of an error.
func number(err error) int {
	var told *mysql.SQLError
	if errors.As(err, &told) {
		return told.Num
	}
	return 0
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		answer enginetest.Answer
		number int
		says   string
	}{
		{enginetest.Answer{Name: "TABLE_NOT_FOUND", Type: "USER_ERROR", Message: "line 1:15: Table 'a.b.c' does not exist"}, 1146, "'a.b.c' does not exist (TABLE_NOT_FOUND, USER_ERROR)"},
		{enginetest.Answer{Name: "SCHEMA_NOT_FOUND", Type: "USER_ERROR", Message: "m"}, 1146, "SCHEMA_NOT_FOUND"},
		{enginetest.Answer{Name: "NOT_FOUND", Type: "USER_ERROR", Message: "Schema p not found"}, 1146, "(NOT_FOUND, USER_ERROR). If a publication needs the schema"},
		{enginetest.Answer{Name: "COLUMN_NOT_FOUND", Type: "USER_ERROR", Message: "m"}, 1054, "COLUMN_NOT_FOUND"},
		{enginetest.Answer{Name: "PERMISSION_DENIED", Type: "USER_ERROR", Message: "m"}, 1142, "PERMISSION_DENIED"},
		{enginetest.Answer{Name: "TABLE_ALREADY_EXISTS", Type: "USER_ERROR", Message: "m"}, 1050, "TABLE_ALREADY_EXISTS"},
		{enginetest.Answer{Name: "REMOTE_TASK_ERROR", Type: "INTERNAL_ERROR", Message: "m"}, 1105, "(REMOTE_TASK_ERROR, INTERNAL_ERROR)"},
		{enginetest.Answer{Name: "USER_CANCELLED", Type: "USER_ERROR", Message: "m"}, 1317, "was cancelled"},
		{enginetest.Answer{Status: http.StatusUnauthorized}, 1045, "refuses anonsql's account owner"},
		{enginetest.Answer{Status: http.StatusBadRequest}, 1429, "HTTP status 400"},
		{enginetest.Answer{Next: "http://elsewhere.example:1/v1/statement"}, 1430, "sends its clients to elsewhere.example:1"},
	} {
		s := standIn(t, c.answer)
		client := open(t, s, "")
		_, queried := rows(client, "SELECT 1")
		_, executed := client.Exec(context.Background(), "DROP TABLE t")
		for _, err := range []error{queried, executed} {
			if number(err) != c.number || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), s.Address()) {
				t.Errorf("%+v is told as %v, want %d with %q and %s", c.answer, err, c.number, c.says, s.Address())
			}
		}
		if e := (*engine.Error)(nil); !errors.As(queried, &e) || c.answer.Name != "" && !strings.HasPrefix(e.Name, c.answer.Name[:4]) {
			t.Errorf("%+v has the error %#v", c.answer, queried)
		}
	}
}

// TestNotReached: the error for an unreachable engine names it, without a long wait.
func TestNotReached(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	target, err := engine.ParseURL("trino://owner@" + address + "/lake")
	if err != nil {
		t.Fatal(err)
	}
	_, err = rows(opened(t, target), "SELECT 1")
	if number(err) != 1429 || !strings.Contains(err.Error(), address) {
		t.Errorf("%v, want 1429 with %s", err, address)
	}
}

// TestNoTLS: an engine without TLS is told from one that is away.
func TestNoTLS(t *testing.T) {
	s := standIn(t, enginetest.Answer{})
	target, err := engine.ParseURL("trino://owner@" + s.Address() + "/lake?tls=on")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = rows(opened(t, target), "SELECT 1"); number(err) != 1429 || !strings.Contains(err.Error(), "say ?tls=off") {
		t.Errorf("%v, want 1429 with ?tls=off", err)
	}
}

// TestLeaves: an engine disappears in the middle of a statement.
func TestLeaves(t *testing.T) {
	t.Parallel()
	taken := false
	s := enginetest.NewStandIn(func(string) enginetest.Answer {
		if taken {
			panic(http.ErrAbortHandler)
		}
		taken = true
		return enginetest.Answer{}
	})
	defer s.Close()
	_, err := open(t, s, "").Exec(context.Background(), "DROP TABLE t")
	if number(err) != 1430 || !strings.Contains(err.Error(), s.Address()) || !strings.Contains(err.Error(), "not known") {
		t.Errorf("%v, want 1430 with %s", err, s.Address())
	}
}

// secrets are files of a password and a token.
func secrets(t *testing.T) (password, token string) {
	t.Helper()
	password, token = filepath.Join(t.TempDir(), "password"), filepath.Join(t.TempDir(), "token")
	for file, text := range map[string]string{password: "hunter2\n", token: "a.b.c"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return password, token
}

// TestCredentials: they go to the engine only over TLS, are read again for every request, and are in no error.
func TestCredentials(t *testing.T) {
	s := enginetest.NewTLSStandIn(func(text string) enginetest.Answer {
		return map[string]enginetest.Answer{"refuse": {Status: http.StatusUnauthorized}, "away": {Next: "https://elsewhere.example/v1/statement"}}[text]
	})
	defer s.Close()
	roots := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := engine.ParseURL("trino://owner@" + s.Address() + "/lake?tls=on")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows(opened(t, target), "SELECT 1"); number(err) != 1429 || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: %v, want 1429", err)
	}
	if target.Roots, err = engine.ReadRoots(roots); err != nil {
		t.Fatal(err)
	}
	password, token := secrets(t)
	withPassword, withToken := *target, *target
	withPassword.PasswordFile, withToken.TokenFile = password, token
	for _, c := range []struct {
		target        engine.Target
		file, renewed string
		want          [2]string
	}{
		{withPassword, password, "hunter3", [2]string{"Basic b3duZXI6aHVudGVyMg==", "Basic b3duZXI6aHVudGVyMw=="}},
		{withToken, token, "d.e.f", [2]string{"Bearer a.b.c", "Bearer d.e.f"}},
	} {
		client := opened(t, &c.target)
		for i, secret := range []string{"", c.renewed} {
			if secret != "" {
				if err := os.WriteFile(c.file, []byte(secret), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := client.Exec(context.Background(), "DROP TABLE t"); err != nil {
				t.Fatal(err)
			}
			if got := last(s).Get("Authorization"); got != c.want[i] {
				t.Errorf("the header is %q, want %q", got, c.want[i])
			}
			for _, text := range []string{"refuse", "away"} {
				if _, err := client.Exec(context.Background(), text); err == nil || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), c.want[i][6:]) {
					t.Errorf("%s: %v, want an error without the secret", text, err)
				}
			}
		}
	}
}

// last are the headers of the last request.
func last(s *enginetest.StandIn) http.Header {
	all := s.Headers()
	return all[len(all)-1]
}

// TestUnreadableValue: a date that Go cannot parse is the fault of its column, and not of the connection. Nothing repeats it.
func TestUnreadableValue(t *testing.T) {
	for _, date := range []string{"+20024-01-01", "20024-01-01", "-0044-03-15"} {
		s := standIn(t, enginetest.Answer{Columns: []string{"a bigint", "born date"}, Rows: [][]any{{1, "2020-02-29"}, {2, date}}})
		client := open(t, s, "")
		_, err := rows(client, "SELECT 1")
		if number(err) != 30001 || !strings.Contains(err.Error(), "column born has") || strings.Contains(err.Error(), date[1:]) {
			t.Errorf("%s: %v, want 30001 with the column", date, err)
		}
		if trouble := client.Trouble(); trouble != nil {
			t.Errorf("%s: the engine is said not to be reached: %v", date, trouble)
		}
	}
}
