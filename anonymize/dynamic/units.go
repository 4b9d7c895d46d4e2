package dynamic

import (
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A member is a unit with a record in the table, before or after the changes.
type member struct {
	records []int // records of the state: published, waiting or left out
	group   uint32
	lost    map[int]bool // records that disappeared or changed
	gained  []change     // new records, and changed ones with their new values
}

// sealUnits performs all changes by unit. A unit with a change leaves counterfeits of all its
// records in its group, and waits with its current records.
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

// members returns the units with records in the table.
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

// isUnknown reports whether the unit of a pool row is unknown.
func (s *state) isUnknown(row int) bool {
	return slices.ContainsFunc(s.pool[:s.unitColumns], func(c *anonymize.Column) bool { return c.Value(row).IsNull() })
}

// sealUnit performs the changes of one unit.
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

// waitingStrata returns the records of the waiting units that may go, by number of records per unit.
func (s *state) waitingStrata() [][]uint32 {
	if s.unitColumns == 0 {
		return [][]uint32{s.recordsWhere(waiting)}
	}
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

// numberUnits numbers the units of records from 0.
func (s *state) numberUnits(records []uint32) []uint32 {
	numbers, of := make(map[int64]uint32), make([]uint32, len(records))
	for i, r := range records {
		unit := s.unitOf[s.records[r].row]
		number, known := numbers[unit]
		if !known {
			number = uint32(len(numbers))
			numbers[unit] = number
		}
		of[i] = number
	}
	return of
}
