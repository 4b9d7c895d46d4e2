package sequence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A History is what observers of all versions so far can infer. It has keys of the raw table,
// so it is private. It encodes to JSON and back without loss. As long as nobody is disclosed,
// it has only some counts, the runs of inserted keys, and a line for everyone whose
// quasi-identifiers changed. It is immutable: Verify makes the next one.
type History struct {
	// Transitions is the number of refreshes so far.
	Transitions int
	// Rows, Groups and Forged identify the last version.
	Rows, Groups, Forged int
	// Values are the sensitive values that the candidates below index.
	Values []anonymize.Value `json:",omitempty"`
	// Inserted are the persons of the last version who were not in the first, as runs: all keys
	// of the version from one end to the other, ascending.
	Inserted [][2]int64 `json:",omitempty"`
	// Narrowed are the persons of the last version for whom the observer has fewer candidates
	// than their group has values, ascending by key.
	Narrowed []Narrowed `json:",omitempty"`
	// Cohorts are persons of the last version whose values together are known to be contained
	// in less than their group's multiset. See cohorts.
	Cohorts []Cohort `json:",omitempty"`
	// Followed are the persons whose quasi-identifiers changed but not their sensitive value,
	// ascending by key.
	Followed []Followed `json:",omitempty"`
	// Units are, for a release by units, those that changed and kept records, ascending.
	Units []KeptUnit `json:",omitempty"`
	// GoneInserted, GoneUpdated and Deleted count persons who left: those inserted before,
	// those updated before, and all.
	GoneInserted, GoneUpdated, Deleted Tally
	// GoneGained counts records that are no longer published and about which the sequence
	// reveals more than their groups.
	GoneGained int
}

// A Narrowed has the remaining candidates for a published person's sensitive value.
type Narrowed struct {
	Key        int64
	Candidates []uint32 // indexes of History.Values
	// Least is the least number of values in any group of the record.
	Least int
}

// A Cohort is persons of a group, by key, and a multiset that contains their values.
type Cohort struct {
	Group  uint32
	Keys   []int64
	Values []uint32 // indexes of History.Values
	Counts []uint32
}

// bound translates the values into the numbers of History.Values.
func (c Cohort) bound(numbers []uint32) bag {
	pairs := make([]uint64, len(c.Values))
	for i, v := range c.Values {
		pairs[i] = uint64(numbers[v])<<32 | uint64(c.Counts[i])
	}
	slices.Sort(pairs)
	var b bag
	for _, p := range pairs {
		b.values, b.counts = append(b.values, uint32(p>>32)), append(b.counts, uint32(p))
		b.size += int(uint32(p))
	}
	return b
}

// A Followed has the remaining candidates of an updated person for an observer who knows that
// the sensitive value stayed the same.
type Followed struct {
	Key        int64
	Candidates []uint32 // indexes of History.Values
	// Left is the number of candidates for an observer who does not know it, when a record of
	// this person last departed.
	Left int
	// Updated is false until the record is published with its new values.
	Updated bool `json:",omitempty"`
}

// A Tally counts persons, and those with one or two candidates left.
type Tally struct {
	Persons, One, Two int
}

func (t *Tally) add(candidates int) {
	t.Persons++
	switch candidates {
	case 1:
		t.One++
	case 2:
		t.Two++
	}
}

func (t Tally) plus(other Tally) Tally {
	return Tally{t.Persons + other.Persons, t.One + other.One, t.Two + other.Two}
}

// Rename gives records their current keys; of maps previous keys to current ones. live is the private
// side of the last version, with the previous keys. It fails if two persons would have one key.
func (h *History) Rename(of func(key int64) int64, live *anonymize.Live) error {
	if err := h.renameRuns(of, live); err != nil {
		return err
	}
	rename := func(keys []int64) {
		for i, key := range keys {
			keys[i] = of(key)
		}
	}
	for i := range h.Narrowed {
		h.Narrowed[i].Key = of(h.Narrowed[i].Key)
	}
	for i := range h.Followed {
		h.Followed[i].Key = of(h.Followed[i].Key)
	}
	slices.SortFunc(h.Narrowed, func(a, b Narrowed) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortFunc(h.Followed, func(a, b Followed) int { return cmp.Compare(a.Key, b.Key) })
	for _, c := range h.Cohorts {
		rename(c.Keys)
	}
	for _, u := range h.Units {
		for _, k := range u.Records {
			rename(k.Keys)
			slices.Sort(k.Keys)
		}
	}
	return nil
}

// renameRuns recomputes the runs of inserted persons, since renamed keys need not be adjacent. Runs of units consist of their numbers, which stay.
func (h *History) renameRuns(of func(key int64) int64, live *anonymize.Live) error {
	if len(h.Inserted) == 0 || live.UnitColumns > 0 {
		return nil
	}
	persons, err := personsByKey(live)
	if err != nil {
		return err
	}
	type person struct {
		key      int64
		inserted bool
	}
	m, renamed := &memory{runs: h.Inserted, next: new(History)}, make([]person, 0, len(persons))
	for _, record := range persons {
		if live.Group[record] != anonymize.Waiting {
			key := live.Key[record]
			renamed = append(renamed, person{of(key), m.wasInserted(key)})
		}
	}
	slices.SortFunc(renamed, func(a, b person) int { return cmp.Compare(a.key, b.key) })
	for _, p := range renamed {
		m.extendRun(p.key, p.inserted)
	}
	h.Inserted = m.next.Inserted
	return nil
}

func newHistory(first *anonymize.Release) *History {
	return &History{Rows: first.Rows, Groups: first.Groups(), Forged: first.Forged}
}

func (h *History) endsAt(r *anonymize.Release) error {
	if h.Rows != r.Rows || h.Groups != r.Groups() || h.Forged != r.Forged {
		return fmt.Errorf("the history ends at a version of %d records (%d counterfeits) in %d groups, the version before the refresh has %d (%d) in %d",
			h.Rows, h.Forged, h.Groups, r.Rows, r.Forged, r.Groups())
	}
	for _, c := range h.Cohorts {
		if int(c.Group) >= h.Groups || len(c.Counts) != len(c.Values) {
			return fmt.Errorf("the history has a cohort of %d values and %d counts in group %d of %d", len(c.Values), len(c.Counts), c.Group, h.Groups)
		}
	}
	for _, u := range h.Units {
		for _, k := range u.Records {
			if len(k.Counts) != len(k.Values) || len(k.Keys) == 0 {
				return fmt.Errorf("the history has %d values and %d counts of %d records of a unit", len(k.Values), len(k.Counts), len(k.Keys))
			}
		}
		if len(u.Records) == 0 {
			return errors.New("the history has a unit that kept no record")
		}
	}
	for _, candidates := range h.candidates() {
		for _, i := range candidates {
			if int(i) >= len(h.Values) {
				return fmt.Errorf("the history has candidate %d, beyond its %d values", i, len(h.Values))
			}
		}
	}
	return nil
}

func (h *History) candidates() (all [][]uint32) {
	for _, n := range h.Narrowed {
		all = append(all, n.Candidates)
	}
	for _, f := range h.Followed {
		all = append(all, f.Candidates)
	}
	for _, c := range h.Cohorts {
		all = append(all, c.Values)
	}
	for _, u := range h.Units {
		for _, k := range u.Records {
			all = append(all, k.Values)
		}
	}
	return all
}

// livingTallies are tallies of the persons published now.
type livingTallies struct {
	inserted, unchanged, updated Tally
	gained                       int
}

// A memory turns a history and an observation into the next history. Its candidates are in the
// observation's numbers, ascending.
type memory struct {
	o        *observation
	cohorts  *cohorts
	narrowed map[int64]Narrowed
	followed map[int64]Followed
	runs     [][2]int64 // runs of earlier inserted persons that are still ahead

	next   *History
	index  map[uint32]uint32 // by number: index in next.Values
	living livingTallies
	run    bool // whether the last published person was inserted
}

// remember makes the history after the refresh.
func (o *observation) remember(ctx context.Context, h *History) (*History, livingTallies, error) {
	m := o.newMemory(h)
	for i := range o.persons {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, livingTallies{}, ctx.Err()
		}
		if err := m.person(i); err != nil {
			return nil, livingTallies{}, err
		}
	}
	m.next.Cohorts = m.cohorts.remember(m)
	return m.next, m.living, nil
}

func (o *observation) newMemory(h *History) *memory {
	m := o.countingMemory(h)
	m.recall(h)
	return m
}

// countingMemory has the history's counts without single records.
func (o *observation) countingMemory(h *History) *memory {
	r := o.t.After
	return &memory{o: o, runs: h.Inserted, index: make(map[uint32]uint32),
		next: &History{Transitions: h.Transitions + 1, Rows: r.Rows, Groups: r.Groups(), Forged: r.Forged,
			GoneInserted: h.GoneInserted, GoneUpdated: h.GoneUpdated, Deleted: h.Deleted, GoneGained: h.GoneGained}}
}

// recall restores what the history knows of records.
func (m *memory) recall(h *History) {
	o := m.o
	m.cohorts = o.findCohorts(h)
	m.narrowed, m.followed = make(map[int64]Narrowed, len(h.Narrowed)), make(map[int64]Followed, len(h.Followed))
	numbers := o.numbers.numberAll(h.Values)
	for _, n := range h.Narrowed {
		n.Candidates = numbered(n.Candidates, numbers)
		m.narrowed[n.Key] = n
	}
	for _, f := range h.Followed {
		f.Candidates = numbered(f.Candidates, numbers)
		m.followed[f.Key] = f
	}
}

func numbered(candidates, numbers []uint32) []uint32 {
	set := anonymize.Gather(numbers, candidates)
	slices.Sort(set)
	return set
}

// person takes one person, by index, from version to version. Without a pair (an unchanged
// record in both), the old record departs and the new one arrives.
func (m *memory) person(i int) error {
	p, pair := m.o.persons[i], m.o.pairOf[i]
	followed, isFollowed := m.followed[p.key]
	published := m.o.groupBefore(p) != anonymize.Waiting
	inserted := published && m.wasInserted(p.key)
	switch {
	case published && pair < 0:
		left, err := m.depart(i)
		if err != nil {
			return err
		}
		if inserted {
			m.next.GoneInserted.add(len(left))
		}
		followed.Left = len(left)
		if isFollowed {
			left = intersect(followed.Candidates, left)
		}
		followed.Key, followed.Candidates = p.key, left
		isFollowed = m.goesOn(p, followed)
	case isFollowed && !published:
		isFollowed = m.goesOn(p, followed)
	}
	if m.o.groupAfter(p) == anonymize.Waiting {
		if isFollowed {
			m.follow(followed)
		}
		return nil
	}
	left, err := m.publish(i)
	if err != nil {
		return err
	}
	inserted = !isFollowed && (inserted || pair < 0)
	m.extendRun(p.key, inserted)
	switch {
	case isFollowed:
		followed.Candidates = intersect(followed.Candidates, left)
		followed.Updated = true
		m.follow(followed)
	case inserted:
		m.living.inserted.add(len(left))
	default:
		m.living.unchanged.add(len(left))
	}
	return nil
}

// goesOn reports whether a person whose record departed is still in the table with the same
// sensitive value; otherwise she is deleted.
func (m *memory) goesOn(p personOfBoth, f Followed) bool {
	if m.o.sameSensitive(p) {
		return true
	}
	m.next.Deleted.add(f.Left)
	if f.Updated {
		m.next.GoneUpdated.add(len(f.Candidates))
	}
	return false
}

// depart returns the candidates of a record that is no longer published.
func (m *memory) depart(i int) ([]uint32, error) {
	p := m.o.persons[i]
	group := m.o.groupBefore(p)
	left, least := m.o.departed[group], len(m.o.before.values(group))
	if n, ok := m.narrowed[p.key]; ok {
		left, least = intersect(n.Candidates, left), n.Least
	}
	left = intersect(left, m.cohorts.left[m.cohorts.of[i]].values)
	if len(left) < least {
		m.next.GoneGained++
	}
	return left, m.check(left, p.key, m.o.wasTrue[p.before])
}

// publish returns the candidates of a record in the version after, and stores them if they are
// fewer than its group's values.
func (m *memory) publish(i int) ([]uint32, error) {
	p, pair := m.o.persons[i], m.o.pairOf[i]
	group := m.o.groupAfter(p)
	distinct := len(m.o.after.values(group))
	left, least := m.o.arrived[group], distinct
	if pair >= 0 {
		left, least = m.o.pairs[pair].candidates, min(distinct, len(m.o.before.values(m.o.groupBefore(p))))
		if n, ok := m.narrowed[p.key]; ok {
			left, least = intersect(n.Candidates, left), min(least, n.Least)
		}
	}
	left = m.cohorts.candidates(i, left)
	if len(left) < least {
		m.living.gained++
	}
	if len(left) < distinct {
		m.next.Narrowed = append(m.next.Narrowed, Narrowed{p.key, m.indexes(left), least})
	}
	return left, m.check(left, p.key, m.o.isTrue[p.after])
}

// check verifies that the truth is among the candidates. It always is, because the true values
// are a world, unless the history belongs to another release.
func (m *memory) check(left []uint32, key int64, truth uint32) error {
	if _, ok := slices.BinarySearch(left, truth); !ok {
		return fmt.Errorf("the history excludes the sensitive value of the person with key %d: it is not the history of this release", key)
	}
	return nil
}

func (m *memory) follow(f Followed) {
	if f.Updated {
		m.living.updated.add(len(f.Candidates))
	}
	f.Candidates = m.indexes(f.Candidates)
	m.next.Followed = append(m.next.Followed, f)
}

// indexes returns the indexes of values, given by number, in the next history.
func (m *memory) indexes(numbers []uint32) []uint32 {
	indexes := make([]uint32, len(numbers))
	for i, n := range numbers {
		at, ok := m.index[n]
		if !ok {
			at = uint32(len(m.next.Values))
			m.index[n] = at
			m.next.Values = append(m.next.Values, m.o.numbers.values[n])
		}
		indexes[i] = at
	}
	return indexes
}

// wasInserted must be called with ascending keys of the version before.
func (m *memory) wasInserted(key int64) bool {
	for len(m.runs) > 0 && m.runs[0][1] < key {
		m.runs = m.runs[1:]
	}
	return len(m.runs) > 0 && m.runs[0][0] <= key
}

// extendRun must be called with ascending keys of the version after. A run ends at the next key
// that was not inserted, so it says nothing about keys between that have no record or a waiting
// one.
func (m *memory) extendRun(key int64, inserted bool) {
	runs := m.next.Inserted
	switch {
	case inserted && m.run:
		runs[len(runs)-1][1] = key
	case inserted:
		m.next.Inserted = append(runs, [2]int64{key, key})
	}
	m.run = inserted
}
