package slppa

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A merger unites groups that still break a requirement with others: Algorithm
// 1, lines 20-41. The current group absorbs groups from the end of the list
// until it is good. Counts are kept, not counted anew: the records of a group
// are added once, O(n k) in all, and once more if the last group is bad.
//
// Merging keeps beta and delta and never raises alpha; it can raise the product
// of gamma, so a group may have to absorb more than alpha asks for. With
// sa_mode=each the same is so for every sensitive attribute by itself, and gamma is
// asked of the one with the most frequent value.
type merger struct {
	*repairer
	next     []int32 // by group: the next group in the chain of those united, -1 at its end
	absorbed []bool  // by group: it is in the chain of another
	size     int     // records of the current group
	greatest uint32  // c_j of the current group
	merges   int
}

// Merge unites groups until in each of them the product of the greatest share in
// any table, that of the sensitive attribute included, is at most bound (Eq. 7):
// step 4 without swaps, for methods that publish other tables of the same kind.
// It keeps every bound on the share of a sensitive value. The error is a
// *[NotReachedError] when a single group does not meet the bound. Linear in
// records and tables.
func Merge(ctx context.Context, groups *bucketization.Partition, projections []*bucketization.Projection,
	sensitive *anonymize.Column, bound anonymize.Ratio) (merged *bucketization.Partition, merges int, err error) {
	if bound == ratioOne {
		return groups, 0, ctx.Err()
	}
	r, err := newRepairer(ctx, groups, projections, sensitive, nil, &parameters{alpha: ratioOne, gamma: bound})
	if err != nil {
		return nil, 0, err
	}
	return r.merge(ctx)
}

// A NotReachedError is Algorithm 1, line 40: all records are in one group, which still violates
// the bound on the product. Other groupings may meet it.
type NotReachedError struct {
	Records int
	Product float64 // of that group
}

func (e *NotReachedError) Error() string {
	return fmt.Sprintf("was not reached: all %d records came into one group, with %.4g. That does not prove it impossible", e.Records, e.Product)
}

// merge returns the partition after all merges and their number.
func (r *repairer) merge(ctx context.Context) (*bucketization.Partition, int, error) {
	m := &merger{repairer: r, next: make([]int32, r.Groups()), absorbed: make([]bool, r.Groups())}
	for g := range m.next {
		m.next[g] = -1
	}
	for g, end := 0, r.Groups(); g < end; g++ { // groups from end on are absorbed
		if g%stretch == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if !r.bad[g] {
			continue
		}
		m.begin(g)
		for !m.meets() && end > g+1 { // lines 25-31
			end--
			m.absorb(g, end)
		}
		// The last group has no group behind it and absorbs those before it, nearest first:
		// lines 33-35.
		for before := g - 1; !m.meets() && before >= 0; before-- {
			m.absorb(g, before)
		}
		if !m.meets() { // lines 39-40
			return nil, 0, &NotReachedError{m.size, product(r.scratch.greatest, m.greatest, m.size)}
		}
		m.finish(g)
	}
	if m.merges == 0 {
		return r.Partition, 0, nil
	}
	return m.united(), m.merges, nil
}

// begin makes g the current group.
func (m *merger) begin(g int) {
	m.size, m.greatest = 0, 0
	clear(m.scratch.greatest)
	m.add(g)
}

// absorb adds a group, with all that it has absorbed, to group g.
func (m *merger) absorb(g, from int) {
	last := from
	for e := int32(from); e >= 0; e = m.next[e] {
		m.add(int(e))
		last = int(e)
	}
	m.next[last], m.next[g] = m.next[g], int32(from)
	m.absorbed[from] = true
	m.merges++
}

// add counts the records of one original group.
func (m *merger) add(g int) {
	first, end := m.Start[g], m.Start[g+1]
	m.size += int(end - first)
	ids := m.subTuplesOf(g)
	for i, count := range m.scratch.count {
		for at := i; at < len(ids); at += m.tables {
			count[ids[at]]++
			m.scratch.greatest[i] = max(m.scratch.greatest[i], count[ids[at]])
		}
	}
	m.eachSensitive(g, func(count *uint32) {
		*count++
		m.greatest = max(m.greatest, *count)
	})
}

// eachSensitive calls yield with the counts of the sensitive values of one original group's
// records.
func (m *merger) eachSensitive(g int, yield func(count *uint32)) {
	first, end := m.Start[g], m.Start[g+1]
	if m.each == nil {
		for _, v := range m.value[first:end] {
			yield(&m.scratch.values[v])
		}
	}
	for i, codes := range m.each {
		for _, v := range codes[first:end] {
			yield(&m.scratch.each[i][v])
		}
	}
}

// meets tests Eq. (3) and Eq. (7) on the current group.
func (m *merger) meets() bool {
	for _, c := range m.scratch.greatest {
		if !m.parameters.alpha.Admits(int(c), m.size) {
			return false
		}
	}
	return withinGamma(m.parameters.gamma, m.scratch.greatest, m.greatest, m.size)
}

// finish clears the counts of the current group.
func (m *merger) finish(g int) {
	for e := int32(g); e >= 0; e = m.next[e] {
		ids := m.subTuplesOf(int(e))
		for i, count := range m.scratch.count {
			for at := i; at < len(ids); at += m.tables {
				count[ids[at]] = 0
			}
		}
		m.eachSensitive(int(e), func(count *uint32) { *count = 0 })
	}
}

// united returns the partition into the chains.
func (m *merger) united() *bucketization.Partition {
	p := &bucketization.Partition{Start: []uint32{0}, Member: make([]uint32, 0, m.rows)}
	for g := range m.next {
		if m.absorbed[g] {
			continue
		}
		for e := int32(g); e >= 0; e = m.next[e] {
			p.Member = append(p.Member, m.Member[m.Start[e]:m.Start[e+1]]...)
		}
		p.Start = append(p.Start, uint32(len(p.Member)))
	}
	return p
}
