package initialpartition

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Blocks are an initial partition. Its groups are the blocks; neighbours are adjacent.
type Blocks struct {
	*bucketization.Partition
	// Order has the quasi-identifiers in the order A_1, A_2, ... of Algorithm 1,
	// and Phi their phi^2; both nil for mondrian.
	Order []*anonymize.Column
	Phi   []float64
}

// Divide divides all records of in into blocks that are l-diverse by the values of b. The error
// is an *anonymize.InfeasibleError if there are none, or the context's.
func Divide(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, r Request, random *rand.Rand) (*Blocks, error) {
	if err := b.CheckDiversity(r.L); err != nil {
		return nil, err
	}
	if r.Mondrian {
		return divideInHalves(ctx, in, b, r.L, random)
	}
	d := newDivision(ctx, b, r, random)
	blocks := &Blocks{Partition: d.partition}
	if err := blocks.sortByPhi(ctx, in, r); err != nil {
		return nil, err
	}
	d.columns = blocks.Order
	if err := d.split(0, len(d.member), 0); err != nil {
		return nil, err
	}
	return blocks, ctx.Err()
}

// sortByPhi is Section 4.1, 1): the quasi-identifiers by their correlation with
// the sensitive attribute, equal ones in the order of the table.
func (b *Blocks) sortByPhi(ctx context.Context, in *anonymize.Input, r Request) error {
	columns := in.QuasiIdentifiers
	phi := make([]float64, len(columns))
	err := parallel.Run(ctx, len(columns), func(i int) error {
		phi[i] = association.PhiSquared(columns[i], in.Sensitive[0], association.Options{Bins: r.Bins})
		return ctx.Err()
	})
	order := anonymize.Ints(len(columns))
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case phi[x] == phi[y]:
			return 0
		case (phi[x] < phi[y]) == r.Ascending:
			return -1
		}
		return 1
	})
	for _, i := range order {
		b.Order, b.Phi = append(b.Order, columns[i]), append(b.Phi, phi[i])
	}
	return err
}

// Facts describe a partition to the owner: number of blocks, the largest, and the order of the
// attributes. They must not be published, because a block that could not be divided reveals
// something about its records.
func (b *Blocks) Facts() []anonymize.Fact {
	largest := uint32(0)
	for g := range b.Groups() {
		largest = max(largest, b.Start[g+1]-b.Start[g])
	}
	facts := []anonymize.Fact{{Name: "initial blocks", Value: fmt.Sprint(b.Groups())},
		{Name: "largest initial block", Value: fmt.Sprintf("%d records", largest)}}
	if b.Order != nil {
		names := make([]string, len(b.Order))
		for i, c := range b.Order {
			names[i] = fmt.Sprintf("%s (%.4f)", c.Name, b.Phi[i])
		}
		facts = append(facts, anonymize.Fact{Name: "phi^2 with the sensitive attribute", Value: strings.Join(names, ", ")})
	}
	if b.Groups() == 1 {
		facts = append(facts, anonymize.Fact{Name: "warning",
			Value: "there is one initial block: groups do not follow the quasi-identifiers; try partition=mondrian or a smaller l"})
	}
	return facts
}

// A division is a partition under construction: ranges of member become blocks, from left to
// right.
type division struct {
	Request
	ctx       context.Context
	random    *rand.Rand
	value     []uint32 // the sensitive value of every record
	member    []uint32
	columns   []*anonymize.Column
	partition *bucketization.Partition
	count     []uint32 // by value; zero between uses
	keys      []uint64 // scratch of sortBy
	sorted    []uint32 // scratch of sortBy
	looked    int      // records handled since the last check of the context
}

func newDivision(ctx context.Context, b *bucketization.Buckets, r Request, random *rand.Rand) *division {
	d := &division{Request: r, ctx: ctx, random: random, value: b.Value,
		member: anonymize.Indices(b.Rows()), count: make([]uint32, len(b.Count)), sorted: make([]uint32, b.Rows())}
	d.partition = &bucketization.Partition{Member: d.member, Start: []uint32{0}}
	return d
}

// output makes the records from the last end to member[end-1] a block.
func (d *division) output(end int) { d.partition.Start = append(d.partition.Start, uint32(end)) }

// stretch is the number of records between two checks of the context.
const stretch = 1 << 18

func (d *division) ended(records int) error {
	if d.looked += records; d.looked < stretch {
		return nil
	}
	d.looked = 0
	return d.ctx.Err()
}

// greatestCount returns the greatest count of a sensitive value among the records.
func (d *division) greatestCount(records []uint32) (most uint32) {
	for _, record := range records {
		v := d.value[record]
		d.count[v]++
		most = max(most, d.count[v])
	}
	for _, record := range records {
		d.count[d.value[record]] = 0
	}
	return most
}

// eligible is Definition 1 for a block: no value has more than floor(|B|/l) records.
func (d *division) eligible(most uint32, size int) bool { return int(most)*d.L <= size }

// sortBy sorts records stably by code.
func (d *division) sortBy(records []uint32, c *anonymize.Column) {
	if width := len(c.Dictionary); len(records) >= width/4 {
		place := bucketization.Starts(records, c.Codes, width)
		sorted := d.sorted[:len(records)]
		for _, record := range records {
			code := c.Codes[record]
			sorted[place[code]] = record
			place[code]++
		}
		copy(records, sorted)
		return
	}
	d.keys = d.keys[:0]
	for i, record := range records {
		d.keys = append(d.keys, uint64(c.Codes[record])<<32|uint64(i))
	}
	slices.Sort(d.keys)
	sorted := d.sorted[:len(records)]
	for i, key := range d.keys {
		sorted[i] = records[uint32(key)]
	}
	copy(records, sorted)
}
