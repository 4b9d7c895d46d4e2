package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// benchedTables are numbers of completed tables, by records.
var benchedTables = []struct{ rows, tables int }{{50_000, 12}, {1_000_000, 12}, {10_000_000, 8}}

// benchedCompletion shuffles a block of places and repeats it: what a scan costs
// does not hang on which matchings there are.
func benchedCompletion(r *anonymize.Release, tables int) *anonymize.Completion {
	random := rand.New(rand.NewPCG(2, uint64(r.Rows)))
	c := &anonymize.Completion{Tables: tables}
	pattern := make([]uint8, 0, 1001*benchedGroup)
	for range 1001 {
		for _, place := range random.Perm(benchedGroup) {
			pattern = append(pattern, uint8(place))
		}
	}
	for d := range tables {
		table := make([][]uint8, len(r.Fragments)-1)
		for j := range table {
			table[j] = make([]uint8, r.Rows)
			skip := benchedGroup * (7*d + 3*j)
			for at := 0; at < r.Rows; {
				at += copy(table[j][at:], pattern[skip:])
				skip = 0
			}
		}
		c.Narrow = append(c.Narrow, table)
	}
	return c
}

// completedBenchmarks are questions over three columns, or more.
func completedBenchmarks() map[string]*Question {
	below := func(f, c, limit int) Leaf {
		return ValueLeaf(f, c, func(v anonymize.Value) bool { return v.Int < int64(limit) })
	}
	where := []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}, {Leaves: []int{2}}}
	count := []Aggregate{{Kind: Count}}
	return map[string]*Question{
		// Two columns of the quasi-identifiers and the sensitive attribute.
		"COUNT/fragments=0,1/selectivity=10%": {Leaves: []Leaf{below(0, 0, 20), below(0, 1, 5), below(1, 1, 1)}, Where: where, Aggregates: count},
		"COUNT/fragments=0,1/selectivity=50%": {Leaves: []Leaf{below(0, 0, 71), below(0, 1, 7), below(1, 1, 5)}, Where: where, Aggregates: count},
		"COUNT/fragments=0,1/selectivity=90%": {Leaves: []Leaf{below(0, 0, 95), below(0, 1, 10), below(1, 1, 9)}, Where: where, Aggregates: count},
		"COUNT/fragments=0,1,2":               {Leaves: []Leaf{below(0, 0, 50), below(1, 0, 50), below(2, 0, 50)}, Where: where, Aggregates: count},
		"COUNT/fragments=1,2":                 {Leaves: []Leaf{below(1, 0, 50), below(1, 1, 5), below(2, 0, 50)}, Where: where, Aggregates: count},
		"GROUP_BY/keys=2":                     {Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 1)}, Keys: where[:2], Aggregates: count},
		"GROUP_BY/keys=2/values=100":          {Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 0)}, Keys: where[:2], Aggregates: count},
		"GROUP_BY/keys=2/conditions=1":        {Leaves: []Leaf{ValueOf(0, 1), ValueOf(1, 1), below(2, 0, 20)}, Keys: where[:2], Where: where[2:], Aggregates: count},
		"GROUP_BY/keys=1/fragments=0,1":       {Leaves: []Leaf{ValueOf(1, 1), below(0, 0, 30)}, Keys: where[:1], Where: where[1:2], Aggregates: count},
		"GROUP_BY/keys=3/as_they_occur":       {Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 0), ValueOf(2, 0)}, Keys: where, Aggregates: count},
		"AVG,MAX,DISTINCT/keys=1": {Leaves: []Leaf{ValueOf(0, 1), ValueOf(1, 0)}, Keys: where[:1], Aggregates: []Aggregate{
			{Kind: Average, Argument: &where[1]}, {Kind: Greatest, Argument: &where[1]}, {Kind: Distinct, Argument: &where[1]}}},
	}
}

// BenchmarkCompleted asks questions of completed tables, standard errors included.
// ns/row is by row of a completed table: n records in D tables are n D of them.
func BenchmarkCompleted(b *testing.B) {
	for _, size := range benchedTables {
		if !testsize.All() && size.rows > benchedRows()[len(benchedRows())-1] {
			continue
		}
		r := benchedRelease(size.rows, 3)
		c, err := Prepare(r).WithTables(b.Context(), benchedCompletion(r, size.tables))
		if err != nil {
			b.Fatal(err)
		}
		for name, q := range completedBenchmarks() {
			at := fmt.Sprintf("rows=%d/tables=%d", size.rows, size.tables)
			b.Run(name+"/"+at, func(b *testing.B) { askCompleted(b, c, q, false) })
			if name == "COUNT/fragments=0,1/selectivity=50%" || strings.HasPrefix(name, "GROUP_BY/keys=2") {
				b.Run(name+"/bounds/"+at, func(b *testing.B) { askCompleted(b, c, q, true) })
			}
		}
	}
}

// askCompleted asks with standard errors, and for the hard bounds as intervals do.
func askCompleted(b *testing.B, c *Completed, q *Question, bounds bool) {
	for b.Loop() {
		answer, err := c.Ask(context.Background(), q)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.StandardErrors(context.Background(), q, answer); err != nil {
			b.Fatal(err)
		}
		if !bounds {
			continue
		}
		if _, err := c.Bounds(context.Background(), q, answer); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Prepared().Release().Rows*c.Tables()), "ns/row")
}

// BenchmarkWithTables is the cost of a completion's first use.
func BenchmarkWithTables(b *testing.B) {
	r := benchedRelease(1_000_000, 2)
	p, completion := Prepare(r), benchedCompletion(r, 12)
	for b.Loop() {
		if _, err := p.WithTables(b.Context(), completion); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBeside asks what experiments/peers/testdata/besidedatabases.py asks DuckDB and SQLite, standard errors included, and the hard bounds: the least
// processor time of each.
func BenchmarkBeside(b *testing.B) {
	for _, records := range testsize.Some(1, []int{1_000_000, 10_000_000}) {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			r := benchedRelease(records, 2)
			c, err := Prepare(r).WithTables(b.Context(), benchedCompletion(r, 8))
			if err != nil {
				b.Fatal(err)
			}
			for _, name := range []string{"COUNT/fragments=0,1/selectivity=50%", "GROUP_BY/keys=2"} {
				b.Run(name, func(b *testing.B) { askBeside(b, c, completedBenchmarks()[name]) })
			}
		})
	}
}

func askBeside(b *testing.B, c *Completed, q *Question) {
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		began := testsize.ProcessorTime()
		answer, err := c.AskWithSpread(b.Context(), q)
		answered := testsize.ProcessorTime()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Bounds(b.Context(), q, answer); err != nil {
			b.Fatal(err)
		}
		least[0], least[1] = min(least[0], answered-began), min(least[1], testsize.ProcessorTime()-answered)
	}
	b.ReportMetric(least[0].Seconds()*1e3, "cpu-ms/answer")
	b.ReportMetric(least[1].Seconds()*1e3, "cpu-ms/bounds")
}
