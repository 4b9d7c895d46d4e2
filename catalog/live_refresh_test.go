package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

const shownLive = "SELECT name, version, status, `rows`, refresh_recommended, pending, waiting, forged, updates, auto_refresh, versions, IF(refreshed_at IS NULL, 1, 0), refresh_problem FROM anonsql.releases"

// patients is a table of seven persons, and the release p, in groups of three, that
// follows it.
func patients(t *testing.T) (b *catalogtest.Bench, r *catalog.Releases, c *catalogtest.Client, g catalogtest.Grouping) {
	t.Helper()
	b = catalogtest.NewBench(t)
	r, c, g = b.Releases(), b.Owner(), catalogtest.Grouping(3)
	c.Serve(r)
	c.Run("CREATE TABLE t (id INT PRIMARY KEY, q INT, s VARCHAR(9) COLLATE utf8mb4_0900_ai_ci)",
		"INSERT INTO t VALUES (1, 10, 'flu'), (2, 11, 'cold'), (3, 12, 'flu'), (4, 20, 'gout'), (5, 21, 'flu'), (6, 22, 'cold'), (7, 30, 'flu')")
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	return b, r, c, g
}

// changePatients changes four of them; person 1 stays as it is.
func changePatients(c *catalogtest.Client) {
	c.T.Helper()
	c.Run("DELETE FROM t WHERE id = 2", "INSERT INTO t VALUES (8, 31, 'FLU'), (9, 32, NULL)", "UPDATE t SET q = 23 WHERE id = 6", "UPDATE t SET q = 10 WHERE id = 1")
}

// The owner sees how many rows have changed, and a refresh reads which.
func TestPendingChanges(t *testing.T) {
	b, r, c, _ := patients(t)
	c.Want(shownLive, "p|1|public|6|0|0|1|0|sealed|0|1|1|NULL")
	if err := r.Unfollow(c.Context(), 1); err != nil || b.Triggers() != 3 {
		t.Errorf("Unfollow ended the following of a release (%v)", err)
	}
	changePatients(c)
	c.Want(shownLive, "p|1|public|6|1|4|1|0|sealed|0|1|1|NULL")
	pending, err := r.Changes(c.Context(), "P")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(pending.Changed.Key, pending.Changed.Row, pending.Changed.Columns[1].Dictionary); got != "[2 6 8 9] [-1 0 1 2] [NULL cold flu]" {
		t.Errorf("changed: %s", got) // FLU is what the release calls flu
	}
	if pending.Changed.Columns[0].Name != "q" || pending.Changed.Columns[0].Type != "int" || string(pending.History) != "history 1" {
		t.Errorf("columns %v, history %q", pending.Changed.Columns[0], pending.History)
	}
}

// A refresh keeps the previous version, also for statements that read it, and leaves changes after its reading of the
// table to the next one.
func TestRefreshKeepsVersions(t *testing.T) {
	_, r, c, g := patients(t)
	changePatients(c)
	pending, err := r.Changes(c.Context(), "P")
	if err != nil {
		t.Fatal(err)
	}
	view, err := r.View(c.Context(), "p") // in the hands of a statement
	if err != nil {
		t.Fatal(err)
	}
	c.Run("UPDATE t SET q = 24 WHERE id = 6") // once more, after it was read
	record, err := c.Refreshed(r, g, pending)
	if err != nil {
		t.Fatal(err)
	}
	if record.Version != 2 || record.Rows != 9 || record.Forged != 2 || record.Live.Waiting != 1 || record.Live.ForgedByDeletion != 2 {
		t.Errorf("the record of version 2: %+v %+v", record, record.Live)
	}
	c.Want(shownLive+" ORDER BY version", "p_v1|1|earlier version|6|NULL|NULL|1|0|sealed|NULL|NULL|1|NULL p|2|public|9|1|1|1|2|sealed|0|2|0|NULL")
	c.Want("SELECT COUNT(*) FROM (SELECT q FROM published.p) x", "7") // without counterfeits
	c.Want("SELECT f1.s, SUM(f1.count) FROM published.p_v1_f1 f1 GROUP BY s ORDER BY s", "cold|2 flu|3 gout|1")
	if old, err := view.Release(c.Context()); err != nil || old.Rows != 6 {
		t.Errorf("the statement that was working has %v %v", old, err)
	}
	if _, err := c.Refreshed(r, g, pending); err == nil || !strings.Contains(err.Error(), "meanwhile") {
		t.Errorf("the same refresh once more: %v", err)
	}
	c.Refresh(r, g, "p")
	pending, err = r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := catalogtest.Persons(pending.Live), c.Rows(); len(pending.Changed.Key) != 0 || !strings.EqualFold(fmt.Sprint(got), fmt.Sprint(want)) {
		t.Errorf("persons %s, rows %s", got, want)
	}
	if string(pending.History) != "history 3" {
		t.Errorf("history %q", pending.History)
	}
}

// All versions are there after a start, with the private side of the last; they go one
// by one, or with the last.
func TestVersionsAfterAStart(t *testing.T) {
	b, r, c, g := patients(t)
	changePatients(c)
	c.Refresh(r, g, "p")
	c.Run("UPDATE t SET q = 24 WHERE id = 6")
	c.Refresh(r, g, "p")
	before, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	b.ReopenWith(c)
	r = b.Releases()
	c.Serve(r)
	c.Want(shownLive+" ORDER BY version", "p_v1|1|earlier version|6|NULL|NULL|1|0|sealed|NULL|NULL|1|NULL p_v2|2|earlier version|9|NULL|NULL|1|2|sealed|NULL|NULL|0|NULL p|3|public|9|0|0|2|3|sealed|0|3|0|NULL")
	again, err := r.Changes(c.Context(), "p")
	if err != nil || fmt.Sprint(catalogtest.Persons(again.Live)) != fmt.Sprint(catalogtest.Persons(before.Live)) || again.Release.Forged != 3 {
		t.Errorf("after the start: %v %v", again, err)
	}
	var states int
	if b.Stored("SELECT count(DISTINCT release_id) FROM live_state", &states); states != 1 {
		t.Errorf("%d versions have a private side", states)
	}
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p_v1")); err != nil {
		t.Fatal(err)
	}
	c.Want("SELECT name, versions FROM anonsql.releases ORDER BY version", "p_v2|NULL p|2")
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
		t.Fatal(err)
	}
	c.Want("SELECT COUNT(*) FROM anonsql.releases", "0")
	if b.Triggers() != 0 {
		t.Error("triggers are left")
	}
}

// fourRows is a table of four rows, without a release; releases have groups of two.
func fourRows(t *testing.T) (b *catalogtest.Bench, r *catalog.Releases, c *catalogtest.Client, g catalogtest.Grouping) {
	t.Helper()
	b = catalogtest.NewBench(t)
	r, c, g = b.Releases(), b.Owner(), catalogtest.Grouping(2)
	c.Serve(r)
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	return b, r, c, g
}

// mustPublish publishes a release that follows table t.
func mustPublish(c *catalogtest.Client, r *catalog.Releases, g catalogtest.Grouping, name string, change func(*catalog.Publication)) {
	c.T.Helper()
	if _, err := c.Publish(r, g, name, change); err != nil {
		c.T.Fatal(err)
	}
}

func wantRefusal(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got %v, want an error with %q", err, part)
	}
}

// Publications of a release that follows its table, or of an additional one.
var (
	inPrivate = func(p *catalog.Publication) { p.Record.Private = true }
	inPlace   = func(p *catalog.Publication) { p.Replace = true }
	unlinked  = func(p *catalog.Publication) { p.Record.Private, p.Live, p.Record.Live = true, nil, nil }
)

// Names of earlier versions are kept free for them, and those that are taken are
// refused: p has one earlier version here, and w_v1 follows nothing.
func TestNamesOfVersions(t *testing.T) {
	_, r, c, g := fourRows(t)
	mustPublish(c, r, g, "p", nil)
	c.Refresh(r, g, "p")
	mustPublish(c, r, g, "w_v1", unlinked) // as was allowed before there was the rule
	for _, x := range []struct {
		why, name string
		change    func(*catalog.Publication)
		refused   string // "" is stored
	}{
		{"a release that is there", "p", nil, "already has"},
		{"a next earlier version", "p_v2", inPrivate, "taken"},
		{"a later one in capitals", "P_V22", inPrivate, "taken"},
		{"its relation", "p_v3_f0", inPrivate, "taken"},
		{"no number of a version", "p_vx", inPrivate, ""},
		{"too long with a number", strings.Repeat("x", 50), inPrivate, "at most 48"},
		{"its own earlier version's is taken", "w", inPrivate, "published.w_v1 and so on"},
		{"in place of an earlier version", "p_v1", func(p *catalog.Publication) { p.Replace, p.Record.Private = true, true }, "earlier version"},
	} {
		t.Run(x.why, func(t *testing.T) {
			_, err := c.Publish(r, g, x.name, x.change)
			if x.refused != "" {
				wantRefusal(t, err, x.refused)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// Changes are refused with the missing object: the release, its following, a column, the table. The list of releases
// gives the owner the same reason.
func TestChangesAreRefusedByName(t *testing.T) {
	_, r, c, g := fourRows(t)
	refused := func(release, part string) {
		t.Helper()
		_, err := r.Changes(c.Context(), release)
		if data := (*anonymize.DataError)(nil); !errors.As(err, &data) || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want an error with %q", err, part)
		}
	}
	refused("p", "no release")
	mustPublish(c, r, g, "p", nil)
	mustPublish(c, r, g, "plain", unlinked)
	_, err := r.Changes(c.Context(), "plain")
	wantRefusal(t, err, "does not follow")
	c.Run("ALTER TABLE t DROP COLUMN q")
	c.Want("SHOW WARNINGS", `Warning|1105|a release no longer follows the table: column "q", which it publishes, was dropped`)
	refused("p", `column "q", which it publishes, was dropped`)
	c.Want("SELECT pending, refresh_recommended, IF(refresh_problem LIKE '%does not follow its table any more: column%', 1, 0) FROM anonsql.releases WHERE name = 'p'", "NULL|1|1")
	c.Run("DROP TABLE t")
	refused("p", "raw table was dropped")
	if _, err := r.Changes(c.Context(), "p"); strings.Contains(err.Error(), "replace=true") {
		t.Errorf("of a table that is gone a new release is advised: %v", err)
	}
	c.Want("SELECT pending, refresh_recommended, source FROM anonsql.releases WHERE name = 'p'", "NULL|NULL|d.t")
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
		t.Error(err)
	}
}

// A refresh is refused while its session has changes open, and done after ROLLBACK.
func TestRefreshAsksForCommit(t *testing.T) {
	_, r, c, g := fourRows(t)
	mustPublish(c, r, g, "p", nil)
	pending, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	c.Run("START TRANSACTION", "INSERT INTO t VALUES (9, 9)")
	_, err = c.Refreshed(r, g, pending)
	wantRefusal(t, err, "COMMIT")
	c.Run("ROLLBACK")
	if _, err := c.Refreshed(r, g, pending); err != nil {
		t.Fatal(err)
	}
}

// replace=true ends the lineage and its versions; other followers of the table continue.
func TestReplaceEndsALineage(t *testing.T) {
	b, r, c, g := fourRows(t)
	mustPublish(c, r, g, "p", nil)
	mustPublish(c, r, g, "p_vx", inPrivate)
	c.Refresh(r, g, "p")
	c.Run("INSERT INTO t VALUES (5, 5)")
	mustPublish(c, r, g, "p", inPlace)
	c.Want("SELECT name, version, versions, pending FROM anonsql.releases WHERE name LIKE 'p%' ORDER BY name", "p|3|1|0 p_vx|1|1|1")
	if b.Triggers() != 6 {
		t.Errorf("%d triggers for two followers", b.Triggers())
	}
}

// An account that may not read the raw table sees the newest version and the
// number of counterfeits, and nothing else of all this.
func TestWhoSeesVersions(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, g := b.Owner(), catalogtest.Grouping(2)
	r, err := catalog.OpenReleases(b.Catalog, func(ctx *sql.Context, database, _ string) bool {
		return ctx.Session.Client().User == "root" || database == catalog.PublishedDatabaseName
	})
	if err != nil {
		t.Fatal(err)
	}
	c.Serve(r)
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	c.Run("DELETE FROM t WHERE q = 1")
	c.Refresh(r, g, "p")
	analyst := b.ClientOf("ann")
	analyst.Want(shownLive, "p|2|public|4|NULL|NULL|NULL|1|NULL|NULL|NULL|1|NULL")
	analyst.Fails("SELECT * FROM published.p_v1", "not found")
	if _, err := r.Changes(analyst.Context(), "p"); err == nil || !strings.Contains(err.Error(), "denied") {
		t.Errorf("changes for an analyst: %v", err)
	}
	if _, err := r.Changes(analyst.Context(), "p_v1"); err == nil || !strings.Contains(err.Error(), "no release") {
		t.Errorf("changes of an earlier version for an analyst: %v", err)
	}
	if _, err := r.Changes(sql.NewContext(t.Context()), "p"); err != nil {
		t.Errorf("changes for the server itself: %v", err)
	}
}

// Several sessions write while one refreshes again and again: at the end the
// persons of the release are the rows of the table.
func TestNoChangeIsLostBetweenRefreshes(t *testing.T) {
	b := catalogtest.NewBench(t)
	b.Catalog.SetLockWait(time.Minute)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(4)
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)")
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for worker := range 3 {
		w := b.Client()
		w.Session.SetCurrentDatabase("d")
		random := rand.New(rand.NewPCG(uint64(worker), 5))
		wg.Go(func() {
			defer w.Session.SessionEnd()
			for i := range 60 {
				statement := fmt.Sprintf("INSERT INTO t (q, s) VALUES (%d, %d), (%d, %d)", i, worker, i, random.IntN(5))
				switch random.IntN(3) {
				case 0:
					statement = fmt.Sprintf("DELETE FROM t WHERE id %% 7 = %d", random.IntN(7))
				case 1:
					statement = fmt.Sprintf("UPDATE t SET q = q + 1 WHERE id %% 5 = %d", random.IntN(5))
				}
				for _, s := range []string{"START TRANSACTION", statement, []string{"COMMIT", "COMMIT", "ROLLBACK"}[i%3]} {
					if _, err := w.Try(s); err != nil {
						t.Errorf("%s: %v", s, err)
						return
					}
				}
			}
		})
	}
	for range 12 {
		c.Refresh(r, g, "p")
	}
	wg.Wait()
	c.Refresh(r, g, "p")
	pending, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := catalogtest.Persons(pending.Live), c.Rows(); !slices.Equal(got, want) || len(pending.Changed.Key) != 0 {
		t.Errorf("persons\n%s\nrows\n%s", got, want)
	}
	if pending.Record.Version != 14 || len(pending.Live.Key) == 0 {
		t.Errorf("version %d", pending.Record.Version)
	}
}

func TestOnPending(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(2)
	called := make(chan string, 100)
	next := func() string {
		select {
		case name := <-called:
			return name
		case <-time.After(5 * time.Minute):
			return "nothing"
		}
	}
	r.OnPending(func(name string) { called <- name })
	c.Run("CREATE TABLE t (q INT, s INT)", "CREATE TABLE u (q INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.Publish(r, g, "p", func(p *catalog.Publication) { p.Record.Live.AutoRefresh = 3 }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Publish(r, g, "never", func(p *catalog.Publication) { p.Record.Private = true }); err != nil {
		t.Fatal(err)
	}
	c.Run("INSERT INTO t VALUES (5, 5)", "INSERT INTO u VALUES (5)", "UPDATE t SET q = 9 WHERE q = 5", "START TRANSACTION", "INSERT INTO t VALUES (6, 5), (7, 5)", "ROLLBACK", "INSERT INTO t VALUES (6, 5)")
	if len(called) != 0 {
		t.Errorf("called for 2 changes")
	}
	c.Run("INSERT INTO t VALUES (7, 5)")
	if got := next(); got != "p" {
		t.Fatalf("called for %s", got)
	}
	// The next start finds it too.
	if err := r.NoteProblem(c.Context(), "P", "the disk is full"); err != nil {
		t.Error(err)
	}
	b.ReopenWith(c)
	r = b.Releases()
	c.Serve(r)
	c.Want("SELECT name, pending, refresh_problem FROM anonsql.releases WHERE auto_refresh > 0", "p|3|the disk is full")
	called = make(chan string, 100)
	r.OnPending(func(name string) { called <- name })
	if got := next(); got != "p" {
		t.Fatalf("called for %s after the start", got)
	}
	c.Refresh(r, g, "p")
	c.Want("SELECT name, pending, refresh_problem FROM anonsql.releases WHERE auto_refresh > 0", "p|0|NULL")
}

// A panic of what is called for a due release ends nothing, and the next commit calls again.
func TestOnPendingPanics(t *testing.T) {
	_, r, c, g := fourRows(t)
	mustPublish(c, r, g, "p", func(p *catalog.Publication) { p.Record.Live.AutoRefresh = 1 })
	called, panics := make(chan string, 100), true
	r.OnPending(func(name string) {
		called <- name
		if panics {
			panics = false
			panic("the callback")
		}
	})
	for i := range 2 {
		c.Run(fmt.Sprintf("INSERT INTO t VALUES (%d, 5)", 5+i))
		if got := <-called; got != "p" {
			t.Errorf("called for %s", got)
		}
	}
}

// A file from before releases could follow their tables opens, with its releases.
func TestOldFileOpens(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(2)
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.Publish(r, g, "p", func(p *catalog.Publication) { p.Live, p.Record.Live = nil, nil }); err != nil {
		t.Fatal(err)
	}
	c.Session.SessionEnd()
	b.Store("DROP TABLE live_lineages", "DROP TABLE live_state", "DROP TABLE publications", "DROP TABLE epsilon_spent", "DROP TABLE epsilon_limits", "PRAGMA user_version = 6")
	b.ReopenWith(c)
	r = b.Releases()
	c.Serve(r)
	c.Want(shownLive, "p|1|public|4|0|NULL|NULL|0|NULL|NULL|NULL|1|NULL")
	c.Run("INSERT INTO t VALUES (5, 5)")
	c.Want(shownLive, "p|1|public|4|1|NULL|NULL|0|NULL|NULL|NULL|1|NULL")
	c.Want("SELECT COUNT(*) FROM (SELECT q FROM published.p) x", "4")
	if _, err := c.Publish(r, g, "p", func(p *catalog.Publication) { p.Replace = true }); err != nil {
		t.Error(err)
	}
}

// A failed refresh leaves the version and the pending changes unchanged.
func TestFailedRefreshChangesNothing(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(2)
	c.Serve(r)
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4)")
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		t.Fatal(err)
	}
	c.Run("DELETE FROM t WHERE q = 1")
	pending, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	l := g.Next(pending.Live, pending.Changed)
	good := catalog.Publication{Record: *pending.Record, Release: g.Release(l), Live: l}
	for _, x := range []struct {
		what, part string
		change     func(ctx *sql.Context, p *catalog.Publication) *sql.Context
	}{
		{"no private side", "private side", func(ctx *sql.Context, p *catalog.Publication) *sql.Context { p.Live = nil; return ctx }},
		{"another number of counterfeits", "1 records are counterfeits, its private side has 0", func(ctx *sql.Context, p *catalog.Publication) *sql.Context {
			p.Live = pending.Live
			return ctx
		}},
		{"a column that is not followed", `does not follow its column "z"`, func(ctx *sql.Context, p *catalog.Publication) *sql.Context {
			renamed, other := *l, *l.Columns[0]
			other.Name = "z"
			renamed.Columns = []*anonymize.Column{&other, l.Columns[1]}
			p.Live = &renamed
			return ctx
		}},
		{"a client that left", "canceled", func(ctx *sql.Context, _ *catalog.Publication) *sql.Context {
			left, cancel := context.WithCancel(ctx)
			cancel()
			return ctx.WithContext(left)
		}},
	} {
		p := good
		ctx := x.change(c.Context(), &p)
		if _, err := r.Refresh(ctx, pending, &p); err == nil || !strings.Contains(err.Error(), x.part) {
			t.Errorf("%s: %v", x.what, err)
		}
		c.Want("SELECT name, version, pending, versions FROM anonsql.releases", "p|1|1|1")
	}
	c.Run("DROP TABLE t")
	if _, err := r.Refresh(c.Context(), pending, &good); err == nil || !strings.Contains(err.Error(), "dropped") {
		t.Errorf("after DROP TABLE: %v", err)
	}
	c.Want("SELECT name, version, pending, versions FROM anonsql.releases", "p|1|NULL|1")
}

// Releases and their earlier versions are compared with their original columns, whatever the current names. A release that follows nothing knows only
// names, and reports a missing one. So does a release whose column was dropped.
func TestComparedColumnsAreFollowed(t *testing.T) {
	_, r, c, g := fourRows(t)
	mustPublish(c, r, g, "p", nil)
	mustPublish(c, r, g, "alone", unlinked)
	c.Run("UPDATE t SET s = 10 * s", "ALTER TABLE t RENAME COLUMN q TO older", "ALTER TABLE t RENAME COLUMN s TO q")
	c.Refresh(r, g, "p")
	read := func(release string) (*anonymize.Microdata, error) {
		view, err := r.View(c.Context(), release)
		if err != nil {
			t.Fatal(err)
		}
		return view.SourceMicrodata(c.Context(), []string{"s", "q", "s"})
	}
	for _, release := range []string{"p", "p_v1"} {
		data, err := read(release)
		if err != nil {
			t.Fatal(release, err)
		}
		q, s := data.Column("q"), data.Column("s")
		if len(data.Columns) != 2 || q == nil || s == nil || q.Value(1).Int != 2 || s.Value(1).Int != 20 {
			t.Errorf("%s: %v %v", release, q, s)
		}
	}
	_, err := read("alone")
	wantRefusal(t, err, `column "s" of release alone was renamed or dropped in d.t: there is no actual value to compare with. ALTER TABLE`)
	c.Want("SELECT q, older FROM t WHERE older = 2", "20|2") // the columns that others read keep their names
	c.Run("ALTER TABLE t DROP COLUMN older")
	_, err = read("p_v1")
	wantRefusal(t, err, `column "q" of release p_v1 was renamed or dropped in d.t`)
}

// A refresh does not store what it read before another one forgot it: the next refresh would not read it again. One that would forget the same succeeds.
func TestForgottenMeanwhile(t *testing.T) {
	_, r, c, g := patients(t)
	changePatients(c)
	early, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	late, err := r.Changes(c.Context(), "P")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Forget(c.Context(), late); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Refreshed(r, g, early); err == nil || !strings.Contains(err.Error(), "another refresh of release p found meanwhile") {
		t.Errorf("a refresh that read what was forgotten: %v", err)
	}
	c.Run("UPDATE t SET q = 25 WHERE id = 6")
	if err := r.Forget(c.Context(), early); err != nil {
		t.Errorf("forgotten twice: %v", err)
	}
	c.Want("SELECT pending FROM anonsql.releases WHERE name = 'p'", "1")
	if record := c.Refresh(r, g, "p"); record.Version != 2 {
		t.Errorf("the next refresh: %+v", record)
	}
	if err := r.Forget(c.Context(), early); err == nil || !strings.Contains(err.Error(), "was refreshed, replaced or dropped meanwhile") {
		t.Errorf("forgotten after a refresh: %v", err)
	}
}

// Who drops a release drops that one, and none that took its name since.
func TestDropOfAnother(t *testing.T) {
	_, r, c, g := patients(t)
	old := catalogtest.Named(t, r, "p")
	changePatients(c)
	c.Refresh(r, g, "p")
	if _, err := r.Drop(c.Context(), old); err == nil || !strings.Contains(err.Error(), "published anew meanwhile") {
		t.Errorf("the release before: %v", err)
	}
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
		t.Error(err)
	}
}

// A statement that reads an earlier version while that is dropped learns so, and not that it is damaged.
func TestDroppedWhileRead(t *testing.T) {
	_, r, c, g := patients(t)
	changePatients(c)
	c.Refresh(r, g, "p")
	earlier := catalogtest.Named(t, r, "p_v1")
	c.Catalog.DropCache()
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
		t.Fatal(err)
	}
	if _, err := earlier.Release(c.Context()); !errors.Is(err, catalog.ErrHandedGone) {
		t.Errorf("it was told %v", err)
	}
}

// If another session writes for long when a publication fails, the next publication ends the recording of changes.
func TestUnfollowLater(t *testing.T) {
	b, r, c, g := patients(t)
	const of = 3 // triggers of a lineage
	id := c.Follow(r, "t", "q", "s")
	writer := b.Client()
	writer.Run("START TRANSACTION", "UPDATE d.t SET q = 99 WHERE id = 1")
	if err := r.Unfollow(c.Context(), id); err == nil || !strings.Contains(err.Error(), "until another one is published") || b.Triggers() != 2*of {
		t.Errorf("while another session writes: %v, %d triggers", err, b.Triggers())
	}
	writer.Run("ROLLBACK")
	changePatients(c)
	if c.Refresh(r, g, "p"); b.Triggers() != of {
		t.Errorf("after the next version: %d triggers", b.Triggers())
	}
}
