package console

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A longServer answers every question with more rows than a page shows of a result.
type longServer struct{ privilegedServer }

func (l *longServer) Connect(context.Context) (driver.Conn, error) { return l, nil }

func (*longServer) QueryContext(_ context.Context, statement string, _ []driver.NamedValue) (driver.Rows, error) {
	if strings.HasSuffix(statement, "LIMIT 20") { // the releases of a table
		return &longRows{maxRows}, nil
	}
	return &longRows{}, nil
}

func (*longServer) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.ResultNoRows, nil
}

// longRows are named r_0, r_1 and so on; the other columns have 1.
type longRows struct{ at int }

func (*longRows) Columns() []string {
	return []string{"name", "release", "c", "host", "privilege_type", "f", "g", "user"}
}
func (*longRows) Close() error { return nil }

func (r *longRows) Next(row []driver.Value) error {
	if r.at > maxRows {
		return io.EOF
	}
	for i := range row {
		row[i] = "1"
	}
	row[0], row[7] = fmt.Sprint("r_", r.at), fmt.Sprint("r_", r.at)
	r.at++
	return nil
}

// Lists that pages make themselves have all of it: the last one, too, of more than a page shows of a result.
func TestListsAreWhole(t *testing.T) {
	all := newSessions(nil, nil)
	s := newSession(t, all, "someone")
	s.db = sql.OpenDB(&longServer{})
	last := fmt.Sprint("r_", maxRows)
	c := &console{sessions: all}
	for path, page := range map[string]func(http.ResponseWriter, *http.Request, *session){"/": releases, "/publish": c.publishForm, "/accounts": accounts, "/ask": c.askForm} {
		written := httptest.NewRecorder()
		if page(written, httptest.NewRequest(http.MethodGet, path, nil), s); !strings.Contains(written.Body.String(), last+"<") && !strings.Contains(written.Body.String(), last+".") {
			t.Errorf("%s lacks the last: %d bytes", path, written.Body.Len())
		}
	}
	view := releaseView{Name: "r"}
	if problem := view.relations(httptest.NewRequest(http.MethodGet, "/release", nil), s); problem != nil || len(view.Relations) != maxRows+1 {
		t.Errorf("%d relations, %v", len(view.Relations), problem)
	}
	compared, problem := s.compare(t.Context(), "r_0", "d.t")
	if problem != nil || !compared.Releases[len(compared.Releases)-1].Evaluated {
		t.Errorf("the newest evaluation is lost: %v", problem)
	}
}
