package server

import (
	dbsql "database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	_ "github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/running"
)

// For an account that sends only refused statements, the audit has a hundred entries, and the number of the others.
func TestRefusalsFillNoDisk(t *testing.T) {
	dir := t.TempDir()
	log, err := audit.Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := newRefusals(log)
	for range 250 {
		r.add(audit.Entry{At: time.Now(), Account: "bi", Host: "192.0.2.1", Kind: refusedKind, Statement: "SELEC", Error: 1064})
	}
	r.add(audit.Entry{At: time.Now(), Account: "bi", Host: "192.0.2.1", Kind: deniedKind, Error: 1142})
	r.add(audit.Entry{At: time.Now(), Account: "ci", Host: "192.0.2.1", Kind: refusedKind, Error: 1064})
	r.flush()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	db, err := dbsql.Open("sqlite3", files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for query, want := range map[string]int{
		"SELECT COUNT(*) FROM audit WHERE account = 'bi' AND kind = 'refused' AND statement <> ''":                  100,
		"SELECT SUM(rows) FROM audit WHERE account = 'bi' AND kind = 'refused' AND statement = '' AND error = 1064": 150,
		"SELECT COUNT(*) FROM audit WHERE kind = 'denied' OR account = 'ci'":                                        2,
	} {
		var got int
		if err := db.QueryRow(query).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", query, got, err, want)
		}
	}
}

// While the audit cannot be written, and has no room, no account changes and no procedure is called.
func TestNothingUnauditedIsDone(t *testing.T) {
	dir := t.TempDir()
	log, err := audit.Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	db, err := dbsql.Open("sqlite3", filepath.Join(dir, audit.File))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'broken'); END"); err != nil {
		t.Fatal(err)
	}
	for range 20_000 { // more than may wait
		log.Add(audit.Entry{At: time.Now(), Kind: estimateKind})
	}
	if err := log.Flushed(t.Context(), 0); err == nil {
		t.Fatal("the audit was written")
	}
	store, err := catalog.InMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	e := execution{audit: log, accounts: accounts.New(mysql_db.CreateEmptyMySQLDb(), store)}
	for _, n := range []sql.Node{&plan.FlushPrivileges{}, &plan.ExternalProcedure{ExternalStoredProcedureDetails: sql.ExternalStoredProcedureDetails{Name: "drop_release",
		Function: func(*sql.Context) (sql.RowIter, error) { return sql.RowsToRowIter(), nil }}}} {
		if _, err := e.Build(sql.NewEmptyContext(), n, nil); err == nil || !strings.Contains(err.Error(), "the audit cannot be written") {
			t.Errorf("%T: %v", n, err)
		}
	}
}

// An act has the kind and the release that the procedure reads, in every form that it reads.
func TestActsAreWhatProceduresRead(t *testing.T) {
	for _, test := range []struct {
		name  string
		given []string
		want  running.Act
	}{
		{"anonymize", []string{"census.people", "anatomy", "l=3"}, running.Act{Kind: "publish", Release: "people", Source: "census.people"}},
		{"anonymize", []string{"census.people", "anatomy", "l=3", "Publish = p2", "dry_run=off"}, running.Act{Kind: "publish", Release: "p2", Source: "census.people"}},
		{"anonymize", []string{"census.people", "anatomy", `{"l": 4, "publish": "p2"}`}, running.Act{Kind: "publish", Release: "p2", Source: "census.people"}},
		{"anonymize", []string{"census.people", `{"dry_run": true}`}, running.Act{Kind: "dry_run", Release: "people", Source: "census.people"}},
		{"anonymize", []string{"census.people", "dry_run=no"}, running.Act{Kind: "publish", Release: "people", Source: "census.people"}},
		{"anonymize", []string{"census.people", "DRY_RUN=maybe"}, running.Act{Kind: "dry_run", Release: "people", Source: "census.people"}},
		{"import_release", []string{"/data/p", `{"publish": "p3"}`}, running.Act{Kind: "import", Release: "p3"}},
		{"drop_release", []string{"published.p"}, running.Act{Kind: "drop", Release: "p"}},
	} {
		if got := actOf(test.name, test.given); got != test.want {
			t.Errorf("%s %q: %+v, want %+v", test.name, test.given, got, test.want)
		}
	}
}
