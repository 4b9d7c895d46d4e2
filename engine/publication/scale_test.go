package publication

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anonsql/anonsql/enginetest"
)

var benchmarkRecords = flag.Int("records", 100_000, "records that BenchmarkScale publishes")

// BenchmarkScale publishes a table of -records records by every method, and reports what the engine spent on every step, by its own account, and how much
// memory this side took beyond what it had:
//
//	go test -run '^$' -bench Scale -benchtime 1x -v ./engine/publication -records 1000000
//
// The cluster is one of its own, compiled for speed, if ANONSQL_ENGINE_URL names none.
func BenchmarkScale(b *testing.B) {
	records := *benchmarkRecords
	var c *enginetest.Cluster
	if os.Getenv("ANONSQL_ENGINE_URL") == "" {
		var err error
		if c, err = enginetest.Launch(enginetest.Options{Optimised: true, Heap: heapOf(records)}); err != nil {
			b.Fatal(err)
		}
		defer c.Kill()
	} else {
		c = enginetest.Need(b)
	}
	e := engineOf(b, c.Client)
	table := people(b, e, "scale", records)
	for _, name := range []string{"anatomy", "anatomy-in-blocks", "slppa", "slicing", "mondrian"} {
		b.Run(name, func(b *testing.B) {
			r := map[string]Request{
				"anatomy":           request(table, 0),
				"anatomy-in-blocks": request(table, 200),
				"slppa":             slppaRequest(table),
				"slicing":           {Table: table, Method: Slicing, QuasiIdentifiers: request(table, 0).QuasiIdentifiers, Sensitive: "disease", L: 5},
				"mondrian":          {Table: table, Method: Mondrian, QuasiIdentifiers: request(table, 0).QuasiIdentifiers, Sensitive: "disease", K: 20, L: 3},
			}[name]
			for b.Loop() {
				scaled(b, e, c, r)
			}
		})
	}
}

// scaled publishes, verifies, reads a sample with its link and discards, and reports.
func scaled(b *testing.B, e *Engine, c *enginetest.Cluster, r Request) {
	b.Helper()
	began, heap := time.Now(), watchHeap()
	p, err := e.NewPlan(b.Context(), r)
	if err != nil {
		b.Fatal(err)
	}
	name := fmt.Sprintf("s%d", began.UnixNano())
	a, err := e.Assign(b.Context(), p, name, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer a.Discard(context.WithoutCancel(b.Context()))
	if _, err := a.Verify(b.Context(), 2000); err != nil {
		b.Fatal(err)
	}
	linked, _ := a.Linked(max(1, p.Records/50_000))
	if err := e.Conn.Query(b.Context(), linked, func([]any) error { return nil }); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(heap()/(1<<20), "MB-here")
	steps := make(map[string]spent)
	var all spent
	for _, q := range queriesSince(b, c, began) {
		step := stepOf(q.Query, name)
		steps[step] = steps[step].and(q.spent())
		all = all.and(q.spent())
	}
	var lines []string
	for step, s := range steps {
		lines = append(lines, fmt.Sprintf("%-10s %7.2f processor s, %8.2f MB written, %8.2f MB exchanged, %8.2f MB of memory, statements of at most %d characters", step, s.cpu, s.written/1e6, s.exchanged/1e6, s.memory/1e6, s.longest))
	}
	slices.SortFunc(lines, cmp.Compare[string])
	b.Logf("%d records, %d blocks, %d groups, planned size %d:\n%s", p.Records, p.Blocks, a.Groups, p.rule.Size, strings.Join(lines, "\n"))
	b.ReportMetric(all.cpu, "engine-cpu-s")
	b.ReportMetric(all.memory/(1<<20), "MB-engine")
	b.ReportMetric(float64(p.Blocks), "blocks")
}

// watchHeap polls the heap until its result is called: by how much the heap grew, at most.
func watchHeap() func() float64 {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most atomic.Uint64
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			runtime.ReadMemStats(&now)
			most.Store(max(most.Load(), now.HeapInuse))
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(end)
		<-ended
		return float64(most.Load()) - float64(before.HeapInuse)
	}
}

// spent is the cost of statements: processor seconds, bytes, the greatest memory and the longest text.
type spent struct {
	cpu, written, exchanged, memory float64
	longest                         int
}

func (s spent) and(t spent) spent {
	return spent{s.cpu + t.cpu, s.written + t.written, s.exchanged + t.exchanged, max(s.memory, t.memory), max(s.longest, t.longest)}
}

// A query is a statement as Trino's coordinator lists it.
type query struct {
	Query      string
	QueryStats struct {
		CreateTime                                                                                     time.Time
		TotalCpuTime, PhysicalWrittenDataSize, InternalNetworkInputDataSize, PeakUserMemoryReservation string
	}
}

func (q query) spent() spent {
	return spent{cpu: amount(q.QueryStats.TotalCpuTime), written: amount(q.QueryStats.PhysicalWrittenDataSize), exchanged: amount(q.QueryStats.InternalNetworkInputDataSize),
		memory: amount(q.QueryStats.PeakUserMemoryReservation), longest: len(q.Query)}
}

// amounts are the units that Trino writes: of seconds, and of bytes.
var amounts = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "": 0}

func amount(text string) float64 {
	unit := strings.TrimLeft(text, "0123456789.")
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, unit), 64)
	if err != nil {
		return 0
	}
	return n * amounts[unit]
}

// queriesSince are our statements since a moment.
func queriesSince(b *testing.B, c *enginetest.Cluster, began time.Time) (list []query) {
	b.Helper()
	host := strings.Split(strings.TrimPrefix(c.URL, "trino://anonsql@"), "/")[0]
	ask, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+host+"/v1/query", nil)
	if err != nil {
		b.Fatal(err)
	}
	ask.Header.Set("X-Trino-User", "anonsql")
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		b.Fatal(err)
	}
	return slices.DeleteFunc(list, func(q query) bool {
		return q.QueryStats.CreateTime.Before(began) || !strings.Contains(q.Query, schemas())
	})
}

// makes matches the table that a statement writes.
var makes = regexp.MustCompile(`^(?:CREATE TABLE|INSERT INTO) [^ ]*_([a-z0-9]+)"`)

// stepOf names the step of a statement.
func stepOf(text, attempt string) string {
	if m := makes.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if strings.Contains(text, "AS sampled JOIN") {
		return "link"
	}
	for part, step := range map[string]string{attempt: "verify", "approx_distinct": "bins", "GROUP BY cell, value": "cells"} {
		if strings.Contains(text, part) {
			return step
		}
	}
	return "counts"
}

// heapOf is the memory of a node of the cluster, in MB: in proportion to the records, and never less than clusters of tests have.
func heapOf(records int) int { return max(1000, 2500*records/10_000_000) }
