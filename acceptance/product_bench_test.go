package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// benchmarkSizes are the sample's sizes; the large one runs in full only.
func benchmarkSizes() []int {
	if !testsize.All() {
		return []int{48_842}
	}
	return []int{48_842, 100_000, 1_000_000}
}

const publishSample = "CALL anonymize('census.people', 'slppa', 'alpha=0.5', 'beta=0.2', 'gamma=0.1', 'delta=0.2', 'tables=3', 'replace=true', " +
	"'qi=age,sex,education,marital_status,workclass,occupation,region,zip,hours_per_week', 'sa=disease', 'publish=people')"

// BenchmarkEstimate asks over the wire, beside SELECT 1 on the same connection.
// relative_error is the answer's, against the raw table.
func BenchmarkEstimate(b *testing.B) {
	for _, rows := range benchmarkSizes() {
		s := servertest.Start(b, server.Config{Extend: server.Product})
		census.Import(b, s.Addr, census.Write(b, rows))
		db := s.Open(b, servertest.Account{User: "root", Interpolate: true})
		servertest.Exec(b, db, publishSample)
		for _, q := range []struct{ name, rest string }{
			{"COUNT/fragments=1", "COUNT(*) FROM published.people WHERE age > 40 AND workclass = 'Private'"},
			{"COUNT/fragments=3", "COUNT(*) FROM published.people WHERE age BETWEEN 30 AND 39 AND region = 'Nordmark' AND disease = 'Asthma'"},
			{"COUNT/all", "COUNT(*) FROM published.people"},
			{"AVG/fragments=2", "AVG(age) FROM published.people WHERE disease = 'Asthma'"},
		} {
			b.Run(fmt.Sprintf("%s/rows=%d", q.name, rows), func(b *testing.B) {
				askOne(b, db, "SELECT "+q.rest)
				aggregate, from, _ := strings.Cut(q.rest, " FROM ")
				var relative dbsql.NullFloat64
				if err := db.QueryRow("SELECT ANON_RELATIVE_ERROR(" + aggregate + ") FROM " + from).Scan(&relative); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(relative.Float64, "relative_error")
			})
		}
		for name, query := range map[string]string{
			"COUNT+STDERR+LOW+HIGH/fragments=3": "SELECT COUNT(*), ANON_STDERR(COUNT(*)), ANON_LOW(COUNT(*)), ANON_HIGH(COUNT(*)) FROM published.people " +
				"WHERE age BETWEEN 30 AND 39 AND region = 'Nordmark' AND disease = 'Asthma'",
			"OR/fragments=3":       "SELECT COUNT(*) FROM published.people WHERE (age > 40 OR age IS NULL OR sex = 'F') AND region = 'Nordmark' AND disease = 'Asthma'",
			"GROUP_BY/fragments=2": "SELECT disease, COUNT(*), ANON_STDERR(COUNT(*)) FROM published.people WHERE age > 40 GROUP BY disease",
			"DISTINCT/fragments=2": "SELECT COUNT(DISTINCT disease) FROM published.people WHERE age > 40",
		} {
			b.Run(fmt.Sprintf("%s/rows=%d", name, rows), func(b *testing.B) { askRows(b, db, query) })
		}
		b.Run(fmt.Sprintf("SELECT_1/rows=%d", rows), func(b *testing.B) { askOne(b, db, "SELECT 1") })
		s.Stop(b)
	}
}

func askOne(b *testing.B, db *dbsql.DB, query string) {
	var answer dbsql.NullFloat64
	for b.Loop() {
		if err := db.QueryRow(query).Scan(&answer); err != nil {
			b.Fatal(err)
		}
	}
}

// askRows reads all rows of an answer.
func askRows(b *testing.B, db *dbsql.DB, query string) {
	for b.Loop() {
		rows, err := db.Query(query)
		if err != nil {
			b.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			b.Fatal(err)
		}
		fields := make([]any, len(columns))
		for i := range fields {
			fields[i] = new(dbsql.RawBytes)
		}
		for rows.Next() {
			if err := rows.Scan(fields...); err != nil {
				b.Fatal(err)
			}
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAnonymizeCall runs the whole CALL over the wire: reading the table
// by columns, the method, the verification and the storing. method_s is the
// part before storing, as the result row says; rows/s is of the whole.
// measured=attacks lets the learning attackers loose on it before it is stored,
// measured=calibrate asks it random queries.
func BenchmarkAnonymizeCall(b *testing.B) {
	for _, rows := range benchmarkSizes() {
		s := servertest.Start(b, server.Config{Extend: server.Product})
		census.Import(b, s.Addr, census.Write(b, rows))
		db := s.Open(b, servertest.Root)
		for _, measured := range []string{"nothing", "calibrate", "attacks"} {
			call := fmt.Sprintf("%s, 'calibrate=%t', 'attacks=%t')", strings.TrimSuffix(publishSample, ")"), measured == "calibrate", measured == "attacks")
			b.Run(fmt.Sprintf("rows=%d/measured=%s", rows, measured), func(b *testing.B) { callAnonymize(b, db, call, rows) })
		}
		s.Stop(b)
	}
}

func callAnonymize(b *testing.B, db *dbsql.DB, call string, rows int) {
	seconds, groups := 0.0, 0
	for b.Loop() {
		var ignored dbsql.RawBytes
		row, err := db.QueryContext(context.Background(), call)
		if err != nil {
			b.Fatal(err)
		}
		for row.Next() {
			var once float64
			if err := row.Scan(&ignored, &ignored, &ignored, &ignored, &ignored, &groups, &ignored, &ignored, &ignored, &once); err != nil {
				b.Fatal(err)
			}
			seconds += once
		}
		if err := row.Err(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(seconds/float64(b.N), "method_s")
	b.ReportMetric(float64(groups), "groups")
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// callsOfMethods publish by all methods that publish a table once, and as README does, with completed tables.
var callsOfMethods = []string{"'slppa', 'beta=0.2', 'tables=3', 'fit=false'", "'slicing', 'l=5', 'fit=false'", "'asn', 'beta=0.2', 'fit=false'", "'anatomy', 'l=5', 'fit=false'",
	"'arp', 'l=5', 'fit=false'", "'aip', 'l=5', 'fit=false'", "'nonhomogeneous', 'l=5'", "'mondrian', 'k=5'", "'cross_bucket', 'k=5', 'l=5'", "'fulldomain', 'k=5', 'suppress=0.05'",
	"'drasl', 'k=8', 'fit=false'", "'oka', 'k=5'", "'ika', 'k=5'", "'dpp', 'k=5'", "'cdt', 'max_share=1/3'", "'modeled', 'fit=false'", "'anatomy', 'l=5', 'size=50', 'model=counts'"}

// BenchmarkMethods publishes the sample by every method, verified and stored, without completed tables but for the last: the processor time of the whole
// server for one CALL.
func BenchmarkMethods(b *testing.B) {
	for _, rows := range testsize.Some(1, []int{48_842, 1_000_000, 10_000_000}) {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			s := servertest.Start(b, server.Config{Extend: server.Product})
			census.Import(b, s.Addr, census.Write(b, rows))
			db := s.Open(b, servertest.Root)
			mustRun(b, db, "CALL set_attributes('census.people', 'qi=age,sex,education,marital_status,workclass,occupation,region,zip,hours_per_week', 'sa=disease', 'ei=person_id,name')")
			for _, method := range callsOfMethods {
				b.Run(strings.NewReplacer("'", "", ", ", ",").Replace(method), func(b *testing.B) {
					began := testsize.ProcessorTime()
					for b.Loop() {
						mustRun(b, db, "CALL anonymize('census.people', "+method+", 'calibrate=false', 'attacks=false', 'replace=true', 'publish=people')")
					}
					b.ReportMetric((testsize.ProcessorTime()-began).Seconds()/float64(b.N), "cpu-s/op")
				})
			}
			s.Stop(b)
		})
	}
}

// BenchmarkRefreshCall compares a refresh of 500 changes with publishing the
// table anew, both over the wire and both stored; the changes themselves are not
// in the time. The full release is the cheapest: nothing is measured.
func BenchmarkRefreshCall(b *testing.B) {
	for _, rows := range benchmarkSizes() {
		s := servertest.Start(b, server.Config{Extend: server.Product})
		census.Import(b, s.Addr, census.Write(b, rows))
		db := s.Open(b, servertest.Root)
		publish := "CALL anonymize('census.people', 'drasl', 'qi=age,sex,education,marital_status,workclass,region,hours_per_week', 'sa=disease'," +
			" 'k=8', 'calibrate=false', 'attacks=false', 'replace=true', 'publish=people')"
		mustRun(b, db, publish)
		b.Run(fmt.Sprintf("rows=%d/full", rows), func(b *testing.B) {
			for b.Loop() {
				mustRun(b, db, publish)
			}
		})
		b.Run(fmt.Sprintf("rows=%d/refresh=500", rows), func(b *testing.B) { refreshChanges(b, db) })
		s.Stop(b)
	}
}

// refreshChanges changes 500 records between refreshes: a third each inserted,
// deleted and modified.
func refreshChanges(b *testing.B, db *dbsql.DB) {
	next := 0
	for b.Loop() {
		b.StopTimer()
		next += 167
		mustRun(b, db, fmt.Sprintf("DELETE FROM census.people WHERE person_id BETWEEN %d AND %d", next, next+166))
		mustRun(b, db, fmt.Sprintf("UPDATE census.people SET disease = IF(disease = 'Asthma', 'Gout', 'Asthma') WHERE person_id BETWEEN %d AND %d", 20_000+next, 20_000+next+166))
		mustRun(b, db, fmt.Sprintf("INSERT INTO census.people SELECT person_id + %d, name, age, sex, education, marital_status, workclass, occupation, region, zip, hours_per_week, income, disease"+
			" FROM census.people WHERE person_id BETWEEN 30001 AND 30166", 10_000_000+next))
		b.StartTimer()
		mustRun(b, db, "CALL refresh_release('people')")
	}
}

func mustRun(b *testing.B, db *dbsql.DB, statement string) {
	b.Helper()
	if err := servertest.Drain(db.Query(statement)); err != nil {
		b.Fatal(err)
	}
}
