package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

const refreshDirectory = "ANONSQL_TEST_REFRESH_DIRECTORY"

// The child of TestKillDuringRefresh: one session writes, another refreshes, for
// ever.
func TestRefreshingChild(t *testing.T) {
	dir := os.Getenv(refreshDirectory)
	if dir == "" {
		return // nothing to do but as the child of TestKillDuringRefresh
	}
	b := &catalogtest.Bench{T: t, Dir: dir}
	b.Open()
	b.Catalog.SetLockWait(time.Minute)
	r, c, w := b.Releases(), b.Client(), b.Client()
	w.Session.SetCurrentDatabase("d")
	go func() {
		random := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
		for {
			_, _ = w.Try(fmt.Sprintf("INSERT INTO t (q, s) VALUES (%d, 1), (%d, 2), (3, 3)", random.IntN(9), random.IntN(9)))
			_, _ = w.Try(fmt.Sprintf("UPDATE t SET s = s + 1 WHERE id %% 11 = %d", random.IntN(11)))
			_, _ = w.Try(fmt.Sprintf("DELETE FROM t WHERE id %% 17 = %d", random.IntN(17)))
		}
	}()
	for {
		fmt.Println("version", c.Refresh(r, catalogtest.Grouping(3), "p").Version)
	}
}

// A process killed during refreshes leaves only whole versions, and the changes after the last one are recorded.
func TestKillDuringRefresh(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(3)
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		c.Session.SessionEnd()
		if err := b.Catalog.Close(); err != nil {
			t.Fatal(err)
		}
		child := catalogtest.StartProcess(t, "TestRefreshingChild", refreshDirectory, b.Dir)
		for range 3 + 2*round {
			child.Await("version ")
		}
		// The pause only chooses the moment of the kill, during the next refresh or its commit.
		time.Sleep(time.Duration(round) * 2 * time.Millisecond)
		child.Kill()
		b.Open()
		*c = *b.Client()
		c.Session.SetCurrentDatabase("d")
		r = b.Releases()
		pending, err := r.Changes(c.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := catalogtest.Persons(g.Next(pending.Live, pending.Changed)), c.Rows(); !slices.Equal(got, want) {
			t.Errorf("round %d: the private side and the changes have %d persons, the table has %d rows", round, len(got), len(want))
		}
		checkVersions(t, c, r, pending)
		c.Refresh(r, g, "p")
	}
}

// checkVersions wants all versions up to the newest, whole, and one private side.
func checkVersions(t *testing.T, c *catalogtest.Client, r *catalog.Releases, newest *catalog.Pending) {
	t.Helper()
	all := r.All(c.Context())
	for i, p := range all {
		name := "p"
		if i < len(all)-1 {
			name = earlierName("p", i+1)
		}
		release, err := p.Release(c.Context())
		if err != nil || p.Record().Name != name || p.Record().Version != i+1 || release.Rows != p.Record().Rows {
			t.Errorf("version %d of %d: %s, %v", i+1, len(all), p.Record().Name, err)
		}
	}
	if len(all) != newest.Record.Version || newest.Release.Rows+newest.Record.Live.Waiting != newest.Live.Records() {
		t.Errorf("%d versions, the newest is %d and has %d rows", len(all), newest.Record.Version, newest.Release.Rows)
	}
	var states int
	if c.Stored("SELECT count(DISTINCT release_id) FROM live_state", &states); states != 1 {
		t.Errorf("%d versions have a private side", states)
	}
}

// earlierName is the name of an earlier version.
func earlierName(name string, version int) string { return fmt.Sprintf("%s_v%d", name, version) }
