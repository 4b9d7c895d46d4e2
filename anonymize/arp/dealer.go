package arp

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A dealer takes records from the largest buckets of a block, Algorithm 2, lines
// 3-9.
type dealer struct {
	buckets []bucket // not empty, the largest first
	place   []int    // by value; -1 outside open
	taken   []uint32
}

// A bucket is the records of one sensitive value in random order.
type bucket struct{ records []uint32 }

func newDealer(values int) *dealer {
	d := &dealer{place: make([]int, values)}
	for v := range d.place {
		d.place[v] = -1
	}
	return d
}

// open hashes the records of a block to buckets (line 3).
func (d *dealer) open(records, value []uint32, random *rand.Rand) {
	d.buckets = d.buckets[:0]
	for _, record := range records {
		v := value[record]
		if d.place[v] < 0 {
			d.place[v] = len(d.buckets)
			d.buckets = slices.Grow(d.buckets, 1)[:len(d.buckets)+1]
			last := &d.buckets[len(d.buckets)-1]
			last.records = last.records[:0] // reuses the memory of an earlier block
		}
		at := &d.buckets[d.place[v]]
		at.records = append(at.records, record)
	}
	for _, record := range records {
		d.place[value[record]] = -1
	}
	for _, b := range d.buckets {
		bucketization.Shuffle(b.records, random)
	}
	slices.SortStableFunc(d.buckets, func(x, y bucket) int { return cmp.Compare(len(y.records), len(x.records)) })
}

// take removes a record from each of the size largest buckets (lines 5-8). It breaks ties among
// the smallest of them at random: which values meet must not depend on the order of the
// buckets. It moves these behind others of their length, so that the buckets stay sorted. The
// result is valid until the next call. O(size + log buckets).
func (d *dealer) take(size int, random *rand.Rand) []uint32 {
	length := len(d.buckets[size-1].records)
	first := d.longerThan(length)
	end := d.longerThan(length - 1)
	for i := range size - first {
		last := end - 1 - i
		x := first + random.IntN(last-first+1)
		d.buckets[x], d.buckets[last] = d.buckets[last], d.buckets[x]
	}
	d.taken = d.taken[:0]
	for i := range first {
		d.remove(i)
	}
	for i := end - (size - first); i < end; i++ {
		d.remove(i)
	}
	if length == 1 {
		d.buckets = d.buckets[:len(d.buckets)-(size-first)]
	}
	return d.taken
}

// longerThan returns the number of buckets with more than that many records.
func (d *dealer) longerThan(records int) int {
	n, _ := slices.BinarySearchFunc(d.buckets, records, func(b bucket, records int) int {
		if len(b.records) > records {
			return -1
		}
		return 1
	})
	return n
}

func (d *dealer) remove(i int) {
	b := &d.buckets[i]
	d.taken = append(d.taken, b.records[len(b.records)-1])
	b.records = b.records[:len(b.records)-1]
}
