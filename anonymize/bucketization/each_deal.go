package bucketization

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// looksAtTuples is the number of a value's tuples that are considered for one to take.
const looksAtTuples = 32

// An eachDealer forms groups of records that differ in every attribute, by a generalization of
// Anatomy's rule: it starts with the value with the most remaining records in any attribute,
// and of its tuples takes that with the most frequent other values. Dealing ends when a value
// has more remaining records than groups can still be made, so the most frequent values must go
// first.
//
// Values of all attributes are numbered consecutively as keys, sorted by descending number of
// remaining records, like Anatomy's buckets.
type eachDealer struct {
	each   Each
	base   []uint32 // by attribute: its first key
	random *rand.Rand

	eachDealt

	// By key:
	count  []uint32   // records left
	place  []uint32   // in order
	having [][]uint32 // open tuples
	used   []bool     // a record of the current group has it
	order  []uint32   // keys, by count, descending
	// atLeast[c] is the number of keys with c records left or more.
	atLeast []uint32
	open    []openTuple
}

// An openTuple is a tuple with records left.
type openTuple struct {
	records []uint32
	in      []uint32 // by attribute: its index in having
}

func newEachDealer(ctx context.Context, e Each, size int, random *rand.Rand) (*eachDealer, error) {
	p, err := e.tuples(ctx)
	if err != nil {
		return nil, err
	}
	base, keys := e.keys()
	d := &eachDealer{each: e, base: base, random: random, eachDealt: eachDealt{size: size, members: make([]uint32, 0, e.Rows())},
		count: make([]uint32, keys), place: make([]uint32, keys), having: make([][]uint32, keys), used: make([]bool, keys),
		open: make([]openTuple, len(p.Frequency))}
	d.begin(p)
	return d, nil
}

// key is the number of a record's value.
func (d *eachDealer) key(attribute int, record uint32) uint32 {
	return d.base[attribute] + d.each[attribute].Value[record]
}

// deal forms groups as long as it can.
func (d *eachDealer) deal(ctx context.Context) (*eachDealt, error) {
	for n := 0; d.group(); n++ {
		if n%(1<<12) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for i := range d.open {
		for _, record := range d.open[i].records {
			d.left = append(d.left, eachLeft{record, d.random.Uint32N(uint32(d.groups() + 1))})
		}
	}
	return &d.eachDealt, ctx.Err()
}

// begin opens the tuples, with records in random order.
func (d *eachDealer) begin(p *Projection) {
	records := anonymize.Indices(len(p.ID))
	Shuffle(records, d.random)
	for _, record := range records {
		o := &d.open[p.ID[record]]
		for a := range d.each {
			key := d.key(a, record)
			if len(o.records) == 0 {
				o.in = append(o.in, uint32(len(d.having[key])))
				d.having[key] = append(d.having[key], p.ID[record])
			}
			if d.count[key] == 0 {
				d.order = append(d.order, key)
			}
			d.count[key]++
		}
		o.records = append(o.records, record)
	}
	d.sort()
}

// sort sorts the keys, equal ones at random.
func (d *eachDealer) sort() {
	Shuffle(d.order, d.random)
	slices.SortStableFunc(d.order, func(x, y uint32) int { return cmp.Compare(d.count[y], d.count[x]) })
	d.atLeast = make([]uint32, d.count[d.order[0]]+2)
	for i, key := range d.order {
		d.place[key] = uint32(i)
		d.atLeast[d.count[key]]++
	}
	for c := len(d.atLeast) - 1; c > 0; c-- {
		d.atLeast[c-1] += d.atLeast[c]
	}
}

// group forms one group. If it cannot be filled, its records stay, like all that are left:
// nearly all of them share some value.
func (d *eachDealer) group() bool {
	first := len(d.members)
	for len(d.members) < first+d.size {
		t, ok := d.pick()
		if !ok {
			break
		}
		record := d.take(t)
		d.members = append(d.members, record)
		for a := range d.each {
			d.used[d.key(a, record)] = true
		}
	}
	made := d.members[first:]
	for _, record := range made {
		for a := range d.each {
			d.used[d.key(a, record)] = false
		}
	}
	if len(made) == d.size {
		return true
	}
	d.members = d.members[:first]
	for _, record := range made {
		d.left = append(d.left, eachLeft{record, d.random.Uint32N(uint32(d.groups() + 1))})
	}
	return false
}

// pick finds a tuple that differs in every attribute from those of the current group, of the
// value with the most remaining records that has one. Ties are broken at random.
func (d *eachDealer) pick() (tuple uint32, ok bool) {
	for i := range uint32(len(d.order)) {
		key := d.order[i]
		c := d.count[key]
		if c == 0 {
			return 0, false
		}
		d.swap(i, i+d.random.Uint32N(d.atLeast[c]-i))
		if key = d.order[i]; d.used[key] {
			continue
		}
		if t, ok := d.pickMostFrequent(d.having[key]); ok {
			return t, true
		}
	}
	return 0, false
}

// pickMostFrequent picks, among some tuples from a random one on, the one with the most
// frequent values.
func (d *eachDealer) pickMostFrequent(tuples []uint32) (best uint32, ok bool) {
	most, from := uint64(0), d.random.IntN(len(tuples))
	for i := range min(len(tuples), looksAtTuples) {
		t := tuples[(from+i)%len(tuples)]
		record, sum := d.open[t].records[0], uint64(0)
		for a := range d.each {
			key := d.key(a, record)
			if d.used[key] {
				sum = 0
				break
			}
			sum += uint64(d.count[key])
		}
		if sum > most {
			best, most, ok = t, sum, true
		}
	}
	return best, ok
}

// take takes a record of a tuple. A value that loses one changes places with the last value of
// its count, so that the order is kept.
func (d *eachDealer) take(t uint32) uint32 {
	o := &d.open[t]
	record := o.records[len(o.records)-1]
	o.records = o.records[:len(o.records)-1]
	for a := range d.each {
		key := d.key(a, record)
		c := d.count[key]
		d.atLeast[c]--
		d.swap(d.place[key], d.atLeast[c])
		d.count[key]--
		if len(o.records) > 0 {
			continue
		}
		tuples := d.having[key]
		last := tuples[len(tuples)-1]
		tuples[o.in[a]], d.open[last].in[a] = last, o.in[a]
		d.having[key] = tuples[:len(tuples)-1]
	}
	return record
}

func (d *eachDealer) swap(i, j uint32) {
	d.order[i], d.order[j] = d.order[j], d.order[i]
	d.place[d.order[i]], d.place[d.order[j]] = i, j
}
