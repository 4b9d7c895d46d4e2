package publication

import (
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
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/slicing"
	"github.com/anonsql/anonsql/anonymize/slppa"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// BenchmarkGroups has the figures of deviations 143 to 148, on all complete records of Adult, l = 5: the success of attackers, and the errors of
// counts over one to three quasi-identifiers and the sensitive attribute, for both estimators. It compares the local method with the engine's closed
// form, with the same random source instead of digests.
func BenchmarkGroups(b *testing.B) {
	if !testsize.All() {
		b.Skip("fits four models of Adult")
	}
	for _, name := range []string{"anatomy", "anatomy homogeneous", "one block", "blocks of 150", "blocks of 50",
		"slppa", "slppa by rank", "slppa by rank in blocks of 150", "slppa by rank in blocks of 150 with alpha", "slicing", "slicing in planned blocks", "mondrian", "mondrian at medians", "mondrian in planned classes",
		"mondrian in classes of 20,000 counts", "mondrian in classes of 10,000 counts", "mondrian in classes of 5,000 counts"} {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			in, table := adultInput(b)
			truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
			in.Assigned = func(groupOf []uint32) { truth.GroupOf = groupOf }
			var r *anonymize.Release
			for b.Loop() {
				r = publishedAs(b, in, name)
			}
			reportFigures(b, r, truth, table)
			b.ReportMetric(float64(r.Groups()), "groups")
		})
	}
}

// reportFigures attacks and queries a release. Cells of several values cannot be completed, so then it skips what needs tables.
func reportFigures(b *testing.B, r *anonymize.Release, truth attack.Truth, table *anonymize.Microdata) {
	b.Helper()
	naive, err := attack.DeFinetti(b.Context(), r, truth, attack.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(naive.Mean, "definetti-mean")
	prepared, w := estimate.Prepare(r), utility.Workload{Queries: 500, Low: 1, High: 3, Seed: 5}
	plain, err := utility.Evaluate(b.Context(), prepared, table, w, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(plain.Estimate.Mean, "error")
	if !r.Fragments[0].Columns[0].IsPoint() {
		return
	}
	learned, err := attack.Learned(b.Context(), r, truth, attack.Options{Sample: 50_000, Random: rand.NewPCG(1, 1)})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(learned.Mean, "learned-mean")
	b.ReportMetric(learned.Top1, "learned-top1")
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
	b.ReportMetric(imputed.Estimate.Mean, "imputed-error")
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

// embedded are the methods that run here, by the names of their lines.
var embedded = map[string]struct {
	anonymize.Method
	anonymize.Arguments
}{
	"anatomy":             {anatomy.Method(), anonymize.Arguments{"l": "5"}},
	"anatomy homogeneous": {anatomy.Method(), anonymize.Arguments{"l": "5", "homogeneous": "true"}},
	"slppa":               {slppa.Method(), anonymize.Arguments{"alpha": "0.5", "beta": "0.2"}},
	"slicing":             {slicing.Method(), anonymize.Arguments{"l": "5"}},
	"mondrian":            {mondrian.Method(), anonymize.Arguments{"k": "10", "l": "3"}},
	"mondrian at medians": {mondrian.Method(), anonymize.Arguments{"k": "10", "l": "3", "mode": "strict"}},
}

// planned are requests of the closed forms, by the names of their lines.
var planned = map[string]Request{
	"one block":                      {L: 5},
	"blocks of 150":                  {L: 5, Block: 150},
	"blocks of 50":                   {L: 5, Block: 50},
	"slppa by rank":                  {Method: Slppa, Alpha: ratio("0.5"), Beta: ratio("0.2")},
	"slppa by rank in blocks of 150": {Method: Slppa, Beta: ratio("0.2"), Block: 150},
	"slppa by rank in blocks of 150 with alpha": {Method: Slppa, Alpha: ratio("0.5"), Beta: ratio("0.2"), Block: 150},
	"slicing in planned blocks":                 {Method: Slicing, L: 5},
	"mondrian in planned classes":               {Method: Mondrian, K: 10, L: 3},
	"mondrian in classes of 20,000 counts":      {Method: Mondrian, K: 10, L: 3},
	"mondrian in classes of 10,000 counts":      {Method: Mondrian, K: 10, L: 3},
	"mondrian in classes of 5,000 counts":       {Method: Mondrian, K: 10, L: 3},
}

// counted bounds the counts of combinations and sensitive values to read, to simulate a table with fewer counts than records.
var counted = map[string]int64{
	"mondrian in classes of 20,000 counts": 20_000,
	"mondrian in classes of 10,000 counts": 10_000,
	"mondrian in classes of 5,000 counts":  5_000,
}

// publishedAs publishes the table by the method, or by the closed form.
func publishedAs(b *testing.B, in *anonymize.Input, name string) *anonymize.Release {
	b.Helper()
	in.Random = rand.NewPCG(11, 12)
	if m, ok := embedded[name]; ok {
		r, err := m.Run(b.Context(), in, m.Arguments)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	p := planOf(b, in, planned[name])
	if most, ok := counted[name]; ok {
		p.mostCells = most
	}
	if p.Block == 0 && !p.ofBlocks() {
		p.pools = p.poolsFor(countsOf(in.Sensitive[0]))
		r, err := p.publish(b.Context(), in)
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	random := rand.New(in.Random)
	groups, tables := blockedGroups(b, in, p, random)
	if p.Method == Mondrian {
		attributes, err := generalization.NewAttributes(in)
		if err != nil {
			b.Fatal(err)
		}
		var groupOf []uint32
		told := in.Assigned
		in.Assigned = func(of []uint32) { groupOf = of }
		r, _, err := generalization.Publish(b.Context(), p.Method, in, attributes, groups, groups, random)
		if err != nil {
			b.Fatal(err)
		}
		in.Assigned = told
		told(groupOf)
		r.Fragments[0] = rangesOf(b, in, r, groupOf)
		return r
	}
	r, err := bucketization.Publish(b.Context(), p.Method, in, groups, tables, random)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// blockedGroups are the groups of a plan of blocks, and its fragments.
func blockedGroups(b *testing.B, in *anonymize.Input, p *Plan, random *rand.Rand) (groups *bucketization.Partition, tables []bucketization.Table) {
	b.Helper()
	for i, fragment := range p.fragments {
		tables = append(tables, bucketization.QuasiIdentifierTable(i, tuplesOf(b, in, fragment)))
	}
	tables = append(tables, bucketization.SensitiveTable(in.Sensitive[0]))
	blockOf, blocks := blocksOf(b, in, p)
	if p.ofBlocks() {
		records := anonymize.Indices(in.Rows)
		groups = bucketization.NewPartition(records, blockOf, blocks)
	} else {
		groups = p.formed(in, blockOf, blocks, random)
	}
	if p.merges() {
		var err error
		if groups, err = p.mergedGroups(tables, groups); err != nil {
			b.Fatal(err)
		}
	}
	return groups, tables
}

// rangesOf is the fragment of the ranges of a release's groups, as the engine writes it.
func rangesOf(b *testing.B, in *anonymize.Input, r *anonymize.Release, groupOf []uint32) *anonymize.Fragment {
	b.Helper()
	f := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, Count: r.GroupSizes}
	for g := range uint32(r.Groups() + 1) {
		f.GroupStart = append(f.GroupStart, g)
	}
	for _, c := range in.QuasiIdentifiers {
		spans, numbers, codes := []Span(nil), make(map[Span]uint32), make([]uint32, r.Groups())
		for g, s := range spansOf(c, groupOf, r.Groups()) {
			number, known := numbers[s]
			if !known {
				number = uint32(len(spans))
				numbers[s], spans = number, append(spans, s)
			}
			codes[g] = number
		}
		cells, place, err := CellsOf(c.Dictionary, spans)
		if err != nil {
			b.Fatal(err)
		}
		for g := range codes {
			codes[g] = place[codes[g]]
		}
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Cells: cells, Codes: codes})
	}
	return f
}

// spansOf are the ranges of a column's values in groups.
func spansOf(c *anonymize.Column, groupOf []uint32, groups int) []Span {
	spans := make([]Span, groups)
	for row, g := range groupOf {
		switch v := c.Dictionary[c.Codes[row]]; {
		case v.IsNull():
			spans[g].Null = true
		case spans[g].Low.IsNull():
			spans[g].Low, spans[g].High = v, v
		case anonymize.Compare(v, spans[g].Low) < 0:
			spans[g].Low = v
		case anonymize.Compare(v, spans[g].High) > 0:
			spans[g].High = v
		}
	}
	return spans
}

// planOf plans like NewPlan, on counts of a table in memory. The local method divides the columns into fragments.
func planOf(b *testing.B, in *anonymize.Input, r Request) *Plan {
	b.Helper()
	for _, c := range in.QuasiIdentifiers {
		r.QuasiIdentifiers = append(r.QuasiIdentifiers, c.Name)
	}
	p, err := &Plan{Records: int64(in.Rows), mostCells: maxCells}, error(nil)
	if p.Request, err = r.checked(); err != nil {
		b.Fatal(err)
	}
	p.fragments = [][]Column{columnsOf(in.QuasiIdentifiers)}
	if p.Fragments > 1 {
		m := embedded[p.Method]
		release, err := m.Run(b.Context(), in, m.Arguments)
		if err != nil {
			b.Fatal(err)
		}
		p.fragments = nil
		for _, f := range release.Fragments[:len(release.Fragments)-1] {
			var fragment []Column
			for _, c := range f.Columns {
				fragment = append(fragment, Column{c.Name, c.Type})
			}
			p.fragments = append(p.fragments, fragment)
		}
	}
	p.rule = Rule{Size: int64(p.L), Share: anonymize.NewRatio(1, uint64(max(1, p.L))), Delta: ratioOne, Records: p.Records}
	if p.ofBlocks() {
		p.rule.Size = 0
	}
	if p.Method == Slppa {
		p.rule = Rule{Size: 5, Share: p.Beta, Delta: p.Delta, Records: p.Records}
		frequent := make([][]int64, len(p.fragments))
		for i, fragment := range p.fragments {
			for _, n := range tuplesOf(b, in, fragment).Frequency {
				frequent[i] = append(frequent[i], int64(n))
			}
			slices.SortFunc(frequent[i], func(x, y int64) int { return int(y - x) })
			frequent[i] = frequent[i][:min(maxFrequent, len(frequent[i]))]
		}
		for p.breaks(b.Context(), countsOf(in.Sensitive[0]), frequent) != "" {
			p.rule.Size++
		}
		b.Logf("groups of %d or more", p.rule.Size)
	}
	return p
}

func columnsOf(columns []*anonymize.Column) (of []Column) {
	for _, c := range columns {
		of = append(of, Column{c.Name, c.Type})
	}
	return of
}

func tuplesOf(b *testing.B, in *anonymize.Input, fragment []Column) *bucketization.Projection {
	b.Helper()
	tuples, err := projectionOf(b.Context(), in, fragment)
	if err != nil {
		b.Fatal(err)
	}
	return tuples
}

// blocksOf plans blocks as NewPlan does, on counts of a table in memory.
func blocksOf(b *testing.B, in *anonymize.Input, p *Plan) (blockOf []uint32, blocks int) {
	b.Helper()
	sensitive := p.rule.Heavy(countsOf(in.Sensitive[0]), p.Block)
	cells := &Cells{Bins: make([][]uint8, len(in.QuasiIdentifiers)), Start: []int{0}, Total: recordsOf(sensitive)}
	var cellOf []int64
	bins := binsFor(in, p, len(sensitive))
	cells.Numbers, cellOf = numbersOf(bins), cellsOf(in, bins)
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
	d, err := p.divide(b.Context(), cells)
	if err != nil {
		b.Fatal(err)
	}
	blockOf = make([]uint32, in.Rows)
	for record, cell := range cellOf {
		blockOf[record] = d.BlockOf[place[cell]]
	}
	return blockOf, d.Blocks
}

// binsFor returns NewPlan's bins for this many heavy values, with exact counts of combinations; for blocks, so many that hardly two records agree.
func binsFor(in *anonymize.Input, p *Plan, heavy int) []*Bins {
	var counts [][]Count
	for _, c := range in.QuasiIdentifiers {
		counts = append(counts, countsOf(c))
	}
	if p.Method != Mondrian {
		return p.binsOf(counts, perBlock*in.Rows/int(p.Block)<<15)
	}
	for _, bins := range p.triedBins(counts, heavy, p.mostCells) {
		seen := make(map[[2]int64]bool)
		for record, cell := range cellsOf(in, bins) {
			seen[[2]int64{cell, int64(in.Sensitive[0].Codes[record])}] = true
		}
		if int64(len(seen)) <= p.mostCells {
			return bins
		}
	}
	return nil
}

// cellsOf are the cells of the records.
func cellsOf(in *anonymize.Input, bins []*Bins) []int64 {
	cellOf := make([]int64, in.Rows)
	for i, c := range in.QuasiIdentifiers {
		for record, code := range c.Codes {
			cellOf[record] = cellOf[record]*int64(bins[i].Number()) + int64(bins[i].binOf(c.Dictionary[code]))
		}
	}
	return cellOf
}
