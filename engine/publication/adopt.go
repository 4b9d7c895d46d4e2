package publication

import (
	"math"
	"slices"
)

// adopt puts items that are in no class into those that lose least by them and may take them. Where
// none may take any, the nearest one takes whole classes until it may: all of the part together
// may.
func (t *traders) adopt(items []uint32) {
	for len(items) > 0 {
		left := slices.DeleteFunc(items, func(item uint32) bool {
			class := t.nearestClass(item, true)
			t.join(class, item)
			return class >= 0
		})
		if len(left) == len(items) {
			class := t.nearestClass(items[0], false)
			t.unite(class, items[0])
			t.join(class, items[0])
			left = items[1:]
		}
		items = left
	}
}

// nearestClass is the class that loses least by an item, of those that may take it where that is asked; -1 for none.
func (t *traders) nearestClass(item uint32, asked bool) (best int) {
	best, least := -1, float32(math.MaxFloat32)
	for class, of := range t.of {
		if len(of) == 0 {
			continue
		}
		size := float32(t.size[class])
		more := (size+float32(t.records[item]))*t.penaltyWith(class, item, math.MaxFloat32) - size*t.penalty[class]
		if more < least && (!asked || t.allows(class, noItem, item)) {
			best, least = class, more
		}
	}
	return best
}

// join puts an item into a class, if it is one.
func (t *traders) join(class int, item uint32) {
	if class >= 0 {
		t.of[class] = append(t.of[class], item)
		t.measure(class)
	}
}

// unite makes classes a part of one until it may take an item: whichever makes them lose least, of
// those that have the value that is too frequent in less than one in l records, where there are
// some.
func (t *traders) unite(class int, item uint32) {
	for !t.allows(class, noItem, item) {
		value, best, helps := t.excess(class, item), -1, false
		least := float32(math.MaxFloat32)
		for other, of := range t.of {
			if other == class || len(of) == 0 {
				continue
			}
			loses, helping := t.union(class, other), value >= 0 && t.isRareEnough(t.haveOf(other)[value]+1, t.size[other])
			if helping && !helps || helping == helps && loses < least {
				best, least, helps = other, loses, helping
			}
		}
		if best < 0 {
			return
		}
		t.of[class], t.of[best] = append(t.of[class], t.of[best]...), nil
		t.measure(class)
		t.measure(best)
	}
}

// excess is the heavy value that a class has most too often with an item more, -1 for none.
func (t *traders) excess(class int, item uint32) (most int) {
	most = -1
	have, above := t.haveOf(class), (t.size[class]+t.records[item])/t.l
	t.shift(have, item, 1)
	for v, n := range have {
		if n > above {
			most, above = v, n
		}
	}
	t.shift(have, item, -1)
	return most
}

// union is what two classes lose more as one.
func (t *traders) union(class, other int) float32 {
	penalty := float32(0)
	for a, e := range t.endsOf(class) {
		o := t.endsOf(other)[a]
		penalty += t.clustering.penalty[a][max(e.high, o.high)-min(e.low, o.low)]
	}
	one, two := float32(t.size[class]), float32(t.size[other])
	return (one+two)*penalty - one*t.penalty[class] - two*t.penalty[other]
}
