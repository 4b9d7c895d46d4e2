package slppa

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// buckets are the records by sensitive value: Algorithm 1, lines 1-2.
type buckets struct {
	column *projection // of the sensitive attribute alone: sub-tuples are its codes
	list   []uint32    // BuckList: the codes that occur, the most frequent first, ties by code
	start  []int       // len(list)+1: the bucket of list[i] has places start[i] .. start[i+1]-1
}

func newBuckets(sensitive *anonymize.Column) *buckets {
	distinct := len(sensitive.Dictionary)
	c := &projection{columns: []*anonymize.Column{sensitive}, id: sensitive.Codes,
		frequency: make([]uint32, distinct), sample: make([]uint32, distinct)}
	for record, code := range sensitive.Codes {
		c.frequency[code]++
		c.sample[code] = uint32(record)
	}
	b := &buckets{column: c}
	for code, n := range c.frequency {
		if n > 0 {
			b.list = append(b.list, uint32(code))
		}
	}
	slices.SortStableFunc(b.list, func(x, y uint32) int { return cmp.Compare(c.frequency[y], c.frequency[x]) })
	b.start = make([]int, len(b.list)+1)
	for i, code := range b.list {
		b.start[i+1] = b.start[i] + int(c.frequency[code])
	}
	return b
}

func (b *buckets) rows() int { return len(b.column.id) }

func (b *buckets) projection() *projection { return b.column }

// shuffled returns the records bucket by bucket, in random order inside a
// bucket. The paper says "pick out one individual"; taken in file order, groups
// would follow the file and tell who is in which.
func (b *buckets) shuffled(random *rand.Rand) []uint32 {
	place := make([]uint32, len(b.column.frequency))
	for i, code := range b.list {
		place[code] = uint32(b.start[i])
	}
	records := make([]uint32, b.rows())
	for record, code := range b.column.id {
		records[place[code]] = uint32(record)
		place[code]++
	}
	for i := range b.list {
		shuffle(records[b.start[i]:b.start[i+1]], random)
	}
	return records
}

func shuffle(x []uint32, random *rand.Rand) {
	for i := len(x) - 1; i > 0; i-- {
		j := random.Uint32N(uint32(i + 1))
		x[i], x[j] = x[j], x[i]
	}
}

// A partition is a division of the records into groups g_0, g_1, ...: the
// records of group g are member[start[g]] .. member[start[g+1]-1].
type partition struct {
	start  []uint32
	member []uint32
}

func (g *partition) groups() int { return len(g.start) - 1 }

// newPartition puts records[i] into group[i].
func newPartition(records, group []uint32, groups int) *partition {
	place := make([]uint32, groups+1)
	for _, g := range group {
		place[g+1]++
	}
	for g := range groups {
		place[g+1] += place[g]
	}
	start := slices.Clone(place)
	member := make([]uint32, len(records))
	for i, g := range group {
		member[place[g]] = records[i]
		place[g]++
	}
	return &partition{start: start, member: member}
}
