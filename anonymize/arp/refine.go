package arp

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A refinement is the state of Algorithm 2. Sub-blocks are numbered in order of creation: count
// is the paper's.
type refinement struct {
	size    int // records of a sub-block: the paper's l
	value   []uint32
	random  *rand.Rand
	group   []uint32 // by record: its sub-block
	members []uint32 // sub-block g has members[g*size:][:size], plus those inserted later
	count   uint32
	// Block i alone makes the sub-blocks from own[i] to ownEnd[i]-1.
	own, ownEnd      []uint32
	residual         residuals
	inserted, pooled int
}

// refined is a refined partition, with the numbers of residual records that were inserted into
// sub-blocks of their own block (the r of Property 8), or pooled in sub-blocks of several
// blocks.
type refined struct {
	*bucketization.Partition
	inserted, pooled int
}

// refine is Algorithm 2, lines 2-22: it forms sub-blocks of size records with different values
// from each block, then from the rest of neighbouring blocks; the last records join sub-blocks
// of their own block. Blocks must be diverse at that size. O(n log M) for M values, and O(size)
// for each remaining record.
func refine(ctx context.Context, b *bucketization.Buckets, blocks *bucketization.Partition, size int, random *rand.Rand) (*refined, error) {
	r := &refinement{size: size, value: b.Value, random: random,
		group: make([]uint32, b.Rows()), members: make([]uint32, 0, b.Rows()), own: make([]uint32, blocks.Groups()), ownEnd: make([]uint32, blocks.Groups())}
	r.residual.waiting = make([][]leftover, len(b.Count))
	dealer := newDealer(len(b.Count))
	looked := 0
	for i := range blocks.Groups() {
		records := blocks.Records(i)
		if looked += len(records); looked >= stretch {
			if looked = 0; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		r.own[i] = r.count
		r.divide(i, records, dealer)
		r.ownEnd[i] = r.count
		r.pool()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.insert()
	all := anonymize.Indices(b.Rows())
	return &refined{bucketization.NewPartition(all, r.group, int(r.count)), r.inserted, r.pooled}, nil
}

// stretch is the number of records between two checks of the context.
const stretch = 1 << 18

// divide is lines 3-10 for one block.
func (r *refinement) divide(block int, records []uint32, d *dealer) {
	d.open(records, r.value, r.random)
	for len(d.buckets) >= r.size {
		for _, record := range d.take(r.size, r.random) {
			r.join(record)
		}
		r.count++
	}
	for _, bucket := range d.buckets {
		for _, record := range bucket.records {
			r.residual.add(r.value[record], leftover{record: record, block: uint32(block)})
		}
	}
}

// pool is lines 11-15.
func (r *refinement) pool() {
	for len(r.residual.values) >= r.size {
		for _, l := range r.residual.take(r.size) {
			r.join(l.record)
		}
		r.count++
		r.pooled += r.size
	}
}

// join adds a record to the current sub-block.
func (r *refinement) join(record uint32) {
	r.group[record] = r.count
	r.members = append(r.members, record)
}

// insert is lines 17-22: a record joins a sub-block of its own block that lacks its value, the
// first from a random one on. By Property 4 there is one. A block has fewer than size residual
// records, of different values, so they do not conflict.
func (r *refinement) insert() {
	for _, v := range r.residual.values {
		for _, l := range r.residual.waiting[v] {
			from, to := r.own[l.block], r.ownEnd[l.block]
			g := from + r.random.Uint32N(to-from)
			for r.groupHasValue(g, v) {
				if g++; g == to {
					g = from
				}
			}
			r.group[l.record] = g
			r.inserted++
		}
	}
}

func (r *refinement) groupHasValue(group, value uint32) bool {
	for _, record := range r.members[int(group)*r.size:][:r.size] {
		if r.value[record] == value {
			return true
		}
	}
	return false
}
