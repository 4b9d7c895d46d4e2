package enginetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestLeash: a node ends when its leash does, and its files go with it.
func TestLeash(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "node")
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", shell, "sh", directory, "KILL", "sleep", "600")
	leash, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	n := &node{directory: directory, process: c, leash: leash}
	done := make(chan struct{})
	go func() {
		n.kill()
		n.kill()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the node still runs")
	}
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("its directory is left: %v", err)
	}
}

func TestMajor(t *testing.T) {
	for text, want := range map[string]int{"A=1\nJAVA_VERSION=\"25.0.3\"\n": 25, "JAVA_VERSION=\"24\"": 24, "JAVA_VERSION=\"1.8.0_402\"": 1, "JAVA_VERSION=\"x\"": 0, "": 0} {
		if got := major([]byte(text)); got != want {
			t.Errorf("%q is Java %d, want %d", text, got, want)
		}
	}
}

// TestNotInstalled: the error names what is missing.
func TestNotInstalled(t *testing.T) {
	t.Setenv("ANONSQL_ENGINE_DIR", t.TempDir())
	if _, err := find(); err == nil || !strings.Contains(err.Error(), ErrMissing.Error()) {
		t.Errorf("an empty directory: %v, want %v", err, ErrMissing)
	}
}

// own is a cluster whose workers may be killed: the tests of this binary share it. It gives up a worker that does not answer after some seconds, instead of a
// minute.
var (
	own   = sync.OnceValues(func() (*Cluster, error) { return Start(Options{Patience: 5 * time.Second}) })
	began bool
)

func needOwn(t *testing.T) *Cluster {
	t.Helper()
	began = true
	c, err := own()
	Available(t, err)
	return c
}

// TestMain ends it.
func TestMain(m *testing.M) {
	code := m.Run()
	if began {
		if c, err := own(); err == nil {
			c.Kill()
		}
	}
	os.Exit(code)
}
