package bucketization

import (
	"context"
	"math"
)

// Merge merges groups until all of them keep the bounds for every attribute. Groups must be
// ordered by nearness. The whole table must keep the bounds.
//
// Why this suffices: in the union of groups of m and m' records the share of a value is
//
//	(c + c')/(m + m') = w c/m + (1 - w) c'/m',   w = m/(m + m'),
//
// a mean of its shares in the two, for every attribute separately. So
//
//   - it is at most the greater of them: a union of groups that keep a bound on
//     shares keeps it (l-diversity is the bound 1/l: c <= floor(m/l) iff c/m <=
//     1/l);
//   - its distance to the share of the table, |share - C/n|, is convex in the
//     share, hence at most the greater of the two distances: the same for delta,
//     and for t-closeness, which is a sum of such distances;
//   - with the group of all records every bound is kept that some grouping keeps,
//     so that merging ends at the latest there.
//
// A product with the shares of quasi-identifiers (gamma) is no mean and can rise; methods that
// promise one must check again.
//
// A group that breaks a bound absorbs one of looksAtPartners neighbours: one whose union keeps
// all bounds, or comes closest; of equal ones the smaller, then the nearer one. If only shares
// are bounded, the cost is at most O(records x attributes x looksAtPartners). With delta, the
// values of a growing group are checked again whenever it has grown by a part of them.
func (e Each) Merge(ctx context.Context, groups *Partition, bounds EachBounds) (*Partition, int, error) {
	m := newEachMerger(e, groups, bounds)
	for g := range groups.Groups() {
		if g%(1<<12) == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if m.Absorbed(g) {
			continue
		}
		m.begin(g)
		for at := 0; !m.keeps(); at++ {
			if at%64 == 63 && ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			if !m.grow(g) {
				break // all records: they keep the bounds
			}
		}
		m.finish()
	}
	if m.Merges == 0 {
		return groups, 0, ctx.Err()
	}
	return m.United(), m.Merges, ctx.Err()
}

// looksAtPartners is the number of groups considered for a merge; a group of more than
// largePartner records is considered only if there are no smaller ones.
const looksAtPartners, largePartner = 16, 256

type eachMerger struct {
	*Chains
	each   Each
	bounds EachBounds
	base   []uint32

	// The current group.
	size    int
	count   []uint32 // by key; zero between groups
	present []uint32 // keys with a count
	most    []uint32 // by attribute: greatest count
	far     uint32   // with delta: the key with the greatest distance
	farAt   int      // its attribute
	theirs  []uint32 // by key: scratch of a look at a partner, zero between
}

func newEachMerger(e Each, groups *Partition, bounds EachBounds) *eachMerger {
	base, keys := e.keys()
	return &eachMerger{Chains: NewChains(groups), each: e, bounds: bounds, base: base,
		count: make([]uint32, keys), most: make([]uint32, len(e)), theirs: make([]uint32, keys)}
}

// begin makes g the current group.
func (m *eachMerger) begin(g int) {
	m.size, m.present = 0, m.present[:0]
	clear(m.most)
	m.add(int32(g))
}

// add counts the records of a group and of all that it has absorbed.
func (m *eachMerger) add(g int32) {
	m.size += m.Size(g)
	m.visit(g, func(attribute int, key uint32) {
		if m.count[key] == 0 {
			m.present = append(m.present, key)
		}
		m.count[key]++
		m.most[attribute] = max(m.most[attribute], m.count[key])
	})
}

// visit calls yield with the keys of the records of one group.
func (m *eachMerger) visit(g int32, yield func(attribute int, key uint32)) {
	for of := range m.Parts(g) {
		for a, b := range m.each {
			for _, record := range of {
				yield(a, m.base[a]+b.Value[record])
			}
		}
	}
}

// keeps reports whether the current group keeps the bounds, exactly.
func (m *eachMerger) keeps() bool {
	for _, most := range m.most {
		if !m.bounds.Share.Admits(int(most), m.size) {
			return false
		}
	}
	return m.bounds.Delta.Num >= m.bounds.Delta.Den || m.withinDistance()
}

// withinDistance checks the bound on the distance of shares. Of the values that a group lacks,
// the most frequent one has the greatest distance.
func (m *eachMerger) withinDistance() bool {
	near, farthest := true, 0.0
	for a, b := range m.each {
		look := func(v uint32) {
			key, n := m.base[a]+v, b.Rows()
			if withinDelta(m.bounds.Delta, int(b.Count[v]), n, int(m.count[key]), m.size) {
				return
			}
			off := math.Abs(float64(b.Count[v])/float64(n) - float64(m.count[key])/float64(m.size))
			if near = false; off > farthest {
				farthest, m.far, m.farAt = off, key, a
			}
		}
		end := m.base[a] + uint32(len(b.Count))
		for _, key := range m.present {
			if key >= m.base[a] && key < end {
				look(key - m.base[a])
			}
		}
		for _, v := range b.List {
			if m.count[m.base[a]+v] == 0 {
				look(v)
				break
			}
		}
	}
	return near
}

// grow lets g, the current group, absorb a partner; with delta, as many as do not change it
// much. It returns false if there is none.
func (m *eachMerger) grow(g int) bool {
	until := m.size + 1
	if m.bounds.Delta.Num < m.bounds.Delta.Den {
		until = m.size + max(1, len(m.present)/64)
	}
	for m.size < until {
		partner := m.partner(g)
		if partner < 0 {
			return false
		}
		m.add(partner)
		m.Absorb(int32(g), partner)
	}
	return true
}

// partner returns the best neighbour of g, -1 if there is none.
func (m *eachMerger) partner(g int) int32 {
	best, large, least := int32(-1), int32(-1), math.Inf(1)
	look := func(h int32) {
		if m.Size(h) > largePartner {
			if large < 0 {
				large = h
			}
		} else if off := m.excessWith(h); off < least || off == least && m.Size(h) < m.Size(best) {
			best, least = h, off
		}
	}
	m.VisitNeighbours(int32(g), looksAtPartners/2, look)
	if best < 0 {
		return large
	}
	return best
}

// excessWith returns by how many records the union with h would break the bounds: the excess of
// the most frequent values, and of the value with the greatest distance.
func (m *eachMerger) excessWith(h int32) (off float64) {
	size, share := float64(m.size+m.Size(h)), m.bounds.Share.Float()
	for a, b := range m.each {
		most := m.most[a]
		for of := range m.Parts(h) {
			for _, record := range of {
				key := m.base[a] + b.Value[record]
				m.theirs[key]++
				most = max(most, m.count[key]+m.theirs[key])
			}
		}
		off += max(0, float64(most)-share*size)
		if a == m.farAt && m.bounds.Delta.Num < m.bounds.Delta.Den {
			want := float64(b.Count[m.far-m.base[a]]) / float64(b.Rows()) * size
			off += max(0, math.Abs(want-float64(m.count[m.far]+m.theirs[m.far]))-m.bounds.Delta.Float()*size)
		}
	}
	m.visit(h, func(_ int, key uint32) { m.theirs[key] = 0 })
	return off
}

// finish clears the counts of the current group.
func (m *eachMerger) finish() {
	for _, key := range m.present {
		m.count[key] = 0
	}
}
