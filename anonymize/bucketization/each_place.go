package bucketization

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

// looksAtGroups is the number of groups that are tried for a remaining record: half of them
// near it, half from a random one on.
const looksAtGroups = 64

// A placement puts the remaining records into groups.
type placement struct {
	each     Each
	bounds   EachBounds
	dealt    *eachDealt
	sizes    []int
	joined   [][]uint32 // by group: records beyond those dealt
	unplaced []eachLeft // those that fit no group
}

func newPlacement(e Each, d *eachDealt, bounds EachBounds) *placement {
	p := &placement{each: e, bounds: bounds, dealt: d, sizes: make([]int, d.groups()), joined: make([][]uint32, d.groups())}
	for g := range p.sizes {
		p.sizes[g] = d.size
	}
	return p
}

// run places records where possible and returns their number.
func (p *placement) run(ctx context.Context, random *rand.Rand) (placed int, err error) {
	for i, l := range p.dealt.left {
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return placed, ctx.Err()
		}
		if g := p.find(l, random); g >= 0 {
			p.joined[g] = append(p.joined[g], l.record)
			p.sizes[g]++
			placed++
			continue
		}
		p.unplaced = append(p.unplaced, l)
	}
	return placed, nil
}

// find returns a group that can take the record, preferably the nearest; -1 for none.
func (p *placement) find(l eachLeft, random *rand.Rand) int {
	groups := len(p.sizes)
	for i := range looksAtGroups / 2 {
		g := int(l.home) + i/2
		if i%2 == 0 {
			g = int(l.home) - 1 - i/2
		}
		if g >= 0 && g < groups && p.takes(g, l.record) {
			return g
		}
	}
	if groups == 0 {
		return -1
	}
	from := random.IntN(groups)
	for i := range min(groups, looksAtGroups/2) {
		if g := (from + i) % groups; p.takes(g, l.record) {
			return g
		}
	}
	return -1
}

// takes reports whether a group that a record joins keeps the bound on the shares of the
// record's values. All other shares fall.
func (p *placement) takes(g int, record uint32) bool {
	for _, b := range p.each {
		v, n := b.Value[record], 1
		for _, r := range p.dealt.members[g*p.dealt.size:][:p.dealt.size] {
			if b.Value[r] == v {
				n++
			}
		}
		for _, r := range p.joined[g] {
			if b.Value[r] == v {
				n++
			}
		}
		if !p.bounds.Share.Admits(n, p.sizes[g]+1) {
			return false
		}
	}
	return true
}

// partition lists the groups, and unplaced records as groups of one at their positions.
func (p *placement) partition() *Partition {
	slices.SortStableFunc(p.unplaced, func(x, y eachLeft) int { return cmp.Compare(x.home, y.home) })
	all := &Partition{Start: []uint32{0}, Member: make([]uint32, 0, p.each.Rows())}
	end := func() { all.Start = append(all.Start, uint32(len(all.Member))) }
	next := 0
	for g := 0; g <= len(p.sizes); g++ {
		for ; next < len(p.unplaced) && int(p.unplaced[next].home) <= g; next++ {
			all.Member = append(all.Member, p.unplaced[next].record)
			end()
		}
		if g < len(p.sizes) {
			all.Member = append(all.Member, p.dealt.members[g*p.dealt.size:][:p.dealt.size]...)
			all.Member = append(all.Member, p.joined[g]...)
			end()
		}
	}
	return all
}
