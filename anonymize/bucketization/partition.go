package bucketization

import (
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Partition divides records into groups g_0, g_1, ...: the records of group g are
// Member[Start[g]] .. Member[Start[g+1]-1].
type Partition struct {
	Start  []uint32
	Member []uint32
}

// NewPartition puts records[i] into group[i].
func NewPartition(records, group []uint32, groups int) *Partition {
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
	return &Partition{Start: start, Member: member}
}

// Add appends a group.
func (p *Partition) Add(records []uint32) {
	p.Member = append(p.Member, records...)
	p.Start = append(p.Start, uint32(len(p.Member)))
}

// Groups returns the number of groups.
func (p *Partition) Groups() int { return len(p.Start) - 1 }

// Records returns the records of group g.
func (p *Partition) Records(g int) []uint32 { return p.Member[p.Start[g]:p.Start[g+1]] }

// GroupOf returns the group of every record, for a partition of the records
// 0 .. n-1.
func (p *Partition) GroupOf() []uint32 {
	group := make([]uint32, len(p.Member))
	for g := range p.Groups() {
		for _, record := range p.Records(g) {
			group[record] = uint32(g)
		}
	}
	return group
}

// Renumbered returns the groups in random order.
func (p *Partition) Renumbered(random *rand.Rand) *Partition {
	order := anonymize.Indices(p.Groups())
	Shuffle(order, random)
	return p.InOrder(order)
}

// InOrder returns the groups in a given order.
func (p *Partition) InOrder(order []uint32) *Partition {
	q := &Partition{Start: make([]uint32, 1, len(p.Start)), Member: make([]uint32, 0, len(p.Member))}
	for _, g := range order {
		q.Add(p.Records(int(g)))
	}
	return q
}

// Shuffle puts x into random order.
func Shuffle(x []uint32, random *rand.Rand) {
	for i := len(x) - 1; i > 0; i-- {
		j := random.Uint32N(uint32(i + 1))
		x[i], x[j] = x[j], x[i]
	}
}
