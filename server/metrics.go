package server

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
)

// metrics are the metrics of one server. Their labels are from fixed lists, so they
// contain no value, and no name of a table, a release or an account.
type metrics struct {
	registry      *prometheus.Registry
	statements    *prometheus.CounterVec
	seconds       *prometheus.HistogramVec
	estimates     prometheus.Histogram
	connected     prometheus.Counter
	turnedAway    prometheus.Counter
	turnedOut     *prometheus.CounterVec
	loginsDelayed prometheus.Counter
	loginsRefused prometheus.Counter
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		statements: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "anonsql_statements_total",
			Help: "Statements that ended, by kind and outcome (ok, denied, cancelled, error)."}, []string{"kind", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "anonsql_statement_seconds",
			Help:    "Time of a statement until its answer was sent, by class (estimate, preview, metadata, publication, other).",
			Buckets: []float64{.0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100, 300}}, []string{"class"}),
		estimates: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "anonsql_estimate_seconds",
			Help:    "Time to answer one estimate from a release.",
			Buckets: []float64{.0001, .0003, .001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 100}}),
		connected: prometheus.NewCounter(prometheus.CounterOpts{Name: "anonsql_connections_total", Help: "Connections that were accepted."}),
		turnedAway: prometheus.NewCounter(
			prometheus.CounterOpts{Name: "anonsql_connections_refused_total", Help: "Logins beyond a limit of connections (errors 1040, 1203)."},
		),
		turnedOut: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "anonsql_connections_closed_before_login_total",
			Help: "Connections that the server closed before they had logged in, by reason (late, displaced)."}, []string{"reason"}),
		loginsDelayed: prometheus.NewCounter(prometheus.CounterOpts{Name: "anonsql_logins_delayed_total",
			Help: "Logins that waited, or were refused because too many waited, after failed ones."}),
		loginsRefused: prometheus.NewCounter(
			prometheus.CounterOpts{Name: "anonsql_logins_refused_total", Help: "Logins with a wrong account or password, or without TLS where it is required."},
		),
	}
	m.registry.MustRegister(m.statements, m.seconds, m.estimates, m.connected, m.turnedAway, m.turnedOut, m.loginsDelayed, m.loginsRefused,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// watch adds the gauges, which are computed when they are read.
func (m *metrics) watch(c *wire.Connections, store *catalog.Catalog, runningJobs func() int) {
	m.gauge("anonsql_connections", "Connections that have logged in.", func() float64 { return float64(c.Count()) })
	m.gauge("anonsql_connections_arriving", "Connections that have not logged in.", func() float64 { arriving, _ := c.Door.Count(); return float64(arriving) })
	m.gauge("anonsql_connections_limit", "Connections that may be logged in at once.", func() float64 { return float64(wire.ConnectionLimits().LoggedIn) })
	if runningJobs != nil {
		m.gauge("anonsql_jobs_running", "Long statements that run now.", func() float64 { return float64(runningJobs()) })
	}
	m.gauge(
		"anonsql_cache_bytes",
		"Memory that loaded releases and copies of tables take.",
		func() float64 { used, _ := store.CacheBytes(); return float64(used) },
	)
	m.gauge("anonsql_cache_limit_bytes", "Memory that they may take.", func() float64 { _, limit := store.CacheBytes(); return float64(limit) })
}

// watchWorkers adds the gauges of worker processes.
func (m *metrics) watchWorkers(usage func() (workers int, bytes int64)) {
	m.gauge("anonsql_workers", "Processes that run analysts' statements.", func() float64 { n, _ := usage(); return float64(n) })
	m.gauge("anonsql_workers_bytes", "Memory that these have of their own.", func() float64 { _, bytes := usage(); return float64(bytes) })
}

func (m *metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func (m *metrics) ended(kind string, err error) {
	m.statements.WithLabelValues(kind, outcome(err)).Inc()
}

// observeStatement records the time of an ended statement and of its estimates.
func (m *metrics) observeStatement(st *running.Statement) {
	m.seconds.WithLabelValues(classOf(st)).Observe(time.Since(st.Started).Seconds())
	for _, estimate := range st.Estimates() {
		m.estimates.Observe(estimate.Seconds())
	}
}

// What a plan reads, as bits.
const (
	readsMetadata = 1 << iota
	readsPublished
)

// noteReads records what a plan reads. An estimate is no table any more, so it sets no bit.
func noteReads(ctx *sql.Context, n sql.Node) {
	st := running.StatementOf(ctx)
	if st == nil {
		return
	}
	transform.Inspect(n, func(n sql.Node) bool {
		if table, ok := n.(*plan.ResolvedTable); ok && table.SqlDatabase != nil {
			switch strings.ToLower(table.SqlDatabase.Name()) {
			case sql.InformationSchemaDatabaseName, catalog.SystemDatabaseName:
				st.Reads.Or(readsMetadata)
			case catalog.PublishedDatabaseName:
				st.Reads.Or(readsPublished)
			}
		}
		return true
	})
}

// classOf is the label of a statement's time: the first that fits.
func classOf(st *running.Statement) string {
	acts, _ := st.Acts()
	is := func(kinds ...string) bool {
		return slices.ContainsFunc(acts, func(a running.Act) bool { return slices.Contains(kinds, a.Kind) })
	}
	switch reads := st.Reads.Load(); {
	case is("publish", "refresh", "drop", "dry_run"):
		return "publication"
	case is("estimate"):
		return "estimate"
	case reads&readsPublished != 0:
		return "preview"
	case reads&readsMetadata != 0 || st.Kind == "show":
		return "metadata"
	}
	return "other"
}

func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	var known *mysql.SQLError
	if !errors.As(err, &known) {
		return "error"
	}
	switch known.Num {
	case sqlerror.DatabaseAccessDenied,
		mysql.ERAccessDeniedError,
		sqlerror.TableAccessDenied,
		sqlerror.AccessDenied,
		sqlerror.RoutineAccessDenied,
		sqlerror.OptionPrevents:
		return "denied"
	case sqlerror.Interrupted, sqlerror.Shutdown, sqlerror.Timeout:
		return "cancelled"
	}
	return "error"
}

// statementKinds maps first words of statements to their kinds.
var statementKinds = map[string]string{
	"select": "select", "with": "select", "table": "select", "values": "select", "(": "select",
	"insert": "insert", "replace": "insert", "load": "load", "update": "update", "delete": "delete", "truncate": "delete",
	"call": "call", "create": "ddl", "alter": "ddl", "drop": "ddl", "rename": "ddl",
	"grant": "account", "revoke": "account",
	"set": "set", "use": "set", "show": "show", "describe": "show", "desc": "show", "explain": "explain",
	"begin": "transaction", "start": "transaction", "commit": "transaction", "rollback": "transaction", "savepoint": "transaction",
	"prepare": "prepare", "execute": "execute", "deallocate": "prepare", "kill": "kill", "analyze": "analyze",
}

var (
	firstWord    = regexp.MustCompile(`^(?:[A-Za-z]+|\()`)
	aboutAccount = regexp.MustCompile(`(?i)^(CREATE|ALTER|DROP|RENAME)\s+(USER|ROLE)\b`)
)

func kindOf(text string) string {
	text = withoutLeading(text)
	if aboutAccount.MatchString(text) {
		return "account"
	}
	if kind, ok := statementKinds[strings.ToLower(firstWord.FindString(text))]; ok {
		return kind
	}
	return "other"
}

// withoutLeading returns the beginning of a statement, without blanks and comments before it.
func withoutLeading(text string) string {
	const blanks, looked = " \t\n\v\f\r", 4096 // bytes
	for {
		text = strings.TrimLeft(text, blanks)
		end, from, closed := "\n", len("#"), true
		switch {
		case strings.HasPrefix(text, "/*!"): // its inside is the statement's
			text = strings.TrimLeft(text[len("/*!"):], "0123456789")
			continue
		case strings.HasPrefix(text, "/*"):
			end, from = "*/", len("/*")
		case !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "//"): // as the grammar reads them
			return text[:min(len(text), looked)]
		}
		if _, text, closed = strings.Cut(text[from:], end); !closed {
			return ""
		}
	}
}

func firstWordOf(text string) string { return firstWord.FindString(withoutLeading(text)) }
