package initialpartition

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// tables calls test with random tables and requests that can be met.
func tables(t *testing.T, n int, test func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, r Request)) {
	t.Helper()
	feasible := 0
	for seed := range uint64(n) {
		random := rand.New(rand.NewPCG(seed, 3))
		in := anontest.RandomTable(2+random.IntN(120), seed)
		r := Request{L: 2 + random.IntN(3), Mondrian: random.IntN(3) == 0, Ascending: random.IntN(2) == 0,
			Collapse: Collapse(random.IntN(3))}
		b := bucketization.NewBuckets(in.Sensitive[0], nil)
		if b.CheckDiversity(r.L) != nil {
			continue
		}
		feasible++
		test(seed, in, b, r)
	}
	if feasible < n/4 {
		t.Errorf("only %d of %d tables could be divided", feasible, n)
	}
}

func divide(t *testing.T, seed uint64, in *anonymize.Input, b *bucketization.Buckets, r Request) *Blocks {
	t.Helper()
	blocks, err := Divide(context.Background(), in, b, r, rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return blocks
}

// Every record in one block, and blocks as Definition 1 has them.
func TestBlocksAreDiverse(t *testing.T) {
	tables(t, 2000, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, r Request) {
		blocks := divide(t, seed, in, b, r)
		seen := slices.Sorted(slices.Values(blocks.Member))
		for i, record := range seen {
			if record != uint32(i) {
				t.Fatalf("seed %d: records %v", seed, seen)
			}
		}
		for g := range blocks.Groups() {
			counts := map[uint32]int{}
			for _, record := range blocks.Records(g) {
				counts[b.Value[record]]++
			}
			if len(counts) < r.L {
				t.Fatalf("seed %d: block %d has %d values, l = %d", seed, g, len(counts), r.L)
			}
			for v, n := range counts {
				if n > len(blocks.Records(g))/r.L {
					t.Fatalf("seed %d: block %d of %d records has value %d %d times, l = %d", seed, g, len(blocks.Records(g)), v, n, r.L)
				}
			}
		}
	})
}

// Algorithm 1 by slices of records, with the draws of the real one: the same
// blocks in the same order.
func TestAlgorithm1AgainstOracle(t *testing.T) {
	tables(t, 2000, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, r Request) {
		if r.Mondrian {
			return
		}
		blocks := divide(t, seed, in, b, r)
		o := oracle{r: r, value: b.Value, columns: blocks.Order, random: rand.New(rand.NewPCG(seed, 1))}
		all := anonymize.Indices(in.Rows)
		o.split(all, 0)
		if len(o.blocks) != blocks.Groups() {
			t.Fatalf("seed %d: %d blocks, want %d", seed, blocks.Groups(), len(o.blocks))
		}
		for g, want := range o.blocks {
			if got := slices.Sorted(slices.Values(blocks.Records(g))); !slices.Equal(got, want) {
				t.Fatalf("seed %d: block %d is %v, want %v", seed, g, got, want)
			}
		}
	})
}

type oracle struct {
	r       Request
	value   []uint32
	columns []*anonymize.Column
	random  *rand.Rand
	blocks  [][]uint32
}

func (o *oracle) diverse(records []uint32) bool {
	counts := map[uint32]int{}
	for _, record := range records {
		counts[o.value[record]]++
	}
	for _, n := range counts {
		if n > len(records)/o.r.L {
			return false
		}
	}
	return true
}

func (o *oracle) split(records []uint32, i int) {
	if i == len(o.columns) || len(records) < 2*o.r.L {
		o.blocks = append(o.blocks, slices.Sorted(slices.Values(records)))
		return
	}
	byCode := map[uint32][]uint32{}
	for _, record := range records {
		byCode[o.columns[i].Codes[record]] = append(byCode[o.columns[i].Codes[record]], record)
	}
	var codes []uint32
	for code := range byCode {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	type piece struct {
		records []uint32
		merged  bool
	}
	var pieces []piece
	for _, code := range codes {
		pieces = append(pieces, piece{records: byCode[code]})
	}
	for j := 0; j < len(pieces); j++ {
		for !o.diverse(pieces[j].records) {
			left, right := j > 0, j+1 < len(pieces)
			if left && right {
				left = o.random.Uint32()&1 == 0
			}
			if left {
				j--
			}
			pieces[j] = piece{slices.Concat(pieces[j].records, pieces[j+1].records), true}
			pieces = slices.Delete(pieces, j+1, j+2)
		}
	}
	for _, p := range pieces {
		collapsed := len(codes) > 1 && len(pieces) == 1 && o.r.Collapse == Skip
		if p.merged && o.r.Collapse != Continue && !collapsed {
			o.blocks = append(o.blocks, slices.Sorted(slices.Values(p.records)))
		} else {
			o.split(p.records, i+1)
		}
	}
}

// Mondrian by definition: no block can be cut at a median, every one can be told
// from the others by ranges of codes.
func TestMondrianIsFinal(t *testing.T) {
	tables(t, 1500, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, r Request) {
		r.Mondrian = true
		blocks := divide(t, seed, in, b, r)
		o := oracle{r: r, value: b.Value}
		for g := range blocks.Groups() {
			for _, c := range in.QuasiIdentifiers {
				if low, high, ok := halve(blocks.Records(g), c.Codes); ok && o.diverse(low) && o.diverse(high) {
					t.Fatalf("seed %d: block %d can be cut along %s", seed, g, c.Name)
				}
			}
			for h := range g {
				if overlap(blocks.Records(g), blocks.Records(h), in.QuasiIdentifiers) {
					t.Fatalf("seed %d: blocks %d and %d overlap in all attributes", seed, g, h)
				}
			}
		}
	})
}

// halve cuts between values, as near to the middle as can be, lower on ties.
func halve(records, codes []uint32) (low, high []uint32, ok bool) {
	best := len(records) + 1
	for _, cut := range records {
		var l, h []uint32
		for _, record := range records {
			if codes[record] < codes[cut] {
				l = append(l, record)
			} else {
				h = append(h, record)
			}
		}
		d := max(len(l)-len(h), len(h)-len(l))
		if len(l) > 0 && (d < best || d == best && len(l) < len(low)) {
			best, low, high, ok = d, l, h, true
		}
	}
	return low, high, ok
}

func overlap(a, b []uint32, columns []*anonymize.Column) bool {
	for _, c := range columns {
		range2 := func(records []uint32) (low, high uint32) {
			low = c.Codes[records[0]]
			high = low
			for _, record := range records {
				low, high = min(low, c.Codes[record]), max(high, c.Codes[record])
			}
			return low, high
		}
		al, ah := range2(a)
		bl, bh := range2(b)
		if ah < bl || bh < al {
			return false
		}
	}
	return true
}

// The two ways to sort agree: the width of a column decides which is taken.
func TestWideColumns(t *testing.T) {
	for seed := range uint64(300) {
		narrow := anontest.RandomTable(80, seed)
		wide := *narrow
		wide.QuasiIdentifiers = nil
		for _, c := range narrow.QuasiIdentifiers {
			w := &anonymize.Column{Name: c.Name, Codes: make([]uint32, len(c.Codes))}
			for v := range 1000 * len(c.Dictionary) {
				w.Dictionary = append(w.Dictionary, anonymize.IntegerValue(int64(v)))
			}
			for i, code := range c.Codes {
				w.Codes[i] = 1000 * code
			}
			wide.QuasiIdentifiers = append(wide.QuasiIdentifiers, w)
		}
		b := bucketization.NewBuckets(narrow.Sensitive[0], nil)
		if b.CheckDiversity(2) != nil {
			continue
		}
		for _, r := range []Request{{L: 2}, {L: 2, Collapse: Continue}} {
			x, y := divide(t, seed, narrow, b, r), divide(t, seed, &wide, b, r)
			if !reflect.DeepEqual(x.Partition, y.Partition) {
				t.Fatalf("seed %d, %+v: %v with few codes, %v with many", seed, r, x.Partition, y.Partition)
			}
		}
	}
}

// The order of Section 4.1, and of Section 5.3.
func TestOrder(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, `
none all some s
a    x   k    u
a    x   k    u
a    y   k    v
a    y   m    v
a    z   m    w
a    z   m    w`), "none all some", "s", nil)
	b := bucketization.NewBuckets(in.Sensitive[0], nil)
	for _, c := range []struct {
		ascending bool
		want      string
	}{{false, "[all some none]"}, {true, "[none some all]"}} {
		var names []string
		for _, column := range divide(t, 1, in, b, Request{L: 2, Ascending: c.ascending}).Order {
			names = append(names, column.Name)
		}
		if fmt.Sprint(names) != c.want {
			t.Errorf("ascending = %v: %v, want %s", c.ascending, names, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 5\n2 5\n3 5\n4 6"), "q", "s", rand.NewPCG(1, 2))
	b := bucketization.NewBuckets(in.Sensitive[0], nil)
	var infeasible *anonymize.InfeasibleError
	if _, err := Divide(context.Background(), in, b, Request{L: 2}, nil); !errors.As(err, &infeasible) ||
		infeasible.Largest != anonymize.NewRatio(1, 1) {
		t.Errorf("three of four records have one value: %v", err)
	}
	method := anonymize.Method{Name: "arp", Parameters: append(anonymize.Declare(Diversity), Parameters()...)}
	var bad *anonymize.ParameterError
	if _, err := method.Resolve(anonymize.Arguments{"l": "2", "threshold": "-1"}); !errors.As(err, &bad) || bad.Parameter != "threshold" {
		t.Errorf("threshold -1: %v", err)
	}
	settings, err := method.Resolve(anonymize.Arguments{"l": "2", "threshold": "1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read("arp", in, settings); err != nil {
		t.Error(err)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	in := anontest.RandomTable(500, 4)
	in.Sensitive[0] = anonymize.NewColumn("s", "", make([]anonymize.Value, 500))
	in.Sensitive[0].Dictionary = []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2)}
	for i := range in.Sensitive[0].Codes {
		in.Sensitive[0].Codes[i] = uint32(i % 2)
	}
	b := bucketization.NewBuckets(in.Sensitive[0], nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, r := range []Request{{L: 2}, {L: 2, Mondrian: true}} {
		if _, err := Divide(ctx, in, b, r, rand.New(rand.NewPCG(1, 1))); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
