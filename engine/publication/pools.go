package publication

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A single-block table is dealt into pools, in which groups are formed: each pool orders the sensitive values differently. With one order
// for all, groups would have few distinct combinations of values, and only groups that differ tell what goes with a value.
const (
	maxPools    = 64
	poolRecords = 250     // least number of records of a pool
	poolOffsets = 100_000 // greatest number over all values and pools
)

// poolsFor returns the number of pools by the counts of sensitive values: as many as keep the rule.
func (p *Plan) poolsFor(sensitive []Count) int64 {
	if p.ofBlocks() || p.Blocks > 1 {
		return 1
	}
	pools := int64(maxPools)
	for pools > 1 && (pools*int64(len(sensitive)) > poolOffsets || !p.keepsInPools(sensitive, pools)) {
		pools /= 2
	}
	return pools
}

// keepsInPools reports whether every pool keeps the rule. Every pool has floor or ceil of its share of each bucket of a value.
func (p *Plan) keepsInPools(sensitive []Count, pools int64) bool {
	parts := make(map[anonymize.Value]int64)
	for _, b := range p.buckets {
		for _, c := range b.values {
			parts[c.Value] = b.parts
		}
	}
	least, most := make([]int64, len(sensitive)), make([]int64, len(sensitive)) // records of a value in a pool
	smallest, largest := int64(0), int64(0)                                     // records of a pool
	for i, c := range sensitive {
		more := max(0, parts[c.Value]-1)
		least[i], most[i] = max(0, c.Records/pools-more), (c.Records+pools-1)/pools+more
		smallest, largest = smallest+least[i], largest+most[i]
	}
	if smallest < max(poolRecords, 2*p.rule.Size) {
		return false
	}
	few, many := p.rule.groups(smallest), p.rule.groups(largest)
	size := p.rule.Size
	larger := size + (size-1+few-1)/few
	for i, c := range sensitive {
		once, often := least[i]/many, (most[i]+few-1)/few
		if !p.rule.Share.Admits(int(often), int(size)) {
			return false
		}
		near := deviates(often, size, c.Records, p.Records).atMost(p.rule.Delta) && deviates(once, larger, c.Records, p.Records).atMost(p.rule.Delta)
		if p.rule.Delta.Cmp(ratioOne) < 0 && !near {
			return false
		}
	}
	return true
}

// pooled writes a query of the records of a value and bucket in every pool, over one of them in the blocks. Later steps treat a pool as a block.
func (a *Attempt) pooled(counted string) string {
	pools, d := a.plan.pools, a.engine.Dialect
	if pools == 1 {
		return fmt.Sprintf("SELECT block, value, bucket, records, value AS place FROM (%s) AS counted", counted)
	}
	var numbers [][2]int64
	for pool := range pools {
		numbers = append(numbers, [2]int64{pool, pool})
	}
	return fmt.Sprintf(
		"SELECT block * %[1]d + pool AS block, value, bucket, %[2]s AS records, %[3]s AS place FROM (%[4]s) AS counted CROSS JOIN (%[5]s) AS pools CROSS JOIN %[6]s AS k",
		pools,
		d.Cast(fmt.Sprintf("floor((records + %d - pool) / %d)", pools-1, pools), dialect.BigInt),
		d.HashInteger(d.HashText(d.Joined("'p'", "pool", "value"), "k.key")),
		counted,
		d.Pairs("pool", "same", numbers),
		a.table(keyTable),
	)
}
