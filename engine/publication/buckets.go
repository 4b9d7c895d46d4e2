package publication

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/engine/dialect"
)

// perBucket is about the number of records of a value that the engine sorts together.
const perBucket = 250_000

// bucketed are the sensitive values whose records in a block are sorted in the same number of parts.
type bucketed struct {
	values []Count
	parts  int64 // a power of two, from 2
}

// bucketsOf returns the values with more than per records in some block, at most the maxHeavy
// most frequent. All others are sorted in one part. So a block has about as many offsets as
// values, and its records fill buckets. A value's records in a block are estimated by its share
// of the largest block.
func bucketsOf(sensitive []Count, largest, per int64, r Rule) []bucketed {
	byParts := make(map[int64][]Count)
	for _, c := range heaviest(sensitive, maxHeavy) {
		if parts := partsOf(min(c.Records, inBlock(largest, r)), per); parts > 1 {
			byParts[parts] = append(byParts[parts], c)
		}
	}
	var buckets []bucketed
	for parts, values := range byParts {
		buckets = append(buckets, bucketed{values, parts})
	}
	slices.SortFunc(buckets, func(a, b bucketed) int { return int(b.parts - a.parts) })
	return buckets
}

// inBlock bounds a value's records in a block of block records.
func inBlock(block int64, r Rule) int64 {
	return min(block, int64(r.Share.Float()*float64(block))+1)
}

// partsOf returns the number of parts in which records are sorted, of at most per records on average.
func partsOf(records, per int64) int64 {
	parts := int64(1)
	for records/parts > per {
		parts *= 2
	}
	return parts
}

// heaviest returns the most frequent values, at most most.
func heaviest(counts []Count, most int) []Count {
	sorted := slices.Clone(counts)
	slices.SortStableFunc(sorted, func(a, b Count) int { return int(min(max(b.Records-a.Records, -1), 1)) })
	return sorted[:min(most, len(sorted))]
}

// bucket returns an expression of a record's bucket by its sensitive value and place.
func (e *Engine) bucket(p *Plan, value, place string) string {
	var b strings.Builder
	for _, of := range p.buckets {
		var list []string
		null := ""
		for _, c := range of.values {
			if c.Value.IsNull() {
				null = value + " IS NULL OR "
				continue
			}
			list = append(list, p.sensitive.literal(e.Dialect, c.Value))
		}
		if list == nil {
			list = []string{e.Dialect.Null()}
		}
		fmt.Fprintf(&b, " WHEN %s%s IN (%s) THEN mod(%s, %d)", null, value, strings.Join(list, ", "), place, of.parts)
	}
	if b.Len() == 0 {
		return e.Dialect.Cast("0", dialect.BigInt)
	}
	return e.Dialect.Cast("CASE"+b.String()+" ELSE 0 END", dialect.BigInt)
}
