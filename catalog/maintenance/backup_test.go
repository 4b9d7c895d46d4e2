package maintenance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/testsize"
)

const writingDirectory = "ANONSQL_TEST_WRITING_DIRECTORY"

// The child of TestBackupWhileWritten: every transaction adds a pair of rows and reports the acknowledgement;
// sometimes it refreshes a release.
func TestWritingChild(t *testing.T) {
	dir := os.Getenv(writingDirectory)
	if dir == "" {
		return // nothing to do but as the child of TestBackupWhileWritten
	}
	b := &catalogtest.Bench{T: t, Dir: dir}
	b.Open()
	b.Catalog.SetLockWait(time.Minute)
	r, c, w := b.Releases(), b.Client(), b.Client()
	w.Session.SetCurrentDatabase("d")
	c.Session.SetCurrentDatabase("d")
	for pair := 1; ; pair++ {
		w.Run("START TRANSACTION", fmt.Sprintf("INSERT INTO pairs VALUES (%d, 1, REPEAT('x', 2000))", pair), fmt.Sprintf("INSERT INTO pairs VALUES (%d, 2, REPEAT('y', 2000))", pair),
			fmt.Sprintf("INSERT INTO t (q, s) VALUES (%d, 1)", pair%7), "COMMIT")
		if pair%20 == 0 {
			c.Refresh(r, catalogtest.Grouping(3), "p")
		}
		fmt.Println("pair", pair)
	}
}

// A backup during writes is consistent and has everything acknowledged before it began, even if the writing process
// is killed meanwhile.
func TestBackupWhileWritten(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3)",
		"CREATE TABLE pairs (n INT, part INT, filler TEXT, PRIMARY KEY (n, part))")
	if _, err := c.Publish(r, catalogtest.Grouping(3), "p", nil); err != nil {
		t.Fatal(err)
	}
	c.Session.SessionEnd()
	rounds := testsize.Of(2, 4)
	for round := range rounds {
		if err := b.Catalog.Close(); err != nil {
			t.Fatal(err)
		}
		child, acknowledged := startWriting(t, b.Dir)
		for acknowledged() < 30*(round+1) {
		}
		for i := range 3 {
			before := acknowledged()
			file := filepath.Join(t.TempDir(), "backup")
			if i == 2 { // kill it during the copy, in every round at another moment
				time.AfterFunc(time.Duration(round)*time.Millisecond, child.Kill)
			}
			report, err := maintenance.Backup(context.Background(), b.Dir, file, false, nil)
			if err != nil || report.Err() != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			checkPairs(t, file, before)
		}
		child.Kill()
		report := catalogtest.Checked(t, b.Dir) // with the log that the kill left
		if report.Err() != nil {
			t.Errorf("after the kill: %s", catalogtest.Findings(report))
		}
		b.Open()
		*c = *b.Client()
		c.Session.SetCurrentDatabase("d")
		c.Run("DELETE FROM d.pairs")
		c.Session.SessionEnd()
	}
}

// startWriting starts the child. acknowledged reads one more line of it and
// returns the number of pairs.
func startWriting(t *testing.T, dir string) (*catalogtest.Process, func() int) {
	t.Helper()
	child := catalogtest.StartProcess(t, "TestWritingChild", writingDirectory, dir)
	return child, func() int {
		n, err := strconv.Atoi(child.Await("pair "))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// checkPairs restores a backup and wants pairs 1 to at least n, all whole.
func checkPairs(t *testing.T, file string, n int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := maintenance.Restore(context.Background(), file, dir, false, nil); err != nil {
		t.Fatal(err)
	}
	b := &catalogtest.Bench{T: t, Dir: dir}
	b.Open()
	defer b.Catalog.Close()
	c := b.Client()
	defer c.Session.SessionEnd()
	rows, err := c.Try("SELECT COUNT(*), COUNT(DISTINCT n), MAX(n) FROM d.pairs")
	if err != nil {
		t.Fatal(err)
	}
	var records, pairs, last int
	if _, err := fmt.Sscanf(strings.ReplaceAll(rows[0], "|", " "), "%d %d %d", &records, &pairs, &last); err != nil || records != 2*pairs || pairs != last || pairs < n {
		t.Errorf("%v (%v), want whole pairs and at least %d", rows, err, n)
	}
	pending, err := b.Releases().Changes(c.Context(), "p")
	if err != nil {
		t.Error(err)
	} else if pending.Live.Records() == 0 {
		t.Error("the release that follows its table has no private side")
	}
}

func TestBackupAndRestoreRefuse(t *testing.T) {
	ctx := context.Background()
	b := stocked(t)
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := maintenance.Backup(ctx, b.Dir, file, false, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has the mode %v", info.Mode())
	}
	wants := func(err error, text string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
	_, err := maintenance.Backup(ctx, b.Dir, file, false, nil)
	wants(err, "exists already")
	if _, err := maintenance.Backup(ctx, b.Dir, file, true, nil); err != nil {
		t.Error(err)
	}
	_, err = maintenance.Backup(ctx, t.TempDir(), file+"2", false, nil)
	wants(err, "there is no catalog in the data directory")
	_, err = maintenance.Backup(ctx, b.Dir, filepath.Join(b.Dir, directory.DatabaseFile), true, nil)
	wants(err, "is a file of the catalog itself")
	_, err = maintenance.Restore(ctx, file, b.Dir, false, nil)
	wants(err, "has a catalog already")
	_, err = maintenance.Restore(ctx, file+"3", t.TempDir(), false, nil)
	wants(err, "there is no ")
	b.Open()
	_, err = maintenance.Restore(ctx, file, b.Dir, true, nil)
	if !errors.Is(err, directory.ErrLocked) {
		t.Error(err)
	}
	b.Catalog.Close()
	checkPartials(t, file)
	entries, _ := os.ReadDir(filepath.Dir(file))
	if len(entries) != 1 {
		t.Errorf("left beside the backup: %v", entries)
	}
}

// checkPartials: a restore removes only what a killed restore left in its directory, and not the file that it restores.
func checkPartials(t *testing.T, file string) {
	t.Helper()
	dir := t.TempDir()
	backup, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	partial := directory.DatabaseFile + ".17.partial"
	for _, name := range []string{partial, partial + "-journal", directory.DatabaseFile + ".18.partial", directory.DatabaseFile + ".mine.partial", "17.partial"} {
		if err := os.WriteFile(filepath.Join(dir, name), backup, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := maintenance.Restore(t.Context(), filepath.Join(dir, directory.DatabaseFile+".18.partial"), dir, false, nil); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*partial*"))
	if err != nil || len(left) != 3 || slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, partial) }) {
		t.Errorf("left are %q, %v", left, err)
	}
}

// A damaged catalog makes no backup, a damaged backup replaces no catalog, and a good backup keeps the catalog that
// it replaces.
func TestRestoreKeepsWhatItReplaces(t *testing.T) {
	ctx := context.Background()
	b := stocked(t)
	database := filepath.Join(b.Dir, directory.DatabaseFile)
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := maintenance.Backup(ctx, b.Dir, file, false, nil); err != nil {
		t.Fatal(err)
	}
	alter(t, database, "DELETE FROM live_state")
	if report, err := maintenance.Backup(ctx, b.Dir, file+"2", false, nil); err == nil || len(report.Findings) != 1 || !errors.Is(err, fault.ErrDamaged) {
		t.Errorf("the backup of a damaged catalog: %v", err)
	}
	damaged, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"3", damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := maintenance.Restore(ctx, file+"3", b.Dir, true, nil); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Error(err)
	}
	if err := os.WriteFile(database+directory.WALSuffix, []byte("an old log"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := maintenance.Restore(ctx, file, b.Dir, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(report.Replaced); err != nil || string(kept) != string(damaged) {
		t.Errorf("what was replaced is not kept: %v", err)
	}
	if kept, err := os.ReadFile(report.Replaced + directory.WALSuffix); err != nil || string(kept) != "an old log" {
		t.Errorf("its log is not kept: %v", err)
	}
	if report := catalogtest.Checked(t, b.Dir); report.Err() != nil || report.Rows != 48 {
		t.Errorf("after the restore: %s", catalogtest.Findings(report))
	}
	b.Open()
	c := b.Client()
	c.Want("SELECT COUNT(*) FROM d.u", "40")
	c.Session.SessionEnd()
}

// A backup owns neither relations in an engine nor tables upstream: a restored catalog drops nothing of the original's.
func TestBackupOwnsNothingElsewhere(t *testing.T) {
	b := catalogtest.NewBench(t)
	b.Owner()
	own := []string{catalog.EngineIdentitySetting, leftovers.Setting}
	for _, name := range own {
		if err := b.Catalog.SetSetting(t.Context(), name, []byte("[]")); err != nil {
			t.Fatal(err)
		}
	}
	file, restored := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")
	if _, err := maintenance.Backup(t.Context(), b.Dir, file, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := maintenance.Restore(t.Context(), file, restored, false, nil); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(restored)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range own {
		if kept, err := c.Setting(name); err != nil || kept != nil {
			t.Errorf("the copy has the setting %s: %q, %v", name, kept, err)
		}
	}
}

// What root restores belongs to the owner of the directory.
func TestRestoredFilesBelongToTheDirectorysOwner(t *testing.T) {
	b := catalogtest.NewBench(t)
	file, dir, owner := filepath.Join(t.TempDir(), "backup"), t.TempDir(), os.Getuid()
	if _, err := maintenance.Backup(t.Context(), b.Dir, file, false, nil); err != nil {
		t.Fatal(err)
	}
	if owner == 0 {
		owner = 12345
	}
	if err := os.Chown(dir, owner, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := maintenance.Restore(t.Context(), file, dir, false, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{directory.DatabaseFile, "LOCK"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := int(info.Sys().(*syscall.Stat_t).Uid); got != owner {
			t.Errorf("%s belongs to %d, must belong to %d", name, got, owner)
		}
	}
}
