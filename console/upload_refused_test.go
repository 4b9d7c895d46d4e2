package console

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// A privilegedServer answers every question with the account's privileges, or with its error.
type privilegedServer struct {
	driver.Conn
	privileges []string
	failure    error
}

func (p *privilegedServer) Connect(context.Context) (driver.Conn, error) { return p, nil }
func (p *privilegedServer) Driver() driver.Driver                        { return nil }
func (p *privilegedServer) Close() error                                 { return nil }

func (p *privilegedServer) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &privilegeRows{p.privileges}, p.failure
}

type privilegeRows struct{ left []string }

func (*privilegeRows) Columns() []string { return []string{"privilege_type"} }
func (*privilegeRows) Close() error      { return nil }

func (r *privilegeRows) Next(row []driver.Value) error {
	if len(r.left) == 0 {
		return io.EOF
	}
	row[0], r.left = r.left[0], r.left[1:]
	return nil
}

// uploadTo sends a small file to a console whose server knows the account's privileges, and whose disk has this many free bytes; loaded
// reports whether loading began.
func uploadTo(t *testing.T, server *privilegedServer, free uint64) (status int, page string, loaded bool) {
	t.Helper()
	all := newSessions(nil, nil)
	s := newSession(t, all, "someone")
	s.db, s.form, s.asking, s.from = sql.OpenDB(server), token(), make(chan struct{}, 1), addressOf("127.0.0.1:1")
	if err := all.add(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.endAll)
	c := &console{sessions: all, uploads: t.TempDir(), free: func(string) (uint64, error) { return free, nil },
		importer: func(context.Context, *sql.DB, string, string, string) (int64, [][2]string, []string, error) {
			loaded = true
			return 1, nil, nil, nil
		}}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormField("token")
	if err == nil {
		_, err = io.WriteString(part, s.form)
	}
	err = errors.Join(err, form.WriteField("table", "d.t"))
	file, failed := form.CreateFormFile("file", "p.csv")
	if err = errors.Join(err, failed); err == nil {
		_, err = io.WriteString(file, "a\n1\n")
	}
	if err = errors.Join(err, form.Close()); err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, uploadPath, &body)
	request.RemoteAddr = "127.0.0.1:1"
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.AddCookie(&http.Cookie{Name: sessionCookie, Value: s.id})
	answer := httptest.NewRecorder()
	c.upload(answer, request)
	left, err := filepath.Glob(filepath.Join(c.uploads, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left", left, err)
	}
	return answer.Code, answer.Body.String(), loaded
}

// A file is refused unless the server says that the account may create tables, and if the disk has no room.
func TestUploadIsRefused(t *testing.T) {
	const plenty = 1 << 40
	for name, c := range map[string]struct {
		server *privilegedServer
		free   uint64
		status int
		said   string
	}{
		"may":                       {&privilegedServer{privileges: []string{"SELECT", "CREATE"}}, plenty, http.StatusOK, "1 row is in"},
		"SELECT alone":              {&privilegedServer{privileges: []string{"SELECT", "A TABLE"}}, plenty, http.StatusForbidden, "Your account may make no tables"},
		"nothing":                   {&privilegedServer{}, plenty, http.StatusForbidden, "Your account may make no tables"},
		"the server cannot say":     {&privilegedServer{privileges: []string{"CREATE"}, failure: errors.New("the server is stopping")}, plenty, http.StatusForbidden, "Your account may make no tables"},
		"a disk without room":       {&privilegedServer{privileges: []string{"CREATE"}}, 1000, http.StatusUnprocessableEntity, "disk has 0 MiB free, and this file needs some 1 MiB"},
		"no room, and no privilege": {&privilegedServer{}, 1000, http.StatusForbidden, "Your account may make no tables"},
	} {
		status, page, loaded := uploadTo(t, c.server, c.free)
		if status != c.status || !strings.Contains(page, c.said) || loaded != (c.status == http.StatusOK) {
			t.Errorf("%s: status %d, loaded %v, want %d with %q:\n%s", name, status, loaded, c.status, c.said, page)
		}
	}
	if free, err := freeBytes(t.TempDir()); err != nil || free == 0 {
		t.Errorf("a disk that works has %d bytes free, %v", free, err)
	}
	if _, err := freeBytes(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// A failed upload says which table it left, beside the server's error.
func TestUploadSaysWhatIsLeft(t *testing.T) {
	full := &mysql.MySQLError{Number: 1114, SQLState: [5]byte{'H', 'Y', '0', '0', '0'}, Message: "The table is full"}
	p := uploadProblem(fmt.Errorf("%w (and it could not be undone: table d.t__importing is left: drop it)", full))
	if p.Number != 1114 || p.Text != "The table is full (and it could not be undone: table d.t__importing is left: drop it)" {
		t.Errorf("%+v", p)
	}
	if p := uploadProblem(full); p.Text != "The table is full" {
		t.Errorf("%+v", p)
	}
}
