package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/testsize"
)

// BenchmarkPublish publishes a table of 1M rows (100,000 unless in full) and six columns, in one run: from the embedded store with its rows in memory, from the same
// with its rows read from its file, and from the owner's server, which is read anew every time.
func BenchmarkPublish(b *testing.B) {
	rows := testsize.Of(100_000, 1_000_000)
	const create = "CREATE TABLE large (id INT PRIMARY KEY, age INT, sex VARCHAR(1), zip VARCHAR(10), education VARCHAR(20), disease VARCHAR(20))"
	const publish = "CALL anonymize('house.large', 'anatomy', 'l=5', 'fit=false', 'calibrate=false', 'attacks=false', 'dry_run=true')"
	upstream := mariadbtest.Start(b, mariadbtest.Options{})
	direct := connect(b, upstream.Address, "root", "", "")
	direct.exec("CREATE DATABASE house", "USE house", create, fmt.Sprintf(`INSERT INTO large SELECT seq, 18 + seq * 7919 %% 70, IF(seq %% 2, 'f', 'm'), 10000 + seq * 104729 %% 500,
		CONCAT('education ', seq * 31 %% 16), CONCAT('disease ', seq * 65537 %% 14) FROM seq_1_to_%d`, rows))
	f := start(b, upstream)
	owner, embedded := connect(b, f.owners, "root", "house", ""), connect(b, f.server.Addr, "root", "", "")
	embedded.exec("CREATE DATABASE house", "USE house", create)
	const batch = 5000
	for first := 1; first <= rows; first += batch {
		values := make([]string, 0, batch)
		for i := first; i < first+batch && i <= rows; i++ {
			values = append(values, fmt.Sprintf("(%d,%d,'%s','%d','education %d','disease %d')", i, 18+i*7919%70, []string{"m", "f"}[i%2], 10000+i*104729%500, i*31%16, i*65537%14))
		}
		embedded.exec("INSERT INTO large VALUES " + strings.Join(values, ","))
	}
	for _, way := range []struct {
		name string
		*client
	}{{"1 embedded", embedded}, {"2 embedded, read anew", embedded}, {"3 upstream", owner}} {
		way.exec("CALL set_attributes('house.large', 'ei=id', 'qi=age,sex,zip,education', 'sa=disease')")
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				if way.name == "2 embedded, read anew" { // as upstream is every time: no chunk of rows in memory is good any more
					b.StopTimer()
					way.exec("UPDATE large SET age = age + 1 WHERE id % 60000 = 1")
					b.StartTimer()
				}
				way.exec(publish)
			}
		})
	}
}

// BenchmarkActual asks for an actual value over a table of a million rows: a question that upstream answers, and one for which the columns are
// read. 100,000 rows unless in full.
func BenchmarkActual(b *testing.B) {
	upstream := mariadbtest.Start(b, mariadbtest.Options{})
	connect(b, upstream.Address, "root", "", "").exec("CREATE DATABASE house")
	owner := connect(b, start(b, upstream).owners, "root", "house", "")
	rows := testsize.Of(100_000, 1_000_000)
	owner.measured(rows)
	owner.exec("DO SLEEP(2.1)")
	for _, asked := range []struct{ name, more string }{{"upstream", ""}, {"columns", " AND age + 0 = age"}} {
		b.Run(asked.name, func(b *testing.B) {
			question := "SELECT sex, ANON_ACTUAL(AVG(weight)) FROM published.measured WHERE age < 40 AND disease = 'disease 3'" + asked.more + " GROUP BY sex"
			owner.query(question) // the columns are looked at for changes, and the release is loaded
			began := testsize.ProcessorTime()
			for b.Loop() {
				owner.query(question)
			}
			b.ReportMetric(float64(testsize.ProcessorTime()-began)/1e6/float64(b.N), "cpu-ms/op") // of anonsql alone
		})
	}
}
