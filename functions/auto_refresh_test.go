package functions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/catalog"
)

// ward is a table that a release of the same name follows, refreshed by itself after
// two changes when auto is "auto_refresh=2".
func (b *bench) ward(auto ...string) {
	b.t.Helper()
	options := strings.Join(append([]string{""}, auto...), "', '")
	b.run("root", `CREATE TABLE hospital.ward (id INT PRIMARY KEY AUTO_INCREMENT, age INT, sex VARCHAR(6), disease VARCHAR(30) COLLATE utf8mb4_0900_ai_ci);
		INSERT INTO hospital.ward (age, sex, disease) VALUES
		 (30,'F','Influenza'), (31,'F','Gastritis'), (33,'M','Bronchitis'), (35,'M','Hepatitis'),
		 (50,'F','Influenza'), (51,'F','Gastritis'), (53,'M','Bronchitis'), (55,'M','Hepatitis');
		CALL set_attributes('hospital.ward', 'qi=age,sex', 'sa=disease');
		CALL anonymize('hospital.ward', 'drasl', 'k=4', 'seed=1`+options+`')`)
}

// patience bounds how long a test waits for automatic work. It only makes tests fail.
const patience = 5 * time.Minute

// A release with auto_refresh=2 is refreshed by the server when two records have
// changed, and not before.
func TestRefreshWhenDue(t *testing.T) {
	b := newBench(t)
	b.ward("auto_refresh=2")
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	refreshed, stopped := make(chan error, 10), make(chan struct{})
	go func() {
		defer close(stopped)
		b.environment.RefreshWhenDue(ctx, func(release string, started time.Time, err error) {
			if release != "ward" || started.IsZero() {
				t.Errorf("refreshed %q since %v", release, started)
			}
			refreshed <- err
		})
	}()
	b.run("root", "DELETE FROM hospital.ward WHERE id = 1")
	b.run("root", "INSERT INTO hospital.ward (age, sex, disease) VALUES (40, 'F', 'Influenza')")
	select {
	case err := <-refreshed:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("two changes, and no refresh")
	}
	row := b.run("root", "SELECT version, pending, waiting, forged, auto_refresh FROM anonsql.releases WHERE name = 'ward'").lines()
	if want := []string{"2|0|1|1|2"}; !slices.Equal(row, want) {
		t.Errorf("the release is %q, want %q", row, want)
	}
	if row := b.run("root", "SELECT user, status FROM anonsql.jobs WHERE kind = 'refresh'").lines(); !slices.Equal(row, []string{"auto_refresh|done"}) {
		t.Errorf("jobs %q", row)
	}
	stop()
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatal("it does not end with its context")
	}
}

// A panic while the server counts changes is an error of that release, which the log gets.
func TestCountingPanics(t *testing.T) {
	e := &Environment{Releases: &catalog.Releases{}} // without a catalog
	if due, err := e.refreshIfDue(t.Context(), "ward"); due || !errors.Is(err, errPanicked) {
		t.Errorf("due %v, %v", due, err)
	}
}

// A release whose turn comes is counted again: when another refresh took its changes after it was called, one further change makes no version.
// Two releases follow the ward, so that one is called while the other is refreshed; a third is called after both.
func TestRefreshCountsWhenItsTurnComes(t *testing.T) {
	b := newBench(t)
	b.ward("auto_refresh=2")
	b.run("root", `CALL anonymize('hospital.ward', 'drasl', 'k=4', 'publish=wing', 'private=true', 'auto_refresh=2');
		CALL anonymize('hospital.patients', 'drasl', 'k=4', 'qi=age,sex', 'sa=disease', 'publish=last', 'auto_refresh=1')`)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	owner := b.session("steward").Client().User
	refreshed, first := make(chan string, 10), true
	go b.environment.RefreshWhenDue(ctx, func(release string, _ time.Time, err error) {
		if err == nil && first {
			other := map[string]string{"ward": "wing", "wing": "ward"}[release]
			_, err = b.try("root", "CALL refresh_release('"+other+"'); INSERT INTO hospital.ward (age, sex, disease) VALUES (41, 'M', 'Hepatitis')")
		}
		if err != nil {
			t.Errorf("%s: %v", release, err)
		}
		first = false
		refreshed <- release
	})
	next := func() string {
		select {
		case release := <-refreshed:
			return release
		case <-time.After(patience):
			t.Fatal("changes, and no refresh")
			return ""
		}
	}
	b.run(owner, "DELETE FROM hospital.ward WHERE id < 3")
	next()
	b.run(owner, "INSERT INTO hospital.patients VALUES ('Ida', 31, 'F', '11100', 'flu', 1)")
	if got := next(); got != "last" {
		t.Errorf("%s was refreshed after one change, and asks for two", got)
	}
	rows := b.run(owner, "SELECT name, version, pending FROM anonsql.releases WHERE name IN ('ward', 'wing') ORDER BY name").lines()
	if want := []string{"ward|2|1", "wing|2|1"}; !slices.Equal(rows, want) {
		t.Errorf("the releases are %q, want %q", rows, want)
	}
}

// A release keeps the reason why its automatic refresh failed: here the table lacks a column.
func TestRefreshProblemIsNoted(t *testing.T) {
	b := newBench(t)
	b.ward("auto_refresh=1000")
	b.run("root", "DELETE FROM hospital.ward WHERE id = 1; ALTER TABLE hospital.ward DROP COLUMN sex")
	err := b.environment.refreshDue(context.Background(), "ward")
	if err == nil {
		t.Fatal("a table without one of its columns was refreshed")
	}
	rows := b.run("root", "SELECT refresh_problem FROM anonsql.releases WHERE name = 'ward'").rows
	if len(rows) != 1 || rows[0][0] != err.Error() {
		t.Errorf("noted %v, want %q", rows, err)
	}
	if err := b.environment.refreshDue(context.Background(), "nothing"); err == nil {
		t.Error("a release that is not there was refreshed")
	}
	killed, kill := context.WithCancel(context.Background())
	kill()
	if err := b.environment.refreshDue(killed, "ward"); err == nil {
		t.Error("a refresh that was stopped ended well")
	}
}

func TestDueReleases(t *testing.T) {
	d := newDueReleases()
	for _, name := range []string{"a", "b", "a"} {
		d.add(name)
	}
	if len(d.some) != 1 {
		t.Error("nobody is told")
	}
	if got := d.take(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("took %q", got)
	}
	if got := d.take(); got != nil {
		t.Errorf("took %q again", got)
	}
}

// A refresh that is stopped while it works leaves the version that there was.
func TestKilledRefresh(t *testing.T) {
	b := newBench(t)
	b.ward()
	b.run("root", "DELETE FROM hospital.ward WHERE id = 1")
	killed, kill := context.WithCancel(context.Background())
	ctx := b.context(killed, "root", "CALL refresh_release('ward')")
	rows, err := b.environment.refreshRelease(ctx, "ward")
	if err != nil {
		t.Fatal(err)
	}
	kill()
	if err := drained(ctx, rows); err == nil {
		t.Error("it ended well")
	}
	if _, err := b.environment.releaseFor(ctx, "refresh_release", "REFRESH", "ward"); err == nil || strings.Contains(err.Error(), "denied") {
		t.Errorf("killed, and told %v", err)
	}
	if got := b.run("root", "SELECT name, version, pending FROM "+catalog.SystemDatabaseName+".releases").lines(); !slices.Equal(got, []string{"ward|1|1"}) {
		t.Errorf("the releases are %q", got)
	}
}

// If no waiting person can be published, an automatic refresh says why, until a refresh publishes them.
func TestRefreshSaysWhyPersonsWait(t *testing.T) {
	b := newBench(t)
	b.run("root", `CREATE TABLE hospital.wing (id INT PRIMARY KEY AUTO_INCREMENT, age INT, disease VARCHAR(30));
		INSERT INTO hospital.wing (age, disease) VALUES (30, 'Influenza'), (31, 'Gastritis'), (33, 'Bronchitis'), (35, 'Hepatitis');
		CALL set_attributes('hospital.wing', 'qi=age', 'sa=disease');
		CALL anonymize('hospital.wing', 'anatomy', 'l=2', 'updates=sealed', 'seed=1');
		INSERT INTO hospital.wing (age, disease) VALUES (40, 'Influenza'), (41, 'Influenza'), (42, 'Influenza')`)
	problem := func(want string) {
		t.Helper()
		if err := b.environment.refreshDue(context.Background(), "wing"); err != nil {
			t.Fatal(err)
		}
		row := b.run("root", "SELECT waiting, refresh_problem FROM anonsql.releases WHERE name = 'wing'").lines()
		if len(row) != 1 || !strings.HasPrefix(row[0], want) {
			t.Errorf("the release is %q, want %q", row, want)
		}
	}
	problem("3|3 records of wing wait on, since groups of them would not keep the release's promises: l = 2 cannot be met: disease = 'Influenza' is 3 of 3 records")
	b.run("root", "INSERT INTO hospital.wing (age, disease) VALUES (43, 'Gastritis'), (44, 'Hepatitis'), (45, 'Bronchitis')")
	problem("0|NULL")
}

// A panic of the server's own work is an error of the release: its owner reads a line, and the log a stack.
func TestOwnWorkPanics(t *testing.T) {
	b := newBench(t)
	b.ward("auto_refresh=1000")
	b.run("root", `DELETE FROM hospital.ward WHERE id = 1; CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name');
		CALL anonymize('hospital.patients', 'in_order', 'fit=async')`)
	e := b.environment
	e.Jobs = nil
	err := e.refreshDue(t.Context(), "ward")
	if err == nil || !strings.Contains(err.Error(), "functions.(*refresh).perform") {
		t.Errorf("the refresh has no stack: %v", err)
	}
	problem := b.run("root", "SELECT refresh_problem FROM anonsql.releases WHERE name = 'ward'").lines()[0]
	if !strings.HasPrefix(problem, errPanicked.Error()+": runtime error: ") || strings.Contains(problem, "goroutine") {
		t.Errorf("noted is %q", problem)
	}
	ctx, stop := context.WithCancel(t.Context())
	e.FitWhenAsked(ctx, func(release string, _ time.Time, err error) {
		if !errors.Is(err, errPanicked) {
			t.Errorf("%s: %v", release, err)
		}
		stop()
	})
}
