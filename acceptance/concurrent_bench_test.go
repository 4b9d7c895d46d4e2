package acceptance

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
)

// BenchmarkClientsAtOnce: analysts who ask at once, each over a connection of
// its own, different predicates over three fragments of a 48,842-row release.
// An operation is one estimate.
func BenchmarkClientsAtOnce(b *testing.B) {
	s := servertest.Start(b, server.Config{Extend: server.Product})
	census.Import(b, s.Addr, census.Write(b, 48_842))
	servertest.Exec(b, s.Open(b, servertest.Root), publishSample)
	for _, clients := range []int{1, 2, 8, 32} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			db := s.Open(b, servertest.Account{User: "root", Interpolate: true})
			db.SetMaxOpenConns(clients)
			db.SetMaxIdleConns(clients)
			var mu sync.Mutex
			var latencies []time.Duration
			var wait sync.WaitGroup
			b.ResetTimer()
			for client := range clients {
				wait.Go(func() {
					var own []time.Duration
					for i := client; i < b.N; i += clients {
						started := time.Now()
						var n float64
						err := db.QueryRow("SELECT COUNT(*) FROM published.people WHERE age >= ? AND region <> ? AND disease = 'Asthma'", 20+i%60, "Vessin").Scan(&n)
						if err != nil {
							b.Error(err)
							return
						}
						own = append(own, time.Since(started))
					}
					mu.Lock()
					defer mu.Unlock()
					latencies = append(latencies, own...)
				})
			}
			wait.Wait()
			slices.Sort(latencies)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "estimates/s")
			b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds()), "p99_us")
		})
	}
}
