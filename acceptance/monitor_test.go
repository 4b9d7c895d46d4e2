package acceptance

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// monitorOf finds the address of a server's metrics in its log.
func monitorOf(t *testing.T, s *servertest.Server) string {
	t.Helper()
	found := regexp.MustCompile(`msg=metrics address=(\S+)`).FindStringSubmatch(s.Log())
	if found == nil {
		t.Fatalf("the log has no address:\n%s", s.Log())
	}
	return found[1]
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// value returns a figure of the metrics, "" if it is missing.
func value(metrics, name string) string {
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(metrics)
	if found == nil {
		return ""
	}
	return found[1]
}

// measured are the metrics' figures after measure.
var measured = map[string]string{
	`anonsql_estimate_seconds_count`:                           "2",
	`anonsql_statements_total{kind="select",outcome="ok"}`:     "6",
	`anonsql_statements_total{kind="select",outcome="error"}`:  "1",
	`anonsql_statements_total{kind="select",outcome="denied"}`: "1",
	`anonsql_statements_total{kind="other",outcome="error"}`:   "1",
	`anonsql_statements_total{kind="account",outcome="error"}`: "1",
	`anonsql_statements_total{kind="call",outcome="ok"}`:       "3",
	`anonsql_statements_total{kind="ddl",outcome="ok"}`:        "2",
	`anonsql_statements_total{kind="insert",outcome="ok"}`:     "1",
	`anonsql_logins_refused_total`:                             "1",
	`anonsql_connections`:                                      "2",
	`anonsql_connections_limit`:                                "3",
	`anonsql_connections_total`:                                "3",
	`anonsql_connections_refused_total`:                        "0",
	`anonsql_jobs_running`:                                     "0",
	`anonsql_estimate_seconds_bucket{le="100"}`:                "2",

	`anonsql_statement_seconds_count{class="estimate"}`:              "2",
	`anonsql_statement_seconds_count{class="preview"}`:               "2",
	`anonsql_statement_seconds_count{class="metadata"}`:              "3",
	`anonsql_statement_seconds_count{class="publication"}`:           "1",
	`anonsql_statement_seconds_bucket{class="publication",le="300"}`: "1",
}

// measure runs the measured work: statements of root and of an analyst, on a connection each, and a login that is
// refused.
func measure(t *testing.T, s *servertest.Server) {
	t.Helper()
	root := s.Open(t, servertest.Root)
	root.SetMaxOpenConns(1)
	servertest.PublishVisits(t, root)
	servertest.Exec(t, root, "CALL create_analyst('auditor', 'a long password')")
	one[float64](t, root, "/* a comment */ SELECT COUNT(*) FROM published.p")
	one[float64](t, root, "-- another\nselect COUNT(*) FROM published.p WHERE disease = 'asthma'")
	for _, looked := range []string{"SELECT * FROM published.p", "SELECT * FROM published.p_gid", "SHOW TABLES FROM published",
		"SELECT COUNT(*) FROM information_schema.tables", "SELECT name FROM anonsql.releases"} {
		all(t, root, looked)
	}
	for _, statement := range []string{"SELECT * FROM nowhere.nothing", "garbage", "GRANT SELECT ON published.* TO stranger"} {
		if _, err := root.Exec(statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	if err := s.Open(t, servertest.Account{User: "mallory", Password: "x"}).Ping(); servertest.Number(err) != 1045 {
		t.Error(err)
	}
	bi := s.Open(t, servertest.Account{User: "auditor", Password: "a long password"})
	bi.SetMaxOpenConns(1)
	if _, err := bi.Exec("SELECT * FROM clinic.visits"); servertest.Number(err) != 1142 {
		t.Error(err)
	}
}

// The figures count this work, and contain no names of it.
func TestMetrics(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product, MetricsListen: ":0", MaxConnections: 3})
	address := monitorOf(t, s)
	if host, _, err := net.SplitHostPort(address); err != nil || host != "127.0.0.1" {
		t.Errorf("metrics are at %s", address)
	}
	measure(t, s)
	var status int
	var text string
	// A refused client gets the error before the connection counts as closed.
	servertest.Eventually(t, "the connection that was refused is no longer counted", func() bool {
		status, text = get(t, "http://"+address+"/metrics")
		return value(text, "anonsql_connections") != "3"
	})
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	for name, want := range measured {
		t.Run(name, func(t *testing.T) {
			if got := value(text, name); got != want {
				t.Errorf("it is %q, want %s", got, want)
			}
		})
	}
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "process_resident_memory_bytes"} {
		if value(text, name) == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for _, secret := range []string{"clinic", "visits", "disease", "asthma", "auditor", "mallory", "stranger", "nowhere", "published"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics name %q", secret)
		}
	}
}

// /healthz follows the server's life cycle.
func TestHealth(t *testing.T) {
	held := make(chan struct{})
	extend := func(h server.Host) (server.Extensions, error) {
		<-held
		return server.Extensions{}, nil
	}
	probe, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + probe.Addr().String() + "/healthz"
	probe.Close()
	seen := make(chan string, 1)
	go func() {
		defer close(held)
		seen <- firstAnswer(url)
	}()
	s := servertest.Start(t, server.Config{Extend: extend, MetricsListen: probe.Addr().String()})
	if got := <-seen; got != "503 Service Unavailable starting\n" {
		t.Errorf("before it serves: %q", got)
	}
	if status, text := get(t, url); status != http.StatusOK || text != "ok\n" {
		t.Errorf("while it serves: %d %q", status, text)
	}
	if status, text := get(t, strings.Replace(url, "healthz", "readyz", 1)); status != http.StatusOK || text != "analysts: ok\n" {
		t.Errorf("ready while it serves: %d %q", status, text)
	}
	if status, _ := get(t, strings.Replace(url, "healthz", "else", 1)); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	// A running statement delays the stop.
	busy := underWay(t, s, s.Open(t, servertest.Root), "SELECT SLEEP(1.5)")
	stopped := make(chan struct{})
	go func() { s.Stop(t); close(stopped) }()
	saysThatItStops(t, url)
	<-stopped
	if err := <-busy; err != nil {
		t.Errorf("the statement that ran: %v", err)
	}
	if _, err := http.Get(url); err == nil {
		t.Error("it answers after it has stopped")
	}
}

// firstAnswer polls until there is an answer, for half a minute.
func firstAnswer(url string) string {
	failure := error(nil)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get(url)
		if err != nil {
			failure = err
			continue
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		return answer.Status + " " + string(text)
	}
	return fmt.Sprint("no answer within 30 seconds: ", failure)
}

// saysThatItStops polls until the answer is that the server is stopping.
func saysThatItStops(t *testing.T, url string) {
	t.Helper()
	for {
		answer, err := http.Get(url)
		if err != nil {
			t.Error("the monitor was gone before it said that the server stops")
			return
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode == http.StatusServiceUnavailable {
			if string(text) != "stopping\n" {
				t.Errorf("while it stops: %q", text)
			}
			return
		}
	}
}

// The metrics listen on another interface only if it is named, with a warning.
func TestMetricsElsewhere(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{MetricsListen: "0.0.0.0:0"})
	if !strings.Contains(s.Log(), "metrics are readable by everybody") {
		t.Errorf("no warning:\n%s", s.Log())
	}
	taken := server.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:0", MetricsListen: monitorOf(t, s), Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	if err := server.Run(t.Context(), taken); err == nil || !strings.Contains(err.Error(), "take another address with --metrics-listen") {
		t.Errorf("a port that is taken: %v", err)
	}
}
