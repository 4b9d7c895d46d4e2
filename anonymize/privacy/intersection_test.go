package privacy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// grouped publishes a table in groups: one fragment of all quasi-identifiers,
// with points, and one of the sensitive attribute.
func grouped(quasi []*anonymize.Column, sensitive *anonymize.Column, groupOf []int) *anonymize.Release {
	r := &anonymize.Release{Method: "test", Rows: len(groupOf), GroupSizes: make([]uint32, slices.Max(groupOf)+1)}
	for _, g := range groupOf {
		r.GroupSizes[g]++
	}
	for _, columns := range [][]*anonymize.Column{quasi, {sensitive}} {
		f := &anonymize.Fragment{Name: columns[0].Name, GroupStart: []uint32{0}}
		for _, c := range columns {
			f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary})
		}
		for g := range r.GroupSizes {
			for row, of := range groupOf {
				if of != g {
					continue
				}
				f.Count = append(f.Count, 1)
				for i, c := range columns {
					f.Columns[i].Codes = append(f.Columns[i].Codes, c.Codes[row])
				}
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

func textColumn(name string, values ...string) *anonymize.Column {
	list := make([]anonymize.Value, len(values))
	for i, v := range values {
		list[i] = anonymize.TextValue(v)
	}
	return anonymize.NewColumn(name, "text", list)
}

// Four people in two releases: by hand.
func TestIntersectionByHand(t *testing.T) {
	who := textColumn("q", "Ann", "Ben", "Cem", "Dan")
	disease := textColumn("s", "flu", "cold", "gout", "flu")
	first := grouped([]*anonymize.Column{who}, disease, []int{0, 0, 1, 1})
	second := grouped([]*anonymize.Column{who}, disease, []int{0, 1, 0, 1})
	for _, c := range []struct {
		releases  []*anonymize.Release
		one, mean float64
	}{
		{[]*anonymize.Release{first}, 0, 2},
		// Ann: {flu, cold} and {flu, gout}; Ben: {flu, cold} twice; Cem: {gout, flu}
		// twice; Dan: {gout, flu} and {cold, flu}.
		{[]*anonymize.Release{first, second}, 0.5, 1.5},
	} {
		one, mean, err := Intersection(context.Background(), c.releases, []*anonymize.Column{who}, disease, []int{0, 1, 2, 3})
		if err != nil || one != c.one || mean != c.mean {
			t.Errorf("%d releases: %g, %g, %v, want %g, %g", len(c.releases), one, mean, err, c.one, c.mean)
		}
	}
	if _, _, err := Intersection(context.Background(), nil, []*anonymize.Column{who}, disease, []int{0}); err == nil {
		t.Error("without a release there is nothing to measure")
	}
}

// Against the definition: go through all groups and all their tuples.
func TestIntersectionAgainstEnumeration(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		n := 6 + random.IntN(60)
		column := func(name string, domain int) *anonymize.Column {
			values := make([]anonymize.Value, n)
			for i := range values {
				values[i] = anonymize.IntegerValue(int64(random.IntN(domain)))
			}
			return anonymize.NewColumn(name, "int", values)
		}
		quasi := []*anonymize.Column{column("a", 4), column("b", 5)}
		sensitive := column("s", 3+random.IntN(70))
		var releases []*anonymize.Release
		var groupings [][]int
		for range 1 + random.IntN(3) {
			groupOf := make([]int, n)
			for i, row := range random.Perm(n) {
				groupOf[row] = i / 3
			}
			groupings = append(groupings, groupOf)
			releases = append(releases, grouped(quasi, sensitive, groupOf))
		}
		records := make([]int, n)
		wantOne, wantMean := 0.0, 0.0
		for row := range n {
			records[row] = row
			left := 0
			for code := range sensitive.Dictionary {
				if possible(quasi, sensitive, groupings, row, uint32(code)) {
					left++
				}
			}
			wantMean += float64(left) / float64(n)
			if left == 1 {
				wantOne += 1 / float64(n)
			}
		}
		one, mean, err := Intersection(context.Background(), releases, quasi, sensitive, records)
		if err != nil || math.Abs(one-wantOne) > 1e-9 || math.Abs(mean-wantMean) > 1e-9 {
			t.Errorf("seed %d: %g, %g, %v, want %g, %g", seed, one, mean, err, wantOne, wantMean)
		}
	}
}

// possible: in every release some group has somebody like the record and somebody
// with the value.
func possible(quasi []*anonymize.Column, sensitive *anonymize.Column, groupings [][]int, row int, code uint32) bool {
	for _, groupOf := range groupings {
		found := false
		for like := range groupOf {
			if quasi[0].Codes[like] != quasi[0].Codes[row] || quasi[1].Codes[like] != quasi[1].Codes[row] {
				continue
			}
			for other := range groupOf {
				found = found || groupOf[other] == groupOf[like] && sensitive.Codes[other] == code
			}
		}
		if !found {
			return false
		}
	}
	return true
}
