package enginetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/testsize"
)

// Workers is how many workers a cluster has.
const Workers = 2

// patience is how long a cluster may take to start, on a machine that does other things.
const patience = 20 * time.Minute

// Options of a cluster.
type Options struct {
	// Optimised compiles for speed, as an owner's cluster does: for measurements. A cluster starts with some 40 percent less processor time
	// without.
	Optimised bool
	// Heap is the memory of a node, in MB; a statement may have half of it on a worker. Defaults to 1000.
	Heap int
	// Patience is how long the coordinator and workers try to reach a worker that does not answer. Defaults to the engine's own, a minute.
	Patience time.Duration
	// Alone is that there are no workers: the coordinator does the work, at a third of the processor time of a start.
	Alone bool
	// Secure makes clients reach the coordinator by TLS alone, with a password or a token: [Cluster.Secrets].
	Secure bool

	archive string // of classes, which the coordinator writes at its end; "" for none
}

// A Cluster is a Trino that runs. Its methods may not be called at once.
type Cluster struct {
	// URL is trino://user@host:port/catalog; that of a cluster with TLS has ?tls=on.
	URL string
	// Client sends statements to it.
	Client *engine.Client
	// Directory is where the catalog's files are.
	Directory string

	options     Options
	installed   installation
	root        string
	address     string
	coordinator *node
	workers     []*node
	launched    int
	secrets     *Secrets // nil without TLS
}

// shared is the cluster of the test binary.
var (
	shared  = sync.OnceValues(begin)
	started bool
)

// begin starts a cluster, or takes the one that ANONSQL_ENGINE_URL names: who works on a test need not wait.
func begin() (*Cluster, error) {
	running := os.Getenv("ANONSQL_ENGINE_URL")
	if running == "" {
		return Start(Options{})
	}
	c := &Cluster{URL: running, Directory: os.Getenv("ANONSQL_ENGINE_FILES")}
	return c, c.open()
}

// open makes the client.
func (c *Cluster) open() error {
	target, err := engine.ParseURL(c.URL)
	if err != nil {
		return err
	}
	if c.secrets != nil {
		if target.Roots, err = engine.ReadRoots(c.secrets.CA); err != nil {
			return err
		}
		target.PasswordFile = c.secrets.PasswordFile
	}
	c.Client, err = engine.Open(target)
	return err
}

// Need is the cluster that the tests of a binary share, with all its workers. A test is skipped where there is none to be had.
func Need(t testing.TB) *Cluster {
	t.Helper()
	started = true
	c, err := shared()
	Available(t, err)
	return c
}

// Files is where a cluster's files are. A test is skipped that cannot know it.
func Files(t testing.TB, c *Cluster) string {
	t.Helper()
	if c.Directory == "" {
		Available(t, fmt.Errorf("%w here: ANONSQL_ENGINE_FILES must name the directory of ANONSQL_ENGINE_URL's files", ErrMissing))
	}
	return c.Directory
}

// Available ends a test whose cluster did not start: it is skipped if there is none to be had, or none is asked for.
func Available(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrMissing) || errors.Is(err, errSmall) {
		testsize.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Main runs the tests of a binary, and ends the cluster that they have shared.
func Main(m *testing.M) {
	code := m.Run()
	if started {
		if c, err := shared(); err == nil {
			c.Kill()
		}
	}
	os.Exit(code)
}

// errSmall says that no cluster is started for a small run.
var errSmall = errors.New("a cluster is a minute's work of the processor: ANONSQL_TESTS=ci starts one, and ANONSQL_ENGINE_URL names one that runs (go run ./enginetest/cluster)")

// Start is [Launch] for a test: with ANONSQL_TESTS not set it starts none.
func Start(o Options) (*Cluster, error) {
	if testsize.IsSmall() {
		return nil, errSmall
	}
	return Launch(o)
}

// Launch starts a cluster, and returns when it answers: who calls it calls Kill.
func Launch(o Options) (_ *Cluster, err error) {
	c := &Cluster{options: o}
	c.options.Heap = cmp.Or(o.Heap, 1000)
	if c.installed, err = find(); err != nil {
		return nil, err
	}
	if c.root, err = os.MkdirTemp("", "anonsql-engine-*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.Kill()
		}
	}()
	if err := c.prepare(); err != nil {
		return nil, err
	}
	if c.coordinator, err = launch(c.installed, c.options, c.root); err != nil {
		return nil, err
	}
	for range c.wanted() {
		if err := c.addWorker(); err != nil {
			return nil, err
		}
	}
	return c, c.Await()
}

// wanted is how many workers there should be.
func (c *Cluster) wanted() int {
	if c.options.Alone {
		return 0
	}
	return Workers
}

// prepare chooses ports, and writes what the coordinator reads.
func (c *Cluster) prepare() error {
	c.Directory = filepath.Join(c.root, "warehouse")
	// The coordinator's directory has the others in it: its shell removes them all.
	if err := os.MkdirAll(c.Directory, 0o700); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	c.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	c.URL = "trino://anonsql@" + c.address + "/iceberg"
	if c.options.Secure {
		if err := c.secure(); err != nil {
			return err
		}
	}
	if err := c.open(); err != nil {
		return err
	}
	return c.configure(c.root, port, true)
}

// freePort is a port that nobody listens on, of those that no connection is given by itself: it is free until the coordinator takes it, but
// for another who chooses so.
func freePort() (port int, err error) {
	for range 100 {
		port = 20_000 + rand.IntN(10_000)
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, l.Close()
		}
	}
	return 0, err
}

func (c *Cluster) addWorker() error {
	c.launched++
	directory := filepath.Join(c.root, fmt.Sprintf("worker%d", c.launched))
	if err := c.configure(directory, 0, false); err != nil {
		return err
	}
	n, err := launch(c.installed, c.options, directory)
	if err == nil {
		c.workers = append(c.workers, n)
	}
	return err
}

// Await returns when the workers that run, and no others, are active: one that was killed is for some seconds.
func (c *Cluster) Await() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var running []string
	for _, w := range c.workers {
		running = append(running, filepath.Base(w.directory))
	}
	const pause = 200 * time.Millisecond
	for {
		var active []string
		err := c.Client.Query(
			ctx,
			"SELECT node_id FROM system.runtime.nodes WHERE state = 'active' AND NOT coordinator ORDER BY length(node_id), node_id",
			func(v []any) error {
				active = append(active, fmt.Sprint(v[0]))
				return nil
			},
		)
		if err == nil && slices.Equal(active, running) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("active are %v after %v, must be %v (%w); the coordinator says: %s", active, patience, running, err, c.coordinator.log())
		case <-time.After(pause):
		}
	}
}

// KillWorker ends a worker at once, as a machine that fails.
func (c *Cluster) KillWorker() {
	last := len(c.workers) - 1
	c.workers[last].kill()
	c.workers = c.workers[:last]
}

// Restore starts workers in the place of those that were killed, and returns when they are active and the others are forgotten.
func (c *Cluster) Restore() error {
	for len(c.workers) < c.wanted() {
		if err := c.addWorker(); err != nil {
			return err
		}
	}
	return c.Await()
}

// Log is the end of what the coordinator wrote about itself.
func (c *Cluster) Log() string { return c.coordinator.log() }

// Kill ends the cluster at once, and its files go with it. It may be called again.
func (c *Cluster) Kill() {
	for _, n := range append(c.workers, c.coordinator) {
		if n != nil {
			n.kill()
		}
	}
	if c.root != "" {
		os.RemoveAll(c.root)
	}
}
