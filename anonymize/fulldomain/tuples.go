package fulldomain

import (
	"context"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// tuples are the distinct tuples of the table at a node: the equivalence classes before
// suppression.
type tuples struct {
	node  int
	first []uint32 // by tuple: the least tuple of node 0 in it; names it on all paths
	count []uint32 // by tuple: records
	// Records by sensitive value, nil when only k counts: those of tuple g are
	// start[g] .. start[g+1]-1.
	start, value, records []uint32
}

func (t *tuples) size() int { return len(t.count) + len(t.value) }

// A base is the original table: node 0.
type base struct {
	*lattice
	tuples
	tupleOf []uint32   // by record
	place   [][]uint32 // by attribute and tuple
	total   []int      // records of the table by sensitive value
	rows    int
}

// newBase numbers the table's tuples and counts sensitive values if diverse is set.
func newBase(ctx context.Context, l *lattice, sensitive *anonymize.Column, diverse bool) (*base, error) {
	columns := make([]*anonymize.Column, len(l.attributes))
	for i, a := range l.attributes {
		columns[i] = &anonymize.Column{Codes: a.Place, Dictionary: make([]anonymize.Value, a.Places)}
	}
	p, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return nil, err
	}
	b := &base{lattice: l, tupleOf: p.ID, rows: len(p.ID), total: sensitive.Histogram()}
	b.count = p.Frequency
	b.first = anonymize.Indices(len(p.Frequency))
	for _, a := range l.attributes {
		b.place = append(b.place, anonymize.Gather(a.Place, p.Sample))
	}
	if diverse {
		b.divide(sensitive.Codes)
	}
	return b, nil
}

// divide counts the sensitive values of every tuple.
func (b *base) divide(sensitive []uint32) {
	all := anonymize.Indices(b.rows)
	values := anonymize.Gather(sensitive, bucketization.CountingSort(all, b.tupleOf, len(b.count)))
	b.start = make([]uint32, 1, len(b.count)+1)
	for _, n := range b.count {
		here := values[:n]
		values = values[n:]
		slices.Sort(here)
		for i, v := range here {
			if i == 0 || v != here[i-1] {
				b.value, b.records = append(b.value, v), append(b.records, 0)
			}
			b.records[len(b.records)-1]++
		}
		b.start = append(b.start, uint32(len(b.value)))
	}
}

// A counter counts tuples of nodes; it has its own scratch memory.
type counter struct {
	*base
	dense  []uint32 // by sensitive value, else zero
	direct []uint32
	keys   []uint64
	ids    []uint32
}

// roll counts the tuples of a node from those of a finer one ("rollup" of
// Incognito): O(tuples of source).
func (c *counter) roll(source *tuples, node int) *tuples {
	id, distinct := c.number(source, node)
	t := &tuples{node: node, first: make([]uint32, distinct), count: make([]uint32, distinct)}
	for i := range t.first {
		t.first[i] = ^uint32(0)
	}
	for g, to := range id {
		t.first[to] = min(t.first[to], source.first[g])
		t.count[to] += source.count[g]
	}
	if source.start != nil {
		c.merge(source, t, id)
	}
	return t
}

// merge adds up the sensitive values of merged tuples.
func (c *counter) merge(source, t *tuples, id []uint32) {
	all := anonymize.Indices(len(id))
	p := bucketization.NewPartition(all, id, len(t.count))
	t.start = make([]uint32, 1, len(t.count)+1)
	t.value, t.records = make([]uint32, 0, len(source.value)), make([]uint32, 0, len(source.value))
	for g := range t.count {
		from := len(t.value)
		for _, part := range p.Records(g) {
			for i := source.start[part]; i < source.start[part+1]; i++ {
				v := source.value[i]
				if c.dense[v] == 0 {
					t.value = append(t.value, v)
				}
				c.dense[v] += source.records[i]
			}
		}
		for _, v := range t.value[from:] {
			t.records = append(t.records, c.dense[v])
			c.dense[v] = 0
		}
		t.start = append(t.start, uint32(len(t.value)))
	}
	t.value, t.records = slices.Clip(t.value), slices.Clip(t.records)
}

// number numbers the tuples of source at a coarser node in order of appearance. It packs their
// cells into one word; if they do not fit, into several of half the size, each numbered
// together with the number so far.
func (c *counter) number(source *tuples, node int) (id []uint32, distinct int) {
	id = make([]uint32, len(source.count))
	words := c.words(node)
	if len(words) == 0 {
		return id, 1
	}
	key := make([]uint64, len(id))
	for w, attributes := range words {
		width := 0
		for g := range key {
			key[g] = uint64(id[g])
		}
		if w > 0 {
			width = bits.Len(uint(distinct - 1))
		}
		for _, i := range attributes {
			level, place := c.levelAt(node, i), c.place[i]
			n := bits.Len(uint(len(level.Loss) - 1))
			width += n
			for g, tuple := range source.first {
				key[g] = key[g]<<n | uint64(level.Of[place[tuple]])
			}
		}
		if width < 24 && 1<<width <= 4*len(id) {
			distinct = c.numberDirect(key, id, 1<<width)
		} else {
			distinct = c.numberHashed(key, id)
		}
	}
	return id, distinct
}

// words groups the attributes with several cells at a node by what fits into a key.
func (c *counter) words(node int) [][]int {
	var all []int
	total := 0
	for i := range c.levels {
		if cells := len(c.levelAt(node, i).Loss); cells > 1 {
			all = append(all, i)
			total += bits.Len(uint(cells - 1))
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case total <= 64:
		return [][]int{all}
	}
	var words [][]int
	free := 0
	for _, i := range all {
		n := bits.Len(uint(len(c.levelAt(node, i).Loss) - 1))
		if n > free {
			words, free = append(words, nil), 32
		}
		words[len(words)-1] = append(words[len(words)-1], i)
		free -= n
	}
	return words
}

// numberDirect numbers keys below width with an array.
func (c *counter) numberDirect(key []uint64, id []uint32, width int) int {
	if len(c.direct) < width {
		c.direct = make([]uint32, width)
	}
	number, next := c.direct[:width], uint32(0)
	clear(number)
	for g, k := range key {
		if number[k] == 0 {
			next++
			number[k] = next
		}
		id[g] = number[k] - 1
	}
	return int(next)
}

// numberHashed numbers any keys with an open-addressing table that is at most half full.
func (c *counter) numberHashed(key []uint64, id []uint32) int {
	size := max(bits.Len(uint(len(key)))+1, 4)
	if len(c.ids) < 1<<size {
		c.keys, c.ids = make([]uint64, 1<<size), make([]uint32, 1<<size)
	}
	keys, ids, next := c.keys[:1<<size], c.ids[:1<<size], uint32(0)
	clear(ids)
	mask := uint64(1)<<size - 1
	for g, k := range key {
		at := k * 0x9E3779B97F4A7C15 >> (64 - size)
		for ids[at] != 0 && keys[at] != k {
			at = (at + 1) & mask
		}
		if ids[at] == 0 {
			next++
			keys[at], ids[at] = k, next
		}
		id[g] = ids[at] - 1
	}
	return int(next)
}
