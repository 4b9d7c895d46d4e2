package acceptance

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// The whole path with the stock command line client: load, change, publish,
// query, restart, query again.
func TestCommandLinePath(t *testing.T) {
	t.Parallel()
	config := server.Config{Extend: server.Product}
	s := servertest.Start(t, config)
	people := testsize.Of(1200, 3000)
	file := census.Write(t, people)
	script := `CREATE DATABASE census; USE census;
CREATE TABLE people (person_id INT PRIMARY KEY, name VARCHAR(64), age INT, sex VARCHAR(8), education VARCHAR(24), marital_status VARCHAR(16),
  workclass VARCHAR(24), occupation VARCHAR(24), region VARCHAR(24), zip VARCHAR(5), hours_per_week INT, income INT, disease VARCHAR(24), KEY (zip));
LOAD DATA LOCAL INFILE '` + file + `' INTO TABLE people FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' IGNORE 1 LINES;
SELECT COUNT(*) AS loaded FROM people;
INSERT INTO people (person_id, name, age, sex, disease) VALUES (900001, 'Zoe', 33, 'Female', 'Asthma');
UPDATE people SET age = 34 WHERE person_id = 900001;
SELECT age FROM people WHERE person_id = 900001;
DELETE FROM people WHERE person_id = 900001;
ALTER TABLE people ADD COLUMN note VARCHAR(10), DROP COLUMN occupation;
CALL set_attributes('people', 'qi=age,sex,education,region', 'sa=disease', 'ei=person_id,name');
CALL anonymize('people', 'slppa', 'beta=0.25', 'tables=2', 'publish=people', 'misfit=false');
SELECT COUNT(*) AS published FROM published.people;
SELECT ANON_RELATIVE_ERROR(COUNT(*)) AS error FROM published.people WHERE disease = 'Asthma';
`
	got, err := mariadb(t, s, script)
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	for _, want := range []string{"loaded\n%d\n", "age\n34\n", "public\t%d\t", "published\n%d\n", "error\n0\n"} {
		if want := strings.ReplaceAll(want, "%d", strconv.Itoa(people)); !strings.Contains(got, want) {
			t.Errorf("the output has no %q:\n%s", want, got)
		}
	}
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	got, err = mariadb(t, s, "SELECT COUNT(*) AS n FROM published.people; SELECT COUNT(*) AS raw FROM census.people; DROP TABLE census.people; SELECT COUNT(*) AS still FROM published.people WHERE age > 0;")
	if want := fmt.Sprintf("n\n%[1]d\nraw\n%[1]d\nstill\n%[1]d\n", people); err != nil || got != want {
		t.Errorf("after the restart: %v, output\n%s\nwant\n%s", err, got, want)
	}
}

// Estimates in the binary protocol (prepared statements) equal those of the text protocol, to the last bit.
func TestPreparedEstimates(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 120)
	for _, c := range []struct {
		prepared  string
		arguments []any
		text      string
	}{
		{"SELECT COUNT(*) FROM published.p WHERE age > ? AND disease = ?", []any{40, "flu"}, "SELECT COUNT(*) FROM published.p WHERE age > 40 AND disease = 'flu'"},
		{"SELECT AVG(age), SUM(charge) FROM published.p WHERE disease IN (?, ?) OR zip = ?", []any{"flu", "cold", "11100"}, "SELECT AVG(age), SUM(charge) FROM published.p WHERE disease IN ('flu', 'cold') OR zip = '11100'"},
		{"SELECT COUNT(*) FROM published.p WHERE born < ? AND sex = ?", []any{"1980-01-01", "F"}, "SELECT COUNT(*) FROM published.p WHERE born < '1980-01-01' AND sex = 'F'"},
		{"SELECT COUNT(*) FROM published.p WHERE charge BETWEEN ? AND ? AND disease = 'flu'", []any{10.5, 40.5}, "SELECT COUNT(*) FROM published.p WHERE charge BETWEEN 10.5 AND 40.5 AND disease = 'flu'"},
		{"SELECT COUNT(*) FROM published.p WHERE disease <=> ?", []any{nil}, "SELECT COUNT(*) FROM published.p WHERE disease <=> NULL"},
	} {
		statement, err := db.PrepareContext(context.Background(), c.prepared)
		if err != nil {
			t.Errorf("%s: %v", c.prepared, err)
			continue
		}
		var got [2]*float64
		targets := []any{&got[0], &got[1]}[:strings.Count(strings.Split(c.prepared, "FROM")[0], "(")]
		if err := statement.QueryRowContext(context.Background(), c.arguments...).Scan(targets...); err != nil {
			t.Errorf("%s: %v", c.prepared, err)
			continue
		}
		statement.Close()
		want := fetchRows(t, db, c.text)[0]
		for i, w := range want {
			if w != any(*got[i]) {
				t.Errorf("%s: prepared %v, text %v", c.prepared, *got[i], w)
			}
		}
	}
}

// While the owner publishes new versions, analysts' queries get answers of one version, never an error and never a
// mixture.
func TestAskingDuringPublication(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, 2000))
	owner := s.Open(t, servertest.Root)
	publish := "CALL anonymize('census.people', 'slppa', 'qi=age,sex,region', 'sa=disease', 'beta=0.25', 'tables=2', 'replace=true', 'publish=people', 'calibrate=false', 'attacks=false', 'fit=false')"
	run(t, owner, publish)
	run(t, owner, "CREATE USER 'bi'@'%'")
	run(t, owner, "GRANT SELECT ON published.* TO 'bi'@'%'")
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	for range 3 {
		analyst := s.Open(t, servertest.Account{User: "bi", Database: "published"})
		wait.Go(func() {
			for ctx.Err() == nil {
				var n, groups, records float64
				if err := analyst.QueryRow("SELECT COUNT(*) FROM people WHERE disease = 'Asthma' OR disease <> 'Asthma'").Scan(&n); err != nil || n < 1999.999 || n > 2000.001 {
					t.Errorf("asked during a publication: %v, %v", n, err)
					return
				}
				if err := analyst.QueryRow("SELECT COUNT(*), SUM(size) FROM people_gid").Scan(&groups, &records); err != nil || records != 2000 {
					t.Errorf("asked during a publication: %v records, %v", records, err)
					return
				}
			}
		})
	}
	publications := testsize.Of(6, 15)
	for range publications {
		run(t, owner, publish)
	}
	cancel()
	wait.Wait()
	if got := fetchRows(t, owner, "SELECT version FROM anonsql.releases")[0][0]; got != float64(1+publications) {
		t.Errorf("version %v, want %d", got, 1+publications)
	}
}

// A killed CALL anonymize stores nothing, and returns 1317.
func TestKilledAnonymize(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	census.Import(t, s.Addr, census.Write(t, testsize.Of(10_000, 50_000)))
	owner, other := s.Open(t, servertest.Root), s.Open(t, servertest.Root)
	conn, err := owner.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var id int
	if err := conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	// The final calibration runs hundreds of queries, so a kill sent at its beginning arrives before its end.
	ended := make(chan error, 1)
	go func() {
		ended <- servertest.Drain(conn.QueryContext(context.Background(), "CALL anonymize('census.people', 'slppa', 'qi=age,sex,education,marital_status,workclass,region,zip,income', 'sa=disease', 'beta=0.2', 'tables=3', 'calibrate=true', 'attacks=false', 'fit=false')"))
	}()
	servertest.Eventually(t, "the job", func() bool {
		return len(ended) > 0 || len(fetchRows(t, other, "SELECT id FROM anonsql.jobs WHERE status = 'running' AND phase = 'calibrate'")) > 0
	})
	if len(ended) > 0 {
		t.Fatalf("the call ended before it could be killed: %v", <-ended)
	}
	run(t, other, fmt.Sprintf("KILL QUERY %d", id))
	err = <-ended
	stored := fetchRows(t, other, "SELECT name FROM anonsql.releases")
	if servertest.Number(err) != 1317 || len(stored) != 0 {
		t.Errorf("error %v, %d releases stored", err, len(stored))
	}
}
