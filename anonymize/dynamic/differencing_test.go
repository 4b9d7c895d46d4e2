package dynamic

import (
	"maps"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A differencer sees all versions of a release into which one person at a time is inserted. It knows the members of
// each group and its number of counterfeits, but not which they are. If two versions of a group have as many values
// in common as the group has persons, the persons have these values: the counterfeit's value has visibly left. The
// difference of two such facts is what the persons between them have.
type differencer struct {
	facts    map[int]*fact // by gid of the last version
	versions map[int]map[anonymize.Value]int
	persons  map[int]map[int64]anonymize.Value
	// candidates has, by inserted person, the values that she can have.
	candidates map[int64]map[anonymize.Value]bool
}

// A fact is the multiset of the values of some persons of a group.
type fact struct {
	persons map[int64]anonymize.Value
	values  map[anonymize.Value]int
}

func newDifferencer(r *anonymize.Release, live *anonymize.Live) *differencer {
	d := &differencer{facts: map[int]*fact{}, candidates: map[int64]map[anonymize.Value]bool{}}
	d.versions, d.persons = groupsOf(r, live)
	for g, values := range d.versions {
		d.facts[g] = &fact{d.persons[g], values}
	}
	return d
}

// groupsOf returns the published multiset and the persons of every group.
func groupsOf(r *anonymize.Release, live *anonymize.Live) (map[int]map[anonymize.Value]int, map[int]map[int64]anonymize.Value) {
	values, persons := map[int]map[anonymize.Value]int{}, map[int]map[int64]anonymize.Value{}
	sa := r.Fragments[1]
	for g := range r.Groups() {
		values[g], persons[g] = map[anonymize.Value]int{}, map[int64]anonymize.Value{}
		for t := sa.GroupStart[g]; t < sa.GroupStart[g+1]; t++ {
			values[g][sa.Columns[0].Dictionary[sa.Columns[0].Codes[t]]] += int(sa.Count[t])
		}
	}
	for i, key := range live.Key {
		if g := live.Group[i]; g != anonymize.Waiting && live.Kind[i] == anonymize.Person {
			persons[int(g)][key] = live.Columns[len(live.Columns)-1].Value(i)
		}
	}
	return values, persons
}

// common is the intersection of two multisets.
func common(x, y map[anonymize.Value]int) (values map[anonymize.Value]int, size int) {
	values = map[anonymize.Value]int{}
	for v, n := range x {
		if m := min(n, y[v]); m > 0 {
			values[v], size = m, size+m
		}
	}
	return values, size
}

// see adds a version.
func (d *differencer) see(o *Outcome) {
	values, persons := groupsOf(o.Release, o.Live)
	facts := map[int]*fact{}
	for g, from := range o.From {
		d.arrive(from, values[g], persons[g])
		if from < 0 {
			facts[g] = &fact{persons[g], values[g]}
			continue
		}
		facts[g] = d.facts[from]
		if both, size := common(d.versions[from], values[g]); size == len(d.persons[from]) {
			facts[g] = &fact{d.persons[from], both}
			d.subtract(d.facts[from], facts[g])
		}
	}
	d.facts, d.versions, d.persons = facts, values, persons
}

// arrive gives newcomers the values that leave enough values for those who stayed.
func (d *differencer) arrive(from int, values map[anonymize.Value]int, persons map[int64]anonymize.Value) {
	for key := range persons {
		if _, stayed := d.persons[from][key]; stayed {
			continue
		}
		d.candidates[key] = map[anonymize.Value]bool{}
		for v := range values {
			others := maps.Clone(values)
			others[v]--
			if _, size := common(d.versions[from], others); size >= len(d.persons[from]) {
				d.candidates[key][v] = true
			}
		}
	}
}

// subtract distributes what only the second fact has among those who came in between, in all ways that their
// candidates permit.
func (d *differencer) subtract(before, after *fact) {
	var newcomers []int64
	for key := range after.persons {
		if _, known := before.persons[key]; !known {
			newcomers = append(newcomers, key)
		}
	}
	if len(newcomers) > 6 {
		return
	}
	slices.Sort(newcomers)
	left := map[anonymize.Value]int{}
	for v, n := range after.values {
		left[v] = n - before.values[v]
	}
	possible := make([]map[anonymize.Value]bool, len(newcomers))
	for i := range possible {
		possible[i] = map[anonymize.Value]bool{}
	}
	d.deal(newcomers, left, possible, 0)
	for i, key := range newcomers {
		d.candidates[key] = possible[i]
	}
}

// deal reports whether the rest can be distributed to newcomers i and later, and notes the possible values of each.
func (d *differencer) deal(newcomers []int64, left map[anonymize.Value]int, possible []map[anonymize.Value]bool, i int) (dealt bool) {
	if i == len(newcomers) {
		return true
	}
	for v := range d.candidates[newcomers[i]] {
		if left[v] > 0 {
			left[v]--
			if d.deal(newcomers, left, possible, i+1) {
				possible[i][v], dealt = true, true
			}
			left[v]++
		}
	}
	return dealt
}

// disclosed counts the newcomers with one candidate. The truth must be among them.
func (d *differencer) disclosed(t *testing.T) (one int) {
	t.Helper()
	for _, persons := range d.persons {
		for key, truth := range persons {
			if known, inserted := d.candidates[key]; inserted {
				if !known[truth] {
					t.Errorf("the observer infers %v for %d, the value is %s", known, key, truth)
				}
				if len(known) == 1 {
					one++
				}
			}
		}
	}
	return one
}
