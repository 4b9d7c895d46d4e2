package faults_test

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// enduranceTime is the duration of TestClientsOutliveServers.
var enduranceTime = flag.Duration("endurance", testsize.Levels(5*time.Second, 12*time.Second, time.Minute), "how long TestClientsOutliveServers takes")

// TestClientsOutliveServers: 64 connections query, publish, replace and refresh, while workers and the server are killed again and again. Every
// answer is right, errors say what has ended, acknowledged changes survive, no worker outlives its server, and nothing is left.
func TestClientsOutliveServers(t *testing.T) {
	e := &endurance{t: t, dir: filepath.Join(t.TempDir(), "data"), random: rand.New(rand.NewPCG(4, 2))}
	e.start()
	e.define()
	ctx, end := context.WithTimeout(t.Context(), *enduranceTime)
	defer end()
	var clients sync.WaitGroup
	for n := range 64 {
		clients.Go(func() { (&lastingClient{endurance: e, number: n}).run(ctx) })
	}
	for ctx.Err() == nil {
		e.killWorkers(ctx, min(*enduranceTime/3, time.Duration(2000+e.random.IntN(4000))*time.Millisecond))
		if ctx.Err() == nil {
			e.killServer()
		}
	}
	clients.Wait()
	for _, q := range e.questions {
		e.check(q.text, servertest.Query(t, e.asAnalyst(e.server.Load()), "%s", q.text), q.want)
	}
	e.server.Load().Stop(t)
	report, err := maintenance.CheckDirectory(context.Background(), e.dir, nil)
	if err != nil || len(report.Findings)+len(report.Notes) > 0 {
		t.Errorf("after all: %v %+v", err, report)
	}
	t.Logf("%d servers and %d workers killed, %d answers, %d publications, %d refreshes, %d statements that ended with what ran them",
		e.servers, e.workers, e.answers.Load(), e.publications.Load(), e.refreshes.Load(), e.ended.Load())
	if e.answers.Load() == 0 || e.publications.Load() == 0 || e.refreshes.Load() == 0 || e.servers == 0 || e.workers == 0 {
		t.Error("some of it never happened")
	}
}

// An endurance is a data directory whose servers are killed.
type endurance struct {
	t                *testing.T
	dir              string
	random           *rand.Rand
	server           atomic.Pointer[servertest.Child]
	questions        []lastingAnswer
	servers, workers int

	answers, publications, refreshes, ended atomic.Int64
	// told are the rows of clinic.live as of the last refresh that was told; tried are all that were ever sent.
	told, tried atomic.Int64
}

// A lastingAnswer is an analyst's question that every server must answer alike.
type lastingAnswer struct {
	text string
	want []string
}

func (e *endurance) start() { e.server.Store(servertest.StartChild(e.t, e.dir)) }

// define fills tables and publishes them: fixed with completed tables.
func (e *endurance) define() {
	server := e.server.Load()
	run(e.t, server.DB, "CREATE DATABASE clinic")
	for table, rows := range map[string]int{"fixed": 1200, "turning": 300, "live": 300} {
		var values []string
		for range rows {
			values = append(values, e.row())
		}
		run(e.t, server.DB, "CREATE TABLE clinic."+table+" (id INT PRIMARY KEY AUTO_INCREMENT, age INT, sex VARCHAR(1), disease VARCHAR(20))",
			"INSERT INTO clinic."+table+" (age, sex, disease) VALUES "+strings.Join(values, ", "), "CALL set_attributes('clinic."+table+"', 'qi=age,sex', 'sa=disease', 'ei=id')")
	}
	e.told.Store(300)
	e.tried.Store(300)
	run(e.t, server.DB, "CALL create_analyst('bi', 'a long password', 'max_connections=200')", "CALL anonymize('clinic.fixed', 'anatomy', 'l=3', 'publish=fixed')",
		replacing, "CALL anonymize('clinic.live', 'drasl', 'k=4', 'publish=live')")
	analyst := e.asAnalyst(server)
	for _, text := range []string{"SELECT COUNT(*) FROM published.fixed", "SELECT COUNT(*), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)), ANON_STDERR(COUNT(*)) FROM published.fixed WHERE age < 40 AND disease = 'flu'",
		"SELECT disease, AVG(age), ANON_INTERVAL_LOW(AVG(age)) FROM published.fixed GROUP BY disease ORDER BY disease", "SELECT * FROM published.fixed ORDER BY 1, 2, 3 LIMIT 20", "SELECT COUNT(*) FROM published.turning"} {
		e.questions = append(e.questions, lastingAnswer{text, servertest.Query(e.t, analyst, "%s", text)})
	}
}

const replacing = "CALL anonymize('clinic.turning', 'anatomy', 'l=3', 'publish=turning', 'replace=true', 'fit=false')"

func (e *endurance) row() string {
	return fmt.Sprintf("(%d, '%s', '%s')", 20+e.random.IntN(50), []string{"F", "M"}[e.random.IntN(2)], []string{"flu", "cold", "gout", "asthma", "ulcer"}[e.random.IntN(5)])
}

// asAnalyst returns connections of bi, whose statements run in workers.
func (e *endurance) asAnalyst(server *servertest.Child) *dbsql.DB {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd = "tcp", server.Address, "bi", "a long password"
	config.AllowNativePasswords = true
	return servertest.Dial(e.t, config)
}

func (e *endurance) check(text string, got, want []string) {
	e.t.Helper()
	if !slices.Equal(got, want) {
		e.t.Errorf("%s: %q, want %q", text, got, want)
	}
}

// killWorkers kills one of the server's workers every half second for some time.
func (e *endurance) killWorkers(ctx context.Context, whole time.Duration) {
	for until := time.Now().Add(whole); time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
		if list := servertest.WorkersOf(e.t, e.server.Load().Process.Process.Pid); len(list) > 0 && syscall.Kill(list[e.random.IntN(len(list))], syscall.SIGKILL) == nil {
			e.workers++
		}
	}
}

// killServer kills the server, and starts the next one.
func (e *endurance) killServer() {
	server := e.server.Load()
	workers := servertest.WorkersOf(e.t, server.Process.Process.Pid)
	server.Kill()
	e.servers++
	servertest.Eventually(e.t, "workers end with their server", func() bool {
		return !slices.ContainsFunc(workers, func(pid int) bool { return syscall.Kill(pid, 0) == nil })
	})
	report, err := maintenance.CheckDirectory(context.Background(), e.dir, nil)
	if err != nil || len(report.Findings) > 0 {
		e.t.Errorf("before a start: %v %+v", err, report)
	}
	told, tried := e.told.Load(), e.tried.Load()
	e.start()
	var live int64
	if err := e.server.Load().DB.QueryRow("SELECT COUNT(*) FROM published.live").Scan(&live); err != nil || live < told || live > tried {
		e.t.Errorf("after a start the release has %d records, want %d to %d: %v", live, told, tried, err)
	}
}

// A lastingClient uses one server after the other.
type lastingClient struct {
	*endurance
	number int
	server *servertest.Child
	db     *dbsql.DB
}

func (c *lastingClient) run(ctx context.Context) {
	random := rand.New(rand.NewPCG(7, uint64(c.number)))
	for ctx.Err() == nil {
		if server := c.endurance.server.Load(); server != c.server {
			c.follow(server)
		}
		switch c.number {
		case 0:
			c.did(&c.publications, replacing)
		case 1:
			c.refresh()
		default:
			q := c.questions[random.IntN(len(c.questions))]
			if got, err := servertest.Tries(c.db, q.text); c.ends(q.text, err) {
				c.check(q.text, got, q.want)
				c.answers.Add(1)
			}
		}
	}
}

// follow turns to the next server: analysts, and two owners.
func (c *lastingClient) follow(server *servertest.Child) {
	if c.server = server; c.number < 2 {
		c.db = server.DB
		return
	}
	if c.db != nil {
		c.db.Close()
	}
	c.db = c.asAnalyst(server)
}

// refresh adds rows and has the release follow.
func (c *lastingClient) refresh() {
	c.tried.Add(5)
	var rows []string
	for i := range 5 {
		rows = append(rows, fmt.Sprintf("(%d, 'F', '%s')", 30+i, []string{"flu", "cold", "gout", "asthma", "ulcer"}[i]))
	}
	if !c.did(nil, "INSERT INTO clinic.live (age, sex, disease) VALUES "+strings.Join(rows, ", ")) || !c.did(&c.refreshes, "CALL refresh_release('live')") {
		return
	}
	if got, err := servertest.Tries(c.db, "SELECT COUNT(*) FROM published.live"); c.ends("COUNT", err) {
		var n int64
		fmt.Sscan(got[0], &n)
		c.told.Store(n)
	}
}

// did runs a statement and counts it where it was told.
func (c *lastingClient) did(count *atomic.Int64, text string) bool {
	_, err := servertest.Tries(c.db, text)
	told := c.ends(text, err)
	if told && count != nil {
		count.Add(1)
	}
	return told
}

// ends reports whether a statement was answered. An error that does not report the end of its process or server fails the test.
func (c *lastingClient) ends(text string, err error) (answered bool) {
	if err == nil {
		return true
	}
	c.ended.Add(1)
	var network net.Error
	switch {
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, io.EOF), errors.As(err, &network), errors.Is(err, dbsql.ErrConnDone):
	case strings.Contains(err.Error(), "the process that ran the statement has ended"), strings.Contains(err.Error(), "sql: database is closed"):
	default:
		c.t.Errorf("%s: %v", text, err)
	}
	time.Sleep(50 * time.Millisecond) // the next server is not there yet
	return false
}
