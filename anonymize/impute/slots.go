package impute

import (
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// slots are the places of the records in some groups of a release, group by group: every slot
// has one tuple of every fragment. They are immutable.
type slots struct {
	*schema
	// The slots of group g are first[g] .. first[g+1]-1; first has one more entry than there
	// are groups.
	first []uint32
	// rows has len(attributes) categories per slot. Every fragment's tuples, repeated by their
	// counts, are in the order of publication.
	rows []uint16
}

// slotsOf makes the slots of some groups of a release, in the given order. Cost: O(records *
// attributes).
func (s *schema) slotsOf(r *anonymize.Release, groups []uint32) *slots {
	l := &slots{schema: s, first: make([]uint32, len(groups)+1)}
	for i, g := range groups {
		l.first[i+1] = l.first[i] + r.GroupSizes[g]
	}
	width := len(s.attributes)
	l.rows = make([]uint16, l.count()*width)
	for j, f := range r.Fragments {
		slot := 0
		for _, g := range groups {
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				for range f.Count[t] {
					for i, c := range f.Columns {
						at := s.of[j] + i
						l.rows[slot*width+at] = s.attributes[at].category[c.Codes[t]]
					}
					slot++
				}
			}
		}
	}
	return l
}

func (l *slots) count() int  { return int(l.first[len(l.first)-1]) }
func (l *slots) groups() int { return len(l.first) - 1 }

// frequencies returns the number of records per category and in total, weighted by group (nil
// means 1).
func (l *slots) frequencies(weights []float32) (frequency []float32, records float32) {
	sums := make([]float64, l.categories)
	total, width := 0.0, len(l.attributes)
	for g := range l.groups() {
		weight := 1.0
		if weights != nil {
			weight = float64(weights[g])
		}
		rows := l.rows[int(l.first[g])*width : int(l.first[g+1])*width]
		for _, x := range rows {
			sums[x] += weight
		}
		total += float64(weight * float64(len(rows)/width))
	}
	frequency = make([]float32, len(sums))
	for x, sum := range sums {
		frequency[x] = float32(sum)
	}
	return frequency, float32(total)
}

// A table is a completed table in progress: slots with exchanged tuples.
type table struct {
	*slots
	// rows are like those of slots; the first fragment's tuples stay in place.
	rows []uint16
	// place[j-1][slot] is the row's tuple of fragment j >= 1, by its position in the group's
	// order of publication.
	place [][]uint16
}

// begin returns the table with the tuples in the order of publication.
func (l *slots) begin() *table {
	t := &table{slots: l, rows: append([]uint16(nil), l.rows...), place: make([][]uint16, l.fragments()-1)}
	for j := range t.place {
		t.place[j] = make([]uint16, l.count())
		for g := range l.groups() {
			for slot := l.first[g]; slot < l.first[g+1]; slot++ {
				t.place[j][slot] = uint16(slot - l.first[g])
			}
		}
	}
	return t
}

func (t *table) copy() *table {
	c := &table{slots: t.slots, rows: append([]uint16(nil), t.rows...)}
	for _, place := range t.place {
		c.place = append(c.place, append([]uint16(nil), place...))
	}
	return c
}

// shuffle draws uniformly distributed matchings.
func (t *table) shuffle(random *rand.Rand) {
	for g := range t.groups() {
		first := int(t.first[g])
		for j := 1; j < t.fragments(); j++ {
			for i := int(t.first[g+1]) - 1; i > first; i-- {
				t.swap(j, i, first+random.IntN(i-first+1))
			}
		}
	}
}

// swap exchanges two slots' tuples of fragment j >= 1.
func (t *table) swap(j, a, b int) {
	width, places := len(t.attributes), t.place[j-1]
	places[a], places[b] = places[b], places[a]
	for i := t.of[j]; i < t.of[j+1]; i++ {
		t.rows[a*width+i], t.rows[b*width+i] = t.rows[b*width+i], t.rows[a*width+i]
	}
}
