package estimate

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A plainJoin is a keyed join of two sides in which every value counts: the keys are of one column, the arguments of the other side,
// nobody is left out by a condition, and no argument is NULL. In a group whose tuples are single records, each record of the keys' side has one
// record, and the mean of the group's arguments. Such a group costs one addition per record and argument.
type plainJoin struct {
	key, other *side
	keyCodes   []uint32
	classOf    []uint32 // by code of the key
	codes      [][]uint32
	values     [][]float64 // by argument, by code: what a record adds

	// Of the block that is added up, by class: records, and their arguments' sums.
	records []uint64
	sums    [][]float64
}

// plain returns nil where the join is of another kind.
func (k keyedJoin) plain() *plainJoin {
	if len(k.sides) != 2 {
		return nil
	}
	p := &plainJoin{key: k.sides[k.key], other: k.sides[1-k.key]}
	for _, s := range k.sides {
		for _, u := range s.units {
			if slices.Contains(u.classOf, dead) {
				return nil
			}
			if u.classes == 1 {
				continue
			}
			if p.keyCodes != nil {
				return nil // keys of two columns
			}
			p.keyCodes, p.classOf = u.codes, u.classOf
		}
	}
	if p.keyCodes == nil {
		return nil
	}
	for _, a := range k.arguments {
		if a.side == k.key {
			return nil
		}
		values := make([]float64, len(a.contributions))
		for code, c := range a.contributions {
			if c.records != 1 {
				return nil
			}
			values[code] = c.sum
		}
		p.codes, p.values = append(p.codes, p.other.units[a.unit].codes), append(p.values, values)
		p.sums = append(p.sums, make([]float64, p.key.classes))
	}
	p.records = make([]uint64, p.key.classes)
	return p
}

// takes says whether every tuple of group g is one record, on both sides.
func (p *plainJoin) takes(r *anonymize.Release, g int) bool {
	m, keys, others := r.GroupSizes[g], p.key.fragment.GroupStart, p.other.fragment.GroupStart
	return keys[g+1]-keys[g] == m && others[g+1]-others[g] == m
}

// add adds group g, of m records.
func (p *plainJoin) add(g int, m float64) {
	keys := p.keyCodes[p.key.fragment.GroupStart[g]:p.key.fragment.GroupStart[g+1]]
	for _, code := range keys {
		p.records[p.classOf[code]]++
	}
	from, to := p.other.fragment.GroupStart[g], p.other.fragment.GroupStart[g+1]
	for a, values := range p.values {
		sum := 0.0
		for _, code := range p.codes[a][from:to] {
			sum += values[code]
		}
		mean, sums := sum/m, p.sums[a]
		for _, code := range keys {
			sums[p.classOf[code]] += mean
		}
	}
}

// flush adds what was added up to the sums of a block, width a class, and begins anew.
func (p *plainJoin) flush(sums []float64, width int) {
	for class, n := range p.records {
		at := sums[class*width:][:width]
		at[0] += float64(n)
		for a := range p.sums {
			at[1+2*a] += float64(n)
			at[2+2*a] += p.sums[a][class]
			p.sums[a][class] = 0
		}
		p.records[class] = 0
	}
}
