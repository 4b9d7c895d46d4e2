package isolation_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

var benchmarkRecords = flag.Int("records", 20_000, "records of a benchmark's release")

// benchmarkDirectory is a data directory with the release p of some records, and accounts that read it.
func benchmarkDirectory(b *testing.B, accounts ...servertest.Account) string {
	b.Helper()
	rows := *benchmarkRecords
	dir := b.TempDir()
	setup := servertest.Start(b, server.Config{Extend: server.Product, DataDir: dir})
	root := setup.Open(b, servertest.Root)
	servertest.Exec(b, root, "CREATE DATABASE clinic", "CREATE TABLE clinic.visits (id INT PRIMARY KEY, age INT, zip INT, disease VARCHAR(20))")
	for million := 0; million*1_000_000 < rows; million++ {
		servertest.Exec(b, root, fmt.Sprintf("INSERT INTO clinic.visits WITH RECURSIVE t(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t WHERE n < 999) "+
			"SELECT %d + 1000 * a.n + b.n, 20 + (7 * a.n + b.n) %% 60, (a.n + 3 * b.n) %% 97, ELT(1 + (a.n + b.n * b.n) %% 7, 'flu', 'cold', 'gout', 'asthma', 'ulcer', 'angina', 'none') "+
			"FROM t a, t b WHERE 1000 * a.n + b.n < %d", million*1_000_000, rows-million*1_000_000))
	}
	servertest.Exec(b, root, "CALL set_attributes('clinic.visits', 'qi=age,zip', 'sa=disease', 'ei=id')", "CALL anonymize('clinic.visits', 'anatomy', 'l=3', 'publish=p')")
	for _, a := range accounts {
		servertest.Exec(b, root, fmt.Sprintf("CALL create_analyst('%s', '%s')", a.User, a.Password))
	}
	setup.Stop(b)
	return dir
}

// BenchmarkWorkers measures a release's memory in 20 accounts with the same query: a worker's own memory, its memory if nothing were shared, and the
// total of all. It also measures the time of a fresh worker to its first answer without the release, and to the first one with it: for the first
// worker, which makes the segments, and for the next ones.
func BenchmarkWorkers(b *testing.B) {
	var accounts []servertest.Account
	for i := range 20 {
		accounts = append(accounts, servertest.Account{User: fmt.Sprintf("a%d", i), Password: "a long password", Database: "published"})
	}
	dir := benchmarkDirectory(b, accounts...)
	for b.Loop() {
		s := servertest.Start(b, server.Config{Extend: server.Product, DataDir: dir})
		var begins, firsts []time.Duration
		for _, a := range accounts {
			db := s.Open(b, a)
			began := time.Now()
			servertest.Exec(b, db, "SELECT 1")
			begins = append(begins, time.Since(began))
			began = time.Now()
			servertest.Exec(b, db, "SELECT COUNT(*) FROM p WHERE age > 40 AND disease = 'flu'")
			firsts = append(firsts, time.Since(began))
			servertest.Exec(b, db, "SELECT age, COUNT(*) FROM p GROUP BY age", "SELECT * FROM p LIMIT 10")
		}
		b.ReportMetric(float64(firsts[0])/1e6, "ms/first")
		slices.Sort(begins)
		b.ReportMetric(float64(begins[len(begins)/2])/1e6, "ms/begin")
		slices.Sort(firsts[1:])
		b.ReportMetric(float64(firsts[len(firsts)/2])/1e6, "ms/next")
		total := map[string]float64{}
		for _, pid := range workerProcesses(b) {
			if !strings.Contains(strings.Join(mappings(b, pid), ""), "segment") {
				continue // without an account yet
			}
			for name, kilobytes := range memoryOf(b, pid) {
				total[name] += kilobytes / 1024
			}
			total["workers"]++
		}
		for _, name := range []string{"own", "resident"} {
			b.ReportMetric(total[name]/total["workers"], "MB-"+name+"/worker")
		}
		b.ReportMetric(total["proportional"], "MB/all")
		b.ReportMetric(total["workers"], "workers")
		b.ReportMetric(memoryOf(b, os.Getpid())["resident"]/1024, "MB/front")
		s.Stop(b)
	}
}

// memoryOf returns a process's memory in kilobytes.
func memoryOf(b *testing.B, pid int) map[string]float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		b.Fatal(err)
	}
	took := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		name, known := map[string]string{"Private_Clean:": "own", "Private_Dirty:": "own", "Rss:": "resident", "Pss:": "proportional"}[fields[0]]
		if !known {
			continue
		}
		kilobytes, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			b.Fatal(err)
		}
		took[name] += kilobytes
	}
	return took
}
