package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Every figure of a table is that of its definition, counted with maps: with a record a unit, and with several.
func TestTableByEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		in := randomTable(random, trial%2 == 0)
		got, want := OfTable(in), enumerated{in}
		if got.Units() != len(want.units()) {
			t.Fatalf("trial %d: %d units, want %d", trial, got.Units(), len(want.units()))
		}
		least := math.MaxInt
		for _, units := range want.classes(0, 1) {
			least = min(least, len(units))
		}
		if found := got.Prosecutor(); found.Highest != 1/float64(least) {
			t.Errorf("trial %d: prosecutor %v, want 1/%d", trial, found.Highest, least)
		}
		profiles, fewest := want.profiles(0, 1), math.MaxInt
		for _, units := range profiles {
			fewest = min(fewest, len(units))
		}
		if found := got.FoundByAll(); found.Highest != 1/float64(fewest) || math.Abs(found.Mean-float64(len(profiles))/float64(got.Units())) > 1e-12 {
			t.Errorf("trial %d: found by all %+v, want 1/%d, of %d profiles", trial, found, fewest, len(profiles))
		}
		for _, attributes := range [][]int{{0}, {1}, {0, 1}} {
			if n, all := got.UniqueBy(attributes...), want.unique(attributes...); n != all {
				t.Errorf("trial %d: unique by %v: %d, want %d", trial, attributes, n, all)
			}
		}
		if got.Unique() != got.UniqueBy(0, 1) || got.UniqueBy() != 0 {
			t.Errorf("trial %d: %d unique, %d by all, %d by nothing", trial, got.Unique(), got.UniqueBy(0, 1), got.UniqueBy())
		}
		d := got.Discloses(0)
		if l, known, closeness := want.disclosed(); d.Diversity != l || d.Known != known || math.Abs(d.Closeness-closeness) > 1e-12 {
			t.Errorf("trial %d: %+v, want l %d, known %d, t %v", trial, d, l, known, closeness)
		}
	}
}

// Three patients of two wards each share every ward with another, and both wards with nobody.
func TestPersonsAreKnownByAllTheirRecords(t *testing.T) {
	column := func(codes ...uint32) *anonymize.Column {
		return &anonymize.Column{Dictionary: []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2), anonymize.IntegerValue(3)}, Codes: codes}
	}
	in := &anonymize.Input{QuasiIdentifiers: []*anonymize.Column{column(0, 1, 0, 2, 1, 2)}, Sensitive: []*anonymize.Column{column(0, 0, 1, 1, 2, 2)},
		Units: []uint32{0, 0, 1, 1, 2, 2}, Rows: 6}
	table := OfTable(in)
	if n, found, known := table.Unique(), table.FoundByAll(), table.Discloses(0).Known; n != 3 || found.Highest != 1 || known != 3 {
		t.Errorf("%d are unique, found with %v, the values of %d known; all three are", n, found.Highest, known)
	}
	if by := table.Prosecutor(); by.Highest != 0.5 {
		t.Errorf("by one record %v", by.Highest)
	}
}

// randomTable has two quasi-identifiers and a sensitive attribute of few values.
func randomTable(random *rand.Rand, units bool) *anonymize.Input {
	rows := 2 + random.IntN(30)
	column := func(name string, values int) *anonymize.Column {
		c := &anonymize.Column{Name: name}
		for v := range values {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for range rows {
			c.Codes = append(c.Codes, uint32(random.IntN(values)))
		}
		return c
	}
	in := &anonymize.Input{QuasiIdentifiers: []*anonymize.Column{column("a", 3), column("b", 4)}, Sensitive: []*anonymize.Column{column("s", 3)}, Rows: rows}
	if units {
		seen := map[uint32]uint32{}
		for range rows {
			person := uint32(random.IntN(10))
			if _, ok := seen[person]; !ok {
				seen[person] = uint32(len(seen))
			}
			in.Units = append(in.Units, seen[person])
		}
	}
	return in
}

// enumerated counts with maps.
type enumerated struct{ in *anonymize.Input }

func (e enumerated) unit(record int) uint32 {
	if e.in.Units == nil {
		return uint32(record)
	}
	return e.in.Units[record]
}

func (e enumerated) units() map[uint32]bool {
	units := map[uint32]bool{}
	for record := range e.in.Rows {
		units[e.unit(record)] = true
	}
	return units
}

func (e enumerated) key(record int, attributes ...int) (key string) {
	for _, a := range attributes {
		key += fmt.Sprint(e.in.QuasiIdentifiers[a].Codes[record], ",")
	}
	return key
}

// classes are the units by combination.
func (e enumerated) classes(attributes ...int) map[string]map[uint32]bool {
	classes := map[string]map[uint32]bool{}
	for record := range e.in.Rows {
		key := e.key(record, attributes...)
		if classes[key] == nil {
			classes[key] = map[uint32]bool{}
		}
		classes[key][e.unit(record)] = true
	}
	return classes
}

// profiles are the units by the set of their combinations.
func (e enumerated) profiles(attributes ...int) map[string][]uint32 {
	sets := map[uint32]map[string]bool{}
	for key, units := range e.classes(attributes...) {
		for u := range units {
			if sets[u] == nil {
				sets[u] = map[string]bool{}
			}
			sets[u][key] = true
		}
	}
	profiles := map[string][]uint32{}
	for u, set := range sets {
		key := fmt.Sprint(set) // keys of a map are printed in their order
		profiles[key] = append(profiles[key], u)
	}
	return profiles
}

func (e enumerated) unique(attributes ...int) (n int) {
	for _, units := range e.profiles(attributes...) {
		if len(units) == 1 {
			n++
		}
	}
	return n
}

// known are the units of which a record has the only value that those with the same combinations have beside its own.
func (e enumerated) known() (n int) {
	for _, units := range e.profiles(0, 1) {
		values := map[string]map[uint32]bool{}
		for record := range e.in.Rows {
			key := e.key(record, 0, 1)
			if values[key] == nil {
				values[key] = map[uint32]bool{}
			}
			if slices.Contains(units, e.unit(record)) {
				values[key][e.in.Sensitive[0].Codes[record]] = true
			}
		}
		for _, of := range values {
			if len(of) == 1 {
				n += len(units)
				break
			}
		}
	}
	return n
}

func (e enumerated) disclosed() (l, known int, closeness float64) {
	l = len(e.units())
	for key, units := range e.classes(0, 1) {
		have, count, records := map[uint32]map[uint32]bool{}, map[uint32]int{}, 0
		for record := range e.in.Rows {
			if e.key(record, 0, 1) != key {
				continue
			}
			v := e.in.Sensitive[0].Codes[record]
			if have[v] == nil {
				have[v] = map[uint32]bool{}
			}
			have[v][e.unit(record)] = true
			count[v]++
			records++
		}
		distance := 0.0
		for v, of := range e.in.Sensitive[0].Histogram() {
			l = min(l, len(units)/max(1, len(have[uint32(v)])))
			distance += math.Abs(float64(count[uint32(v)])/float64(records)-float64(of)/float64(e.in.Rows)) / 2
		}
		closeness = max(closeness, distance)
	}
	return l, e.known(), closeness
}
