package noise_test

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// labelled is a table of units of some records each, two quasi-identifiers that tell records apart, and sensitive values, below 3. The release
// is one group of it, with categories for all values that there may be.
type labelled struct {
	release   *anonymize.Release
	quasi     []*anonymize.Column
	sensitive *anonymize.Column
	units     []uint32
}

func labelledTable(records []int) labelled {
	t := labelled{sensitive: &anonymize.Column{Name: "s", Dictionary: integers(3)}}
	q, p := &anonymize.Column{Name: "q", Dictionary: integers(2)}, &anonymize.Column{Name: "p", Dictionary: integers(3)}
	for unit, n := range records {
		for i := range n {
			t.units = append(t.units, uint32(unit))
			q.Codes, p.Codes = append(q.Codes, uint32(i%2)), append(p.Codes, uint32((unit+i)%3))
		}
	}
	t.quasi = []*anonymize.Column{q, p}
	n := len(t.units)
	t.release = &anonymize.Release{Rows: n, GroupSizes: []uint32{uint32(n)}}
	for _, c := range append(t.quasi, t.sensitive) {
		f := &anonymize.Fragment{Name: c.Name, GroupStart: []uint32{0, uint32(len(c.Dictionary))},
			Columns: []*anonymize.FragmentColumn{{Name: c.Name, Dictionary: c.Dictionary}}}
		for code := range c.Dictionary { // as many of each as Weigh wants to see
			f.Columns[0].Codes, f.Count = append(f.Columns[0].Codes, uint32(code)), append(f.Count, 1)
		}
		t.release.Fragments = append(t.release.Fragments, f)
	}
	return t
}

func integers(n int) (values []anonymize.Value) {
	for i := range n {
		values = append(values, anonymize.IntegerValue(int64(i)))
	}
	return values
}

// counts are all that noise is added to: the model's tables, and the attribute's own counts where they are told.
func (t labelled) counts(test *testing.T, labels []uint32, own bool) (all []int64) {
	test.Helper()
	sensitive := *t.sensitive
	sensitive.Codes = labels
	m, err := contingency.Count(t.release, t.quasi, &sensitive, contingency.Options{Noise: func() (int64, error) { return 0, nil }})
	if err != nil {
		test.Fatal(err)
	}
	for _, table := range m.Tables {
		all = append(all, table.Weight...)
	}
	if own {
		for _, n := range sensitive.Histogram() {
			all = append(all, int64(n))
		}
	}
	return all
}

// Of all tables that differ in one unit's values alone, the counts that noise is added to differ by no more than the accountant claims, in sum and
// in the sum of squares, and some by as much: by enumeration of all values that the table, and the unit in the other one, may have.
func TestSensitivityByEnumeration(t *testing.T) {
	for _, records := range [][]int{{1, 1, 1}, {2, 1}, {3, 2}, {2, 2, 1}} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprint(records, own), func(t *testing.T) {
				table := labelledTable(records)
				claimed := noise.Counts{Tables: len(table.quasi), Records: records[0]}
				if own {
					claimed.Tables++
				}
				most, err := claimed.Sensitivity()
				if err != nil {
					t.Fatal(err)
				}
				sum, squares := table.greatest(t, own)
				if sum != int64(most) {
					t.Errorf("the counts differ by %d in sum, claimed are %d", sum, most)
				}
				if bound := claimed.Squares(); squares > bound || claimed.Records == 1 && squares != bound {
					t.Errorf("the counts differ by %d in the sum of squares, claimed are %d", squares, bound)
				}
			})
		}
	}
}

// greatest tries all pairs of neighbouring tables.
func (t labelled) greatest(test *testing.T, own bool) (sum, squares int64) {
	eachLabels(len(t.units), func(labels []uint32) {
		one := t.counts(test, labels, own)
		for unit := range t.units[len(t.units)-1] + 1 {
			var of []int // its records
			for record, u := range t.units {
				if u == unit {
					of = append(of, record)
				}
			}
			eachLabels(len(of), func(others []uint32) {
				neighbour := append([]uint32(nil), labels...)
				for i, record := range of {
					neighbour[record] = others[i]
				}
				d, dd := int64(0), int64(0)
				for i, n := range t.counts(test, neighbour, own) {
					d, dd = d+max(n-one[i], one[i]-n), dd+(n-one[i])*(n-one[i])
				}
				sum, squares = max(sum, d), max(squares, dd)
			})
		}
	})
	return sum, squares
}

// eachLabels visits all values of n records.
func eachLabels(n int, visit func(labels []uint32)) {
	labels := make([]uint32, n)
	for {
		visit(append([]uint32(nil), labels...))
		at := 0
		for ; at < n && labels[at] == 2; at++ {
			labels[at] = 0
		}
		if at == n {
			return
		}
		labels[at]++
	}
}
