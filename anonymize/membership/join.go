package membership

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// LogOdds returns the log-odds that tuple s of fragment i and tuple t of fragment j are in one
// row of a table, up to terms of only one of them.
type LogOdds func(table, i int, s uint32, j int, t uint32) float32

// Join returns completed tables of a release with units in which a unit's rows belong to one unit in every fragment.
// odds are those of the models from which the tables were drawn. Cost: some hundred steps per row and fragment in
// groups without the published numbers. Memory per worker: some bytes per row of a group, and maxPairs.
func Join(ctx context.Context, r *anonymize.Release, c *anonymize.Completion, odds LogOdds) (*anonymize.Completion, error) {
	places, starts := placesOf(c), groupStarts(r)
	for d, fragments := range places {
		err := eachGroup(ctx, r, func(w *group, g int) {
			first, size := starts[g], int(r.GroupSizes[g])
			if r.Units[g] == 1 || int(r.Units[g]) == size {
				return // every matching of rows is one of units
			}
			m := &matching{group: w, odds: odds, table: d, rows: slices.Clone(w.unitsOf(0, g, d)), known: [][]uint32{tuplesOf(r.Fragments[0], g)}}
			for j, of := range fragments {
				m.fragment, m.matched, m.tuples = j+1, of[first:first+size], tuplesOf(r.Fragments[j+1], g)
				m.join(g)
				known := make([]uint32, size)
				for row, place := range m.matched {
					known[row] = m.tuples[place]
				}
				m.known = append(m.known, known)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return anonymize.NewCompletion(r, places), nil
}

// tuplesOf returns the tuple of every place of a group.
func tuplesOf(f *anonymize.Fragment, g int) (tuples []uint32) {
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		tuples = append(tuples, slices.Repeat([]uint32{t}, int(f.Count[t]))...)
	}
	return tuples
}

// placesOf returns a copy of the places of completed tables.
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

// A matching matches a group's rows with places of another fragment.
type matching struct {
	*group
	odds            LogOdds
	table, fragment int
	rows            []uint16   // the unit of every row
	known           [][]uint32 // by earlier fragment: the tuple of every row
	tuples          []uint32   // by place
	matched         []uint16   // the place of every row
	low             uint32     // the group's first tuple
	kinds           int        // number of tuples
	energies        []float32  // by row and tuple; nil where they are more than maxPairs
}

// tolerated: numbers of units may be off by one in this many, so that rows stay matched.
const tolerated = 10

// join exchanges the rows' matches until a unit's rows belong to one unit. If no search from the present matches reaches the
// published numbers of units, it also searches the fragment alone, and matches the resulting units where most of their rows are.
func (m *matching) join(g int) {
	w, before := m.group, slices.Clone(m.matched)
	w.unit = slices.Grow(w.unit[:0], len(m.rows))[:len(m.rows)]
	w.load(m.fragment, g)
	w.random = rand.New(rand.NewPCG(uint64(m.table)<<16|uint64(m.fragment), ^uint64(g)))
	for row, place := range m.matched {
		w.unit[place] = m.rows[row]
	}
	left, most := m.anneal(m.release.Fragments[m.fragment].GroupStart[g:]), w.published()/tolerated
	if left <= most || w.ctx.Err() != nil {
		return
	}
	if places := w.unitsOf(m.fragment, g, m.table); w.cost()+most < left {
		copy(m.matched, before)
		m.matchUnits(places)
	}
}

// A surplus or missing unit weighs minWeight at the beginning of a search and maxWeight at its end, relative to the
// log-odds; gathers' result weighs gatheredWeight times that. Half as many steps per row left twice as many wrong
// numbers in groups of fifty units. With a maxWeight of 30, counts by ward and diagnosis had twice the error.
const (
	minWeight, maxWeight           = 1, 12
	gatheredWeight                 = 3
	minStepsPerRow, maxStepsPerRow = 64, 256
	stepsPerUnit                   = 16  // of a row: more where there are more
	unlikely                       = -12 // no step whose odds have a logarithm below is looked at further
)

// anneal exchanges the places of pairs of rows by the rule of Metropolis et al. 1953, cooled as by
// Kirkpatrick, Gelatt and Vecchi 1983: the odds of rows stay the model's, and the weight of the numbers
// of units rises. It returns the remaining error. The group's tuples are starts[0] .. starts[1]-1.
func (m *matching) anneal(starts []uint32) int {
	w, cost := m.group, m.group.cost()
	if cost == 0 {
		return 0
	}
	m.weigh(starts[0], starts[1])
	steps := len(m.rows) * max(minStepsPerRow, min(maxStepsPerRow, stepsPerUnit*m.members))
	for step := 0; step < steps && (cost > 0 || step < steps*3/4) && !w.isCanceled(step); step++ {
		a, b := w.random.IntN(len(m.rows)), w.random.IntN(len(m.rows))
		p, q := int(m.matched[a]), int(m.matched[b])
		s, t := m.tuples[p], m.tuples[q]
		if s == t {
			continue
		}
		change, gain := 0, float32(0)
		if w.unit[p] != w.unit[q] {
			weight := minWeight + (maxWeight-minWeight)*float32(step)/float32(steps)
			change = w.change(p, q)
			gain = float32(weight * (float32(gatheredWeight*w.gathers(p, q)) - float32(change)))
		}
		if gain < unlikely {
			continue
		}
		gain += m.energy(a, t) + m.energy(b, s) - m.energy(a, s) - m.energy(b, t)
		if gain < 0 && !taken(gain, w.random) {
			continue
		}
		if w.unit[p] != w.unit[q] {
			w.swap(p, q)
			cost += change
		}
		m.matched[a], m.matched[b] = uint16(q), uint16(p)
	}
	return cost
}

// weigh caches the energies of the rows with the tuples low .. high-1 if they are few enough: steps examine a pair several times.
func (m *matching) weigh(low, high uint32) {
	kinds := int(high - low)
	if m.low, m.kinds, m.energies = low, kinds, nil; len(m.rows)*kinds > maxPairs {
		return
	}
	energies := make([]float32, 0, len(m.rows)*kinds)
	for row := range m.rows {
		for tuple := low; tuple < high; tuple++ {
			energies = append(energies, m.compute(row, tuple))
		}
	}
	m.energies = energies
}

// energy returns the log-odds of a row and a tuple.
func (m *matching) energy(row int, tuple uint32) float32 {
	if m.energies == nil {
		return m.compute(row, tuple)
	}
	return m.energies[row*m.kinds+int(tuple-m.low)]
}

func (m *matching) compute(row int, tuple uint32) (energy float32) {
	for i, known := range m.known {
		energy += m.odds(m.table, i, known[row], m.fragment, tuple)
	}
	return energy
}

// taken draws whether to take a step of negative gain: with probability (1 - gain/64)^-64, about e^gain, but identical on all processors.
func taken(gain float32, random *rand.Rand) bool {
	x := 1 - float64(gain)/64
	for range 6 {
		x *= x
	}
	return random.Float64()*x < 1
}

// matchUnits matches the rows of every unit with the places of one unit, and keeps existing matches if possible.
func (m *matching) matchUnits(places []uint16) {
	rowsOf, placesOf := m.byUnit(m.rows), m.byUnit(places)
	matched := make([]bool, m.members)
	for _, unit := range m.random.Perm(m.members) {
		partner := m.partner(rowsOf[unit], places, matched)
		matched[partner] = true
		m.matchRows(rowsOf[unit], placesOf[partner], places, uint16(partner))
	}
}

// byUnit lists every unit's entries in random order.
func (m *matching) byUnit(units []uint16) [][]int {
	of := make([][]int, m.members)
	for _, at := range m.random.Perm(len(units)) {
		of[units[at]] = append(of[units[at]], at)
	}
	return of
}

// partner returns the unit, not yet matched, of a place with which one of the rows is matched; any unmatched unit if there is none.
func (m *matching) partner(rows []int, places []uint16, matched []bool) int {
	for _, row := range rows {
		if unit := int(places[m.matched[row]]); !matched[unit] {
			return unit
		}
	}
	for {
		if unit := m.random.IntN(m.members); !matched[unit] {
			return unit
		}
	}
}

// matchRows matches rows with the places of their partner.
func (m *matching) matchRows(rows, own []int, places []uint16, partner uint16) {
	free := slices.DeleteFunc(own, func(place int) bool {
		return slices.ContainsFunc(rows, func(row int) bool { return int(m.matched[row]) == place })
	})
	for _, row := range rows {
		if places[m.matched[row]] != partner {
			m.matched[row], free = uint16(free[0]), free[1:]
		}
	}
}
