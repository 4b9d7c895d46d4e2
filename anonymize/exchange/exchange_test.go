package exchange

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// line are classes of points of several records each, which lose the width of their class, and must have so many records.
type line struct {
	*Classes
	at, records []float32
	least       float32
}

func (l *line) Measure(_ int, items []uint32) (size, width float32) {
	if len(items) == 0 {
		return 0, 0
	}
	for _, item := range items {
		size += l.records[item]
	}
	place := func(a, b uint32) int { return int(l.at[a] - l.at[b]) }
	return size, l.at[slices.MaxFunc(items, place)] - l.at[slices.MinFunc(items, place)]
}

func (l *line) Records(item uint32) float32 { return l.records[item] }

// changed are the items of a class without one and with another.
func (l *line) changed(class int, out, in uint32) []uint32 {
	items := slices.DeleteFunc(slices.Clone(l.Of[class]), func(item uint32) bool { return item == out })
	if in != Nobody {
		items = append(items, in)
	}
	return items
}

func (l *line) PenaltyWith(class int, in uint32, _ float32) float32 {
	return l.Swapped(class, Nobody, in)
}
func (l *line) PenaltyWithout(class int, out uint32) float32 {
	return l.Swapped(class, out, Nobody)
}
func (l *line) Swapped(class int, out, in uint32) float32 {
	_, width := l.Measure(class, l.changed(class, out, in))
	return width
}
func (l *line) SwappedHere(class int, out, in uint32) float32 { return l.Swapped(class, out, in) }
func (l *line) Allows(class int, out, in uint32) bool {
	size, _ := l.Measure(class, l.changed(class, out, in))
	return size >= l.least
}

// An exchange keeps every item and what is asked of each class, and saves nearly always something.
func TestExchange(t *testing.T) {
	saved := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 3))
		l := &line{least: 3}
		var of [][]uint32
		for class := range 2 + random.IntN(6) {
			of = append(of, nil)
			for range 3 + random.IntN(5) {
				of[class] = append(of[class], uint32(len(l.at)))
				l.at, l.records = append(l.at, float32(random.IntN(100))), append(l.records, float32(1+random.IntN(3)))
			}
		}
		l.Classes = New(of, l)
		loss := func() (sum float32) {
			for class, items := range l.Of {
				size, width := l.Measure(class, items)
				if size < l.least || l.Penalty[class] != width {
					t.Fatalf("seed %d: class %d of %v loses %g", seed, class, items, l.Penalty[class])
				}
				sum += size * width
			}
			return sum
		}
		before := loss()
		l.Exchange(t.Context(), 1e-3)
		if after := loss(); after > before {
			t.Errorf("seed %d: %g was lost, now %g", seed, before, after)
		} else if after < before {
			saved++
		}
		if all := slices.Sorted(slices.Values(slices.Concat(l.Of...))); len(all) != len(l.at) || len(slices.Compact(all)) != len(l.at) {
			t.Errorf("seed %d: items %v of %d", seed, all, len(l.at))
		}
	}
	if saved < 95 {
		t.Errorf("%d of 100 exchanges saved something", saved)
	}
}

// Exchanges separate two mixed classes. The nearest class is the one that loses least by an item.
func TestNearest(t *testing.T) {
	l := &line{at: []float32{0, 1, 2, 90, 91, 92, 60}, records: []float32{1, 1, 1, 1, 1, 1, 1}, least: 3}
	l.Classes = New([][]uint32{{0, 3, 2}, {1, 4, 5}}, l)
	l.Exchange(t.Context(), 1e-3)
	if class := l.Nearest(6, true); l.Penalty[0]+l.Penalty[1] != 4 || !slices.Contains(l.Of[class], 5) {
		t.Errorf("classes %v, the nearest is %d", l.Of, class)
	}
	l.Unite(0, 1)
	if l.Join(0, 6); len(l.NonEmpty()) != 1 || l.Penalty[0] != 92 {
		t.Errorf("one class: %v loses %v", l.Of, l.Penalty)
	}
}
