package acceptance

import (
	"bytes"
	dbsql "database/sql"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// What a release reveals besides its tuples: order, numbers, dictionaries, files. A statistician who knows the raw
// table's order must learn nothing from these. The server gets its randomness from the system; each bound is five
// standard deviations, a false alarm in about two million runs.

// formRows is the number of people. Each has a unique id, ids follow the order of insertion, and the sensitive value
// does not depend on the id.
const formRows = 2400

var formDiseases = []string{"flu", "cold", "gout", "asthma", "croup", "mumps", "rash", "ague"}

func formDisease(id int) string { return formDiseases[(id*id*31+id*7+id/5)%len(formDiseases)] }

func publishForm(t *testing.T) (*servertest.Server, *dbsql.DB) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE hospital", "CREATE TABLE hospital.patients (id INT, sex VARCHAR(1), disease VARCHAR(20))")
	values := make([]string, formRows)
	for id := range values {
		values[id] = fmt.Sprintf("(%d, '%s', '%s')", id, []string{"F", "M"}[id%2], formDisease(id))
	}
	servertest.Exec(t, root, "INSERT INTO hospital.patients VALUES "+strings.Join(values, ", "),
		// Values that were deleted.
		"INSERT INTO hospital.patients VALUES (-77, 'X', 'plague-erased')",
		"DELETE FROM hospital.patients WHERE id = -77",
		"UPDATE hospital.patients SET disease = 'scurvy-erased' WHERE id = 5",
		"UPDATE hospital.patients SET disease = '"+formDisease(5)+"' WHERE id = 5",
		"CALL anonymize('hospital.patients', 'slppa', 'qi=id,sex', 'sa=disease', 'beta=0.25', 'tables=1', 'publish=p', 'fit=false', 'attacks=false', 'calibrate=false')")
	return s, root
}

func integers(t *testing.T, db *dbsql.DB, query string) [][2]int {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var pairs [][2]int
	for rows.Next() {
		var p [2]int
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// correlation is Pearson's. For n independent pairs it is about normal with standard deviation 1/sqrt(n).
func correlation(pairs [][2]int) float64 {
	var n, x, y, xx, yy, xy float64
	for _, p := range pairs {
		a, b := float64(p[0]), float64(p[1])
		n, x, y, xx, yy, xy = n+1, x+a, y+b, xx+a*a, yy+b*b, xy+a*b
	}
	return (n*xy - x*y) / math.Sqrt((n*xx-x*x)*(n*yy-y*y))
}

// Group numbers do not depend on the order of insertion, and differ in every publication.
func TestGroupNumbersAreRandom(t *testing.T) {
	t.Parallel()
	_, root := publishForm(t)
	first := integers(t, root, "SELECT id, gid FROM published.p_qi1 ORDER BY id")
	if len(first) != formRows {
		t.Fatalf("%d tuples", len(first))
	}
	bound := 5 / math.Sqrt(formRows)
	if r := correlation(first); math.Abs(r) > bound {
		t.Errorf("ids and group numbers correlate: %.3f, bound %.3f", r, bound)
	}
	servertest.Exec(t, root, "CALL anonymize('hospital.patients', 'slppa', 'qi=id,sex', 'sa=disease', 'beta=0.25', 'tables=1', 'publish=p', 'replace=true', 'fit=false', 'attacks=false', 'calibrate=false')")
	second := integers(t, root, "SELECT id, gid FROM published.p_qi1 ORDER BY id")
	again := make([][2]int, formRows)
	for i := range again {
		again[i] = [2]int{first[i][1], second[i][1]}
	}
	if r := correlation(again); math.Abs(r) > bound {
		t.Errorf("the group numbers of two runs correlate: %.3f, bound %.3f", r, bound)
	}
}

// The rows drawn from a release without completed tables, and those of SLPPA(...), hit a person's true value as often
// as a guess within the group, and not more often: the order of tuples in the fragments carries no link. (A model
// that learns from the release does better: package impute.)
func TestRowsLinkNoBetterThanChance(t *testing.T) {
	t.Parallel()
	_, root := publishForm(t)
	for _, source := range []string{"published.p", "SLPPA(hospital.patients, 1, 0.25, qi = 'id,sex', sa = disease, tables = 1)"} {
		rows, err := root.Query("SELECT id, disease FROM " + source)
		if err != nil {
			t.Fatal(err)
		}
		hits, n := 0, 0
		for rows.Next() {
			var id int
			var disease string
			if err := rows.Scan(&id, &disease); err != nil {
				t.Fatal(err)
			}
			n++
			if disease == formDisease(id) {
				hits++
			}
		}
		rows.Close()
		// In groups of at most 8 the chance is at least 1/8, and beta bounds it.
		low, high := float64(n)/8, float64(n)*0.25
		if slack := 5 * math.Sqrt(float64(n)*0.25*0.75); n != formRows || float64(hits) < low-slack || float64(hits) > high+slack {
			t.Errorf("%s has the true value of %d people of %d, chance is %.0f to %.0f", source, hits, n, low, high)
		}
	}
}

// Every relation is stored by group and value.
func TestStoredOrder(t *testing.T) {
	t.Parallel()
	_, root := publishForm(t)
	for _, relation := range []string{"SELECT gid, id FROM published.p_qi1", "SELECT gid, FIND_IN_SET(disease, 'ague,asthma,cold,croup,flu,gout,mumps,rash') FROM published.p_sa"} {
		pairs := integers(t, root, relation)
		if !slices.IsSortedFunc(pairs, func(a, b [2]int) int {
			if a[0] != b[0] {
				return a[0] - b[0]
			}
			return a[1] - b[1]
		}) {
			t.Errorf("%s is not in order", relation)
		}
	}
}

// A stored release has only values that its tuples use, ascending dictionaries and ascending tuples. So the stored
// form is a function of the published data.
func TestStoredFormIsCanonical(t *testing.T) {
	t.Parallel()
	s, _ := publishForm(t)
	s.Stop(t)
	store, err := catalog.Open(s.Config.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	releases, err := catalog.OpenReleases(store, func(*sql.Context, string, string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	ctx := sql.NewEmptyContext()
	for _, p := range releases.All(ctx) {
		release, err := p.Release(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := release.Check(); err != nil {
			t.Error(err)
		}
		for _, f := range release.Fragments {
			for _, c := range f.Columns {
				used := make([]bool, len(c.Dictionary))
				for _, code := range c.Codes {
					used[code] = true
				}
				for code, v := range c.Dictionary {
					if !used[code] {
						t.Errorf("the dictionary of %s.%s has %v, which no tuple has", f.Name, c.Name, v)
					}
					if code > 0 && anonymize.Compare(c.Dictionary[code-1], v) >= 0 {
						t.Errorf("the dictionary of %s.%s is not ascending at %v", f.Name, c.Name, v)
					}
				}
			}
		}
	}
}

// No file, no system table and no log has a seed.
func TestSeedIsNotKept(t *testing.T) {
	t.Parallel()
	s, root := publishForm(t)
	servertest.Exec(t, root, "CALL anonymize('hospital.patients', 'slppa', 'qi=id,sex', 'sa=disease', 'beta=0.25', 'publish=p', 'replace=true', 'fit=false', 'attacks=false', 'calibrate=false', 'seed=xyzzy-plugh-1977')")
	s.Stop(t)
	if strings.Contains(s.Log(), "xyzzy") {
		t.Error("the seed is in the log")
	}
	err := filepath.WalkDir(s.Config.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("xyzzy")) {
			t.Errorf("the seed is in %s", entry.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
