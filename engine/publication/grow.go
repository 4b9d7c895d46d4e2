package publication

import "math"

// A grower makes classes of a part, one after the other, each with as few records as allowed:
// after Byun et al., Efficient k-Anonymization Using Clustering Techniques, DASFAA 2007 (greedy
// k-member clustering), with cells in place of records. A cell that suffices alone is a class.
// Every other class begins with the cell that fits the previous class least, then takes the
// cell that increases its loss least. The remainder keeps the rule as long as possible.
type grower struct {
	*part
	free []uint32 // items that are in no class, those of the columns below
	// Columns of the free items; they shrink together.
	column   [][]uint8 // by attribute: bins
	weight   []float32 // records
	increase []float32 // additional loss of the current class's records with the item

	left, have, need []int64 // by heavy value: free records, those of the class, and those that it still needs
	all, size        int64   // records: free, and of the class
	needed           int64   // the sum of need
	low, high        []uint8 // by attribute: of the class
	width            float32 // loss of a record of the class
	classes          [][]uint32
	rest             []uint32 // items of unfinished classes
}

func newGrower(p *part) *grower {
	g := &grower{part: p, low: make([]uint8, len(p.Bins)), high: make([]uint8, len(p.Bins)), column: make([][]uint8, len(p.Bins)),
		left: make([]int64, p.values), have: make([]int64, p.values), need: make([]int64, p.values)}
	for item := range uint32(len(p.cells)) {
		first, end := p.start[item], p.start[item+1]
		if p.isClass(p.records[item], p.count[first:end]) {
			g.classes = append(g.classes, []uint32{item})
			continue
		}
		g.free, g.weight = append(g.free, item), append(g.weight, float32(p.records[item]))
		for a, bin := range p.bins(item) {
			g.column[a] = append(g.column[a], bin)
		}
		g.all += p.records[item]
		for at := first; at < end; at++ {
			g.left[p.value[at]] += p.count[at]
		}
	}
	g.increase = make([]float32, len(g.free))
	return g
}

// grow returns the classes of the whole part, as items.
func (g *grower) grow() [][]uint32 {
	for g.all >= g.least && g.ctx.Err() == nil {
		class := g.class()
		if g.isClass(g.size, g.have) {
			g.classes = append(g.classes, class)
			continue
		}
		g.rest = append(g.rest, class...)
	}
	g.rest = append(g.rest, g.free...)
	if len(g.classes) == 0 {
		return [][]uint32{g.rest}
	}
	t := newTraders(g.part, g.classes)
	t.adopt(g.rest)
	return t.NonEmpty()
}

// class grows a class until it suffices or no item may join.
func (g *grower) class() (items []uint32) {
	g.begin()
	for {
		i := g.next()
		if i < 0 {
			return items
		}
		items = append(items, g.free[i])
		changed := len(items) == 1 || g.increase[i] > 0
		if changed {
			g.extend(i, len(items) == 1)
		}
		g.take(i)
		if changed {
			g.compare()
		}
		if (g.needed <= 0 || g.size >= g.target) && g.isClass(g.size, g.have) {
			return items
		}
	}
}

// begin empties the class and computes its needs: without its target records, no value may have more than one in l of the remainder.
func (g *grower) begin() {
	g.size, g.needed, g.width = 0, 0, 0
	clear(g.have)
	rest := max(g.all-g.target, 0) / g.l
	for v, n := range g.left {
		g.need[v] = min(max(n-rest, 0), g.target/g.l)
		g.needed += g.need[v]
	}
}

// next returns the item to join, -1 for none: the free item by which the class loses least; as
// the first item, the one by which a record of the previous class would lose most. When the
// class needs all of its remaining places for required values, only items with these may join.
func (g *grower) next() int {
	only := g.needed > 0 && g.needed >= g.target-g.size
	best, least, size := -1, float32(math.MaxFloat32), float32(g.size)
	for i, more := range g.increase[:len(g.free)] {
		loses := -more
		if g.size > 0 {
			loses = size*more + g.weight[i]*(g.width+more)
		}
		if loses < least && g.mayJoin(i, only) {
			best, least = i, loses
		}
	}
	if best < 0 && only {
		g.needed = 0
		return g.next()
	}
	return best
}

// mayJoin reports whether every value of an item has at most one in l of the target or of the
// enlarged class, or a smaller share of the item. The first item always may.
func (g *grower) mayJoin(i int, needed bool) bool {
	if g.l < 2 {
		return true
	}
	item, isNeeded := g.free[i], false
	records := g.records[item]
	size := max(g.target, g.size+records)
	for at := g.start[item]; at < g.start[item+1]; at++ {
		v, n := g.value[at], g.count[at]
		if g.size > 0 && !g.isRareEnough(g.have[v]+n, size) && n*g.l >= records {
			return false
		}
		isNeeded = isNeeded || g.need[v] > 0
	}
	return isNeeded || !needed
}

// extend makes the ranges of the class cover a free item.
func (g *grower) extend(i int, first bool) {
	g.width = 0
	for a, column := range g.column {
		if first {
			g.low[a], g.high[a] = column[i], column[i]
		}
		g.low[a], g.high[a] = min(g.low[a], column[i]), max(g.high[a], column[i])
		g.width += g.penalty[a][g.high[a]-g.low[a]]
	}
}

// compare computes the additional loss of the class's records with each of the free items.
func (g *grower) compare() {
	increase := g.increase[:len(g.free)]
	clear(increase)
	for a, column := range g.column {
		low, high, penalty := g.low[a], g.high[a], g.penalty[a]
		now := penalty[high-low]
		for i, x := range column[:len(increase)] {
			if x < low {
				increase[i] += penalty[high-x] - now
			} else if x > high {
				increase[i] += penalty[x-low] - now
			}
		}
	}
}

// take moves a free item into the class and fills its place with the last one.
func (g *grower) take(i int) {
	item := g.free[i]
	g.size, g.all = g.size+g.records[item], g.all-g.records[item]
	for at := g.start[item]; at < g.start[item+1]; at++ {
		v, n := g.value[at], g.count[at]
		g.left[v] -= n
		g.have[v] += n
		met := min(n, g.need[v])
		g.need[v] -= met
		g.needed -= met
	}
	last := len(g.free) - 1
	g.free[i], g.weight[i], g.increase[i] = g.free[last], g.weight[last], g.increase[last]
	for _, column := range g.column {
		column[i] = column[last]
	}
	g.free = g.free[:last]
}
