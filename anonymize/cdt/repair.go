package cdt

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A merger merges classes until all keep the bounds. That ends, because the whole table, as one
// class, keeps them. It starts with the smallest class that breaks them, and merges it with the
// class whose union keeps them at the least loss, or if there is none, with the one of least
// loss.
//
// Cost: O(merges x classes) comparisons, each over the places and frequent values of two
// classes.
type merger struct {
	bounds
	quasi   []*generalization.Attribute
	columns []*anonymize.Column
	classes []*class
}

// A class has its records and what decides about merges.
type class struct {
	records []uint32
	places  [][]uint32          // by quasi-identifier: the occurring places, ascending
	count   []map[uint32]uint32 // by sensitive attribute: records by value
	top     [][]uint32          // the same values by descending frequency
	loss    float64             // records times UL(t), Eq. (9)
}

func newMerger(ctx context.Context, in *anonymize.Input, quasi []*generalization.Attribute, b bounds, classes [][]uint32) (*merger, error) {
	m := &merger{bounds: b, quasi: quasi, columns: in.Sensitive, classes: make([]*class, len(classes))}
	err := parallel.Run(ctx, len(classes), func(i int) error {
		m.classes[i] = m.newClass(classes[i])
		return ctx.Err()
	})
	return m, err
}

func (m *merger) newClass(records []uint32) *class {
	c := &class{records: records}
	for _, a := range m.quasi {
		places := anonymize.Gather(a.Place, records)
		slices.Sort(places)
		c.places = append(c.places, slices.Compact(places))
	}
	for _, column := range m.columns {
		count := make(map[uint32]uint32)
		for _, r := range records {
			count[column.Codes[r]]++
		}
		c.count = append(c.count, count)
	}
	c.loss = m.loss(c.places, len(records))
	c.sort()
	return c
}

// sort sets top.
func (c *class) sort() {
	c.top = make([][]uint32, len(c.count))
	for i, count := range c.count {
		for v := range count {
			c.top[i] = append(c.top[i], v)
		}
		slices.SortFunc(c.top[i], func(x, y uint32) int {
			return cmp.Or(cmp.Compare(count[y], count[x]), cmp.Compare(x, y))
		})
	}
}

// loss returns UL(t) of a class, Eq. (9), times its records.
func (m *merger) loss(places [][]uint32, size int) float64 {
	sum := 0.0
	for i, a := range m.quasi {
		u := spanLoss(a, places[i])
		sum += u * u
	}
	return float64(size) * math.Sqrt(sum/float64(len(m.quasi)))
}

// spanLoss is UL(A), Eq. (10) and (11); a node of a taxonomy counts as its share of the leaves.
func spanLoss(a *generalization.Attribute, places []uint32) float64 {
	low, high := places[0], places[len(places)-1]
	if a.Scale == anonymize.Nominal && !a.HasTaxonomy() {
		return float64(len(places)-1) / float64(a.Places)
	}
	return a.Penalty(low, high)
}

// keeps reports whether a class, or the union of two, keeps the bounds.
func (m *merger) keeps(c, d *class) bool {
	size := len(c.records)
	if d != nil {
		size += len(d.records)
	}
	return size >= m.k && m.keepsValues(c, d, size) && (d == nil || m.keepsValues(d, c, size))
}

// keepsValues checks the frequent values of c. A value that breaks a bound of the union is so
// frequent in one of the two that twice as many would break it.
func (m *merger) keepsValues(c, d *class, size int) bool {
	for i, top := range c.top {
		for _, v := range top {
			n := c.count[i][v]
			if m.admits(2*n, size) {
				break
			}
			if d != nil {
				n += d.count[i][v]
			}
			if !m.admits(n, size) {
				return false
			}
		}
	}
	return true
}

// run merges, and returns the number of merges.
func (m *merger) run(ctx context.Context) (merges int, err error) {
	for ; ; merges++ {
		if err := ctx.Err(); err != nil {
			return merges, err
		}
		worst := -1
		for i, c := range m.classes {
			if !m.keeps(c, nil) && (worst < 0 || len(c.records) < len(m.classes[worst].records)) {
				worst = i
			}
		}
		if worst < 0 || len(m.classes) == 1 {
			return merges, nil
		}
		m.merge(worst, m.partner(worst))
	}
}

// partner returns the class to merge with.
func (m *merger) partner(worst int) int {
	c, best, least, mended := m.classes[worst], -1, 0.0, false
	for i, d := range m.classes {
		if i == worst {
			continue
		}
		keeps := m.keeps(c, d)
		if mended && !keeps {
			continue
		}
		loss := m.loss(union(c.places, d.places), len(c.records)+len(d.records)) - c.loss - d.loss
		if best < 0 || keeps && !mended || loss < least {
			best, least, mended = i, loss, keeps
		}
	}
	return best
}

func union(a, b [][]uint32) [][]uint32 {
	places := make([][]uint32, len(a))
	for i := range a {
		places[i] = slices.Concat(a[i], b[i])
		slices.Sort(places[i])
		places[i] = slices.Compact(places[i])
	}
	return places
}

// merge merges j into i.
func (m *merger) merge(i, j int) {
	c, d := m.classes[i], m.classes[j]
	c.records = append(c.records, d.records...)
	c.places = union(c.places, d.places)
	for at := range c.count {
		small, large := c.count[at], d.count[at]
		if len(small) > len(large) {
			small, large = large, small
		}
		for v, n := range small {
			large[v] += n
		}
		c.count[at] = large
	}
	c.loss = m.loss(c.places, len(c.records))
	c.sort()
	m.classes[min(i, j)] = c
	m.classes = slices.Delete(m.classes, max(i, j), max(i, j)+1)
}

// describe says how far the classes are from the bounds.
func (m *merger) describe() string {
	least, share, what := math.MaxInt, anonymize.NewRatio(0, 1), ""
	for _, c := range m.classes {
		least = min(least, len(c.records))
		for i, top := range c.top {
			if s := anonymize.NewRatio(uint64(c.count[i][top[0]]), uint64(len(c.records))); s.Cmp(share) > 0 {
				share, what = s, m.columns[i].Name
			}
		}
	}
	return fmt.Sprintf("%d classes of at least %d records, greatest share of a value %s (%s)", len(m.classes), least, share, what)
}

// partition lists the records of the classes.
func (m *merger) partition() *bucketization.Partition {
	p := &bucketization.Partition{Start: []uint32{0}}
	for _, c := range m.classes {
		p.Add(c.records)
	}
	return p
}
