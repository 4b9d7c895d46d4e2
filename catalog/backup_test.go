package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const writingDirectory = "ANONSQL_TEST_WRITING_DIRECTORY"

// The child of TestBackupWhileWritten: every transaction adds a pair of rows and
// says so when it is acknowledged; now and then a release is refreshed.
func TestWritingChild(t *testing.T) {
	dir := os.Getenv(writingDirectory)
	if dir == "" {
		return // nothing to do but as the child of TestBackupWhileWritten
	}
	b := &bench{t: t, dir: dir}
	b.open()
	b.catalog.SetLockWait(time.Minute)
	r, c, w := b.releases(), b.client(), b.client()
	w.session.SetCurrentDatabase("d")
	c.session.SetCurrentDatabase("d")
	for pair := 1; ; pair++ {
		w.run("START TRANSACTION", fmt.Sprintf("INSERT INTO pairs VALUES (%d, 1, REPEAT('x', 2000))", pair), fmt.Sprintf("INSERT INTO pairs VALUES (%d, 2, REPEAT('y', 2000))", pair),
			fmt.Sprintf("INSERT INTO t (q, s) VALUES (%d, 1)", pair%7), "COMMIT")
		if pair%20 == 0 {
			c.refresh(r, grouping(3), "p")
		}
		fmt.Println("pair", pair)
	}
}

// A backup beside a process that writes is whole, has all that was acknowledged
// before it began and nothing by halves, also when the process is killed
// meanwhile.
func TestBackupWhileWritten(t *testing.T) {
	b := newBench(t)
	r, c := b.releases(), b.owner()
	c.run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", "INSERT INTO t (q, s) VALUES (1, 1), (2, 2), (3, 3)",
		"CREATE TABLE pairs (n INT, part INT, filler TEXT, PRIMARY KEY (n, part))")
	if _, err := c.publish(r, grouping(3), "p", nil); err != nil {
		t.Fatal(err)
	}
	c.session.SessionEnd()
	rounds := 4
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		if err := b.catalog.Close(); err != nil {
			t.Fatal(err)
		}
		child, acknowledged := startWriting(t, b.dir)
		for acknowledged() < 30*(round+1) {
		}
		for i := range 3 {
			before := acknowledged()
			file := filepath.Join(t.TempDir(), "backup")
			if i == 2 { // kill it while the copy is made
				time.AfterFunc(time.Duration(round)*time.Millisecond, func() { _ = child.Process.Kill() })
			}
			report, err := Backup(context.Background(), b.dir, file, false, nil)
			if err != nil || report.Whole() != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			checkPairs(t, file, before)
		}
		_ = child.Wait()
		report := checked(t, b.dir) // with the log that the kill left
		if report.Whole() != nil {
			t.Errorf("after the kill: %s", findings(report))
		}
		b.open()
		*c = *b.client()
		c.session.SetCurrentDatabase("d")
		c.run("DELETE FROM d.pairs")
		c.session.SessionEnd()
	}
}

// startWriting starts the child. acknowledged reads one more line of it and
// returns the number of pairs.
func startWriting(t *testing.T, dir string) (*exec.Cmd, func() int) {
	t.Helper()
	child, lines := startProcess(t, "TestWritingChild", writingDirectory, dir)
	return child, func() int {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "pair "); ok {
				n, _ := strconv.Atoi(text)
				return n
			}
		}
		t.Fatal("the writing process ended")
		return 0
	}
}

// checkPairs restores a backup and wants pairs 1 to at least n, all whole.
func checkPairs(t *testing.T, file string, n int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "restored")
	if _, err := Restore(context.Background(), file, dir, false, nil); err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, dir: dir}
	b.open()
	defer b.catalog.Close()
	c := b.client()
	defer c.session.SessionEnd()
	rows, err := c.try("SELECT COUNT(*), COUNT(DISTINCT n), MAX(n) FROM d.pairs")
	if err != nil {
		t.Fatal(err)
	}
	var records, pairs, last int
	if _, err := fmt.Sscanf(strings.ReplaceAll(rows[0], "|", " "), "%d %d %d", &records, &pairs, &last); err != nil || records != 2*pairs || pairs != last || pairs < n {
		t.Errorf("%v (%v), want whole pairs and at least %d", rows, err, n)
	}
	pending, err := b.releases().Changes(c.context(), "p")
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
	if _, err := Backup(ctx, b.dir, file, false, nil); err != nil {
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
	_, err := Backup(ctx, b.dir, file, false, nil)
	wants(err, "exists already")
	if _, err := Backup(ctx, b.dir, file, true, nil); err != nil {
		t.Error(err)
	}
	_, err = Backup(ctx, t.TempDir(), file+"2", false, nil)
	wants(err, "there is no catalog in the data directory")
	_, err = Backup(ctx, b.dir, filepath.Join(b.dir, databaseFile), true, nil)
	wants(err, "is a file of the catalog itself")
	_, err = Restore(ctx, file, b.dir, false, nil)
	wants(err, "has a catalog already")
	_, err = Restore(ctx, file+"3", t.TempDir(), false, nil)
	wants(err, "there is no ")
	b.open()
	_, err = Restore(ctx, file, b.dir, true, nil)
	if !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	b.catalog.Close()
	entries, _ := os.ReadDir(filepath.Dir(file))
	if len(entries) != 1 {
		t.Errorf("left beside the backup: %v", entries)
	}
}

// A damaged catalog makes no backup, a damaged backup replaces no catalog, and
// the one that a good backup replaces is kept.
func TestRestoreKeepsWhatItReplaces(t *testing.T) {
	ctx := context.Background()
	b := stocked(t)
	database := filepath.Join(b.dir, databaseFile)
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := Backup(ctx, b.dir, file, false, nil); err != nil {
		t.Fatal(err)
	}
	alter(t, database, "DELETE FROM live_state")
	if report, err := Backup(ctx, b.dir, file+"2", false, nil); err == nil || len(report.Findings) != 1 || !errors.Is(err, ErrDamaged) {
		t.Errorf("the backup of a damaged catalog: %v", err)
	}
	damaged, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"3", damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(ctx, file+"3", b.dir, true, nil); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Error(err)
	}
	if err := os.WriteFile(database+walSuffix, []byte("an old log"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := Restore(ctx, file, b.dir, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := os.ReadFile(report.Replaced); err != nil || string(kept) != string(damaged) {
		t.Errorf("what was replaced is not kept: %v", err)
	}
	if kept, err := os.ReadFile(report.Replaced + walSuffix); err != nil || string(kept) != "an old log" {
		t.Errorf("its log is not kept: %v", err)
	}
	if report := checked(t, b.dir); report.Whole() != nil || report.Rows != 48 {
		t.Errorf("after the restore: %s", findings(report))
	}
	b.open()
	c := b.client()
	c.want("SELECT COUNT(*) FROM d.u", "40")
	c.session.SessionEnd()
}
