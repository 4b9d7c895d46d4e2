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
				m := &matching{members: w.members, rows: rows, matched: of[first : first+size],
					random: rand.New(rand.NewPCG(uint64(d)<<16|uint64(j+1), ^uint64(g)))}
				m.join(w, j+1, g, d)
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
	members      int
	rows, places []uint16 // whose a row is, and whose a place
	matched      []uint16
	random       *rand.Rand
}

// tolerated: numbers of units may be off by one in so many more, so that rows stay matched.
const tolerated = 10

// join gives places to units, and matches their rows: those that were matched stay so. Where no search from the rows' own units ends with the
// published numbers of units, one from the fragment alone may come nearer; its units are matched where rows of theirs are.
func (m *matching) join(w *group, fragment, g, table int) {
	followed, left := w.follow(m, fragment, g, table)
	m.places = slices.Clone(followed)
	alone := false
	if left > 0 {
		if places := w.unitsOf(fragment, g, table); w.cost()+w.published()/tolerated < left {
			alone = true
			copy(m.places, places)
		}
	}
	rowsOf, placesOf := m.byUnit(m.rows), m.byUnit(m.places)
	taken := make([]bool, m.members)
	for _, unit := range m.random.Perm(m.members) {
		partner := unit
		if alone {
			partner = m.partner(rowsOf[unit], taken)
			taken[partner] = true
		}
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
