package sequence

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A valueNumbers numbers the sensitive values of all versions in the order of first use.
type valueNumbers struct {
	of     map[anonymize.Value]uint32
	values []anonymize.Value
}

func (n *valueNumbers) number(v anonymize.Value) uint32 {
	number, ok := n.of[v]
	if !ok {
		number = uint32(len(n.values))
		n.of[v] = number
		n.values = append(n.values, v)
	}
	return number
}

func (n *valueNumbers) numberAll(values []anonymize.Value) []uint32 {
	numbers := make([]uint32, len(values))
	for i, v := range values {
		numbers[i] = n.number(v)
	}
	return numbers
}

// ofRecords returns the numbers of a column's values, by record.
func (n *valueNumbers) ofRecords(c *anonymize.Column) []uint32 {
	return anonymize.Gather(n.numberAll(c.Dictionary), c.Codes)
}

// multisets are the published sensitive values of every group: values with counts, ascending by
// the value's number; those of group g start at start[g].
type multisets struct {
	start, value, count []uint32
}

// sensitiveMultisets reads the multisets from the fragment that publishes only the sensitive
// attribute, as values.
func sensitiveMultisets(r *anonymize.Release, sensitive string, numbers *valueNumbers) (*multisets, error) {
	i, _, ok := r.Locate(sensitive)
	if !ok {
		return nil, fmt.Errorf("the release does not publish %s", sensitive)
	}
	f := r.Fragments[i]
	if f.Role != anonymize.Sensitive || len(f.Columns) != 1 || !f.Columns[0].IsPoint() {
		return nil, fmt.Errorf("%s is published beside other attributes or generalized; versions are compared by the values of a group alone", sensitive)
	}
	to := numbers.numberAll(f.Columns[0].Dictionary)
	m := &multisets{start: f.GroupStart, value: anonymize.Gather(to, f.Columns[0].Codes), count: slices.Clone(f.Count)}
	for g := range r.Groups() {
		m.sort(g)
	}
	return m, nil
}

// sort orders a group by number. That differs from the dictionary's order if another version's
// values came first.
func (m *multisets) sort(g int) {
	values, counts := m.valuesOf(uint32(g))
	if slices.IsSorted(values) {
		return
	}
	pairs := make([]uint64, len(values))
	for i, v := range values {
		pairs[i] = uint64(v)<<32 | uint64(counts[i])
	}
	slices.Sort(pairs)
	for i, p := range pairs {
		values[i], counts[i] = uint32(p>>32), uint32(p)
	}
}

func (m *multisets) groups() int { return len(m.start) - 1 }

// valuesOf returns the distinct values of a group with their counts.
func (m *multisets) valuesOf(g uint32) (values, counts []uint32) {
	first, end := m.start[g], m.start[g+1]
	return m.value[first:end:end], m.count[first:end:end]
}

// values returns the distinct values of a group, ascending.
func (m *multisets) values(g uint32) []uint32 {
	values, _ := m.valuesOf(g)
	return values
}

// times returns the count of a value in a group.
func (m *multisets) times(g, value uint32) uint32 {
	values, counts := m.valuesOf(g)
	if i, ok := slices.BinarySearch(values, value); ok {
		return counts[i]
	}
	return 0
}

// checkLive verifies that live is the private side of r: the same groups with the same values,
// and as many counterfeits as r says. value has the numbers of live's sensitive values, by
// record.
func (m *multisets) checkLive(r *anonymize.Release, live *anonymize.Live, value []uint32) error {
	published := make([]uint32, 0, live.Records())
	forged := 0
	for i, g := range live.Group {
		switch {
		case g != anonymize.Waiting && int(g) >= m.groups():
			return fmt.Errorf("record %d is in group %d, the release has %d groups", i, g, m.groups())
		case g == anonymize.Waiting && live.Kind[i] != anonymize.Person:
			return fmt.Errorf("record %d is a counterfeit in no group", i)
		case g != anonymize.Waiting:
			published = append(published, uint32(i))
		}
		if live.Kind[i] != anonymize.Person {
			forged++
		}
	}
	if len(published) != r.Rows || forged != r.Forged {
		return fmt.Errorf("%d records with %d counterfeits are in groups, the release has %d with %d", len(published), forged, r.Rows, r.Forged)
	}
	missing := make([]int, 1+max(slices.Max(m.value), slices.Max(value)))
	published = bucketization.CountingSort(published, live.Group, m.groups())
	for g := range uint32(m.groups()) {
		values, counts := m.valuesOf(g)
		for i, v := range values {
			missing[v] = int(counts[i])
		}
		size := int(r.GroupSizes[g])
		if size > len(published) {
			return fmt.Errorf("group %d has %d records, its private side fewer", g, size)
		}
		for _, record := range published[:size] {
			v := value[record]
			if missing[v]--; missing[v] < 0 || live.Group[record] != g {
				return fmt.Errorf("the values of group %d are not those of its private side", g)
			}
		}
		published = published[size:]
	}
	return nil
}
