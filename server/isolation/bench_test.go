package isolation_test

import (
	dbsql "database/sql"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// BenchmarkStatement has the median of what a statement takes in a worker and in the server itself, on the same release, one after the other, so that the
// machine is the same for both. ANONSQL_SCALE is the number of records, 20,000 by default.
func BenchmarkStatement(b *testing.B) {
	rows := 20_000
	if text := os.Getenv("ANONSQL_SCALE"); text != "" {
		var err error
		if rows, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	dir := b.TempDir()
	setup := servertest.Start(b, server.Config{Extend: server.Product, DataDir: dir})
	root := setup.Open(b, servertest.Root)
	servertest.Exec(b, root, "CREATE DATABASE clinic", "CREATE TABLE clinic.visits (id INT PRIMARY KEY, age INT, zip INT, disease VARCHAR(20))",
		fmt.Sprintf("INSERT INTO clinic.visits WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t WHERE n < 999) "+
			"SELECT 1000 * a.n + b.n, 20 + (7 * a.n + b.n) %% 60, (a.n + 3 * b.n) %% 97, ELT(1 + (a.n + b.n * b.n) %% 7, 'flu', 'cold', 'gout', 'asthma', 'ulcer', 'angina', 'none') "+
			"FROM t a, t b WHERE 1000 * a.n + b.n < %d", rows),
		"CALL set_attributes('clinic.visits', 'qi=age,zip', 'sa=disease', 'ei=id')", "CALL anonymize('clinic.visits', 'anatomy', 'l=3', 'publish=p')",
		fmt.Sprintf("CALL create_analyst('%s', '%s')", analyst.User, analyst.Password))
	setup.Stop(b)
	for _, statement := range []struct{ name, sql string }{{"SELECT 1", "SELECT 1"}, {"COUNT", "SELECT COUNT(*) FROM p WHERE age > 40 AND disease = 'flu'"}, {"1,000 rows", "SELECT * FROM p LIMIT 1000"}} {
		for _, workers := range []bool{false, true} {
			s := servertest.Start(b, server.Config{Extend: server.Product, DataDir: dir, Workers: workers})
			db := s.Open(b, analyst)
			db.SetMaxOpenConns(1)
			prepared, err := db.Prepare(statement.sql)
			if err != nil {
				b.Fatal(err)
			}
			for protocol, ask := range map[string]func() (*dbsql.Rows, error){
				"text": func() (*dbsql.Rows, error) { return db.Query(statement.sql) }, "prepared": func() (*dbsql.Rows, error) { return prepared.Query() },
			} {
				b.Run(fmt.Sprintf("%s/%s/worker=%v", statement.name, protocol, workers), func(b *testing.B) { median(b, ask) })
			}
			s.Stop(b)
		}
	}
}

// median asks again and again.
func median(b *testing.B, ask func() (*dbsql.Rows, error)) {
	var took []time.Duration
	for range 20 + b.N {
		began := time.Now()
		rows, err := ask()
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	took = took[20:] // the first ones read what the others find
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "ms/median")
}
