package sequence

import (
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Cohorts are what pairs of versions reveal together. A cohort is a set of persons of one group
// who arrived there together, with a multiset, its bound, that contains their values. The first
// bound is the group's published multiset. Every later version that has these persons together
// intersects the bound with their group's multiset. A cohort with as many persons as its bound
// has values is exact: its values are the bound, so the rest of the group has only what it
// leaves. The cohorts of a tight pair are exact together, and merge. This is how two versions
// with different counterfeits reveal a newcomer's value.
//
// Sound: the values of a subset of a cohort are contained in those of the cohort; values of
// persons of a group are contained in its multiset, and those of different persons side by
// side. Most cohorts are trivial, bounded only by their group. They are combined into one, the
// rest, which no history needs to keep.
type cohorts struct {
	o *observation
	// of has the cohort before, by index in persons, -1 without one: those of the history,
	// followed by every group's rest. bound and group are by cohort before.
	of    []int32
	bound []bag
	group []uint32
	after []afterCohort
	now   []int32 // by index in persons: the cohort after, or -1
	// left has, by cohort before, what remains for its departed members.
	left []bag
}

type afterCohort struct {
	before  int32 // -1: arrived, or from several
	pair    int32 // -1: arrived
	group   uint32
	members int
	bound   bag
	merged  int32 // the cohort that it merged into, or -1
}

func (c *afterCohort) exact() bool { return c.bound.size == c.members }

// A bag is a multiset of value numbers, ascending.
type bag struct {
	values, counts []uint32
	size           int
}

func (m *multisets) bag(g uint32) bag {
	values, counts := m.valuesOf(g)
	b := bag{values: values, counts: counts}
	for _, n := range counts {
		b.size += int(n)
	}
	return b
}

// combine returns the bag of join(count, other's count), without values of count 0.
func (b bag) combine(other bag, join func(n, m uint32) uint32) bag {
	var result bag
	i := 0
	for j, v := range b.values {
		for i < len(other.values) && other.values[i] < v {
			i++
		}
		m := uint32(0)
		if i < len(other.values) && other.values[i] == v {
			m = other.counts[i]
		}
		if n := join(b.counts[j], m); n > 0 {
			result.values, result.counts = append(result.values, v), append(result.counts, n)
			result.size += int(n)
		}
	}
	return result
}

func (b bag) common(other bag) bag {
	return b.combine(other, func(n, m uint32) uint32 { return min(n, m) })
}

func (b bag) minus(other bag) bag {
	return b.combine(other, func(n, m uint32) uint32 { return n - min(n, m) })
}

// findCohorts takes the history's cohorts through the refresh.
func (o *observation) findCohorts(h *History) *cohorts {
	c := &cohorts{o: o, of: make([]int32, len(o.persons)), now: make([]int32, len(o.persons))}
	c.recall(h)
	numbers := make(map[[2]int32]int32)
	for i, p := range o.persons {
		c.now[i] = -1
		group := o.groupAfter(p)
		if group == anonymize.Waiting {
			continue
		}
		before := int32(-1)
		if o.pairOf[i] >= 0 {
			before = c.of[i]
		}
		key := [2]int32{before, int32(group)}
		number, ok := numbers[key]
		if !ok {
			number = int32(len(c.after))
			numbers[key] = number
			c.after = append(c.after, afterCohort{before: before, pair: o.pairOf[i], group: group, merged: -1})
		}
		c.now[i] = number
		c.after[number].members++
	}
	c.bind()
	c.depart()
	return c
}

// recall restores the cohorts before.
func (c *cohorts) recall(h *History) {
	o := c.o
	numbers := o.numbers.numberAll(h.Values)
	known := make(map[int64]int32)
	rest := make([]bag, o.before.groups())
	for g := range rest {
		rest[g] = o.before.bag(uint32(g))
	}
	for i, k := range h.Cohorts {
		b := k.bound(numbers)
		c.bound, c.group = append(c.bound, b), append(c.group, k.Group)
		if b.size == len(k.Keys) {
			rest[k.Group] = rest[k.Group].minus(b)
		}
		for _, key := range k.Keys {
			known[key] = int32(i)
		}
	}
	for g, b := range rest {
		c.bound, c.group = append(c.bound, b), append(c.group, uint32(g))
	}
	for i, p := range o.persons {
		c.of[i] = -1
		group := o.groupBefore(p)
		if group == anonymize.Waiting {
			continue
		}
		cohort, ok := known[p.key]
		if !ok {
			cohort = int32(len(h.Cohorts)) + int32(group)
		}
		c.of[i] = cohort
	}
}

// bind narrows the bounds of the cohorts after, group by group, until no more become exact.
func (c *cohorts) bind() {
	order, key := make([]uint32, len(c.after)), make([]uint32, len(c.after))
	for i := range c.after {
		a := &c.after[i]
		order[i], key[i] = uint32(i), a.group
		if a.bound = c.o.after.bag(a.group); a.before >= 0 {
			a.bound = c.bound[a.before].common(a.bound)
		}
	}
	order = bucketization.CountingSort(order, key, c.o.after.groups())
	for len(order) > 0 {
		end := 1
		for end < len(order) && key[order[end]] == key[order[0]] {
			end++
		}
		if group, whole := order[:end:end], c.o.after.bag(key[order[0]]); end > 1 {
			c.eliminate(group, whole)
			if merged := c.merge(group); len(merged) > 0 {
				c.eliminate(append(group, merged...), whole)
			}
		}
		order = order[end:]
	}
}

// eliminate removes the values of exact cohorts from what is left for the others.
func (c *cohorts) eliminate(group []uint32, left bag) {
	open := slices.Clone(group)
	for found := true; found; {
		found = false
		open = slices.DeleteFunc(open, func(i uint32) bool {
			if c.after[i].merged >= 0 {
				return true
			}
			if !c.after[i].exact() {
				return false
			}
			left, found = left.minus(c.after[i].bound), true
			return true
		})
		for _, i := range open {
			if found {
				c.after[i].bound = c.after[i].bound.common(left)
			}
		}
	}
}

// merge merges the inexact cohorts of a tight pair into one exact cohort: together they have
// what the pair has in common, minus the exact ones. Their persons' candidates keep what is
// known of each.
func (c *cohorts) merge(group []uint32) (merged []uint32) {
	parts, common := make(map[int32][]uint32), make(map[int32]bag)
	for _, i := range group {
		a := &c.after[i]
		if a.pair < 0 || !c.o.pairs[a.pair].tight {
			continue
		}
		if _, ok := common[a.pair]; !ok {
			p := &c.o.pairs[a.pair]
			common[a.pair] = c.o.before.bag(p.before).common(c.o.after.bag(p.after))
		}
		if a.exact() {
			common[a.pair] = common[a.pair].minus(a.bound)
		} else {
			parts[a.pair] = append(parts[a.pair], i)
		}
	}
	for _, pair := range slices.Sorted(maps.Keys(parts)) {
		of := parts[pair]
		whole := afterCohort{before: -1, pair: pair, group: c.after[of[0]].group, bound: common[pair], merged: -1}
		for _, i := range of {
			c.after[i].merged = int32(len(c.after))
			whole.members += c.after[i].members
		}
		merged = append(merged, uint32(len(c.after)))
		c.after = append(c.after, whole)
	}
	return merged
}

// candidates returns the candidates that a person's cohort leaves, by index in persons.
func (c *cohorts) candidates(i int, left []uint32) []uint32 {
	a := &c.after[c.now[i]]
	left = intersect(left, a.bound.values)
	if a.merged >= 0 {
		left = intersect(left, c.after[a.merged].bound.values)
	}
	return left
}

// depart bounds departed persons by what the exact ones who stayed have left.
func (c *cohorts) depart() {
	group := make([]bag, c.o.before.groups())
	for g := range group {
		group[g] = c.o.before.bag(uint32(g))
	}
	c.left = slices.Clone(c.bound)
	for i := range c.after {
		a := &c.after[i]
		if a.pair < 0 || a.merged >= 0 || !a.exact() {
			continue
		}
		g := c.o.pairs[a.pair].before
		group[g] = group[g].minus(a.bound)
		if a.before >= 0 {
			c.left[a.before] = c.left[a.before].minus(a.bound)
		}
	}
	for i := range c.left {
		c.left[i] = c.left[i].common(group[c.group[i]])
	}
}

// remember returns the cohorts after that are not trivial.
func (c *cohorts) remember(m *memory) (known []Cohort) {
	at := make([]int32, len(c.after))
	for i := range c.after {
		a := &c.after[i]
		at[i] = -1
		if a.merged < 0 && a.bound.size < int(c.o.t.After.GroupSizes[a.group]) {
			at[i] = int32(len(known))
			known = append(known, Cohort{Group: a.group, Values: m.indexes(a.bound.values), Counts: a.bound.counts})
		}
	}
	for i, p := range c.o.persons {
		now := c.now[i]
		if now >= 0 && c.after[now].merged >= 0 {
			now = c.after[now].merged
		}
		if now >= 0 && at[now] >= 0 {
			known[at[now]].Keys = append(known[at[now]].Keys, p.key)
		}
	}
	return known
}
