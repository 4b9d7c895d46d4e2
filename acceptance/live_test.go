package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// A livePatients is a table that a release follows, and its expected contents.
type livePatients struct {
	t      *testing.T
	db     *dbsql.DB
	random *rand.Rand
	next   int
	rows   map[int]string // disease by id
}

var liveDiseases = []string{"Influenza", "Gastritis", "Bronchitis", "Hepatitis", "Asthma", "Pneumonia"}

// patient returns a row for VALUES.
func (p *livePatients) patient(id int) string {
	disease := liveDiseases[p.random.IntN(len(liveDiseases))]
	p.rows[id] = disease
	return fmt.Sprintf("(%d, %d, '%s', '%s')", id, 20+p.random.IntN(50), []string{"F", "M"}[p.random.IntN(2)], disease)
}

func (p *livePatients) new(n int) string {
	values := make([]string, n)
	for i := range values {
		p.next++
		values[i] = p.patient(p.next)
	}
	return strings.Join(values, ",")
}

// someone returns the id of a row, 0 if there is none.
func (p *livePatients) someone() int {
	for id := 1 + p.random.IntN(p.next); id <= p.next; id++ {
		if _, there := p.rows[id]; there {
			return id
		}
	}
	return 0
}

// step changes the table by a random statement or transaction.
func (p *livePatients) step(dir string) {
	id := p.someone()
	switch p.random.IntN(9) {
	case 0, 1:
		run(p.t, p.db, "INSERT INTO h.patients VALUES "+p.new(1+p.random.IntN(3)))
	case 2, 3:
		delete(p.rows, id)
		run(p.t, p.db, fmt.Sprintf("DELETE FROM h.patients WHERE id = %d", id))
	case 4:
		run(p.t, p.db, fmt.Sprintf("UPDATE h.patients SET age = age + 1 WHERE id = %d", id))
	case 5:
		if id > 0 {
			run(p.t, p.db, "REPLACE INTO h.patients VALUES "+p.patient(id))
		}
	case 6:
		if id > 0 {
			run(p.t, p.db, "INSERT INTO h.patients VALUES "+p.patient(id)+" ON DUPLICATE KEY UPDATE age = VALUES(age), sex = VALUES(sex), disease = VALUES(disease)")
		}
	case 7: // a rollback
		for _, statement := range []string{"START TRANSACTION", "DELETE FROM h.patients WHERE age < 40", "UPDATE h.patients SET disease = 'Plague'", "ROLLBACK"} {
			run(p.t, p.db, statement)
		}
	case 8:
		p.load(filepath.Join(dir, "patients.csv"))
	}
}

// load runs LOAD DATA with two rows.
func (p *livePatients) load(file string) {
	text := strings.NewReplacer("(", "", "'", "", ")", "", " ", "").Replace(strings.ReplaceAll(p.new(2), "),(", "\n")) + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	mysql.RegisterLocalFile(file)
	run(p.t, p.db, "LOAD DATA LOCAL INFILE '"+file+"' INTO TABLE h.patients FIELDS TERMINATED BY ','")
}

// check compares the freshly refreshed release with the table.
func (p *livePatients) check() {
	p.t.Helper()
	state := fetchRows(p.t, p.db, "SELECT `rows`, forged, waiting, pending FROM anonsql.releases WHERE name = 'patients'")[0]
	rows, forged, waiting := state[0].(float64), state[1].(float64), state[2].(float64)
	if rows-forged+waiting != float64(len(p.rows)) || state[3] != 0.0 {
		p.t.Fatalf("%v records, %v of them forged, %v waiting, %v pending, and the table has %d", rows, forged, waiting, state[3], len(p.rows))
	}
	actual := make(map[string]float64)
	for _, disease := range p.rows {
		actual[disease]++
	}
	// Every person is published with the current value, or waits.
	missing := waiting
	for _, row := range fetchRows(p.t, p.db, "SELECT disease, SUM(count) FROM published.patients_sa GROUP BY disease") {
		missing -= max(0, actual[row[0].(string)]-row[1].(float64))
		delete(actual, row[0].(string))
	}
	for _, n := range actual {
		missing -= n
	}
	if missing < 0 {
		p.t.Fatalf("%v persons are neither published nor waiting", -missing)
	}
	if broken := fetchRows(p.t, p.db, "SELECT guarantee FROM ANON_PRIVACY(published.patients) WHERE NOT holds"); len(broken) > 0 {
		p.t.Fatalf("broken guarantees %v", broken)
	}
	estimated := fetchRows(p.t, p.db, "SELECT COUNT(*) FROM published.patients")[0][0]
	if estimated != rows-forged {
		p.t.Fatalf("COUNT(*) is %v, and %v persons are published", estimated, rows-forged)
	}
}

// drasl is the method of most tests; its releases follow their table by default.
const drasl = "'drasl', 'k=4'"

func newLivePatients(t *testing.T, db *dbsql.DB, rows int, how string) *livePatients {
	p := &livePatients{t: t, db: db, random: rand.New(rand.NewPCG(6, 6)), rows: make(map[int]string)}
	run(t, db, "CREATE DATABASE h")
	run(t, db, "CREATE TABLE h.patients (id INT PRIMARY KEY, age INT, sex VARCHAR(1), disease VARCHAR(20))")
	run(t, db, "INSERT INTO h.patients VALUES "+p.new(rows))
	run(t, db, "CALL set_attributes('h.patients', 'qi=age,sex', 'sa=disease')")
	run(t, db, "CALL anonymize('h.patients', "+how+")")
	return p
}

// A release follows its table through every kind of statement, occasional refreshes, and restarts.
func TestLiveRelease(t *testing.T) {
	t.Parallel()
	for _, how := range []string{drasl, "'anatomy', 'l=3', 'updates=sealed'", "'slppa', 'beta=0.4', 'tables=2', 'updates=sealed'", "'mondrian', 'k=3', 'l=2', 'updates=sealed'",
		"'cross_bucket', 'k=3', 'l=3', 'updates=sealed'"}[:testsize.Levels(2, 5, 5)] {
		t.Run(how, func(t *testing.T) { followThroughStatements(t, how) })
	}
}

func followThroughStatements(t *testing.T, how string) {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	p := newLivePatients(t, s.Open(t, servertest.Root), 60, how)
	dir := t.TempDir()
	refreshes, steps := 0, testsize.Of(150, 600)
	for range steps {
		if p.random.IntN(8) > 0 {
			p.step(dir)
			continue
		}
		run(t, p.db, "CALL refresh_release('patients')")
		refreshes++
		p.check()
	}
	run(t, p.db, "CALL refresh_release('patients')")
	p.check()
	if published := fetchRows(t, p.db, "SELECT `rows` - forged - waiting FROM anonsql.releases WHERE name = 'patients'")[0][0].(float64); published < 20 {
		t.Errorf("%v persons more are published than wait", published)
	}
	versions := fetchRows(t, p.db, "SELECT versions FROM anonsql.releases WHERE name = 'patients'")[0][0].(float64)
	if refreshes < steps/15 || versions < float64(steps/15) {
		t.Errorf("%d refreshes and %v versions: too few to tell", refreshes, versions)
	}
}

// A release with units survives a restart: it knows which visits changed, who waits, and what earlier versions revealed.
func TestLiveUnitsThroughRestarts(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"'drasl', 'k=3'", "'anatomy', 'l=2', 'updates=sealed'"} {
		t.Run(how, func(t *testing.T) { followUnitsThroughRestarts(t, how) })
	}
}

func followUnitsThroughRestarts(t *testing.T, how string) {
	t.Helper()
	dir, random, next := t.TempDir(), rand.New(rand.NewPCG(37, 1)), 0
	visits := func(n int) string {
		values := make([]string, n)
		for i := range values {
			next++
			patient := random.IntN(60)
			values[i] = fmt.Sprintf("(%d, 'p%d', %d, '%s')", next, patient, 1940+patient, liveDiseases[random.IntN(len(liveDiseases))])
		}
		return strings.Join(values, ",")
	}
	published := 0.0
	for round := range 4 {
		s := servertest.Start(t, server.Config{Extend: server.Product, DataDir: dir})
		db := s.Open(t, servertest.Root)
		if round == 0 {
			run(t, db, "CREATE DATABASE h")
			run(t, db, "CREATE TABLE h.visits (id INT PRIMARY KEY, patient VARCHAR(5), born INT, disease VARCHAR(20))")
			run(t, db, "INSERT INTO h.visits VALUES "+visits(150))
			run(t, db, "CALL set_attributes('h.visits', 'unit=patient', 'qi=born', 'sa=disease')")
			run(t, db, "CALL anonymize('h.visits', "+how+", 'publish=visits', 'left_out=0.5')")
		} else {
			run(t, db, "CALL refresh_release('visits')") // what the rounds before left
		}
		if broken := fetchRows(t, db, "SELECT guarantee, achieved FROM ANON_PRIVACY(published.visits) WHERE NOT holds"); len(broken) > 0 {
			t.Fatalf("round %d: broken guarantees %v", round, broken)
		}
		state := fetchRows(t, db, "SELECT `rows` - forged + waiting, pending, version, forged FROM anonsql.releases WHERE name = 'visits'")[0]
		if actual := fetchRows(t, db, "SELECT COUNT(*) FROM h.visits")[0][0]; state[0] != actual || state[1] != 0.0 || state[2] != float64(1+round) {
			t.Errorf("round %d: records, pending and version are %v, the table has %v", round, state, actual)
		}
		if round > 0 && state[3] == 0.0 {
			t.Errorf("round %d: nobody left a counterfeit", round)
		}
		units := fetchRows(t, db, "SELECT COUNT(DISTINCT patient), ANON_LOW(COUNT(DISTINCT patient)), ANON_HIGH(COUNT(DISTINCT patient)), "+
			"ANON_ACTUAL(COUNT(DISTINCT patient)) FROM published.visits")[0]
		if units[0].(float64) < units[1].(float64) || units[0].(float64) > units[2].(float64) || units[1].(float64) > units[3].(float64) {
			t.Errorf("round %d: patients, bounds and how many the table has: %v", round, units)
		}
		published += units[0].(float64)
		run(t, db, "INSERT INTO h.visits VALUES "+visits(8))
		run(t, db, fmt.Sprintf("DELETE FROM h.visits WHERE patient = 'p%d'", random.IntN(60)))
		run(t, db, fmt.Sprintf("UPDATE h.visits SET disease = 'Asthma' WHERE id = %d", 1+random.IntN(150)))
		db.Close()
		s.Stop(t)
	}
	if published < 60 {
		t.Errorf("%v patients were published in four rounds", published)
	}
}

// Concurrent queries during a refresh get answers of one version.
func TestAskingDuringRefresh(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	p := newLivePatients(t, s.Open(t, servertest.Root), 200, drasl)
	run(t, p.db, "CREATE USER bi")
	run(t, p.db, "GRANT SELECT ON published.* TO bi")
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	for range 2 {
		analyst := s.Open(t, servertest.Account{User: "bi", Database: "published"})
		wait.Go(func() {
			for ctx.Err() == nil {
				var groups, records, sensitive float64
				err := analyst.QueryRow("SELECT COUNT(*), SUM(size), (SELECT SUM(count) FROM patients_sa) FROM patients_gid").Scan(&groups, &records, &sensitive)
				if err != nil || records != sensitive || records < 200 {
					t.Errorf("asked during a refresh: %v records and %v sensitive values, %v", records, sensitive, err)
					return
				}
			}
		})
	}
	for range 25 {
		run(t, p.db, "INSERT INTO h.patients VALUES "+p.new(5))
		run(t, p.db, "CALL refresh_release('patients')")
	}
	cancel()
	wait.Wait()
	p.check()
}

// With auto_refresh the server refreshes by itself, and lists this in anonsql.jobs. If it fails, anonsql.releases has
// the reason.
func TestAutoRefresh(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	p := newLivePatients(t, s.Open(t, servertest.Root), 40, drasl+", 'auto_refresh=10'")
	await := func(what, query string) {
		t.Helper()
		servertest.Eventually(t, what, func() bool { return len(fetchRows(t, p.db, query)) > 0 })
	}
	run(t, p.db, "INSERT INTO h.patients VALUES "+p.new(9))
	if got := fetchRows(t, p.db, "SELECT version, pending FROM anonsql.releases WHERE name = 'patients'")[0]; got[0] != 1.0 || got[1] != 9.0 {
		t.Errorf("version and pending %v after 9 changes, want 1 and 9", got)
	}
	run(t, p.db, "INSERT INTO h.patients VALUES "+p.new(1))
	await("a refresh after 10 changes", "SELECT 1 FROM anonsql.releases WHERE name = 'patients' AND version = 2 AND pending = 0")
	await("its job", "SELECT 1 FROM anonsql.jobs WHERE kind = 'refresh' AND user = 'auto_refresh' AND status = 'done'")
	p.check()
	run(t, p.db, "ALTER TABLE h.patients DROP COLUMN sex")
	run(t, p.db, "DELETE FROM h.patients WHERE id <= 10")
	await("the problem is shown", "SELECT 1 FROM anonsql.releases WHERE name = 'patients' AND version = 2 AND refresh_problem LIKE '%sex%'")
}
