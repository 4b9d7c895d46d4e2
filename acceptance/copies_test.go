package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/testsize"
)

// fillCohort creates a table of random people whose codes begin at first.
func fillCohort(t *testing.T, db *dbsql.DB, table string, seed uint64) {
	t.Helper()
	run(t, db, "CREATE TABLE "+table+" (id INT PRIMARY KEY, card VARCHAR(12), age INT, sex VARCHAR(1), zip INT, job INT, disease VARCHAR(10))")
	random := rand.New(rand.NewPCG(seed, 1))
	var values []string
	for id := range 2000 {
		values = append(values, fmt.Sprintf("(%d, '%x', %d, '%c', %d, %d, 'd%d')", id+1, random.Uint32(), 18+random.IntN(70), "FM"[random.IntN(2)],
			1000+random.IntN(60), int(20*random.Float64()*random.Float64()), int(12*random.Float64()*random.Float64())))
	}
	run(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(values, ", "))
}

// SQL copies of a published table are refused; the error has the table, the share and the ways out. Tables of other
// people are not refused.
func TestCopiesAreRefused(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE d")
	run(t, db, "USE d")
	fillCohort(t, db, "d.cohort", 1)
	fillCohort(t, db, "d.others", 2)
	publish := func(table, more string) error {
		_, err := db.Exec("CALL anonymize('d." + table + "', 'anatomy', 'qi=age,sex,zip,job', 'sa=disease', 'l=2', 'fit=false', 'attacks=false', 'calibrate=false', 'publish=" + table + "'" + more + ")")
		return err
	}
	if err := publish("cohort", ""); err != nil {
		t.Fatal(err)
	}
	copies := []struct{ query, want string }{
		{"* FROM d.cohort", "about 100 % of the records of d.copy0 are records of table d.cohort. Table d.cohort has the public release \"cohort\" (anatomy)"},
		{"* FROM d.cohort WHERE id % 20 = 3", "of the records of d.copy1 are records of table d.cohort"},
		{"* FROM d.cohort UNION ALL SELECT id + 2000, card, age, sex, zip, job, disease FROM d.others", "of the records of table d.cohort are records of d.copy2"},
		{"id, NULL, age + id % 2, sex, zip + 1 - id % 2, job, disease FROM d.cohort", "of the records of d.copy3 are records of table d.cohort"},
		{"3 * cohort.id + x.n, NULL, age, sex, zip, job, disease FROM d.cohort JOIN (SELECT 0 AS n UNION SELECT 1 UNION SELECT 2) x ON x.n <= cohort.id % 3", "are records of d.copy4"},
		{"0, NULL, age * 7 + 1000, IF(sex = 'F', 'w', 'x'), zip * 3, job + 500, disease FROM d.cohort", "d.copy5 seems to be table d.cohort with other values"},
		{"id, NULL, id * 7919 % 97, 'x', id * 31 % 89, id * 17 % 83, disease FROM d.cohort WHERE id % 2 = 1", "d.copy6"}, // by the row numbers, or by some records
		{"5000 + id, card, id % 7, 'x', id % 11, id % 13, 'a' FROM d.cohort WHERE id % 10 = 3 UNION ALL SELECT id, 'y', 1, 'y', 1, 1, 'b' FROM d.others WHERE id <= 200", "of the records of d.copy7 are records of table d.cohort"},
	}
	for i, c := range copies[:testsize.Levels(2, 3, len(copies))] {
		table := fmt.Sprint("copy", i)
		run(t, db, "CREATE TABLE d."+table+" (id INT, card VARCHAR(12), age INT, sex VARCHAR(1), zip INT, job INT, disease VARCHAR(10))")
		run(t, db, "INSERT INTO d."+table+" SELECT "+c.query)
		err := publish(table, "")
		if servertest.Number(err) != int(sqlerror.BadData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.query, err, c.want)
			continue
		}
		for _, way := range []string{"replace=true", "private=true", "allow_composition=true"} {
			if !strings.Contains(err.Error(), way) {
				t.Errorf("%s: %v does not say %s", c.query, err, way)
			}
		}
		if err := publish(table, ", 'private=true'"); err != nil {
			t.Errorf("%s, private: %v", c.query, err)
		}
		if i == 0 {
			tellsInDryRun(t, db, "CALL anonymize('d."+table+"', 'anatomy', 'qi=age,sex,zip,job', 'sa=disease', 'l=2', 'publish=another', 'dry_run=true')", c.want)
		}
	}
	if err := publish("copy0", ", 'replace=true', 'allow_composition=true'"); err != nil {
		t.Error(err)
	}
	if err := publish("others", ""); err != nil {
		t.Errorf("other people: %v", err)
	}
}

// tellsInDryRun expects that a dry run succeeds, and warns of the refusal.
func tellsInDryRun(t *testing.T, db *dbsql.DB, call, want string) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), call); err != nil {
		t.Errorf("%s: %v", call, err)
		return
	}
	rows, err := conn.QueryContext(t.Context(), "SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			t.Fatal(err)
		}
		all = append(all, message)
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, "without dry_run=true this is refused: ") || !strings.Contains(text, want) {
		t.Errorf("%s: warned is %q, want %q", call, text, want)
	}
}

// Errors in parameters come before refusals because of earlier publications.
func TestParametersComeBeforeComposition(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{Extend: server.Product}).Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE d")
	fillCohort(t, db, "d.cohort", 1)
	run(t, db, "CALL anonymize('d.cohort', 'anatomy', 'qi=age,sex', 'sa=disease', 'l=2', 'fit=false', 'attacks=false')")
	for arguments, want := range map[string]string{
		"'mondrian', 'k=five'":         "k is 'five', must be a whole number",
		"'mondrian', 'k=0'":            "k is 0, must be between 1 and",
		"'anatomy', 'l=1'":             "l is 1, must be between 2 and",
		"'slppa', 'beta=2'":            "beta is 2, must be above 0 and at most 1",
		"'slppa', 'beta=.5', 'bins=x'": "bins is 'x', must be a whole number",
		"'drasl', 'k=4', 'gamma=x'":    "gamma is 'x', must be a number from 0 to 100, or auto",
		"'arp', 'l=2', 'jitter=-1'":    "jitter is -1, must be between 0 and",
		"'cdt', 'k1=0'":                "k1 is '0', must be a whole number from 1 to 100, or auto",
		"'mondrian', 'k=5'":            "already has the public release",
	} {
		_, err := db.Exec("CALL anonymize('d.cohort', " + arguments + ", 'qi=age,sex', 'sa=disease', 'publish=again')")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", arguments, err, want)
		}
	}
}
