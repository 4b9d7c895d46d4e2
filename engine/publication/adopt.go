package publication

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/exchange"
)

// adopt puts items that are in no class into the class that may take them and loses least. If
// no class may take any, the nearest one absorbs whole classes until it may; the entire part
// together always may.
func (t *traders) adopt(items []uint32) {
	for len(items) > 0 {
		left := slices.DeleteFunc(items, func(item uint32) bool {
			class := t.Nearest(item, true)
			if class >= 0 {
				t.Join(class, item)
			}
			return class >= 0
		})
		if len(left) == len(items) {
			class := t.Nearest(items[0], false)
			t.unite(class, items[0])
			t.Join(class, items[0])
			left = items[1:]
		}
		items = left
	}
}

// unite merges classes of a part into one until it may take an item. It prefers classes with
// the too frequent value in less than one in l records, and among them the one that loses
// least.
func (t *traders) unite(class int, item uint32) {
	for !t.Allows(class, exchange.Nobody, item) {
		value, best, helps := t.excess(class, item), -1, false
		least := float32(math.MaxFloat32)
		for other, of := range t.Of {
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
		t.Unite(class, best)
	}
}

// excess returns the heavy value that a class plus an item has most too often, -1 for none.
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

// union returns the additional loss of merging two classes.
func (t *traders) union(class, other int) float32 {
	penalty := float32(0)
	for a, e := range t.endsOf(class) {
		o := t.endsOf(other)[a]
		penalty += t.clustering.penalty[a][max(e.High, o.High)-min(e.Low, o.Low)]
	}
	one, two := float32(t.size[class]), float32(t.size[other])
	return (one+two)*penalty - one*t.Penalty[class] - two*t.Penalty[other]
}
