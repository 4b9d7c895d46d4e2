package mondrian

import "math"

// next returns the item to join, -1 for none: the free item of least increase, or of greatest
// as the first item. When the class needs all of its remaining places for required values, only
// items with these may join.
func (g *grower) next(size int) int {
	only := g.needed > 0 && g.needed >= g.target-size
	sign := float32(1)
	if size == 0 {
		sign = -1
	}
	best, least := -1, float32(math.MaxFloat32)
	for i, x := range g.increase[:len(g.free)] {
		if x *= sign; x < least && g.mayJoin(i, only) {
			best, least = i, x
		}
	}
	if best < 0 && only {
		g.needed = 0
		return g.next(size)
	}
	return best
}

func (g *grower) mayJoin(i int, needed bool) bool {
	if g.condition.L < 2 {
		return true
	}
	isNeeded := false
	for a, value := range g.value {
		v := value[i]
		if int(g.have[a][v]) >= g.most {
			return false
		}
		isNeeded = isNeeded || g.need[a][v] > 0
	}
	return isNeeded || !needed
}

// extend makes the class's cells cover a free item.
func (g *grower) extend(i int, first bool) {
	for a, at := range g.at {
		if first {
			g.low[a], g.high[a] = at[i], at[i]
		}
		g.low[a], g.high[a] = min(g.low[a], at[i]), max(g.high[a], at[i])
	}
	for a, number := range g.number {
		if first {
			g.distinct[a] = 0
		}
		if at := &g.member[a][number[i]]; *at != g.current {
			*at = g.current
			g.distinct[a]++
		}
	}
}

// compare computes the class's additional loss with each of the free items.
func (g *grower) compare() {
	increase := g.increase[:len(g.free)]
	clear(increase)
	for a, at := range g.at {
		low, high := g.low[a], g.high[a]
		for i, x := range at[:len(increase)] {
			increase[i] += max(low-x, x-high, 0)
		}
	}
	for a, number := range g.number {
		unit := g.sets[a].unit
		if g.distinct[a] == 1 {
			unit *= 2
		}
		member := g.member[a]
		for i, v := range number[:len(increase)] {
			if member[v] != g.current {
				increase[i] += unit
			}
		}
	}
}
