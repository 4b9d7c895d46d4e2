package mondrian

// A grower makes classes of a block, one after the other, each with as few records as the
// condition allows: after Byun et al., Efficient k-Anonymization Using Clustering Techniques,
// DASFAA 2007 (greedy k-member clustering). It starts with the record that fits the previous
// class least, then takes the record that increases the class's loss least. The remainder stays
// l-diverse as long as possible.
type grower struct {
	*block
	free []uint32 // items that are in no class, those of the columns below
	// Columns of the free items; they shrink together.
	at       [][]float32 // by line
	number   [][]uint32  // by set
	value    [][]uint32  // by sensitive attribute
	increase []float32   // additional loss of the current class with the item

	left, have [][]uint32 // by sensitive attribute and value: free records, those of the class
	need       [][]int    // records of the value that the class still needs
	needed     int        // their sum
	low, high  []float32  // by line: of the class
	distinct   []int      // by set: values of the class
	member     [][]uint32 // by set and value: the last class that has it, from 1
	current    uint32     // the number of the class, from 1
	classes    [][]uint32
	rest       []uint32 // items of unfinished classes
}

func newGrower(b *block) *grower {
	n := b.rows()
	g := &grower{block: b, free: upTo(0, n), increase: make([]float32, n),
		low: make([]float32, b.lines), high: make([]float32, b.lines), distinct: make([]int, len(b.sets))}
	for line := range b.lines {
		column := make([]float32, n)
		for item := range column {
			column[item] = b.at[item*b.lines+line]
		}
		g.at = append(g.at, column)
	}
	for set := range b.sets {
		column := make([]uint32, n)
		for item := range column {
			column[item] = b.number[item*len(b.sets)+set]
		}
		g.number = append(g.number, column)
		g.member = append(g.member, make([]uint32, b.sets[set].values))
	}
	for i, value := range b.value {
		left := make([]uint32, b.values[i])
		for _, v := range value {
			left[v]++
		}
		g.value = append(g.value, append([]uint32(nil), value...))
		g.left, g.have, g.need = append(g.left, left), append(g.have, make([]uint32, len(left))), append(g.need, make([]int, len(left)))
	}
	return g
}

// grow returns the classes of the whole block, as items.
func (g *grower) grow() [][]uint32 {
	for len(g.free) >= g.condition.K && g.ctx.Err() == nil {
		class := g.class()
		if g.isClass(len(class)) {
			g.classes = append(g.classes, class)
		} else if g.rest = append(g.rest, class...); len(class) == 0 {
			break
		}
		g.compare()
	}
	g.rest = append(g.rest, g.free...)
	if len(g.classes) == 0 {
		return [][]uint32{g.rest}
	}
	if len(g.rest) == 0 {
		return g.classes
	}
	classes := newClasses(g.block, g.classes)
	for _, item := range g.rest {
		classes.adopt(item)
	}
	return classes.NonEmpty()
}

// class grows a class until it meets the condition or no item may join.
func (g *grower) class() (items []uint32) {
	g.begin()
	for {
		i := g.next(len(items))
		if i < 0 {
			return items
		}
		changed := len(items) == 0 || g.increase[i] > 0
		if changed {
			g.extend(i, len(items) == 0)
		}
		items = append(items, g.free[i])
		g.take(i)
		if g.needed <= 0 && g.isClass(len(items)) || len(items) >= g.target {
			return items
		}
		if changed {
			g.compare()
		}
	}
}

// begin empties the class and computes its needs: without its target records, no value may have
// more than one in l of the remainder.
func (g *grower) begin() {
	g.current++
	g.needed = 0
	rest := max(len(g.free)-g.target, 0) / g.condition.L
	for a, left := range g.left {
		clear(g.have[a])
		for v, c := range left {
			need := 0
			if g.condition.L > 1 {
				need = max(int(c)-rest, 0)
			}
			g.need[a][v] = min(need, g.most)
			g.needed += g.need[a][v]
		}
	}
}

// isClass reports whether the class with size records meets k and l.
func (g *grower) isClass(size int) bool {
	if size < g.condition.K {
		return false
	}
	for _, have := range g.have {
		for _, n := range have {
			if int(n)*g.condition.L > size && g.condition.L > 1 {
				return false
			}
		}
	}
	return true
}

// take moves a free item into the class and fills its place with the last one.
func (g *grower) take(i int) {
	for a, value := range g.value {
		v := value[i]
		g.left[a][v]--
		g.have[a][v]++
		if g.need[a][v] > 0 {
			g.need[a][v]--
			g.needed--
		}
	}
	last := len(g.free) - 1
	g.free[i], g.increase[i] = g.free[last], g.increase[last]
	for _, at := range g.at {
		at[i] = at[last]
	}
	for _, number := range g.number {
		number[i] = number[last]
	}
	for _, value := range g.value {
		value[i] = value[last]
	}
	g.free = g.free[:last]
}
