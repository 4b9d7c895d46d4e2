package units

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A limit is the greatest share of a group's units with one value of a sensitive attribute.
type limit struct {
	column *anonymize.Column
	share  anonymize.Ratio
	close  *anonymize.Closeness // values that count as one; nil if each counts by itself
	// promise is the source of the limit.
	promise anonymize.Promise
}

// limitsOf returns the limits of the attributes that vary within units of the stratum. The
// method itself keeps those of the others, since a unit has one value, as a row has.
func (s *stratum) limitsOf(sensitive []*anonymize.Column, promises []anonymize.Promise) (limits []limit) {
	for _, c := range sensitive {
		if s.isConstant(c) {
			continue
		}
		strictest := limit{column: c, share: anonymize.NewRatio(1, 1)}
		var ofClose []limit
		for _, p := range promises {
			name, about, _ := anonymize.SplitAbout(p.Guarantee)
			if about != nil && !slices.Equal(about, []string{c.Name}) {
				continue
			}
			if closeness := p.Closeness(c.Dictionary); closeness != nil {
				ofClose = append(ofClose, limit{c, anonymize.NewRatio(p.Bound.Den, p.Bound.Num), closeness, p})
			}
			share, ok := greatestShare(name, p.Bound)
			if ok && share.Cmp(strictest.share) < 0 {
				strictest.share, strictest.promise = share, p
			}
		}
		if strictest.promise.Guarantee != "" {
			limits = append(limits, strictest)
		}
		limits = append(limits, ofClose...)
	}
	return limits
}

// greatestShare returns the share that a promise of the guarantee allows; ok is false if it does not bound a share.
func greatestShare(guarantee string, bound anonymize.Ratio) (share anonymize.Ratio, ok bool) {
	switch guarantee {
	case "beta":
		return bound, true
	case "l":
		return anonymize.NewRatio(bound.Den, bound.Num), bound.Num >= bound.Den
	case "distinct":
		const most = 1 << 20                          // units of a group
		return anonymize.NewRatio(most-1, most), true // not all
	}
	return share, false
}

// feasible refuses a limit that all units of the stratum together break: then every division into groups breaks it.
func (s *stratum) feasible(limits []limit) error {
	for _, l := range limits {
		with := s.unitsWith(l.column)
		if l.close != nil {
			if err := l.feasibleTogether(s, with); err != nil {
				return err
			}
			continue
		}
		for code, units := range with {
			if l.share.Admits(units, len(s.units)) {
				continue
			}
			e := &anonymize.InfeasibleError{Parameter: l.promise.Guarantee, Given: l.promise.Bound, Obstacle: fmt.Sprintf(
				"%s = %s is a value of %d of the %d units with %d records", l.column.Name, l.column.Dictionary[code], units, len(s.units), s.records)}
			reached := anonymize.NewRatio(uint64(units), uint64(len(s.units)))
			if name, _, _ := anonymize.SplitAbout(e.Parameter); name == "l" || name == "distinct" {
				e.Largest = anonymize.NewRatio(uint64(len(s.units)/units), 1)
			} else {
				e.Smallest = reached
			}
			return e
		}
	}
	return nil
}

// feasibleTogether is feasible for values that count as one. Units with several of them count once for each.
func (l *limit) feasibleTogether(s *stratum, with []int) error {
	codes := anonymize.Indices(len(with))
	most := l.close.LargestSet(codes, func(i int) uint64 { return uint64(with[i]) })
	if l.share.Admits(int(most.Records), len(s.units)) {
		return nil
	}
	return &anonymize.InfeasibleError{Parameter: l.promise.Guarantee, Given: l.promise.Bound, Largest: anonymize.NewRatio(uint64(len(s.units))/most.Records, 1),
		Obstacle: fmt.Sprintf("%s is %d of the %d units with %d records, each counted once a value, and %s", most.Describe(l.column.Name), most.Records,
			len(s.units), s.records, l.close)}
}

// tried is the number of candidates with which a group is tried before it is merged with one of them.
const tried = 48

// A merging merges groups until they keep the limits.
type merging struct {
	*stratum
	limits []limit
	groups [][]uint32 // units by group; nil for a group that was merged into another
	alive  []int      // groups, in any order
	at     []int      // by group: its index in alive
	random *rand.Rand

	count [][]int    // by limit and code: units of the current groups
	seen  [][]uint32 // by limit: codes with a count
}

// merge merges groups of the stratum until each keeps the limits, which all units together do
// ([stratum.feasible]). It returns the groups and the number of those merged into others.
func (s *stratum) merge(groups [][]uint32, limits []limit, random *rand.Rand) ([][]uint32, int) {
	if len(limits) == 0 {
		return groups, 0
	}
	m := &merging{stratum: s, limits: limits, groups: groups, random: random, at: make([]int, len(groups)), seen: make([][]uint32, len(limits))}
	for _, l := range limits {
		m.count = append(m.count, make([]int, len(l.column.Dictionary)))
	}
	for g := range groups {
		m.at[g] = len(m.alive)
		m.alive = append(m.alive, g)
	}
	for g := range groups {
		for m.groups[g] != nil && m.excess(g) > 1 && len(m.alive) > 1 {
			m.join(g, m.best(g))
		}
	}
	left := slices.DeleteFunc(m.groups, func(units []uint32) bool { return units == nil })
	return left, len(m.at) - len(left)
}

// best returns the best partner for g: one with which all limits are kept, else the one that
// reduces the shares most; the smaller of two.
func (m *merging) best(g int) (best int) {
	least := 0.0
	best = -1
	for range min(tried, 2*len(m.alive)) {
		h := m.alive[m.random.IntN(len(m.alive))]
		if h == g {
			continue
		}
		e := m.excess(g, h)
		if e <= 1 {
			return h
		}
		if best < 0 || e < least || e == least && len(m.groups[h]) < len(m.groups[best]) {
			best, least = h, e
		}
	}
	for i := 0; best < 0; i++ { // few groups, and g was always drawn
		if m.alive[i] != g {
			best = m.alive[i]
		}
	}
	return best
}

// join merges h into g.
func (m *merging) join(g, h int) {
	m.groups[g] = append(slices.Clip(m.groups[g]), m.groups[h]...)
	m.groups[h] = nil
	last := m.alive[len(m.alive)-1]
	m.alive[m.at[h]], m.at[last] = last, m.at[h]
	m.alive = m.alive[:len(m.alive)-1]
}

// excess returns the factor by which the groups together exceed their limits: at most 1 if they keep all.
func (m *merging) excess(groups ...int) (excess float64) {
	size := 0
	for _, g := range groups {
		size += len(m.groups[g])
		for _, u := range m.groups[g] {
			m.add(m.units[u])
		}
	}
	for i, l := range m.limits {
		if l.close != nil {
			most := l.close.LargestSet(m.seen[i], func(at int) uint64 { return uint64(m.count[i][m.seen[i][at]]) })
			excess = max(excess, l.excess(int(most.Records), size))
		}
		for _, code := range m.seen[i] {
			if l.close == nil {
				excess = max(excess, l.excess(m.count[i][code], size))
			}
			m.count[i][code] = 0
		}
		m.seen[i] = m.seen[i][:0]
	}
	return excess
}

// excess returns the factor by which this number of units exceeds the limit: at most 1 if it is kept.
func (l *limit) excess(units, size int) float64 {
	e := float64(units) / (float64(size) * l.share.Float())
	if l.share.Admits(units, size) {
		return min(e, 1)
	}
	return max(e, 1+1e-9)
}

// add counts a unit, once for each of its values.
func (m *merging) add(u unit) {
	for i, l := range m.limits {
		codes := l.column.Codes
	records:
		for j, row := range u {
			for _, before := range u[:j] {
				if codes[before] == codes[row] {
					continue records
				}
			}
			if m.count[i][codes[row]] == 0 {
				m.seen[i] = append(m.seen[i], codes[row])
			}
			m.count[i][codes[row]]++
		}
	}
}
