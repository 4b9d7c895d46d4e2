package anatomy

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A creation is group creation in progress. Buckets are sorted by descending number of
// remaining records. Taking one record from each of the l largest keeps the order if, among the
// buckets that tie for the last of the l places, those taken from come after the others.
type creation struct {
	*bucketization.Buckets
	l       int
	random  *rand.Rand
	records []uint32 // by bucket, in random order within
	group   []uint32 // by position in records
	groups  int      // made so far
	order   []int    // buckets, indices into List, the fullest first
	left    []int    // by bucket
	// atLeast[c] is the number of buckets with at least c remaining records: in order, those
	// with exactly c are at atLeast[c+1] .. atLeast[c]-1.
	atLeast []int
}

func newCreation(b *bucketization.Buckets, l int, random *rand.Rand) *creation {
	_, H := b.MostFrequent()
	c := &creation{Buckets: b, l: l, random: random, records: b.Shuffled(random), group: make([]uint32, b.Rows()),
		order: make([]int, len(b.List)), left: make([]int, len(b.List)), atLeast: make([]int, H+2)}
	for i := range b.List {
		c.order[i], c.left[i] = i, b.Start[i+1]-b.Start[i]
		c.atLeast[c.left[i]]++
	}
	for n := int(H); n > 0; n-- {
		c.atLeast[n-1] += c.atLeast[n]
	}
	return c
}

// stretch is the number of groups between two checks of the context.
const stretch = 1 << 12

// largestFirst forms groups of one record from each of the l largest buckets while l buckets
// are not empty. It breaks ties at random, so that all kinds of groups occur. O(n).
//
// If H l <= n, it forms floor(n/l) groups and leaves at most one record in a bucket (Zhu et
// al., Property 2).
func (c *creation) largestFirst(ctx context.Context) error {
	for c.l <= len(c.order) && c.left[c.order[c.l-1]] > 0 {
		if c.groups%stretch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		least := c.left[c.order[c.l-1]]
		first, end := c.atLeast[least+1], c.atLeast[least] // the ties
		ties := c.order[first:end]
		some := c.l - first
		drawToEnd(ties, some, c.random)
		for _, bucket := range c.order[:first] {
			c.take(bucket)
		}
		for _, bucket := range ties[len(ties)-some:] {
			c.take(bucket)
		}
		c.groups++
	}
	return nil
}

// take moves the next record of a bucket into the current group.
func (c *creation) take(bucket int) {
	c.group[c.next(bucket)] = uint32(c.groups)
	c.atLeast[c.left[bucket]]--
	c.left[bucket]--
}

// next returns the index in records of a bucket's first remaining record.
func (c *creation) next(bucket int) int { return c.Start[bucket+1] - c.left[bucket] }

// drawToEnd moves k random elements of x to its end.
func drawToEnd(x []int, k int, random *rand.Rand) {
	if k == len(x) {
		return
	}
	for end := len(x) - 1; end >= len(x)-k; end-- {
		i := random.IntN(end + 1)
		x[i], x[end] = x[end], x[i]
	}
}
