package dynamic_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// A months is a table to which persons are added, as columns age, zip, disease.
type months struct {
	random *rand.Rand
	rows   [][3]anonymize.Value
}

func (m *months) add(persons int) {
	for range persons {
		m.rows = append(m.rows, [3]anonymize.Value{anonymize.IntegerValue(18 + m.random.Int64N(70)), anonymize.IntegerValue(1000 + m.random.Int64N(500)),
			anonymize.TextValue(fmt.Sprint("disease ", m.random.IntN(12)))})
	}
}

// columns returns the columns of the persons from the first on.
func (m *months) columns(first int) (columns []*anonymize.Column) {
	for i, name := range []string{"age", "zip", "disease"} {
		var values []anonymize.Value
		for _, row := range m.rows[first:] {
			values = append(values, row[i])
		}
		columns = append(columns, anonymize.NewColumn(name, "T", values))
	}
	return columns
}

// candidates returns the values that a version permits, by a person's quasi-identifiers: the values of all groups with them.
func candidates(r *anonymize.Release) map[[2]anonymize.Value]map[anonymize.Value]bool {
	qi, sa := r.Fragments[0], r.Fragments[1]
	age, zip := qi.Columns[qi.Column("age")], qi.Columns[qi.Column("zip")]
	left := make(map[[2]anonymize.Value]map[anonymize.Value]bool)
	for g := range r.Groups() {
		for t := qi.GroupStart[g]; t < qi.GroupStart[g+1]; t++ {
			who := [2]anonymize.Value{age.Dictionary[age.Codes[t]], zip.Dictionary[zip.Codes[t]]}
			if left[who] == nil {
				left[who] = make(map[anonymize.Value]bool)
			}
			for s := sa.GroupStart[g]; s < sa.GroupStart[g+1]; s++ {
				left[who][sa.Columns[0].Dictionary[sa.Columns[0].Codes[s]]] = true
			}
		}
	}
	return left
}

// leftWithOne returns the share of persons with unique quasi-identifiers who have one candidate value left, for an observer who knows these, the time
// of arrival, and all versions; in[v] is the number of persons in version v. It fails if a person's actual value is not a candidate.
func (m *months) leftWithOne(t *testing.T, versions []*anonymize.Release, in []int) float64 {
	t.Helper()
	alone, of := make(map[[2]anonymize.Value]int), make([]map[[2]anonymize.Value]map[anonymize.Value]bool, len(versions))
	for _, row := range m.rows {
		alone[[2]anonymize.Value{row[0], row[1]}]++
	}
	for v, r := range versions {
		of[v] = candidates(r)
	}
	one, persons := 0, 0
	for i, row := range m.rows {
		who := [2]anonymize.Value{row[0], row[1]}
		if alone[who] > 1 {
			continue
		}
		var left map[anonymize.Value]bool
		for v := range versions {
			if i >= in[v] || of[v][who] == nil { // not there yet, or waiting
				continue
			}
			now := maps.Clone(of[v][who])
			maps.DeleteFunc(now, func(value anonymize.Value, _ bool) bool { return left != nil && !left[value] })
			left = now
		}
		if left == nil {
			continue
		}
		if !left[row[2]] {
			t.Fatalf("the value of person %d is not left", i)
		}
		persons++
		if len(left) == 1 {
			one++
		}
	}
	return float64(one) / float64(persons)
}

// TestNextMonth is a table of 2,000 persons, to which two months add 200 each (docs/what-people-bring.md). If anatomy publishes it anew
// each month, a reader of all versions finds one candidate value for nine in ten persons with unique quasi-identifiers with l = 2, and
// for two in three with l = 4. Sealed updates leave nobody with one value.
func TestNextMonth(t *testing.T) {
	for _, c := range []struct {
		method    string
		arguments anonymize.Arguments
		anew      [3]float64 // at least
	}{
		{"anatomy", anonymize.Arguments{"l": "2"}, [3]float64{0, .6, .8}},
		{"anatomy", anonymize.Arguments{"l": "4"}, [3]float64{0, .2, .5}},
		{"slppa", anonymize.Arguments{"beta": "0.25", "tables": "1"}, [3]float64{0, .1, .4}},
		{"arp", anonymize.Arguments{"l": "4"}, [3]float64{0, .1, .3}},
	} {
		method, err := methods.ByName(c.method)
		if err != nil {
			t.Fatal(err)
		}
		m := &months{random: rand.New(rand.NewPCG(5, 5))}
		f := &followedMonths{months: m, options: dynamic.Options{Method: method, Arguments: c.arguments, Random: rand.NewPCG(6, 6)}}
		for month := range 3 {
			m.add([]int{2000, 200, 200}[month])
			f.publish(t)
			anew, sealed := m.leftWithOne(t, f.anew, f.in), m.leftWithOne(t, f.sealed, f.in)
			t.Logf("%s %v, %d versions: left with one value: %.3f published anew, %.3f with sealed updates", c.method, c.arguments, month+1, anew, sealed)
			if anew < c.anew[month] || sealed > 0 {
				t.Errorf("%s %v, %d versions: %.3f and %.3f", c.method, c.arguments, month+1, anew, sealed)
			}
		}
	}
}

// A followedMonths has the versions of a growing table: published anew, and by sealed updates. in has the number of persons of each version.
type followedMonths struct {
	*months
	options      dynamic.Options
	anew, sealed []*anonymize.Release
	in           []int
	live         *anonymize.Live
}

// publish adds a version of both, of all persons.
func (f *followedMonths) publish(t *testing.T) {
	t.Helper()
	columns := f.columns(0)
	in := &anonymize.Input{QuasiIdentifiers: columns[:2], Sensitive: columns[2:], Rows: len(f.rows), Random: f.options.Random}
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	r, err := f.options.Method.Run(t.Context(), in, f.options.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	f.anew, f.in = append(f.anew, r), append(f.in, len(f.rows))
	if f.live == nil {
		keys := make([]int64, len(f.rows))
		for i := range keys {
			keys[i] = int64(i + 1)
		}
		if f.live, err = dynamic.Start(in, gidOf, keys); err != nil {
			t.Fatal(err)
		}
		f.sealed, f.options.Promises = []*anonymize.Release{r}, r.Promises
		return
	}
	before := f.in[len(f.in)-2]
	changed := &anonymize.Changed{Columns: f.columns(before)}
	for i := range len(f.rows) - before {
		changed.Key, changed.Row = append(changed.Key, int64(before+i+1)), append(changed.Row, i)
	}
	f.options.Before = f.sealed[len(f.sealed)-1]
	next, err := dynamic.Sealed(t.Context(), f.live, changed, f.options)
	if err != nil || next.Waiting > 0 {
		t.Fatalf("%v, %d wait", err, next.Waiting)
	}
	f.live, f.sealed = next.Live, append(f.sealed, next.Release)
}
