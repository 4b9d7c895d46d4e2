package functions

import (
	"context"
	dbsql "database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic"
)

// An update that breaks a promise, or forgets a record, is not accepted.
func TestRefreshIsNotBelieved(t *testing.T) {
	for name, spoil := range map[string]func(*anonymize.Release){
		"k": func(r *anonymize.Release) {
			r.Promises = append(slices.Clone(r.Promises), anonymize.Promise{Guarantee: "k", Bound: anonymize.Ratio{Num: 100, Den: 1}})
		},
		"malformed": func(r *anonymize.Release) { r.Rows++ },
		"disease":   func(r *anonymize.Release) { r.Fragments = slices.Clone(r.Fragments[:1]) },
	} {
		b := newBench(t)
		b.ward()
		b.run("root", "DELETE FROM hospital.ward WHERE id = 1")
		ctx := b.context(context.Background(), "root", "")
		pending, err := b.environment.Releases.Changes(ctx, "ward")
		if err != nil {
			t.Fatal(err)
		}
		r := &refresh{environment: b.environment, name: "ward", seed: "1", progress: func(string, int, int) {}}
		o, err := r.update(ctx, pending, dynamic.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.verify(ctx, pending, o); err != nil {
			t.Errorf("%s, before it is spoilt: %v", name, err)
		}
		spoil(o.Release)
		_, _, err = r.verify(ctx, pending, o)
		if err == nil || !strings.HasPrefix(err.Error(), "the refresh of ward was not accepted, the last version stays: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Touched rows that have their released values are no change: a text in another case, a value that came back, a row that
// came and went. The refresh makes no version of them, and forgets them; a dry run keeps them.
func TestRefreshOfWhatStayedTheSame(t *testing.T) {
	b := newBench(t)
	b.ward()
	const asked = "SELECT version, pending, waiting, forged FROM anonsql.releases WHERE name = 'ward'"
	want := func(query, row string) {
		t.Helper()
		if got := b.run("root", query).lines(); !slices.Equal(got, []string{row}) {
			t.Errorf("%s: %q, want %q", query, got, row)
		}
	}
	answers := func(call, row string) { // except for the seconds
		t.Helper()
		if got := b.run("root", call).lines(); len(got) != 1 || !strings.HasPrefix(got[0], row+"|") {
			t.Errorf("%s: %q, want %q", call, got, row)
		}
	}
	b.run("root", `UPDATE hospital.ward SET age = age + 1, disease = UPPER(disease) WHERE id IN (1, 2);
		UPDATE hospital.ward SET age = age - 1 WHERE id IN (1, 2);
		INSERT INTO hospital.ward VALUES (9, 40, 'F', 'Influenza');
		DELETE FROM hospital.ward WHERE id = 9`)
	want("SELECT disease FROM hospital.ward WHERE id = 1", "INFLUENZA")
	want(asked, "1|3|0|0")
	answers("CALL refresh_release('ward', 'dry_run=true')", "ward|1|dry run|8|2|0|0|0|0|0")
	want(asked, "1|3|0|0")
	answers("CALL refresh_release('ward')", "ward|1|nothing changed|8|2|0|0|0|0|0")
	want(asked, "1|0|0|0")
	answers("CALL refresh_release('ward', 'calibrate=true')", "ward|2|public|8|2|0|0|0|0|0") // the owner asked for widths
	if n := b.number("SELECT COUNT(*) FROM ANON_UTILITY('ward') WHERE measure = 'interval_width' AND value > 0"); n == 0 {
		t.Error("the version has no widths")
	}
	b.run("root", "INSERT INTO hospital.ward (age, sex, disease) VALUES (40, 'F', 'Influenza')")
	want(asked, "2|1|0|0")
}

// triggers counts those that record changes of tables.
func (b *bench) triggers() (n int) {
	b.t.Helper()
	files, err := filepath.Glob(filepath.Join(b.dir, "*.db"))
	if err != nil || len(files) == 0 {
		b.t.Fatalf("files %q, %v", files, err)
	}
	for _, file := range files {
		db, err := dbsql.Open("sqlite3", "file:"+file+"?mode=ro")
		if err != nil {
			b.t.Fatal(err)
		}
		var of int
		if err := db.QueryRow("SELECT COUNT(*) FROM sqlite_master WHERE type = 'trigger'").Scan(&of); err != nil {
			b.t.Fatal(err)
		}
		n += of
		db.Close()
	}
	return n
}

// A publication that fails follows nothing: no change of the table is recorded for it.
func TestFailedPublicationFollowsNothing(t *testing.T) {
	b := newBench(t)
	before := b.triggers()
	if _, err := b.try("root", "CALL anonymize('hospital.patients', 'drasl', 'k=9', 'qi=age,sex', 'sa=disease')"); err == nil {
		t.Fatal("nine of eight records are alike")
	}
	if n := b.triggers(); n != before {
		t.Errorf("%d triggers after it failed, %d before", n, before)
	}
	b.run("root", "CALL anonymize('hospital.patients', 'drasl', 'k=4', 'qi=age,sex', 'sa=disease')")
	if n := b.triggers(); n <= before {
		t.Errorf("%d triggers follow a release, %d before it: the test looks at the wrong place", n, before)
	}
}

// The release whose privileges were checked is the one that a statement works on: another one that takes its name meanwhile is refused.
func TestAnotherReleaseTookTheName(t *testing.T) {
	for name, c := range map[string]struct {
		begin                    func(e *Environment, ctx *sql.Context) (sql.RowIter, error)
		refused, method, updates string
	}{
		"fit_release": {func(e *Environment, ctx *sql.Context) (sql.RowIter, error) { return e.fitRelease(ctx, "ward") }, "published anew meanwhile",
			"in_order", "updates=none"},
		"refresh_release": {func(e *Environment, ctx *sql.Context) (sql.RowIter, error) { return e.refreshRelease(ctx, "ward") }, "replaced or dropped meanwhile",
			"drasl', 'k=4", "updates=sealed"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.ward(c.updates)
			ctx := b.context(context.Background(), "root", "CALL "+name+"('ward')")
			rows, err := c.begin(b.environment, ctx)
			if err != nil {
				t.Fatal(err)
			}
			b.run("steward", `CREATE TABLE hospital.others AS SELECT id + 100 AS id, age + 20 AS age, sex, CONCAT(disease, '?') AS disease FROM hospital.ward;
				CALL drop_release('ward');
				CALL anonymize('hospital.others', '`+c.method+`', 'qi=age,sex', 'sa=disease', 'publish=ward', '`+c.updates+`', 'allow_composition=true')`)
			if err := drained(ctx, rows); err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("another release took the name: %v", err)
			}
		})
	}
}
