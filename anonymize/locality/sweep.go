package locality

import (
	"context"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Sweep divides the records into groups 0 .. G-1 that follow each other along
// the order given by position, a permutation. Group sizes are n/G rounded down
// or up, and the count of a value in a group is c_v/G rounded down or up: each
// value at most once where no value has more than G records. So with
// G = floor(n/l) groups the release is l-diverse if and only if any is (H l <= n);
// for the bounds of SLPPA see bucketization.AnySpread, and [SweepAsDealt].
//
// Every group has floor(c_v/G) records of each value. What is left, r_v = c_v
// mod G of each, R in all, is handed out one of a value: with t groups to go, the
// next one gets s = ceil(A/t) of the A records that are left to hand out. First
// one of each value that has t records left, for whose records there is no other
// way than one in every group; then one of each of the values whose next record
// comes earliest in the order.
//
// It is never stuck. Before every group no value has more than t records left:
// true at first (r_v < G), and after a group that has one of each value with t
// left, with t-1 in place of t. So there are at most A/t <= s values that must
// be taken, and at least ceil(A/t) = s that can be. And since s = ceil(A/t), the
// groups of one more come first, none later is larger, and the last takes all.
//
// Cost: O(n log M) for M values, of which the logarithm is a heap's.
func Sweep(ctx context.Context, b *bucketization.Buckets, position []uint32, groups int) (*bucketization.Partition, error) {
	all := newPool(groups, len(b.Count))
	s := newSweeper(b, position, groups, all)
	for v, c := range b.Count {
		s.fill(all, uint32(v), c%uint32(groups))
	}
	return s.run(ctx, groups, func(int) *pool { return all })
}

// SweepAsDealt is a Sweep with as many groups of each size and count of a value as the balanced
// deal has, so it satisfies whatever the deal satisfies. It first divides the records left to
// distribute between the larger groups and the others, as the deal does. The two kinds of
// groups alternate along the order; each is a sweep over its own part, never stuck by the same
// argument. It has less choice than a Sweep.
func SweepAsDealt(ctx context.Context, b *bucketization.Buckets, position []uint32, groups int) (*bucketization.Partition, error) {
	large := b.Rows() % groups
	larger, others := newPool(large, len(b.Count)), newPool(groups-large, len(b.Count))
	s := newSweeper(b, position, groups, larger, others)
	for v, more := range bucketization.MoreInLarger(b, groups) {
		s.fill(larger, uint32(v), more)
		s.fill(others, uint32(v), b.Count[v]%uint32(groups)-more)
	}
	return s.run(ctx, groups, func(g int) *pool {
		if (g+1)*large/groups > g*large/groups { // the larger ones evenly among all
			return larger
		}
		return others
	})
}

// stretch is the number of groups between two checks of the context.
const stretch = 1 << 12

// A sweeper is a sweep in progress.
type sweeper struct {
	bucketization.Partition
	position []uint32 // by record
	queue    []uint32 // records by value, and along the order inside a value
	next     []uint32 // by value: the first of its records in queue that has no group
	share    []uint32 // by value: floor(c_v/G)
	shared   []uint32 // the values that have a share
	pools    []*pool
}

func newSweeper(b *bucketization.Buckets, position []uint32, groups int, pools ...*pool) *sweeper {
	n, values := len(position), len(b.Count)
	along := make([]uint32, n)
	for record, place := range position {
		along[place] = uint32(record)
	}
	s := &sweeper{position: position, pools: pools,
		queue: bucketization.CountingSort(along, b.Value, values), next: bucketization.Starts(along, b.Value, values),
		share: make([]uint32, values)}
	s.Start = append(make([]uint32, 0, groups+1), 0)
	s.Member = make([]uint32, 0, n)
	for v, c := range b.Count {
		if s.share[v] = c / uint32(groups); s.share[v] > 0 {
			s.shared = append(s.shared, uint32(v))
		}
	}
	return s
}

// fill gives a pool records of a value to distribute.
func (s *sweeper) fill(p *pool, value, records uint32) {
	if records > 0 {
		p.fill(value, records)
		p.heads.put(value, s.head(value))
	}
}

// run makes the groups, each from the pool that it belongs to.
func (s *sweeper) run(ctx context.Context, groups int, poolOf func(g int) *pool) (*bucketization.Partition, error) {
	for g := range groups {
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, v := range s.shared {
			s.take(v, s.share[v])
		}
		s.handOut(poolOf(g))
		s.Start = append(s.Start, uint32(len(s.Member)))
	}
	return &s.Partition, ctx.Err()
}

// head returns the place of the next record of a value.
func (s *sweeper) head(value uint32) uint32 { return s.position[s.queue[s.next[value]]] }

// take adds the next records of a value to the current group. The heaps see its new head from
// then on.
func (s *sweeper) take(value, records uint32) {
	first := s.next[value]
	s.next[value] += records
	s.Member = append(s.Member, s.queue[first:first+records]...)
	for _, p := range s.pools {
		if p.heads.hasValue(value) {
			p.heads.put(value, s.head(value))
		}
	}
}

// handOut gives the current group its records of the pool.
func (s *sweeper) handOut(p *pool) {
	size := p.begin()
	for _, v := range p.must {
		s.take(v, 1)
		p.extra[v]--
	}
	p.taken = p.taken[:0]
	for range size - len(p.must) {
		v := p.heads.pop()
		s.take(v, 1)
		p.extra[v]--
		p.taken = append(p.taken, v)
	}
	for _, v := range p.taken { // not earlier: a group has one of a value
		if p.extra[v] > 0 {
			p.heads.put(v, s.head(v))
		}
	}
}
