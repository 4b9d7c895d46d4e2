package publication

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// randomCells are cells of two attributes with values of 5 sensitive values, some skewed.
func randomCells(random *rand.Rand) *Cells {
	c := &Cells{Bins: make([][]uint8, 2), Numbers: []int{1 + random.IntN(12), 1 + random.IntN(6)}, Start: []int{0}, Total: make([]int64, 5)}
	for x := range c.Numbers[0] {
		for y := range c.Numbers[1] {
			if random.IntN(5) == 0 {
				continue
			}
			c.Bins[0], c.Bins[1] = append(c.Bins[0], uint8(x)), append(c.Bins[1], uint8(y))
			for v := range uint32(5) {
				if n := random.Int64N(40); n > 0 {
					c.Sensitive = append(c.Sensitive, v)
					c.Records = append(c.Records, n)
				}
			}
			c.Sensitive = append(c.Sensitive, light)
			c.Records = append(c.Records, 60)
			c.Start = append(c.Start, len(c.Sensitive))
		}
	}
	return c
}

// Every cell is in one block, a block that was cut is large enough and has no value too often, and there are many blocks.
func TestDeviation144_Blocks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	all := 0
	for range 200 {
		c := randomCells(random)
		if len(c.Start) == 1 {
			continue
		}
		const l, least = 3, 300
		d, err := Divide(context.Background(), c, Rule{Size: l, Share: anonymize.NewRatio(1, l), Delta: ratioOne, Records: 1}, least)
		if err != nil {
			t.Fatal(err)
		}
		blockOf, blocks := d.BlockOf, d.Blocks
		all += blocks
		records, most := make([]int64, blocks), make([]map[uint32]int64, blocks)
		for cell, b := range blockOf {
			if most[b] == nil {
				most[b] = make(map[uint32]int64)
			}
			for at := c.Start[cell]; at < c.Start[cell+1]; at++ {
				records[b] += c.Records[at]
				if c.Sensitive[at] != light {
					most[b][c.Sensitive[at]] += c.Records[at]
				}
			}
		}
		for b := range blocks {
			if blocks > 1 && records[b] < least {
				t.Errorf("block %d of %d has %d records, must have %d", b, blocks, records[b], least)
			}
			for v, n := range most[b] {
				if blocks > 1 && n > records[b]/l {
					t.Errorf("block %d has value %d %d times in %d records: no groups of %d different ones", b, v, n, records[b], l)
				}
			}
		}
	}
	if all < 1000 {
		t.Errorf("%d blocks of 200 tables: hardly anything is cut", all)
	}
}

func TestBins(t *testing.T) {
	number := func(i int64) anonymize.Value { return anonymize.IntegerValue(i) }
	even := make([]Count, 100)
	for i := range even {
		even[i] = Count{number(int64(i)), 10}
	}
	for _, c := range []struct {
		name   string
		counts []Count
		most   int
		cuts   []int64
	}{
		{"quantiles", even, 4, []int64{25, 50, 75}},
		{"one bin", even, 1, nil},
		{"a value of half the records", []Count{{number(1), 10}, {number(2), 1000}, {number(3), 10}, {number(4), 980}}, 3, []int64{3, 4}},
		{"as many as there are values", []Count{{number(3), 5}, {number(1), 7}, {number(2), 1}}, 8, []int64{2, 3}},
		{"NULL is with the least", []Count{{number(1), 5}, {anonymize.NullValue, 100}, {number(2), 5}}, 8, []int64{2}},
		{"no values", nil, 8, nil},
	} {
		bins := NewBins("x", c.counts, c.most)
		same := len(bins.Cuts) == len(c.cuts)
		for i := 0; same && i < len(c.cuts); i++ {
			same = bins.Cuts[i] == number(c.cuts[i])
		}
		if !same {
			t.Errorf("%s: cut at %v, must be %v", c.name, bins.Cuts, c.cuts)
		}
	}
}

func TestShrink(t *testing.T) {
	for _, c := range []struct {
		wanted []int
		most   int
	}{{[]int{64, 64, 64}, 5000}, {[]int{2, 64}, 1000}, {[]int{3, 3, 3}, 2}} {
		got := Shrink(c.wanted, c.most)
		if product(got) > int64(max(c.most, 1)) {
			t.Errorf("%v of at most %d is %v", c.wanted, c.most, got)
		}
		for i, n := range got {
			if n < 1 || n > c.wanted[i] {
				t.Errorf("%v of at most %d is %v", c.wanted, c.most, got)
			}
		}
	}
}

// Merged bins have the requested number, and combine old ones proportionally.
func TestMergedBins(t *testing.T) {
	counts := make([]Count, 40)
	for i := range counts {
		counts[i] = Count{anonymize.IntegerValue(int64(i)), int64(1 + i%3)}
	}
	finest := NewBins("x", counts, 13)
	for number := 1; number <= finest.Number(); number++ {
		bins := finest.Merged(number)
		if bins.Number() != number {
			t.Errorf("of %d bins %d are made, must be %d", finest.Number(), bins.Number(), number)
		}
		for _, c := range counts {
			if got, want := bins.binOf(c.Value), finest.binOf(c.Value)*number/finest.Number(); got != want {
				t.Errorf("%d bins: %v is in bin %d, want %d", number, c.Value, got, want)
			}
		}
	}
	for _, most := range []int{1, 5, 100, 1 << 30} {
		n := 1
		bins := []*Bins{finest, finest, NewBins("y", counts[:1], 4)}
		for _, b := range merged(bins, Shrink(numbersOf(bins), most)) {
			n *= b.Number()
		}
		if n > most || most > 200 && n != finest.Number()*finest.Number() {
			t.Errorf("at most %d combinations: %d", most, n)
		}
	}
}
