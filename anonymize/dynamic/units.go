package dynamic

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/units"
)

// A member is a unit with a record in the table, before or after the changes.
type member struct {
	records []int // of the state: published, waiting, or left out
	group   uint32
	lost    map[int]bool // records that are no more, or have other values
	gained  []change     // new records, and changed ones with their new values
}

// sealUnits does all changes by unit. A unit with a change leaves a counterfeit of all its records in its group, and waits with those that it has
// now.
func (s *state) sealUnits() error {
	members := s.members()
	touched := make(map[int64]bool)
	at := func(unit int64) *member {
		touched[unit] = true
		if members[unit] == nil {
			members[unit] = &member{group: anonymize.Waiting}
		}
		return members[unit]
	}
	for _, c := range s.changes {
		if !s.count(c) {
			continue
		}
		if c.record >= 0 {
			m := at(s.unitOf[c.record])
			if m.lost == nil {
				m.lost = make(map[int]bool)
			}
			m.lost[c.record] = true
		}
		if c.row >= 0 {
			if s.isUnknown(c.row) {
				return &anonymize.DataError{Reason: "a changed record has no unit: a column that names the unit is NULL, and the record may be anybody's. " +
					"UPDATE gives it a value, DELETE takes it out"}
			}
			m := at(s.unitOf[c.row])
			m.gained = append(m.gained, c)
		}
	}
	for _, unit := range slices.Sorted(maps.Keys(touched)) {
		s.sealUnit(members[unit])
	}
	return nil
}

// members are the units with records in the table.
func (s *state) members() map[int64]*member {
	members := make(map[int64]*member)
	for i := range s.records {
		r := &s.records[i]
		if r.kind != anonymize.Person || r.group == removed {
			continue
		}
		m := members[s.unitOf[r.row]]
		if m == nil {
			m = &member{group: anonymize.Waiting}
			members[s.unitOf[r.row]] = m
		}
		m.records = append(m.records, i)
		if r.published() {
			m.group = r.group
		}
	}
	return members
}

// isUnknown reports whether a row of the pool is nobody's.
func (s *state) isUnknown(row int) bool {
	return slices.ContainsFunc(s.pool[:s.unitColumns], func(c *anonymize.Column) bool { return c.Value(row).IsNull() })
}

// sealUnit does the changes of one unit.
func (s *state) sealUnit(m *member) {
	kind := anonymize.ForgedByDeletion
	if len(m.records)+len(m.gained) > len(m.lost) {
		kind = anonymize.ForgedByModification
	}
	for _, i := range m.records {
		r := s.records[i]
		if m.group == anonymize.Waiting && !m.lost[i] {
			continue
		}
		s.depart(i, kind)
		if !m.lost[i] {
			s.arrive(r.key, int(r.row))
		}
	}
	for _, c := range m.gained {
		s.arrive(c.key, c.row)
	}
}

// batchUnits makes new groups of the units that wait, of equally many records each, as the method makes groups of a table. Where there are too
// few of some number, or the method finds no groups of them, they wait on.
func (s *state) batchUnits(ctx context.Context) error {
	s.joinTogether()
	if s.Closed {
		return ctx.Err()
	}
	for _, records := range s.waitingStrata() {
		in := s.input(records)
		in.Units, in.Asked = s.numberUnits(records), s.Asked
		if int(slices.Max(in.Units))+1 < s.k {
			continue
		}
		in.Assigned = func(gidOf []uint32) {
			for i, g := range gidOf {
				s.records[records[i]].group = uint32(s.groups) + g
			}
			s.groups += int(slices.Max(gidOf)) + 1
		}
		_, err := units.Run(ctx, s.method, in, s.Arguments, anonymize.Ratio{Den: 1})
		if err != nil && !errors.As(err, new(*anonymize.InfeasibleError)) {
			return err
		}
	}
	return ctx.Err()
}

// joinTogether makes the groups that are known.
func (s *state) joinTogether() {
	members := s.members()
	for _, group := range s.Together {
		for _, unit := range group {
			for _, i := range members[unit].records {
				s.records[i].group = uint32(s.groups)
			}
		}
		s.groups++
	}
}

// NewGroups are the units of the groups that are new, but for those with one of some units.
func (o *Outcome) NewGroups(without []int64) (groups [][]int64) {
	byGroup, spoilt := make(map[uint32]map[int64]bool), make(map[uint32]bool)
	for i, unit := range o.Live.Units() {
		g := o.Live.Group[i]
		if g == anonymize.Waiting || o.From[g] >= 0 {
			continue
		}
		if byGroup[g] == nil {
			byGroup[g] = make(map[int64]bool)
		}
		byGroup[g][unit] = true
		spoilt[g] = spoilt[g] || slices.Contains(without, unit)
	}
	for _, g := range slices.Sorted(maps.Keys(byGroup)) {
		if !spoilt[g] {
			groups = append(groups, slices.Sorted(maps.Keys(byGroup[g])))
		}
	}
	return groups
}

// waitingStrata are the records of the units that wait and may go, by their numbers of records.
func (s *state) waitingStrata() [][]uint32 {
	bySize := make(map[int][]uint32)
	members := s.members()
	for _, unit := range slices.Sorted(maps.Keys(members)) {
		m := members[unit]
		if m.group != anonymize.Waiting || s.Held[unit] {
			continue
		}
		for _, i := range m.records {
			if waiting(&s.records[i]) {
				bySize[len(m.records)] = append(bySize[len(m.records)], uint32(i))
			}
		}
	}
	var strata [][]uint32
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		slices.Sort(bySize[size])
		strata = append(strata, bySize[size])
	}
	return strata
}

// numberUnits numbers the units of records from 0. One that was published and left a counterfeit is another in its new group.
func (s *state) numberUnits(records []uint32) []uint32 {
	type unit struct {
		number int64
		group  uint32
	}
	numbers, of := make(map[unit]uint32), make([]uint32, len(records))
	for i, r := range records {
		u := unit{s.unitOf[s.records[r].row], s.records[r].group}
		number, known := numbers[u]
		if !known {
			number = uint32(len(numbers))
			numbers[u] = number
		}
		of[i] = number
	}
	return of
}

// publishUnits publishes the groups of in by units.
func (s *state) publishUnits(ctx context.Context, in *anonymize.Input, published []uint32) (*anonymize.Release, error) {
	in.Units = s.numberUnits(published)
	groups := s.partition(published)
	r, err := units.Republish(ctx, s.Before, in, groups.GroupOf(), groups.Groups())
	if err != nil {
		return nil, err
	}
	r.Promises = []anonymize.Promise{{Guarantee: "k", Bound: anonymize.NewRatio(uint64(s.k), 1)}}
	if s.unlinked {
		r.Promises = append(r.Promises, anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(s.k), 1)})
	}
	return r, nil
}
