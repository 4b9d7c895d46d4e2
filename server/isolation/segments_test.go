package isolation_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestWorkerHoldsSegments: of a release that it reads a worker has mappings of shared memory that it cannot write, and no descriptor; of the data directory it
// has nothing. Two workers map the same.
func TestWorkerHoldsSegments(t *testing.T) {
	dir := t.TempDir()
	s, root := startWorkers(t, server.Config{DataDir: dir})
	servertest.Exec(t, root, "CALL fit_release('p', 'misfit=false')")
	maps := map[int][]string{}
	for _, a := range []servertest.Account{analyst, colleague} {
		servertest.Exec(t, s.Connect(t, a), "SELECT COUNT(*) FROM p WHERE age > 30 AND disease = 'flu'", "SELECT * FROM p LIMIT 1")
	}
	for _, pid := range workerProcesses(t) {
		for _, descriptor := range descriptors(t, pid) {
			if strings.HasPrefix(descriptor, dir) || strings.Contains(descriptor, "segment") {
				t.Errorf("a worker has %s open", descriptor)
			}
		}
		for _, m := range mappings(t, pid) {
			if strings.Contains(m, dir) {
				t.Errorf("a worker maps %s", m)
			}
			if strings.Contains(m, "segment") {
				fields := strings.Fields(m)
				if fields[1] != "r--s" {
					t.Errorf("a worker maps %s", m)
				}
				maps[pid] = append(maps[pid], fields[4]) // the inode
			}
		}
		slices.Sort(maps[pid])
	}
	var shared [][]string
	for _, m := range maps {
		shared = append(shared, m)
	}
	if len(shared) != 2 || len(shared[0]) != 3 || !slices.Equal(shared[0], shared[1]) {
		t.Fatalf("two workers map %q, want the same three segments", shared)
	}
}

// descriptors returns a process's open descriptors.
func descriptors(t testing.TB, pid int) (list []string) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join(folder, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is closed meanwhile
			t.Fatal(err)
		}
		list = append(list, to)
	}
	return list
}

// mappings returns the lines of a process's mappings.
func mappings(t testing.TB, pid int) []string {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(maps)), "\n")
}
