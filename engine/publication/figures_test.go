package publication

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// BenchmarkGroups has the figures of deviations 143 and 144: on all complete records of Adult, l = 5, what attackers reach and how wrong counts over one to
// three quasi-identifiers and the sensitive attribute are, of both estimators: by the method that runs here, and by the engine's closed form with the same random source in
// place of digests.
func BenchmarkGroups(b *testing.B) {
	if testing.Short() {
		b.Skip("fits four models of Adult")
	}
	for _, name := range []string{"anatomy", "anatomy homogeneous", "one block", "blocks of 150", "blocks of 50"} {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			in, table := adultInput(b)
			truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
			in.Assigned = func(groupOf []uint32) { truth.GroupOf = groupOf }
			var r *anonymize.Release
			for b.Loop() {
				r = publishedAs(b, in, name)
			}
			learned, err := attack.Learned(b.Context(), r, truth, attack.Options{Sample: 50_000, Random: rand.NewPCG(1, 1)})
			if err != nil {
				b.Fatal(err)
			}
			naive, err := attack.DeFinetti(b.Context(), r, truth, attack.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(learned.Mean, "learned-mean")
			b.ReportMetric(learned.Top1, "learned-top1")
			b.ReportMetric(naive.Mean, "definetti-mean")
			prepared, w := estimate.Prepare(r), utility.Workload{Queries: 500, Low: 1, High: 3, Seed: 5}
			plain, err := utility.Evaluate(b.Context(), prepared, table, w, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			completion, err := impute.Complete(b.Context(), r, impute.Options{})
			if err != nil {
				b.Fatal(err)
			}
			completed, err := prepared.WithTables(b.Context(), completion)
			if err != nil {
				b.Fatal(err)
			}
			imputed, err := utility.EvaluateCompleted(b.Context(), completed, table, w, nil, nil, nil)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(plain.Estimate.Mean, "error")
			b.ReportMetric(imputed.Estimate.Mean, "imputed-error")
			b.ReportMetric(float64(r.Groups()), "groups")
		})
	}
}

func adultInput(b *testing.B) (*anonymize.Input, *anonymize.Microdata) {
	b.Helper()
	table := anontest.AdultComplete(b)
	quasi := strings.Fields("age workclass education marital_status relationship race sex hours_per_week native_country")
	in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: quasi, Sensitive: []string{"occupation"}}, rand.NewPCG(11, 12))
	if err != nil {
		b.Fatal(err)
	}
	return in, table
}

// publishedAs publishes the table by the method, or by the closed form.
func publishedAs(b *testing.B, in *anonymize.Input, name string) (r *anonymize.Release) {
	b.Helper()
	in.Random = rand.NewPCG(11, 12)
	var err error
	if arguments, ok := map[string]anonymize.Arguments{"anatomy": {"l": "5"}, "anatomy homogeneous": {"l": "5", "homogeneous": "true"}}[name]; ok {
		r, err = anatomy.Method().Run(b.Context(), in, arguments)
	} else {
		block := 0
		_, _ = fmt.Sscanf(name, "blocks of %d", &block)
		random := rand.New(in.Random)
		var tuples *bucketization.Projection
		if tuples, err = bucketization.NewProjection(b.Context(), in.QuasiIdentifiers); err == nil {
			r, err = bucketization.Publish(b.Context(), "anatomy", in, formed(b, in, 5, int64(block), random),
				[]bucketization.Table{bucketization.QuasiIdentifierTable(0, tuples), bucketization.SensitiveTable(in.Sensitive[0])}, random)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// formed are the groups that the engine forms of a table, with random numbers in the place of digests.
func formed(b *testing.B, in *anonymize.Input, l int, least int64, random *rand.Rand) *bucketization.Partition {
	b.Helper()
	blockOf, blocks := make([]uint32, in.Rows), 1
	if least > 0 {
		blockOf, blocks = blocksOf(b, in, l, least)
	}
	byValue := make([]map[uint32][]uint32, blocks) // the records of a block, by sensitive value
	for i := range byValue {
		byValue[i] = make(map[uint32][]uint32)
	}
	for _, record := range random.Perm(in.Rows) {
		at, v := byValue[blockOf[record]], in.Sensitive[0].Codes[record]
		at[v] = append(at[v], uint32(record))
	}
	var records, group []uint32
	base := 0
	for _, at := range byValue {
		var values []uint32
		n := 0
		for v, of := range at {
			values = append(values, v)
			n += len(of)
		}
		slices.Sort(values)
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		rank := 0
		for _, v := range values {
			for _, record := range at[v] {
				records, group = append(records, record), append(group, uint32(base+rank%(n/l)))
				rank++
			}
		}
		base += n / l
	}
	return bucketization.NewPartition(records, group, base)
}

// blocksOf plans blocks as NewPlan does, on counts of a table in memory.
func blocksOf(b *testing.B, in *anonymize.Input, l int, least int64) (blockOf []uint32, blocks int) {
	b.Helper()
	rule := Rule{Size: int64(l), Share: anonymize.NewRatio(1, uint64(l)), Delta: one, Records: int64(in.Rows)}
	sensitive := rule.Heavy(countsOf(in.Sensitive[0]), least)
	wanted := make([]int, len(in.QuasiIdentifiers))
	for i, c := range in.QuasiIdentifiers {
		wanted[i] = min(len(c.Dictionary), mostBins)
	}
	given := Shrink(wanted, min(32*in.Rows/int(least), mostCells/(len(sensitive)+1)))
	cells, cellOf := &Cells{Bins: make([][]uint8, len(wanted)), Numbers: make([]int, len(wanted)), Start: []int{0}, Total: recordsOf(sensitive)}, make([]int64, in.Rows)
	for i, c := range in.QuasiIdentifiers {
		bins := NewBins(c.Name, countsOf(c), given[i])
		cells.Numbers[i] = bins.Number()
		for record, code := range c.Codes {
			cellOf[record] = cellOf[record]*int64(bins.Number()) + int64(binOf(bins, c.Dictionary[code]))
		}
	}
	heavy := make(map[anonymize.Value]uint32)
	for i, c := range sensitive {
		heavy[c.Value] = uint32(i)
	}
	counts, place := make(map[int64]map[uint32]int64), make(map[int64]int)
	for record, cell := range cellOf {
		v, ok := heavy[in.Sensitive[0].Value(record)]
		if !ok {
			v = light
		}
		if counts[cell] == nil {
			counts[cell] = make(map[uint32]int64)
			place[cell] = len(place)
		}
		counts[cell][v]++
	}
	ordered := make([]int64, len(place))
	for cell, at := range place {
		ordered[at] = cell
	}
	for _, cell := range ordered {
		cells.add(cell)
		for v, n := range counts[cell] {
			cells.Sensitive, cells.Records = append(cells.Sensitive, v), append(cells.Records, n)
		}
		cells.Start[len(cells.Start)-1] = len(cells.Sensitive)
	}
	d, err := Divide(b.Context(), cells, rule, least)
	if err != nil {
		b.Fatal(err)
	}
	blockOf = make([]uint32, in.Rows)
	for record, cell := range cellOf {
		blockOf[record] = d.BlockOf[place[cell]]
	}
	return blockOf, d.Blocks
}

func countsOf(c *anonymize.Column) (counts []Count) {
	for code, n := range c.Histogram() {
		counts = append(counts, Count{c.Dictionary[code], int64(n)})
	}
	return counts
}

// binOf is the bin of a value.
func binOf(b *Bins, v anonymize.Value) (bin int) {
	for bin < len(b.Cuts) && anonymize.Compare(b.Cuts[bin], v) <= 0 {
		bin++
	}
	return bin
}
