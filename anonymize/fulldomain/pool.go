package fulldomain

import (
	"cmp"
	"slices"
)

// maxJoining is the greatest number of classes that may join the suppressed records.
const maxJoining = 16

// A pool is the class of the suppressed records.
type pool struct {
	classes        []uint32
	size           int
	value, records []uint32 // as in tuples
}

// suppress makes the pool of the violating classes and lets classes join it until the pool is
// an allowed class: the smallest class that achieves that, or else the one that gives the most
// frequent value the least share, ties in the order of names. No class may join above the
// limit, and at most maxJoining classes may. ok is false if the pool is still not allowed. If
// several classes must join, a cheaper pool may exist.
func (j *judge) suppress(t *tuples, violating []uint32) (p pool, ok bool) {
	for _, g := range violating {
		j.join(&p, t, g)
	}
	for range maxJoining {
		if p.size == 0 || j.allowed(&p) {
			return p, p.size <= j.limit
		}
		g, found := j.choose(t, &p)
		if !found {
			return p, false
		}
		j.join(&p, t, g)
	}
	return p, j.allowed(&p)
}

// join adds a class to the pool.
func (j *judge) join(p *pool, t *tuples, g uint32) {
	p.classes = append(p.classes, g)
	p.size += int(t.count[g])
	if t.start == nil {
		return
	}
	p.value, p.records = j.sum(p, t, g)
}

// sum adds up the sensitive values of the pool and of a class.
func (j *judge) sum(p *pool, t *tuples, g uint32) (value, records []uint32) {
	value = slices.Clone(p.value)
	for i, v := range p.value {
		j.dense[v] = p.records[i]
	}
	for i := t.start[g]; i < t.start[g+1]; i++ {
		v := t.value[i]
		if j.dense[v] == 0 {
			value = append(value, v)
		}
		j.dense[v] += t.records[i]
	}
	records = make([]uint32, len(value))
	for i, v := range value {
		records[i], j.dense[v] = j.dense[v], 0
	}
	return value, records
}

func (j *judge) allowed(p *pool) bool {
	return p.size >= j.k && (j.l == 1 || j.isDiverse(p.records, p.size)) && (!j.close() || j.isClose(p.value, p.records, p.size)) &&
		j.isAsked(p.value, p.records, p.size)
}

// choose returns the class that joins next.
func (j *judge) choose(t *tuples, p *pool) (class uint32, found bool) {
	in := make([]bool, len(t.count))
	for _, g := range p.classes {
		in[g] = true
	}
	var others []uint32
	for g, m := range t.count {
		if !in[g] && p.size+int(m) <= j.limit {
			others = append(others, uint32(g))
		}
	}
	slices.SortFunc(others, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(t.count[x], t.count[y]), cmp.Compare(t.first[x], t.first[y]))
	})
	bestMost, bestSize := 1, 0 // the least share so far, above 1
	for _, g := range others {
		union := pool{size: p.size + int(t.count[g])}
		if t.start != nil {
			union.value, union.records = j.sum(p, t, g)
		}
		if j.allowed(&union) {
			return g, true
		}
		most := union.size // ignores sensitive values
		if t.start != nil {
			most = int(slices.Max(union.records))
		}
		if most*bestSize < bestMost*union.size {
			class, found, bestMost, bestSize = g, true, most, union.size
		}
	}
	return class, found
}
