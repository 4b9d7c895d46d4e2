package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/program"
)

// Container engines look at the exit code: 0 for a healthy server, 1 for one that starts, hangs, or does not exist.
func TestHealth(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/healthz":
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte("ok\nthe engine is away\n"))
		}
	}))
	defer server.Close()
	starting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "starting", http.StatusServiceUnavailable)
	}))
	defer starting.Close()
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	at := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	for _, c := range []struct {
		arguments []string
		code      int
		want      string
	}{
		{[]string{"--metrics", at(server)}, 0, "ok\nthe engine is away\n"},
		{[]string{"--metrics", at(starting)}, program.ExitFailed, "the server is not well: 503 Service Unavailable: starting"},
		{[]string{"--metrics", at(hanging), "--timeout", "20ms"}, program.ExitFailed, "no answer from " + at(hanging) + " within 20ms"},
		{[]string{"--metrics", at(gone)}, program.ExitFailed, "is one running with --metrics-listen " + at(gone)},
		{[]string{"--metrics", "a b"}, program.ExitFailed, `--metrics is "a b", must be host:port`},
		{[]string{"now"}, program.ExitFailed, "health takes flags only"},
	} {
		out, errs, code := play(t, append([]string{"health"}, c.arguments...)...)
		if code != c.code || !strings.Contains(out+errs, c.want) {
			t.Errorf("%v: exit %d, want %d and %q:\n%s%s", c.arguments, code, c.code, c.want, out, errs)
		}
	}
}
