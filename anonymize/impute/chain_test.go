package impute

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Where an iteration looks at a part of the records, the next one looks at another; on any
// number of cores the chain comes to the same model and the same table.
func TestParts(t *testing.T) {
	l := sampleOf(t, 6*blockSlots)
	run := func(workers, iterations int) (*chain, *model) {
		m := newModel(l, l.weakPrior())
		start := l.begin()
		start.shuffle(rand.New(rand.NewPCG(1, 2)))
		c := newChain(m, start, nil, 3, workers)
		c.parts = 2
		for i := range iterations {
			if err := c.iteration(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		return c, m
	}
	begun, _ := run(1, 0)
	first, _ := run(1, 1)
	second, want := run(1, 2)
	width := len(l.attributes)
	for block := range len(begun.blocks) - 1 {
		low, high := int(l.first[begun.blocks[block]])*width, int(l.first[begun.blocks[block+1]])*width
		of := func(c *chain) []uint16 { return c.table.rows[low:high] }
		if moved := !slices.Equal(of(begun), of(first)); moved != (block%2 == 0) {
			t.Errorf("block %d moved in the first iteration: %t", block, moved)
		}
		if moved := !slices.Equal(of(first), of(second)); moved != (block%2 == 1) {
			t.Errorf("block %d moved in the second iteration: %t", block, moved)
		}
	}
	for _, workers := range []int{2, 5} {
		c, got := run(workers, 2)
		if !slices.Equal(got.theta, want.theta) || !slices.Equal(got.bias, want.bias) || !slices.Equal(c.table.rows, second.table.rows) {
			t.Errorf("%d cores come to another model or table", workers)
		}
	}
}

// A step looks at all records where they cost little, and at a quarter at least.
func TestPartsOf(t *testing.T) {
	for _, c := range []struct{ records, attributes, responses, want int }{
		{10_000, 10, 100, 1}, {45_000, 10, 66, 1}, {45_000, 10, 68, 2}, {50_000, 10, 91, 3}, {50_000, 20, 900, 4}, {blockSlots, 20, 1000, 1},
	} {
		s := &schema{attributes: make([]attribute, c.attributes), categories: c.responses}
		if got := partsOf(&slots{schema: s, first: []uint32{0, uint32(c.records)}}); got != c.want {
			t.Errorf("%d records, %d attributes, %d responses: %d parts, want %d", c.records, c.attributes, c.responses, got, c.want)
		}
	}
}
