package nonhomogeneous

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

func TestBattery(t *testing.T) {
	anontest.Battery(t, Method(), anontest.Options{
		Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments {
			pick := func(of ...string) string { return of[random.IntN(len(of))] }
			return anonymize.Arguments{"l": pick("2", "2", "3", "4"), "partition": pick("correlation", "mondrian"),
				"order": pick("descending", "ascending"), "on_collapse": pick("continue", "skip", "stop")}
		},
		Easy: anonymize.Arguments{"l": "3"},
		Meets: func(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
			l, _ := strconv.Atoi(arguments["l"])
			return anontest.MeetsL(in, l, groups)
		},
	})
}

// column returns a sensitive attribute of the given counts, in random order.
func column(counts []int, random *rand.Rand) *anonymize.Column {
	c := &anonymize.Column{Name: "s"}
	for v, n := range counts {
		c.Dictionary = append(c.Dictionary, anonymize.TextValue(string(rune('a'+v))))
		for range n {
			c.Codes = append(c.Codes, uint32(v))
		}
	}
	random.Shuffle(len(c.Codes), func(i, j int) { c.Codes[i], c.Codes[j] = c.Codes[j], c.Codes[i] })
	return c
}

// Any l consecutive records of a ring have different values, whenever no value
// has more than floor(n/l) of n: all multisets of up to 6 values, and random
// ones. The ring is reused.
func TestRing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rings, seen := 0, map[string]bool{}
	for range 20000 {
		counts := make([]int, 2+random.IntN(7))
		for v := range counts {
			counts[v] = 1 + random.IntN(6)
		}
		if seen[fmt.Sprint(counts)] {
			continue
		}
		seen[fmt.Sprint(counts)] = true
		c := column(counts, random)
		n := c.Rows()
		a := newArrangement(bucketization.NewBuckets(c, nil))
		for l := 2; l <= n/slices.Max(counts); l++ {
			ring := a.arrange(anonymize.Indices(n), l, random)
			rings++
			if sorted := slices.Sorted(slices.Values(ring)); !slices.Equal(sorted, anonymize.Indices(n)) {
				t.Fatalf("%v, l = %d: the ring has records %v", counts, l, sorted)
			}
			for i := range ring {
				for d := 1; d < l; d++ {
					if c.Codes[ring[i]] == c.Codes[ring[(i+d)%n]] {
						t.Fatalf("%v, l = %d: places %d and %d have one value", counts, l, i, i+d)
					}
				}
			}
		}
	}
	if rings < 5000 {
		t.Errorf("only %d rings", rings)
	}
}

// turned returns the candidates of every record.
func turned(c *anonymize.Column, ring []uint32, l, places int) []string {
	w := newWindows(c, l)
	w.assignWindows(ring, places)
	labels := make([]string, len(ring))
	for record, cell := range w.Of {
		labels[record] = w.Cells[cell].Label
	}
	return labels
}

// The proof of 1/l: what is published is also published for the l-1 tables in
// which the values of the ring are turned against the records, by as many other
// turns, and in these every record has another of its candidates. The ring of
// such a table is as likely, since the sequence of values is a function of their
// counts and records of one value have random places.
func TestEveryTurnIsPossible(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		counts := make([]int, 4+random.IntN(4))
		for v := range counts {
			counts[v] = 1 + random.IntN(4)
		}
		c := column(counts, random)
		n := c.Rows()
		l := min(n/slices.Max(counts), 4)
		if l < 2 {
			continue
		}
		ring := slices.Clone(newArrangement(bucketization.NewBuckets(c, nil)).arrange(anonymize.Indices(n), l, random))
		drawn := random.IntN(l)
		published := turned(c, ring, l, drawn)
		own := make([]map[uint32]bool, n)
		for turn := range l {
			other := &anonymize.Column{Name: "s", Dictionary: c.Dictionary, Codes: make([]uint32, n)}
			for i, record := range ring {
				other.Codes[record] = c.Codes[ring[(i+turn-drawn+n)%n]]
				if own[record] == nil {
					own[record] = map[uint32]bool{}
				}
				own[record][other.Codes[record]] = true
			}
			if got := turned(other, ring, l, turn); !slices.Equal(got, published) {
				t.Fatalf("turn %d publishes %v, not %v", turn, got, published)
			}
		}
		for record, values := range own {
			if len(values) != l {
				t.Fatalf("record %d has %d values in the %d tables", record, len(values), l)
			}
		}
	}
}

// The sequence of values around the ring depends on their counts alone.
func TestSequenceIsAFunctionOfCounts(t *testing.T) {
	counts := []int{3, 4, 2, 4, 3}
	var want []uint32
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := column(counts, random)
		ring := newArrangement(bucketization.NewBuckets(c, nil)).arrange(anonymize.Indices(16), 4, random)
		got := anonymize.Gather(c.Codes, ring)
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Fatalf("values %v and %v around the ring", got, want)
		}
	}
}

// Monte Carlo over whole runs on random tables of twelve different values: in
// the order of the ring, the value of record 0 is each of its three candidates in
// a third of 6,000 runs, standard error 0.006; 0.03 off is a false alarm once in
// 10^6.
func TestTruthIsUniform(t *testing.T) {
	const runs, n, l = 6000, 12, 3
	in := anontest.RandomTable(n, 1)
	in.QuasiIdentifiers = []*anonymize.Column{column([]int{n}, rand.New(rand.NewPCG(1, 1)))} // one block
	in.QuasiIdentifiers[0].Name = "q"
	places := make([]int, l)
	for seed := range uint64(runs) {
		in.Random = rand.NewPCG(seed, 5)
		in.Sensitive[0] = column(slices.Repeat([]int{1}, n), rand.New(rand.NewPCG(seed, 6)))
		var gids []uint32
		in.Assigned = func(gidOf []uint32) { gids = gidOf }
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "3"})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Fragments[1].Columns[0]
		members := c.Cells[c.Codes[gids[0]]].Members
		own := in.Sensitive[0].Codes[0]
		// Values 0 .. 11 are written column by column into four rows: in the ring
		// v is followed by v+4, and 8+r by r+1.
		after := func(v uint32) uint32 {
			if v < 8 {
				return v + 4
			}
			return (v - 7) % 4
		}
		for place, v := 0, own; ; place++ { // how many candidates are behind it
			if v = after(v); !slices.Contains(members, v) {
				places[l-1-place]++
				break
			}
		}
	}
	for place, n := range places {
		if share := float64(n) / runs; math.Abs(share-1.0/l) > 0.03 {
			t.Errorf("the truth is candidate %d in %.3f of the runs", place, share)
		}
	}
}
