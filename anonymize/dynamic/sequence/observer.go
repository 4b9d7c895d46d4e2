package sequence

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// An observation of a refresh is what an observer of both versions infers.
//
// The worst-case observer knows everyone's quasi-identifiers and who is in the table when;
// hence everyone's group in every version, and the number of counterfeits of each group. He
// does not know which rows are counterfeits, nor their values, which may differ between
// versions. He knows that a record was updated, but not how: the old record departs and the new
// one arrives. A world assigns a value to every record, constant while it is published
// unchanged, such that in every version the values of a group's persons are contained in its
// published multiset. A record's candidates are its remaining values.
//
// The test of a pair of groups: g of the version before with multiset M, g' of the one after
// with M', and S the persons who are unchanged in both. Intersections are of multisets; M - v
// has one v less. A value v is possible
//
//	for one who arrived (in g', not in S):  v in M' and |M ∩ (M' - v)| >= |S|
//	for one who departed (in g, not in S):  v in M and |(M - v) ∩ M'| >= |S|
//	for one in S: v in both and |(M - v) ∩ (M' - v)| >= |S| - 1
//
// Sound: in any world the values of S are contained in M and in M'. If someone with value v
// arrived, they and v are contained in M', so the values of S are contained in M ∩ (M' - v).
// The other cases are alike. So no value of a consistent world is ever excluded, whatever
// happens in other groups and versions, and intersecting the candidates over pairs and versions
// preserves this.
//
// Exact if g and g' share persons with no other group and there are no other versions: for a
// possible v, choose |S| values of M ∩ (M' - v) for S, v for the newcomer, and any remaining
// values for all others, since M has at least as many values as g has persons. That is a world.
// The other two cases are alike.
//
// Theorem (sealed): if all continuing groups keep their multisets and nobody moves, nothing is
// excluded, and this is exact over any number of versions. The records of a group are intervals
// of versions, at most as many at a time as the group has places. So they can be assigned to
// places, one record at a time in each (colouring of an interval graph), in any order of the
// places. Every place keeps one value of the multiset, and a permutation of the values gives a
// record any of them.
//
// A second observer knows that an update kept the sensitive value, and intersects the
// candidates of the old and the new record. That excludes no value of his worlds, since they
// are among the first observer's. What it tells him about others of the two groups is not
// counted.
//
// For what more than two versions reveal together, and what a person's value reveals about the
// rest of the group, see cohorts. Not covered: groups that split into several at once, what a
// later version reveals about others in an earlier one, and sets of persons who share sets of
// values. Likelihood is not covered either: possible values need not be equally likely. So the
// candidates are a superset of those of a perfect reasoner.
//
// In the code: let c and c' be the counts of a value in M and M', and I = |M ∩ M'|. Taking one
// v from M' reduces the intersection iff c' <= c. The persons' true values ensure I >= |S|, so
// nothing is excluded unless I = |S| (a tight pair). Then arrivals cannot have a v with 0 < c'
// <= c, and departures none with 0 < c <= c'. For S the third inequality always holds, so only
// the common values remain.
type observation struct {
	t             *Transition
	numbers       *valueNumbers
	before, after *multisets
	// wasTrue and isTrue are the sensitive values of the records of the two private sides.
	wasTrue, isTrue []uint32
	persons         []personOfBoth
	// translated has the code after, by column and code before.
	translated [][]uint32
	pairs      []groupPair
	// pairOf is by index in persons, for those in S.
	pairOf []int32
	// arrived has, by gid of After, the candidates of persons in S of no pair; departed has
	// them by gid of Before. Full sets are the groups' own slices.
	arrived, departed [][]uint32
}

// A groupPair is two groups with unchanged persons in both.
type groupPair struct {
	before, after uint32
	persons       int      // |S|
	common        []uint32 // the distinct values of M ∩ M'
	tight         bool
	candidates    []uint32 // of the persons in S, considering all pairs of both groups
}

// observe makes the observation: O(records) and, for every pair of groups, the smaller number
// of distinct values.
func observe(ctx context.Context, t *Transition) (*observation, error) {
	o := &observation{t: t, numbers: &valueNumbers{of: make(map[anonymize.Value]uint32)}}
	var err error
	// The version after comes first, so that its dictionary's order is that of the numbers.
	if o.after, o.isTrue, err = o.readSide(t.After, t.AfterLive); err != nil {
		return nil, fmt.Errorf("after the refresh: %w", err)
	}
	if o.before, o.wasTrue, err = o.readSide(t.Before, t.BeforeLive); err != nil {
		return nil, fmt.Errorf("before the refresh: %w", err)
	}
	if o.persons, err = joinPersons(t.BeforeLive, t.AfterLive); err != nil {
		return nil, err
	}
	o.translate()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.findPairs()
	for i := range o.pairs {
		if err := o.compare(&o.pairs[i]); err != nil {
			return nil, err
		}
	}
	o.arrived = o.restrict(o.after, func(p *groupPair) uint32 { return p.after }, o.cannotArrive)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o.departed = o.restrict(o.before, func(p *groupPair) uint32 { return p.before }, o.cannotDepart)
	return o, ctx.Err()
}

// readSide reads the sensitive values of a version, by group and by record.
func (o *observation) readSide(r *anonymize.Release, live *anonymize.Live) (*multisets, []uint32, error) {
	sensitive := live.Columns[len(live.Columns)-1]
	m, err := sensitiveMultisets(r, sensitive.Name, o.numbers)
	if err != nil {
		return nil, nil, err
	}
	truth := o.numbers.ofRecords(sensitive)
	if err := m.checkLive(r, live, truth); err != nil {
		return nil, nil, fmt.Errorf("the private side is not the release's: %w", err)
	}
	return m, truth, nil
}

// findPairs numbers the pairs in the order of their first persons.
func (o *observation) findPairs() {
	numbers := make(map[uint64]int32)
	o.pairOf = make([]int32, len(o.persons))
	for i, p := range o.persons {
		o.pairOf[i] = -1
		before, after := o.groupBefore(p), o.groupAfter(p)
		if before == anonymize.Waiting || after == anonymize.Waiting || !o.sameRecord(p) {
			continue
		}
		key := uint64(before)<<32 | uint64(after)
		number, ok := numbers[key]
		if !ok {
			number = int32(len(o.pairs))
			numbers[key] = number
			o.pairs = append(o.pairs, groupPair{before: before, after: after})
		}
		o.pairOf[i] = number
		o.pairs[number].persons++
	}
}

// compare finds the common values of a pair and whether it is tight.
func (o *observation) compare(p *groupPair) error {
	few, fewCounts := o.before.valuesOf(p.before)
	many, other := o.after, p.after
	if all, counts := o.after.valuesOf(p.after); len(all) < len(few) {
		few, fewCounts, many, other = all, counts, o.before, p.before
	}
	size := uint32(0)
	p.common = make([]uint32, 0, len(few))
	for i, v := range few {
		if n := min(fewCounts[i], many.times(other, v)); n > 0 {
			p.common = append(p.common, v)
			size += n
		}
	}
	if int(size) < p.persons {
		return fmt.Errorf("group %d was group %d of %d unchanged persons, their published values have %d in common", p.after, p.before, p.persons, size)
	}
	p.tight, p.candidates = int(size) == p.persons, p.common
	return nil
}

// cannotArrive reports whether a tight pair excludes a common value for persons who arrived in
// its group after.
func (o *observation) cannotArrive(p *groupPair, v uint32) bool {
	return p.tight && o.after.times(p.after, v) <= o.before.times(p.before, v)
}

// cannotDepart reports the same for persons who departed from its group before.
func (o *observation) cannotDepart(p *groupPair, v uint32) bool {
	return p.tight && o.before.times(p.before, v) <= o.after.times(p.after, v)
}

// restrict applies one side's test to everyone. For each pair, groupOf gives its group; the
// group's persons outside the pair's S lose what the pair excludes. A person in the S of one
// pair is outside that of the group's other pairs. restrict narrows the pairs' candidates and
// returns those of persons in no pair.
func (o *observation) restrict(m *multisets, groupOf func(*groupPair) uint32, excludes func(*groupPair, uint32) bool) [][]uint32 {
	order, key := make([]uint32, len(o.pairs)), make([]uint32, len(o.pairs))
	for i := range o.pairs {
		order[i], key[i] = uint32(i), groupOf(&o.pairs[i])
	}
	order = bucketization.CountingSort(order, key, m.groups())
	excluding := make([]int, len(o.numbers.values)) // by value: number of pairs of the group
	candidates := make([][]uint32, m.groups())
	for g := range candidates {
		candidates[g] = m.values(uint32(g))
		end := 0
		for end < len(order) && key[order[end]] == uint32(g) {
			end++
		}
		pairs := order[:end]
		order = order[end:]
		if o.count(pairs, excludes, excluding, 1) == 0 {
			continue
		}
		candidates[g] = keep(candidates[g], func(v uint32) bool { return excluding[v] == 0 })
		for _, i := range pairs {
			p := &o.pairs[i]
			p.candidates = keep(p.candidates, func(v uint32) bool {
				others := excluding[v]
				if others > 0 && excludes(p, v) {
					others--
				}
				return others == 0
			})
		}
		o.count(pairs, excludes, excluding, -1)
	}
	return candidates
}

// count adds sign to excluding, by value, for each pair that excludes the value, and returns
// the number of exclusions.
func (o *observation) count(pairs []uint32, excludes func(*groupPair, uint32) bool, excluding []int, sign int) int {
	total := 0
	for _, i := range pairs {
		p := &o.pairs[i]
		if !p.tight {
			continue
		}
		for _, v := range p.common {
			if excludes(p, v) {
				excluding[v] += sign
				total++
			}
		}
	}
	return total
}

// keep returns the values that satisfy the condition; values itself if all do.
func keep(values []uint32, condition func(v uint32) bool) []uint32 {
	for i, v := range values {
		if condition(v) {
			continue
		}
		kept := append([]uint32{}, values[:i]...)
		for _, v := range values[i+1:] {
			if condition(v) {
				kept = append(kept, v)
			}
		}
		return kept
	}
	return values
}

// intersect returns the values of a that are in b, both ascending; a itself if all are.
func intersect(a, b []uint32) []uint32 {
	i := 0
	return keep(a, func(v uint32) bool {
		for i < len(b) && b[i] < v {
			i++
		}
		return i < len(b) && b[i] == v
	})
}
