package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
)

// A monitor is the port for operators: /metrics in Prometheus' text format, /healthz
// and /readyz. It speaks plain HTTP without accounts, so it is on the loopback
// interface unless another is configured.
type monitor struct {
	http   *http.Server
	store  atomic.Pointer[catalog.Catalog] // while the server serves
	state  atomic.Pointer[string]          // why not, else
	asking chan struct{}                   // one request to the catalog at a time
	sides  atomic.Pointer[[]*side]         // the neighbours
}

// healthWait is how long the catalog may take to answer.
const healthWait = 2 * time.Second

// startMonitor returns nil if no monitor is configured; the methods of nil do nothing.
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
		return nil, fmt.Errorf("cannot listen for metrics on %s: %w: take another address with --metrics-listen, such as 127.0.0.1:9114", config.MetricsListen, err)
	}
	if !isLoopback(host) {
		config.Logger.Warn("metrics are readable by everybody who can reach the address", "address", socket.Addr().String())
	}
	m := &monitor{asking: make(chan struct{}, 1)}
	m.setState("starting")
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	routes.HandleFunc("GET /healthz", m.health)
	routes.HandleFunc("GET /readyz", m.readiness)
	routes.HandleFunc("GET /readyz/{side}", m.readiness)
	m.http = &http.Server{Handler: routes, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	go func() {
		if err := m.http.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			config.Logger.Error("metrics are not served any more", "error", err)
		}
	}()
	config.Logger.Info("metrics", "address", socket.Addr().String())
	return m, nil
}

func (m *monitor) setState(state string) { m.state.Store(&state) }

// serving is called when clients can connect.
func (m *monitor) serving(store *catalog.Catalog) {
	if m != nil {
		m.store.Store(store)
	}
}

// stopping is called before the catalog is closed.
func (m *monitor) stopping() {
	if m != nil {
		m.setState("stopping")
		m.store.Store(nil)
	}
}

// close ends the monitor. Running requests have a second to finish.
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

func plainText(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
}

// health answers 200 if the catalog answers, otherwise 503 with the reason. It lists unreachable neighbours, but they do not change the status,
// since a restart of the server would not help.
func (m *monitor) health(w http.ResponseWriter, _ *http.Request) {
	plainText(w)
	if reason := m.unhealthy(); reason != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, reason)
		return
	}
	fmt.Fprintln(w, "ok")
	for _, s := range m.neighbours() {
		fmt.Fprintln(w, s.Line())
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

// A Neighbour is another server, such as the upstream server or the engine. Published data are served without it.
type Neighbour struct {
	// Name is the name of its side, with the path /readyz/Name.
	Name string
	// Line describes its last known state, for /healthz.
	Line func() string
	// Ready asks it now, and returns an error if it is not available.
	Ready func(context.Context) error
}

// analystsSide is the side that needs the catalog and no neighbour.
const analystsSide = "analysts"

// A side is a neighbour and its last answer. Requests to /readyz ask it at most once a second.
type side struct {
	Neighbour
	mu    sync.Mutex
	asked time.Time
	said  error
}

// freshness is how long an answer of a neighbour is reused.
const freshness = time.Second

// ready asks the neighbour, unless its last answer is fresh.
func (s *side) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked.IsZero() && time.Since(s.asked) < freshness {
		return s.said
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), healthWait, fmt.Errorf("no answer within %v", healthWait))
	defer cancel()
	s.said = s.Ready(ctx)
	s.asked = time.Now()
	return s.said
}

// adds adds a neighbour to /healthz and /readyz. Calls must not be concurrent.
func (m *monitor) adds(n Neighbour) {
	if m == nil {
		return
	}
	sides := append(slices.Clone(m.neighbours()), &side{Neighbour: n})
	m.sides.Store(&sides)
}

func (m *monitor) neighbours() []*side {
	if sides := m.sides.Load(); sides != nil {
		return *sides
	}
	return nil
}

// readiness answers 200 if all requested sides are ready, otherwise 503, with a line for each side. /readyz requests all
// sides, /readyz/owners one, so that a load balancer can redirect owners while analysts stay.
func (m *monitor) readiness(w http.ResponseWriter, r *http.Request) {
	sides := append([]*side{{Neighbour: Neighbour{Name: analystsSide}}}, m.neighbours()...)
	names := make([]string, len(sides))
	for i, s := range sides {
		names[i] = s.Name
	}
	plainText(w)
	asked := r.PathValue("side")
	if asked != "" {
		at := slices.Index(names, asked)
		if at < 0 {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, "this server has no side %q; it has %s\n", asked, strings.Join(names, ", "))
			return
		}
		sides = sides[at : at+1]
	}
	status, lines := http.StatusOK, ""
	for _, s := range sides {
		said := m.unhealthy()
		if said == "" && s.Ready != nil {
			if err := s.ready(); err != nil {
				said = err.Error()
			}
		}
		if said != "" {
			status = http.StatusServiceUnavailable
			lines += s.Name + ": " + said + "\n"
			continue
		}
		lines += s.Name + ": ok\n"
	}
	w.WriteHeader(status)
	fmt.Fprint(w, lines)
}
