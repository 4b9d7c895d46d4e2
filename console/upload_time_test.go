package console

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// sendSlowly sends a form with a file up to a text, waits for as long as the console lets it, and returns the answer.
func sendSlowly(t *testing.T, c *console, until string) string {
	t.Helper()
	all := newSessions(nil, nil)
	s := newSession(t, all, "someone")
	s.db, s.form, s.asking, s.from = sql.OpenDB(&privilegedServer{privileges: []string{"CREATE"}}), token(), make(chan struct{}, 1), addressOf("127.0.0.1:1")
	if err := all.add(s); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(all.endAll)
	c.sessions, c.uploads, c.free = all, t.TempDir(), func(string) (uint64, error) { return 1 << 40, nil }
	server := httptest.NewServer(http.HandlerFunc(c.upload))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	part := func(header, text string) string {
		return "--x\r\nContent-Disposition: form-data; name=" + header + "\r\n\r\n" + text + "\r\n"
	}
	body := part("token", s.form) + part("table", "d.t") + part("file; filename=p.csv", "a\n1\n") + "--x--\r\n"
	sent, _, _ := strings.Cut(body, until)
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: %s=%s\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: %d\r\n\r\n%s",
		uploadPath, sessionCookie, s.id, len(body), sent)
	if err == nil {
		err = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	}
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("the socket is not given up: %v", err)
	}
	return string(answer)
}

// A complete upload is loaded without a time limit.
func TestLoadingOutlastsSending(t *testing.T) {
	c := &console{formTime: 200 * time.Millisecond, fileTime: 200 * time.Millisecond,
		importer: func(ctx context.Context, _ *sql.DB, _, _, _ string) (int64, [][2]string, []string, error) {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			return 1, nil, nil, ctx.Err()
		}}
	if answer := sendSlowly(t, c, "nothing"); !strings.Contains(answer, " 200 OK") {
		t.Errorf("the answer is %s", answer)
	}
}

// Until a form has shown its token it has the time of any form, and its file has its own.
func TestUploadsThatStall(t *testing.T) {
	for until, want := range map[string]string{"name=token": " 403 Forbidden", "filename=": "did not arrive within ten minutes"} {
		c := &console{formTime: 100 * time.Millisecond, fileTime: time.Hour}
		if until == "filename=" {
			c.fileTime, c.formTime = c.formTime, 10*time.Second
		}
		c.importer = func(context.Context, *sql.DB, string, string, string) (int64, [][2]string, []string, error) {
			t.Errorf("what stalls before %s is loaded", until)
			return 0, nil, nil, nil
		}
		if answer := sendSlowly(t, c, until); !strings.Contains(answer, want) {
			t.Errorf("%s: the answer is %s", until, answer)
		}
	}
}

// A request whose body does not arrive holds its socket no longer than a form may take, even without a session or a reader.
func TestBodiesThatNobodyReads(t *testing.T) {
	c := &console{sessions: newSessions(nil, nil), formTime: 100 * time.Millisecond}
	server := httptest.NewServer(c.routes())
	t.Cleanup(server.Close)
	_, c.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	for _, request := range []string{"GET /sign-in", "POST /upload", "POST /sign-in", "GET /nothing"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err == nil {
			_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nContent-Length: 1000\r\n\r\n", request, c.port)
		}
		if err == nil {
			err = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
		}
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 ") {
			t.Errorf("%s: the socket is not given up after %.30q: %v", request, answer, err)
		}
		conn.Close()
	}
}
