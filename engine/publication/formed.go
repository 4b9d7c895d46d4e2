package publication

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Republisher returns a method that forms groups as the engine does for the plan, but for a local table
// and with a random source instead of digests: it measures the errors of a release's completed tables.
// For plans of blocks it returns m itself, because another table does not have their cells.
func (p *Plan) Republisher(m anonymize.Method) anonymize.Method {
	if p.ofBlocks() || p.Blocks > 1 {
		return m
	}
	m.Algorithm = func(ctx context.Context, in *anonymize.Input, _ anonymize.Settings) (*anonymize.Release, error) {
		return p.forTable(in).publish(ctx, in)
	}
	return m
}

// forTable returns the plan for another table with the same columns.
func (p *Plan) forTable(in *anonymize.Input) *Plan {
	own := *p
	own.Records, own.rule.Records, own.buckets = int64(in.Rows), int64(in.Rows), nil
	own.pools = own.poolsFor(countsOf(in.Sensitive[0]))
	return &own
}

func countsOf(c *anonymize.Column) (counts []Count) {
	for code, n := range c.Histogram() {
		counts = append(counts, Count{c.Dictionary[code], int64(n)})
	}
	return counts
}

// publish makes the release of a table by the plan, which is one block.
func (p *Plan) publish(ctx context.Context, in *anonymize.Input) (*anonymize.Release, error) {
	for _, c := range countsOf(in.Sensitive[0]) {
		if c.Records > 0 && !p.rule.keeps(c.Records, p.Records, c.Records) {
			return nil, &anonymize.DataError{Reason: fmt.Sprintf("value %s of column %q has %d of %d records: no groups of %d can be formed",
				c.Value, p.Sensitive, c.Records, p.Records, p.rule.Size)}
		}
	}
	random := rand.New(in.Random)
	poolOf := p.dealt(in, random)
	groups := p.formed(in, poolOf, int(p.pools), random)
	var tables []bucketization.Table
	for i, fragment := range p.fragments {
		tuples, err := projectionOf(ctx, in, fragment)
		if err != nil {
			return nil, err
		}
		tables = append(tables, bucketization.QuasiIdentifierTable(i, tuples))
	}
	tables = append(tables, bucketization.SensitiveTable(in.Sensitive[0]))
	if p.merges() {
		var err error
		if groups, err = p.mergedGroups(tables, groups); err != nil {
			return nil, err
		}
	}
	return bucketization.Publish(ctx, p.Method, in, groups, tables, random)
}

func projectionOf(ctx context.Context, in *anonymize.Input, fragment []Column) (*bucketization.Projection, error) {
	var columns []*anonymize.Column
	for _, c := range fragment {
		columns = append(columns, in.QuasiIdentifiers[slices.IndexFunc(in.QuasiIdentifiers, func(of *anonymize.Column) bool { return of.Name == c.Name })])
	}
	return bucketization.NewProjection(ctx, columns)
}

// dealt returns the pool of every record: the records of a value are dealt at random.
func (p *Plan) dealt(in *anonymize.Input, random *rand.Rand) []uint32 {
	poolOf, among := make([]uint32, in.Rows), make([]int64, len(in.Sensitive[0].Dictionary))
	for _, record := range random.Perm(in.Rows) {
		v := in.Sensitive[0].Codes[record]
		poolOf[record] = uint32(among[v] % p.pools)
		among[v]++
	}
	return poolOf
}

// formed forms the groups of blocks by rank modulo groups, with a separate order of sensitive values per block.
func (p *Plan) formed(in *anonymize.Input, blockOf []uint32, blocks int, random *rand.Rand) *bucketization.Partition {
	byValue := make([]map[uint32][]uint32, blocks) // the records of a block, by sensitive value
	for i := range byValue {
		byValue[i] = make(map[uint32][]uint32)
	}
	for _, record := range random.Perm(in.Rows) {
		at, v := byValue[blockOf[record]], in.Sensitive[0].Codes[record]
		at[v] = append(at[v], uint32(record))
	}
	var records, group []uint32
	base := 0
	for _, at := range byValue {
		values, n := slices.Sorted(maps.Keys(at)), 0
		for _, of := range at {
			n += len(of)
		}
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		rank, groups := 0, int(p.rule.groups(int64(n)))
		for _, v := range values {
			for _, record := range at[v] {
				records, group = append(records, record), append(group, uint32(base+rank%groups))
				rank++
			}
		}
		base += groups
	}
	return bucketization.NewPartition(records, group, base)
}

// mergedGroups merges groups as [Attempt.merge] does.
func (p *Plan) mergedGroups(tables []bucketization.Table, groups *bucketization.Partition) (*bucketization.Partition, error) {
	members := make(map[int][]uint32)
	for g := range groups.Groups() {
		members[g] = groups.Records(g)
	}
	for round := range maxRounds {
		good, bad := make(map[int][]int), make(map[int][]int) // by pool
		for _, g := range slices.Sorted(maps.Keys(members)) {
			pool := g / (poolGroups << round)
			if p.isBroken(tables, members[g]) {
				bad[pool] = append(bad[pool], g)
			} else {
				good[pool] = append(good[pool], g)
			}
		}
		if len(bad) == 0 {
			var records, group []uint32
			for number, g := range slices.Sorted(maps.Keys(members)) {
				for _, record := range members[g] {
					records, group = append(records, record), append(group, uint32(number))
				}
			}
			return bucketization.NewPartition(records, group, len(members)), nil
		}
		for pool, of := range bad {
			mergePool(members, of, good[pool], round)
		}
	}
	return nil, &anonymize.DataError{Reason: "groups are left that break a bound"}
}

// mergePool merges the bad groups of a pool: the kept ones absorb the others, and good ones.
func mergePool(members map[int][]uint32, bad, good []int, round int) {
	kept := min(len(bad), max(len(good), 1))
	move := func(i, g int) {
		into := bad[i%kept]
		members[into] = slices.Concat(members[into], members[g])
		delete(members, g)
	}
	for i, g := range bad[kept:] {
		move(kept+i, g)
	}
	for i, g := range good[:min(kept<<round, len(good))] {
		move(i, g)
	}
}

// isBroken reports whether a group violates alpha or gamma.
func (p *Plan) isBroken(tables []bucketization.Table, members []uint32) bool {
	product, exceeds := 1.0, false
	for i, t := range tables {
		count, most := make(map[uint32]int), 0
		for _, record := range members {
			count[t.Projection.ID[record]]++
			most = max(most, count[t.Projection.ID[record]])
		}
		share := float64(most) / float64(len(members))
		product *= share
		exceeds = exceeds || i < len(tables)-1 && share > p.Alpha.Float()
	}
	return exceeds || product > p.Gamma.Float()
}
