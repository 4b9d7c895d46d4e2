package sequence

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Units (docs/units.md, Propositions 3 and 4). In the theorem at observation, take a unit as the record and its
// bundle as the value: if continuing groups are published unchanged and no unchanged unit moves, all versions
// together reveal no more about a unit than its group does. So units that stay need no candidates.
//
// An observer who follows a changed unit knows which of its records were kept. All groups in which these were published
// contain their values. A value is certain if fewer of the common values are others than records were kept.
//
// Overlooked: that a group's units share its values, that equal values of records may be
// likelier than different ones, and the likelihood of each value.

// A Kept is records of a unit that were published, with it, in several groups: their keys, and the multiset that contains their values.
type Kept struct {
	Keys   []int64  // ascending
	Values []uint32 // indexes of History.Values
	Counts []uint32
}

// A KeptUnit is a unit that changed and kept records.
type KeptUnit struct {
	Unit    int64 // anonymize.Live.Units
	Records []Kept
	// Updated says that the unit is published in its current form; otherwise it waits. Certain says that an observer who followed it is then sure of a value.
	Updated, Certain bool `json:",omitempty"`
}

// CertainUnits returns the changed units, by number ([anonymize.Live.Units]), for which an observer who follows them is sure of a value in the last version.
func (h *History) CertainUnits() (units []int64) {
	for _, u := range h.Units {
		if u.Certain {
			units = append(units, u.Unit)
		}
	}
	return units
}

// A unitSide is a version by units.
type unitSide struct {
	unit  []int64          // by record
	group map[int64]uint32 // of the units in the table; Waiting if they are not published
	left  []int            // by gid: number of values left for an observer who knows the group, 1 if all its units share one
}

// newUnitSide verifies that the private side is that of a release by units, with its numbers of units.
func newUnitSide(r *anonymize.Release, live *anonymize.Live) (*unitSide, error) {
	s := &unitSide{unit: live.Units(), group: make(map[int64]uint32), left: make([]int, r.Groups())}
	if r.Units == nil || s.unit == nil {
		return nil, fmt.Errorf("the release or its private side has no units")
	}
	type place struct {
		unit  int64
		group uint32
	}
	type having struct {
		place
		value uint32
	}
	records, has := make(map[place]uint32), make(map[having]bool)
	sensitive := live.Columns[len(live.Columns)-1]
	for i, g := range live.Group {
		unit := s.unit[i]
		if live.Kind[i] == anonymize.Person {
			if old, known := s.group[unit]; !known || old == anonymize.Waiting {
				s.group[unit] = g
			} else if g != anonymize.Waiting && g != old {
				return nil, fmt.Errorf("a unit is in groups %d and %d", old, g)
			}
		}
		if g != anonymize.Waiting {
			records[place{unit, g}]++
			has[having{place{unit, g}, sensitive.Codes[i]}] = true
		}
	}
	units := make([]uint32, r.Groups())
	for p, n := range records {
		if units[p.group]++; n*r.Units[p.group] != r.GroupSizes[p.group] {
			return nil, fmt.Errorf("a unit of group %d has %d records, the group %d of %d units", p.group, n, r.GroupSizes[p.group], r.Units[p.group])
		}
	}
	if !slices.Equal(units, r.Units) {
		return nil, fmt.Errorf("the private side has other numbers of units than the release")
	}
	with := make(map[place]uint32) // units, by value and group
	for h := range has {
		with[place{int64(h.value), h.group}]++
	}
	return s, s.checkValues(r, sensitive, func(value int, g uint32) uint32 { return with[place{int64(value), g}] })
}

// checkValues compares the release's numbers of units with a value in a group with the actual numbers.
func (s *unitSide) checkValues(r *anonymize.Release, sensitive *anonymize.Column, units func(value int, g uint32) uint32) error {
	fragment, column, _ := r.Locate(sensitive.Name)
	f := r.Fragments[fragment]
	for g := range s.left {
		s.left[g] = int(f.GroupStart[g+1] - f.GroupStart[g])
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			value, _ := slices.BinarySearchFunc(sensitive.Dictionary, f.Columns[column].Dictionary[f.Columns[column].Codes[t]], anonymize.Compare)
			if n := units(value, uint32(g)); n != f.Units[t] {
				return fmt.Errorf("%d units of group %d have a value, the release says %d", n, g, f.Units[t])
			}
			if f.Units[t] == r.Units[g] {
				s.left[g] = 1
			}
		}
	}
	return nil
}

// A unitMemory takes units from version to version.
type unitMemory struct {
	*memory
	t             *Transition
	before, after *unitSide
	changed       map[int64]bool
	kept          map[int64]map[int64]bool // by unit: keys of the records that it has on both sides with one value
	published     map[int64][]int64        // by unit: those of them that were published, ascending
	followed      map[int64]*followedUnit
	moved, stayed int
}

// verifyUnits is [Verify] for a release by units, whose updates are sealed.
func verifyUnits(ctx context.Context, t *Transition, h *History) ([]anonymize.Guarantee, *History, error) {
	o := &observation{t: t, numbers: &valueNumbers{of: make(map[anonymize.Value]uint32)}}
	m := &unitMemory{memory: o.countingMemory(h), t: t, changed: make(map[int64]bool), kept: make(map[int64]map[int64]bool),
		published: make(map[int64][]int64), followed: make(map[int64]*followedUnit)}
	if err := m.read(h); err != nil {
		return nil, nil, err
	}
	m.compare()
	units := slices.AppendSeq(slices.Collect(maps.Keys(m.before.group)), maps.Keys(m.after.group))
	slices.Sort(units)
	for _, unit := range slices.Compact(units) {
		if err := m.pass(unit); err != nil {
			return nil, nil, err
		}
	}
	invariance, err := invariance(t, true)
	if err != nil {
		return nil, nil, err
	}
	moved := require(anonymize.Guarantee{Name: "moved", Achieved: float64(m.moved), WorstGroup: -1,
		Detail: fmt.Sprintf("%s in their group", plural(m.stayed, "unchanged unit stayed", "unchanged units stayed"))}, onlyIf(true, 0), m.moved == 0)
	guarantees := append([]anonymize.Guarantee{realPersons(t, m.after.persons(t)), invariance, moved}, disclosures(m.next, m.living, true)...)
	for i, g := range guarantees {
		if g.Name == "disclosed_updated" {
			guarantees[i] = require(g, onlyIf(true, 0), g.Achieved == 0)
		}
	}
	return guarantees, m.next, ctx.Err()
}

// read reads both sides and what is known of units that changed before.
func (m *unitMemory) read(h *History) (err error) {
	o := m.o
	if o.after, o.isTrue, err = o.readSide(m.t.After, m.t.AfterLive); err == nil {
		m.after, err = newUnitSide(m.t.After, m.t.AfterLive)
	}
	if err != nil {
		return fmt.Errorf("after the refresh: %w", err)
	}
	if o.before, o.wasTrue, err = o.readSide(m.t.Before, m.t.BeforeLive); err == nil {
		m.before, err = newUnitSide(m.t.Before, m.t.BeforeLive)
	}
	if err != nil {
		return fmt.Errorf("before the refresh: %w", err)
	}
	if o.persons, err = joinPersons(m.t.BeforeLive, m.t.AfterLive); err != nil {
		return err
	}
	o.translate()
	numbers := o.numbers.numberAll(h.Values)
	for _, u := range h.Units {
		f := &followedUnit{updated: u.Updated}
		for _, k := range u.Records {
			f.records = append(f.records, keptRecords{k.Keys, Cohort{Values: k.Values, Counts: k.Counts}.bound(numbers)})
		}
		m.followed[u.Unit] = f
	}
	return nil
}

// A followedUnit is a [KeptUnit] in the observation's numbers.
type followedUnit struct {
	records []keptRecords
	updated bool
}

type keptRecords struct {
	keys  []int64
	bound bag
}

// left returns the number of values left for the records, 1 if one is certain.
func (k keptRecords) left() int {
	for _, n := range k.bound.counts {
		if k.bound.size-int(n) < len(k.keys) {
			return 1
		}
	}
	return len(k.bound.values)
}

func (f *followedUnit) left() int {
	left := f.records[0].left()
	for _, k := range f.records {
		left = min(left, k.left())
	}
	return left
}

// compare finds which units changed, and what they kept.
func (m *unitMemory) compare() {
	for _, p := range m.o.persons {
		same := m.o.sameRecord(p)
		if p.before >= 0 && !same {
			m.changed[m.before.unit[p.before]] = true
		}
		if p.after >= 0 && !same {
			m.changed[m.after.unit[p.after]] = true
		}
		if !m.o.sameSensitive(p) || m.before.unit[p.before] != m.after.unit[p.after] {
			continue
		}
		unit := m.before.unit[p.before]
		if m.kept[unit] == nil {
			m.kept[unit] = make(map[int64]bool)
		}
		m.kept[unit][p.key] = true
		if m.o.groupBefore(p) != anonymize.Waiting {
			m.published[unit] = append(m.published[unit], p.key)
		}
	}
}

// pass takes one unit from version to version.
func (m *unitMemory) pass(unit int64) error {
	was, is := groupIn(m.before, unit), groupIn(m.after, unit)
	stays := !m.changed[unit] && was != anonymize.Waiting && is != anonymize.Waiting && m.t.From[is] == int(was)
	inserted := was != anonymize.Waiting && m.wasInserted(unit)
	followed := m.followed[unit]
	switch {
	case stays:
		m.stayed++
	case was != anonymize.Waiting && !m.changed[unit]:
		m.moved++
		fallthrough
	default:
		if was != anonymize.Waiting && inserted {
			m.next.GoneInserted.add(m.before.left[was])
		}
		followed = m.depart(unit, was, followed)
	}
	if is == anonymize.Waiting {
		m.store(unit, followed)
		return nil
	}
	inserted = followed == nil && (inserted || !stays)
	m.extendRun(unit, inserted)
	switch {
	case followed != nil:
		if err := followed.publish(m.o.after.bag(is)); err != nil {
			return err
		}
		m.living.updated.add(followed.left())
		m.store(unit, followed)
	case inserted:
		m.living.inserted.add(m.after.left[is])
	default:
		m.living.unchanged.add(m.after.left[is])
	}
	return nil
}

// depart returns what is known of the kept records of a unit that is no longer published as it was, or waited; nil if it keeps none.
func (m *unitMemory) depart(unit int64, was uint32, before *followedUnit) *followedUnit {
	after := &followedUnit{}
	if before != nil {
		for _, k := range before.records {
			after.add(slices.DeleteFunc(slices.Clone(k.keys), func(key int64) bool { return !m.kept[unit][key] }), k.bound)
		}
	}
	if was != anonymize.Waiting {
		after.add(m.published[unit], m.o.before.bag(was))
	}
	if len(after.records) > 0 {
		return after
	}
	switch {
	case was != anonymize.Waiting:
		m.next.Deleted.add(m.before.left[was])
	case before != nil:
		m.next.Deleted.add(before.left())
	}
	if before != nil && before.updated {
		m.next.GoneUpdated.add(before.left())
	}
	return nil
}

// add records that a multiset contains the values of some records.
func (f *followedUnit) add(keys []int64, bound bag) {
	for i, k := range f.records {
		if slices.Equal(k.keys, keys) {
			f.records[i].bound = k.bound.common(bound)
			return
		}
	}
	if len(keys) > 0 {
		f.records = append(f.records, keptRecords{keys, bound})
	}
}

// publish records that the unit's records are in another group with these values.
func (f *followedUnit) publish(values bag) error {
	f.updated = true
	for i, k := range f.records {
		f.records[i].bound = k.bound.common(values)
		if f.records[i].bound.size < len(k.keys) {
			return fmt.Errorf("the groups of %d records have %d values in common: the history is not that of this release", len(k.keys), f.records[i].bound.size)
		}
	}
	return nil
}

// store adds what is known of a changed unit to the next history.
func (m *unitMemory) store(unit int64, f *followedUnit) {
	if f == nil {
		return
	}
	u := KeptUnit{Unit: unit, Updated: f.updated, Certain: f.updated && f.left() == 1}
	for _, k := range f.records {
		u.Records = append(u.Records, Kept{k.keys, m.indexes(k.bound.values), k.bound.counts})
	}
	m.next.Units = append(m.next.Units, u)
}

// persons returns the number of units in the table, by group.
func (s *unitSide) persons(t *Transition) []int {
	persons := make([]int, t.After.Groups())
	for _, g := range s.group {
		if g != anonymize.Waiting {
			persons[g]++
		}
	}
	return persons
}

func groupIn(s *unitSide, unit int64) uint32 {
	if g, ok := s.group[unit]; ok {
		return g
	}
	return anonymize.Waiting
}
