package membership

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Join returns completed tables of a release with units in which the rows of a unit are those of one unit in every fragment.
func Join(ctx context.Context, r *anonymize.Release, c *anonymize.Completion) (*anonymize.Completion, error) {
	places, starts := placesOf(c), groupStarts(r)
	for d, fragments := range places {
		err := eachGroup(ctx, r, func(w *group, g int) {
			first, size := starts[g], int(r.GroupSizes[g])
			if r.Units[g] == 1 || int(r.Units[g]) == size {
				return // every matching of rows is one of units
			}
			rows := slices.Clone(w.unitsOf(0, g, d))
			for j, of := range fragments {
				m := &matching{members: w.members, records: w.records, rows: rows, places: slices.Clone(w.unitsOf(j+1, g, d)), matched: of[first : first+size],
					random: rand.New(rand.NewPCG(uint64(d)<<16|uint64(j+1), ^uint64(g)))}
				m.join()
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return anonymize.NewCompletion(r, places), nil
}

// placesOf is a copy of the places of completed tables.
func placesOf(c *anonymize.Completion) [][][]uint16 {
	places := make([][][]uint16, c.Tables)
	for d := range places {
		if c.Narrow == nil {
			for _, wide := range c.Wide[d] {
				places[d] = append(places[d], slices.Clone(wide))
			}
			continue
		}
		for _, narrow := range c.Narrow[d] {
			wide := make([]uint16, len(narrow))
			for slot, place := range narrow {
				wide[slot] = uint16(place)
			}
			places[d] = append(places[d], wide)
		}
	}
	return places
}

// A matching is that of a group's rows with places of another fragment: matched has the place of every row.
type matching struct {
	members, records int
	rows, places     []uint16 // whose a row is, and whose a place
	matched          []uint16
	random           *rand.Rand
}

// join matches units where rows of theirs are matched, and then their rows: those that were matched stay so.
func (m *matching) join() {
	rowsOf, placesOf := m.byUnit(m.rows), m.byUnit(m.places)
	taken := make([]bool, m.members)
	for _, unit := range m.random.Perm(m.members) {
		partner := m.partner(rowsOf[unit], taken)
		taken[partner] = true
		m.matchRows(rowsOf[unit], placesOf[partner], uint16(partner))
	}
}

// byUnit lists what every unit has, in random order.
func (m *matching) byUnit(units []uint16) [][]int {
	of := make([][]int, m.members)
	for _, at := range m.random.Perm(len(units)) {
		of[units[at]] = append(of[units[at]], at)
	}
	return of
}

// partner is the unit of the place of one of some rows, which no other rows have taken; any that is left where all are taken.
func (m *matching) partner(rows []int, taken []bool) int {
	for _, row := range rows {
		if unit := int(m.places[m.matched[row]]); !taken[unit] {
			return unit
		}
	}
	for {
		if unit := m.random.IntN(m.members); !taken[unit] {
			return unit
		}
	}
}

// matchRows matches rows with the places of their partner.
func (m *matching) matchRows(rows, places []int, partner uint16) {
	free := slices.DeleteFunc(places, func(place int) bool {
		return slices.ContainsFunc(rows, func(row int) bool { return int(m.matched[row]) == place })
	})
	for _, row := range rows {
		if m.places[m.matched[row]] != partner {
			m.matched[row], free = uint16(free[0]), free[1:]
		}
	}
}
