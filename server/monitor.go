package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
)

// A monitor is the port for those who operate the server: /metrics in
// Prometheus' text format and /healthz. It speaks plain HTTP and knows no
// accounts, so it is on the loopback interface unless another is named.
type monitor struct {
	http   *http.Server
	store  atomic.Pointer[catalog.Catalog] // while the server serves
	state  atomic.Pointer[string]          // why not, else
	asking chan struct{}                   // one question to the catalog at a time
	lines  atomic.Pointer[[]func() string] // of what is beside the server, below the first
}

// healthWait is how long the catalog may take to answer.
const healthWait = 2 * time.Second

// startMonitor returns nil when no monitor is wanted; its methods do nothing
// then.
func startMonitor(config Config, metrics prometheus.Gatherer) (*monitor, error) {
	if config.MetricsListen == "" {
		return nil, nil
	}
	host, port, err := net.SplitHostPort(config.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("the address for metrics %q is not host:port: %w", config.MetricsListen, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	socket, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("cannot listen for metrics on %s: %w", config.MetricsListen, err)
	}
	if !isLoopback(host) {
		config.Logger.Warn("metrics are readable by everybody who can reach the address", "address", socket.Addr().String())
	}
	m := &monitor{asking: make(chan struct{}, 1)}
	m.says("starting")
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	routes.HandleFunc("GET /healthz", m.health)
	m.http = &http.Server{Handler: routes, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	go func() {
		if err := m.http.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			config.Logger.Error("metrics are not served any more", "error", err)
		}
	}()
	config.Logger.Info("metrics", "address", socket.Addr().String())
	return m, nil
}

func (m *monitor) says(state string) { m.state.Store(&state) }

// serving is called when clients can connect.
func (m *monitor) serving(store *catalog.Catalog) {
	if m != nil {
		m.store.Store(store)
	}
}

// adds puts a line below the others of /healthz, "" for none. It does not change the status: what is published is served. It is called by one
// goroutine at a time.
func (m *monitor) adds(line func() string) {
	if m == nil {
		return
	}
	var lines []func() string
	if had := m.lines.Load(); had != nil {
		lines = slices.Clone(*had)
	}
	lines = append(lines, line)
	m.lines.Store(&lines)
}

// stopping is called before the catalog is closed.
func (m *monitor) stopping() {
	if m != nil {
		m.says("stopping")
		m.store.Store(nil)
	}
}

// close ends the monitor. What is being read may end within a second.
func (m *monitor) close() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if m.http.Shutdown(ctx) != nil {
		_ = m.http.Close() // it only closes sockets
	}
}

// health answers 200 when the catalog does, else 503 with the reason.
func (m *monitor) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if reason := m.unhealthy(); reason != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, reason)
		return
	}
	fmt.Fprintln(w, "ok")
	if lines := m.lines.Load(); lines != nil {
		for _, line := range *lines {
			if text := line(); text != "" {
				fmt.Fprintln(w, text)
			}
		}
	}
}

func (m *monitor) unhealthy() string {
	store := m.store.Load()
	if store == nil {
		return *m.state.Load()
	}
	late := time.NewTimer(healthWait)
	defer late.Stop()
	select {
	case m.asking <- struct{}{}:
	case <-late.C:
		return "the catalog does not answer"
	}
	answered := make(chan error, 1)
	go func() {
		defer func() { <-m.asking }()
		_, err := store.Setting(accounts.GrantsSetting)
		answered <- err
	}()
	select {
	case err := <-answered:
		if err != nil {
			return "the catalog answers with an error; see the log"
		}
		return ""
	case <-late.C:
		return "the catalog does not answer"
	}
}
