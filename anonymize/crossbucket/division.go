package crossbucket

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// lots has the records in the order in which they were taken: by lot, and inside a lot by
// equivalence group.
type lots struct {
	parameters
	member []uint32
	sizes  []uint32 // by lot
	plans  map[int]plan
}

// A plan says how lots of one size are divided.
type plan struct {
	groups  []int // sizes of the equivalence groups: T_gen of Algorithm 4
	buckets int   // the record at position i goes to bucket i mod buckets
}

func newLots(p parameters) lots { return lots{parameters: p, plans: make(map[int]plan)} }

// plan returns the division of a lot of size records, size >= k.
func (l *lots) plan(size int) plan {
	p, known := l.plans[size]
	if !known {
		p.groups = groupSizes(size, l.k)
		p.buckets = bucketNumber(p.groups, size, l.k, l.l)
		l.plans[size] = p
	}
	return p
}

// groupSizes is Algorithm 4: floor(size/k) groups, as equal as can be, each of k
// to 2k-1 records.
func groupSizes(size, k int) []int {
	sizes := make([]int, size/k)
	for i := range sizes {
		sizes[i] = size / len(sizes)
		if i < size%len(sizes) {
			sizes[i]++
		}
	}
	return sizes
}

// bucketNumber is the number of buckets of Algorithm 5, k, or the greatest below
// it for which no record's sensitive value is likelier than 1/l. Values of a lot
// are different, so that the probability of one in its group G and bucket B is
// n(G,B)/(|G| |B|). One bucket always does: 1/size <= 1/l.
func bucketNumber(groups []int, size, k, l int) int {
	for b := k; b > 1; b-- {
		if keepsBreach(groups, size, b, l) {
			return b
		}
	}
	return 1
}

// keepsBreach checks every group and bucket; a group of s positions from start
// has the same number of records, up to one, in every bucket. O(groups x b).
func keepsBreach(groups []int, size, b, l int) bool {
	start := 0
	for _, s := range groups {
		for bucket := range min(b, size) {
			inside := countResidues(start+s, bucket, b) - countResidues(start, bucket, b)
			if inside*l > s*countResidues(size, bucket, b) {
				return false
			}
		}
		start += s
	}
	return true
}

// countResidues counts the positions below end that are bucket modulo b.
func countResidues(end, bucket, b int) int { return (end - bucket + b - 1) / b }

// add appends lots.
func (l *lots) add(more *lots) {
	l.member = append(l.member, more.member...)
	l.sizes = append(l.sizes, more.sizes...)
}

// partitions returns the equivalence groups and, across them, the buckets
// (Algorithm 5). The records of a group come to its lot's buckets at random: the
// first of them was chosen for its sensitive value, and position would tell.
func (l *lots) partitions(random *rand.Rand) (classes, buckets *bucketization.Partition) {
	classes = &bucketization.Partition{Start: make([]uint32, 1, len(l.member)/l.k+1), Member: l.member}
	bucket := make([]uint32, len(l.member))
	at, first := 0, 0
	for _, size := range l.sizes {
		p := l.plan(int(size))
		for i := range int(size) {
			bucket[at+i] = uint32(first + i%p.buckets)
		}
		for _, s := range p.groups {
			bucketization.Shuffle(l.member[at:at+s], random)
			at += s
			classes.Start = append(classes.Start, uint32(at))
		}
		first += p.buckets
	}
	return classes, bucketization.NewPartition(l.member, bucket, first)
}
