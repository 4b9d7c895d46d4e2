package anatomy

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A creation is group creation under way. Buckets are kept in descending order
// of what is left in them, in an array: taking one record from each of the l
// largest leaves the array sorted, if of the buckets that tie for the last of
// the l places those that are taken from stand behind those that are not.
type creation struct {
	*bucketization.Buckets
	l       int
	random  *rand.Rand
	records []uint32 // by bucket, in random order inside
	group   []uint32 // of every place of records
	groups  int      // made so far
	order   []int    // buckets, indices into List, the fullest first
	left    []int    // by bucket
	// atLeast[c] is the number of buckets with c records left or more: in order,
	// those with exactly c stand at atLeast[c+1] .. atLeast[c]-1.
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

// stretch is the number of groups between two looks at the context.
const stretch = 1 << 12

// largestFirst makes groups of one record of each of the l largest buckets
// while there are l buckets that are not empty. Which of equal buckets are taken
// from is drawn at random, so that all kinds of groups occur. O(n).
//
// Where H l <= n this makes floor(n/l) groups and leaves at most one record in a
// bucket (Zhu et al., Property 2).
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

// take puts the next record of a bucket into the current group.
func (c *creation) take(bucket int) {
	c.group[c.next(bucket)] = uint32(c.groups)
	c.atLeast[c.left[bucket]]--
	c.left[bucket]--
}

// next is the place in records of the first one left in a bucket.
func (c *creation) next(bucket int) int { return c.Start[bucket+1] - c.left[bucket] }

// drawToEnd puts k elements of x, drawn at random, at its end.
func drawToEnd(x []int, k int, random *rand.Rand) {
	if k == len(x) {
		return
	}
	for end := len(x) - 1; end >= len(x)-k; end-- {
		i := random.IntN(end + 1)
		x[i], x[end] = x[end], x[i]
	}
}
