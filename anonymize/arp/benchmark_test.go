package arp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/nonhomogeneous"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// generated returns n records of nine quasi-identifiers about as wide as those
// of Adult, which follow a hidden variable, and a sensitive attribute of 14
// values, 13.4 to 0.9 percent, whose frequencies follow it too.
func generated(n int) *anonymize.Input {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	in := &anonymize.Input{Rows: n}
	hidden := make([]float64, n)
	for i := range hidden {
		hidden[i] = random.Float64()
	}
	for i, width := range []int{74, 8, 16, 7, 6, 5, 2, 96, 41} {
		c := &anonymize.Column{Name: "q" + strconv.Itoa(i+1), Type: "BIGINT", Codes: make([]uint32, n)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for row := range c.Codes {
			x := 0.3*hidden[row] + 0.7*random.Float64()
			c.Codes[row] = uint32(x * x * float64(width)) // small codes are frequent
		}
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, c)
	}
	s := &anonymize.Column{Name: "s", Type: "BIGINT", Codes: make([]uint32, n)}
	for v := range 14 {
		s.Dictionary = append(s.Dictionary, anonymize.IntegerValue(int64(v)))
	}
	for row := range s.Codes {
		for {
			v := random.IntN(14)
			if random.Float64()*14.05 < float64(14-v)+0.05 {
				s.Codes[row] = uint32((v + int(6*hidden[row])) % 14)
				break
			}
		}
	}
	in.Sensitive = []*anonymize.Column{s}
	return in
}

// distinct returns a table on which merging is at its worst: a quasi-identifier
// that is different in every record, another in every second one, and as many
// sensitive values as records, but for one that has a fifth.
func distinct(n int) *anonymize.Input {
	random := rand.New(rand.NewPCG(3, uint64(n)))
	column := func(name string, width int) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "BIGINT", Codes: make([]uint32, n)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for row := range c.Codes {
			c.Codes[row] = uint32(row % width)
		}
		random.Shuffle(n, func(i, j int) { c.Codes[i], c.Codes[j] = c.Codes[j], c.Codes[i] })
		return c
	}
	in := &anonymize.Input{Rows: n, QuasiIdentifiers: []*anonymize.Column{column("a", n), column("b", n/2)},
		Sensitive: []*anonymize.Column{column("s", n)}}
	for row, code := range in.Sensitive[0].Codes {
		if code < uint32(n/5) {
			in.Sensitive[0].Codes[row] = 0
		}
	}
	return in
}

// BenchmarkDistinct is merging at its worst.
func BenchmarkDistinct(b *testing.B) {
	const n = 1_000_000
	in := distinct(n)
	for _, arguments := range []anonymize.Arguments{{}, {"on_collapse": "stop"}, {"partition": "mondrian"}} {
		b.Run(fmt.Sprintf("%s%s/rows=%d", arguments["on_collapse"], arguments["partition"], n), func(b *testing.B) {
			for b.Loop() {
				in.Random = rand.NewPCG(1, 2)
				arguments["l"] = "5"
				if _, err := Method().Run(context.Background(), in, arguments); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

// BenchmarkMethods anonymizes generated tables with l = 5. Beside the time it
// reports what the time bought: groups, the mean probability of the actual value
// (at most 0.2), and on 10,000 records the mean relative error of 100 queries with
// one to three conditions.
func BenchmarkMethods(b *testing.B) {
	type task struct {
		m         anonymize.Method
		arguments anonymize.Arguments
	}
	tasks := []task{{Method(), anonymize.Arguments{}}, {InitialMethod(), anonymize.Arguments{}},
		{nonhomogeneous.Method(), anonymize.Arguments{}}}
	for _, more := range []anonymize.Arguments{{"on_collapse": "stop"}, {"on_collapse": "skip"}, {"partition": "mondrian"}, {"over": slicing}, {"over": ranges},
		{"over": randomization}, {"homogeneous": "true"}} {
		tasks = append(tasks, task{Method(), more})
	}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if !testsize.All() && n > 100_000 {
			break
		}
		in := generated(n)
		for _, task := range tasks {
			name := task.m.Name
			for parameter, value := range task.arguments {
				name += "/" + parameter + "=" + value
			}
			b.Run(fmt.Sprintf("%s/rows=%d", name, n), func(b *testing.B) { benchmark(b, task.m, in, task.arguments) })
		}
	}
}

func benchmark(b *testing.B, m anonymize.Method, in *anonymize.Input, more anonymize.Arguments) {
	arguments := anonymize.Arguments{"l": "5"}
	for name, value := range more {
		arguments[name] = value
	}
	var release *anonymize.Release
	var gids []uint32
	in.Assigned = func(gidOf []uint32) { gids = gidOf }
	b.ReportAllocs()
	for b.Loop() {
		in.Random = rand.NewPCG(1, 2)
		var err error
		if release, err = m.Run(context.Background(), in, arguments); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(in.Rows), "ns/row")
	loss, err := utility.Loss(context.Background(), release, in, gids)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(release.Groups()), "groups")
	if p := loss.Attributes[0].Probability; p != nil { // nil where nobody knows a record's group
		b.ReportMetric(p.Mean, "p")
	}
	if in.Rows > 10_000 { // asking takes longer than anonymizing
		return
	}
	table := &anonymize.Microdata{Rows: in.Rows, Columns: slices.Concat(in.QuasiIdentifiers, in.Sensitive)}
	e, err := utility.Evaluate(context.Background(), estimate.Prepare(release), table,
		utility.Workload{Queries: 100, Low: 1, High: 3, Seed: 11}, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(e.Estimate.Mean, "relerr/query")
}
