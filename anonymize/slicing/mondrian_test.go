package slicing

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// naive is Mondrian as one would write it down: a recursion over lists of
// records that sorts values and compares them.
type naive struct {
	in        *anonymize.Input
	arguments anonymize.Arguments
	l         int
	split     string
}

func (v *naive) divide(records []int) [][]int {
	order := v.order(records)
	if v.split == widest && len(order) > 1 {
		order = order[:1]
	}
	for _, q := range order {
		if left, right := v.median(q, records); v.diverse(left) && v.diverse(right) {
			return append(v.divide(left), v.divide(right)...)
		}
	}
	if v.split == nearest {
		if left, right := v.mostEven(order, records); left != nil {
			return append(v.divide(left), v.divide(right)...)
		}
	}
	return [][]int{records}
}

// median cuts at the more even side of the median's code.
func (v *naive) median(q int, records []int) (left, right []int) {
	values := v.codes(q, records)
	slices.Sort(values)
	middle := values[len(values)/2]
	below := slices.DeleteFunc(slices.Clone(values), func(code uint32) bool { return code >= middle })
	upTo := slices.DeleteFunc(slices.Clone(values), func(code uint32) bool { return code > middle })
	last := middle
	if len(upTo) == len(values) || len(below) > 0 && len(values)-2*len(below) < 2*len(upTo)-len(values) {
		last = middle - 1
	}
	return v.parts(q, last, records)
}

// order lists the quasi-identifiers of several values, widest first.
func (v *naive) order(records []int) []int {
	var order []int
	span := make([]float64, len(v.in.QuasiIdentifiers))
	for q, c := range v.in.QuasiIdentifiers {
		here := v.codes(q, records)
		low, high := slices.Min(here), slices.Max(here)
		if low == high {
			continue
		}
		order = append(order, q)
		place := func(code uint32) float64 {
			rank := map[uint32]bool{}
			least := c.Dictionary[len(c.Dictionary)-1]
			for _, other := range c.Codes {
				if other < code {
					rank[other] = true
				}
				if value := c.Dictionary[other]; !value.IsNull() && anonymize.Compare(value, least) < 0 {
					least = value
				}
			}
			if !c.IsNumeric() {
				return float64(len(rank))
			}
			if c.Dictionary[code].IsNull() {
				return float64(least.Int)
			}
			return float64(c.Dictionary[code].Int)
		}
		if whole := place(slices.Max(c.Codes)) - place(slices.Min(c.Codes)); whole > 0 {
			span[q] = (place(high) - place(low)) / whole
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(span[b], span[a]) })
	return order
}

func (v *naive) codes(q int, records []int) []uint32 {
	return anonymize.Gather(v.in.QuasiIdentifiers[q].Codes, records)
}

func (v *naive) parts(q int, last uint32, records []int) (left, right []int) {
	for _, record := range records {
		if v.in.QuasiIdentifiers[q].Codes[record] <= last {
			left = append(left, record)
		} else {
			right = append(right, record)
		}
	}
	return left, right
}

func (v *naive) diverse(records []int) bool { return meets(v.in, v.arguments, [][]int{records}) }

func (v *naive) mostEven(order, records []int) (left, right []int) {
	best := 0
	for _, q := range order {
		codes := v.codes(q, records)
		slices.Sort(codes)
		codes = slices.Compact(codes)
		slices.Reverse(codes)
		for _, last := range codes[1:] {
			l, r := v.parts(q, last, records)
			smaller := min(len(l), len(r))
			if smaller > best && minPart*smaller >= len(records) && v.diverse(l) && v.diverse(r) {
				left, right, best = l, r, smaller
			}
		}
	}
	return left, right
}

func TestMondrian(t *testing.T) {
	several, released := 0, 0
	for seed := range uint64(1500) {
		random := rand.New(rand.NewPCG(seed, 3))
		in := anontest.RandomTable(1+random.IntN(120), seed)
		if random.IntN(4) == 0 { // codes too many to count
			spread(in.QuasiIdentifiers[0], random)
		}
		arguments := drawArguments(random, in, local)
		delete(arguments, "threshold") // for which buckets are united afterwards
		_, groups, err := groupsOf(in, arguments)
		if err != nil {
			continue
		}
		released++
		p, err := readArguments(in, arguments)
		if err != nil {
			t.Fatal(err)
		}
		all := anonymize.Ints(in.Rows)
		v := &naive{in: in, arguments: arguments, l: p.l, split: p.split}
		want := anontest.Sorted(v.divide(all))
		if got := anontest.Sorted(groups); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, %v: buckets\n%v, naively\n%v", seed, arguments, got, want)
		}
		if len(want) > 2 {
			several++
		}
	}
	if released < 400 || several < 200 {
		t.Errorf("%d tables released, %d of them in three buckets or more: too few to test anything", released, several)
	}
}

// spread gives every record its own value, of 5,000.
func spread(c *anonymize.Column, random *rand.Rand) {
	c.Dictionary = nil
	for v := range 5000 {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
	}
	for i := range c.Codes {
		c.Codes[i] = random.Uint32N(5000)
	}
}

// Large enough for many levels and tasks: one release, however many cores.
func TestCores(t *testing.T) {
	in := anontest.People(60_000, 0)
	in.Random = rand.NewPCG(1, 2)
	first, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "3"})
	if err != nil {
		t.Fatal(err)
	}
	for _, cores := range []int{1, 3, 16} {
		before := runtime.GOMAXPROCS(cores)
		in.Random = rand.NewPCG(1, 2)
		again, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "3"})
		runtime.GOMAXPROCS(before)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("with %d cores the release differs, %v", cores, err)
		}
	}
	if first.Groups() < 100 {
		t.Errorf("only %d buckets", first.Groups())
	}
}

// Numbers lie by value, NULL with the least, texts by rank of what occurs; and
// what has no order on a line is taken by rank.
func TestAxis(t *testing.T) {
	column := func(codes []uint32, values ...anonymize.Value) *anonymize.Column {
		return &anonymize.Column{Name: "c", Dictionary: values, Codes: codes}
	}
	n, s := anonymize.IntegerValue, anonymize.TextValue
	for name, c := range map[string]struct {
		column *anonymize.Column
		want   []float64
	}{
		"numbers":          {column([]uint32{0, 1, 2}, n(0), n(5), n(50)), []float64{0, 0.1, 1}},
		"unused ends":      {column([]uint32{1, 2}, n(-100), n(5), n(50), n(70)), []float64{0, 0, 1, 1}},
		"NULL":             {column([]uint32{0, 1, 2}, anonymize.NullValue, n(10), n(20)), []float64{0, 0, 1}},
		"texts":            {column([]uint32{0, 1, 3}, s("a"), s("b"), s("unused"), s("z")), []float64{0, 0.5, 0.5, 1}},
		"one value":        {column([]uint32{0}, n(7)), []float64{0}},
		"only NULL":        {column([]uint32{0}, anonymize.NullValue), []float64{0}},
		"kinds of numbers": {column([]uint32{0, 1, 2}, n(5), n(9), anonymize.RealValue(1.5)), []float64{0, 0.5, 1}},
		"too wide":         {column([]uint32{0, 1}, anonymize.RealValue(-1.7e308), anonymize.RealValue(1.7e308)), []float64{0, 1}},
	} {
		a := newAxes([]*anonymize.Column{c.column})[0]
		var got []float64
		for code := range c.want {
			got = append(got, a.span(0, uint32(code)))
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
