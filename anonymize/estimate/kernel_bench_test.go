package estimate

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/testsize"
)

// benchedGroup is the size of the groups of the benchmarked releases.
const benchedGroup = 7

// benchedRelease has fragments of two columns of 100 and 10 values, which are
// their codes.
func benchedRelease(rows, fragments int) *anonymize.Release {
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	r := &anonymize.Release{Method: "benchmark"}
	for r.Rows+benchedGroup <= rows {
		r.GroupSizes = append(r.GroupSizes, benchedGroup)
		r.Rows += benchedGroup
	}
	for i := range fragments {
		f := &anonymize.Fragment{Name: fmt.Sprint("f", i), GroupStart: []uint32{0}}
		for c, values := range []int{100, 10} {
			column := &anonymize.FragmentColumn{Name: fmt.Sprintf("c%d_%d", i, c)}
			for v := range values {
				column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
			}
			f.Columns = append(f.Columns, column)
		}
		for range r.GroupSizes {
			appendGroup(random, f)
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// appendGroup adds the tuples of one group, ascending, each once.
func appendGroup(random *rand.Rand, f *anonymize.Fragment) {
	var tuples [benchedGroup]uint32
	for i := range tuples {
		tuples[i] = random.Uint32N(1000)
	}
	slices.Sort(tuples[:])
	for i, tuple := range tuples {
		if i > 0 && tuple == tuples[i-1] {
			f.Count[len(f.Count)-1]++
			continue
		}
		f.Columns[0].Codes = append(f.Columns[0].Codes, tuple/10)
		f.Columns[1].Codes = append(f.Columns[1].Codes, tuple%10)
		f.Count = append(f.Count, 1)
	}
	f.GroupStart = append(f.GroupStart, uint32(f.Tuples()))
}

// A selectivity is a share of the tuples of a fragment: those whose codes are
// below these limits.
type selectivity struct {
	name   string
	limits [2]uint8
}

var selectivities = []selectivity{
	{"0.1%", [2]uint8{1, 1}}, {"1%", [2]uint8{10, 1}}, {"10%", [2]uint8{20, 5}}, {"50%", [2]uint8{71, 7}},
}

// benchedQuestion counts the records that satisfy the conditions of the first
// so many fragments.
func benchedQuestion(s selectivity, fragments int) *Question {
	q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
	for f := range fragments {
		for c, limit := range s.limits {
			q.Leaves = append(q.Leaves, ValueLeaf(f, c, func(v anonymize.Value) bool { return v.Int < int64(limit) }))
			q.Where = append(q.Where, Expression{Leaves: []int{len(q.Leaves) - 1}})
		}
	}
	return q
}

// byteFragment is what the straightforward loop reads.
type byteFragment struct {
	columns [][]uint8
	start   []uint32
	count   []uint32
}

func byteFragments(r *anonymize.Release) []byteFragment {
	fragments := make([]byteFragment, len(r.Fragments))
	for i, f := range r.Fragments {
		fragments[i] = byteFragment{start: f.GroupStart, count: f.Count}
		for _, c := range f.Columns {
			codes := make([]uint8, len(c.Codes))
			for t, code := range c.Codes {
				codes[t] = uint8(code)
			}
			fragments[i].columns = append(fragments[i].columns, codes)
		}
	}
	return fragments
}

// straightforward is the loop that one would write first: group by group,
// fragment by fragment, tuple by tuple, on one core.
func straightforward(fragments []byteFragment, limits [2]uint8, sizes []uint32) float64 {
	var keep [2][256]bool
	for c, limit := range limits {
		for code := range limit {
			keep[c][code] = true
		}
	}
	total := 0.0
	for g, m := range sizes {
		product := float64(m)
		for _, f := range fragments {
			matching := uint32(0)
			for t := f.start[g]; t < f.start[g+1]; t++ {
				if keep[0][f.columns[0][t]] && keep[1][f.columns[1][t]] {
					matching += f.count[t]
				}
			}
			product *= float64(matching) / float64(m)
		}
		total += product
	}
	return total
}

// onePass reads the touched bytes once, eight at a time.
func onePass(fragments []byteFragment) (sum uint64) {
	for _, f := range fragments {
		for _, codes := range f.columns {
			for ; len(codes) >= 8; codes = codes[8:] {
				sum += binary.LittleEndian.Uint64(codes)
			}
		}
	}
	return sum
}

// benchedRows are the sizes; only the smallest runs unless all is asked for.
func benchedRows() []int {
	if !testsize.All() {
		return []int{100_000}
	}
	return []int{100_000, 1_000_000, 10_000_000}
}

// BenchmarkCount compares, on the same fragments, the kernel, the weighted
// join, the straightforward loop and one pass over the touched bytes.
// MB/s is of one byte per record and touched column, whoever reads how much.
func BenchmarkCount(b *testing.B) {
	const fragments = 4
	for _, rows := range benchedRows() {
		r := benchedRelease(rows, fragments)
		bytes := byteFragments(r)
		p := Prepare(r)
		mustAskPrepared(b, p, benchedQuestion(selectivities[0], fragments))
		for touched := 1; touched <= fragments; touched++ {
			for _, s := range selectivities {
				name := fmt.Sprintf("rows=%d/fragments=%d/selectivity=%s", rows, touched, s.name)
				benchCount(b, name, p, bytes[:touched], s)
			}
			b.Run(fmt.Sprintf("rows=%d/fragments=%d/pass", rows, touched), func(b *testing.B) {
				for b.Loop() {
					onePass(bytes[:touched])
				}
				perRecord(b, r.Rows, touched)
			})
		}
	}
}

func benchCount(b *testing.B, name string, p *Prepared, bytes []byteFragment, s selectivity) {
	q := benchedQuestion(s, len(bytes))
	want := straightforward(bytes, s.limits, p.release.GroupSizes)
	for _, way := range []struct {
		name  string
		count func() float64
	}{
		{"kernel", func() float64 { return mustAskPrepared(b, p, q).Rows[0].Figures[0].Float }},
		{"kernel,spread", func() float64 { return askWithSpread(b, p, q, p.Ask) }},
		{"kernel+spread", func() float64 { return askWithSpread(b, p, q, p.AskWithSpread) }},
		{"join", func() float64 { return mustAsk(b, p.release, q).Rows[0].Figures[0].Float }},
		{"loop", func() float64 { return straightforward(bytes, s.limits, p.release.GroupSizes) }},
	} {
		b.Run(name+"/"+way.name, func(b *testing.B) {
			got := 0.0
			for b.Loop() {
				got = way.count()
			}
			if d := got - want; d > 1e-9*want || d < -1e-9*want {
				b.Fatalf("%v records, the loop has %v", got, want)
			}
			perRecord(b, p.release.Rows, len(bytes))
		})
	}
}

// askWithSpread asks the standard error and the bounds too.
func askWithSpread(b *testing.B, p *Prepared, q *Question, ask func(context.Context, *Question) (*Answer, error)) float64 {
	answer, err := ask(context.Background(), q)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.StandardErrors(context.Background(), q, answer); err != nil {
		b.Fatal(err)
	}
	if _, err := p.Bounds(context.Background(), q, answer); err != nil {
		b.Fatal(err)
	}
	return answer.Rows[0].Figures[0].Float
}

func perRecord(b *testing.B, rows, fragments int) {
	b.SetBytes(int64(2 * fragments * rows))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/record")
}

// BenchmarkUntouched asks the same of two fragments, of how many there ever are.
func BenchmarkUntouched(b *testing.B) {
	for _, fragments := range []int{2, 4, 8, 16} {
		r := benchedRelease(1_000_000, 2)
		for len(r.Fragments) < fragments {
			r.Fragments = append(r.Fragments, r.Fragments[len(r.Fragments)-2])
		}
		p, q := Prepare(r), benchedQuestion(selectivities[2], 2)
		b.Run(fmt.Sprintf("fragments=%d", fragments), func(b *testing.B) {
			for b.Loop() {
				mustAskPrepared(b, p, q)
			}
			perRecord(b, r.Rows, 2)
		})
	}
}

// BenchmarkPlanes is the cost of a column's first touch.
func BenchmarkPlanes(b *testing.B) {
	r := benchedRelease(1_000_000, 1)
	p := Prepare(r)
	for c, column := range r.Fragments[0].Columns {
		b.Run(fmt.Sprintf("values=%d", len(column.Dictionary)), func(b *testing.B) {
			for b.Loop() {
				planes.NewPlanes(p.planes.Layout, r.Fragments[0], r.Fragments[0].Columns[c])
			}
			perRecord(b, r.Rows, 1)
		})
	}
}
