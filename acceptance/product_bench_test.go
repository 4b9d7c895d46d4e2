package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

const publishSample = "CALL anonymize('census.people', 'slppa', 'alpha=0.5', 'beta=0.2', 'gamma=0.1', 'delta=0.2', 'tables=3', 'replace=true', " +
	"'qi=age,sex,education,marital_status,workclass,occupation,region,zip,hours_per_week', 'sa=disease', 'publish=people')"

// callsOfMethods publish by all methods that publish a table once; the last publishes as in README, with completed tables.
var callsOfMethods = []string{"'slppa', 'beta=0.2', 'tables=3', 'fit=false'", "'slicing', 'l=5', 'fit=false'", "'asn', 'beta=0.2', 'fit=false'", "'anatomy', 'l=5', 'fit=false'",
	"'arp', 'l=5', 'fit=false'", "'aip', 'l=5', 'fit=false'", "'nonhomogeneous', 'l=5'", "'mondrian', 'k=5'", "'cross_bucket', 'k=5', 'l=5'", "'fulldomain', 'k=5', 'suppress=0.05'",
	"'drasl', 'k=8', 'fit=false'", "'oka', 'k=5'", "'ika', 'k=5'", "'dpp', 'k=5'", "'cdt', 'max_share=1/3'", "'modeled', 'fit=false'", "'anatomy', 'l=5', 'size=50', 'model=counts'"}

// BenchmarkMethods publishes the sample by every method, verified and stored, without completed tables except in the last call. It measures the
// processor time of the whole server for one CALL.
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

func mustRun(b *testing.B, db *dbsql.DB, statement string) {
	b.Helper()
	if err := servertest.Drain(db.Query(statement)); err != nil {
		b.Fatal(err)
	}
}
