package privacy_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

func small(t testing.TB) *anonymize.Release {
	return anontest.Release(t,
		anontest.Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Age  Sex  Count
1    30   F    2
1    40   M    1
2    30   F    1
2    50   M    1`},
		anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Disease  Count
1    flu      1
1    cold     1
1    NULL     1
2    flu      2`})
}

func TestVerify(t *testing.T) {
	r := small(t)
	r.Promises = []anonymize.Promise{
		{Guarantee: "alpha", Bound: anonymize.MustRatio("2/3")},
		{Guarantee: "beta", Bound: anonymize.MustRatio("0.9")},
		{Guarantee: "lift", Bound: anonymize.MustRatio("2")}}
	got, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	// In group 1: alpha 2/3, beta 1/3, gamma 2/9, delta |3/5-1/3| = 4/15, lift
	// 5/3. In group 2: 1/2, 1, 1/2, |3/5-1| = 2/5, 5/3.
	want := []string{
		"k 1.0000 in 0, - true: in qi1, Age = 40 and Sex = 'M'",
		"alpha 0.6667 in 0, 0.6667 (2/3) true: in qi1, Age = 30 and Sex = 'F' is 2 of 3 records",
		"beta 1.0000 in 1, 0.9 false: Disease = 'flu' is 2 of 2 records",
		"gamma 0.5000 in 1, - true: qi1 1/2 x sa 2/2",
		"presence 1.0000 in 1, - true: 2 records x qi1 1/2 x sa 2/2",
		"delta 0.4000 in 1, - true: Disease = 'flu' is 2 of 2 records, 3 of 5 in the release",
		"lift 1.6667 in 0, 2 true: Disease = NULL is 1 of 3 records, 1 of 5 in the release",
		"l 1.0000 in 1, - true: in sa, Disease = 'flu' is 2 of 2 records",
		"distinct 1.0000 in 1, - true: in sa, Disease has 1 value in 2 records",
		"entropy 1.0000 in 1, - true: in sa, Disease has 1 value in 2 records, Disease = 'flu' is 2 of 2 records",
		"t_equal 0.4000 in 1, - true: in sa, Disease = 'flu' is 2 of 2 records, 3 of 5 in the release",
		"background 1.0000 in 1, - true: in sa, Disease = 'flu' is 2 of 2 records, one other known; with 2, 3, 4 known at most 1, 1, 1",
		"breach 1.0000 in 1, - true: Disease = 'flu' of the 1 with Age = 50 and Sex = 'M'",
	}
	if len(got) != len(want) {
		t.Fatalf("%d guarantees, want %d", len(got), len(want))
	}
	for i, g := range got {
		required := "-"
		if g.Required != nil {
			required = g.Required.String()
		}
		line := fmt.Sprintf("%s %.4f in %d, %s %v: %s", g.Name, g.Achieved, g.WorstGroup, required, g.Holds, g.Detail)
		if line != want[i] {
			t.Errorf("got  %s\nwant %s", line, want[i])
		}
	}
	err = privacy.FirstBroken(got)
	var broken *privacy.BrokenError
	if !errors.As(err, &broken) || err.Error() != "beta is 1 in group 2, promised was at most 0.9: Disease = 'flu' is 2 of 2 records" {
		t.Error(err)
	}
	if err := privacy.FirstBroken(got[:1]); err != nil {
		t.Error(err)
	}
}

// Presence is capped at 1, gamma is not rounded: at the exact bound it holds,
// a hair below it does not, beyond what a float64 tells apart.
func TestBoundsAreExact(t *testing.T) {
	third := anonymize.MustRatio("1/3")
	below := anonymize.NewRatio(333333333333333333, 1000000000000000001)
	if third.Float() != below.Float() {
		t.Fatal("the bounds differ as floats: the test shows nothing")
	}
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  1
1    b  1
1    c  1`})
	for bound, holds := range map[anonymize.Ratio]bool{third: true, below: false} {
		for _, name := range []string{"beta", "gamma"} {
			r.Promises = []anonymize.Promise{{Guarantee: name, Bound: bound}}
			got, err := privacy.Verify(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := privacy.FirstBroken(got); (err == nil) != holds {
				t.Errorf("%s, bound %d/%d: %v", name, bound.Num, bound.Den, err)
			}
		}
	}
}

// generalized makes the first column of a fragment of small one of cells, the first
// of which all tuples have.
func generalized(fragment int, cells ...anonymize.Cell) func(*anonymize.Release) {
	return func(r *anonymize.Release) {
		f := r.Fragments[fragment]
		f.Columns[0].Cells = cells
		for i := range f.Columns[0].Codes {
			f.Columns[0].Codes[i] = 0
		}
		// One cell, so tuples of a group must differ elsewhere or be one.
		f.Columns[0].Codes = f.Columns[0].Codes[:2]
		f.Columns = f.Columns[:1]
		f.GroupStart, f.Count = []uint32{0, 1, 2}, []uint32{3, 2}
	}
}

// either is a cell of both values.
var either = anonymize.Cell{Label: "*", Members: []uint32{0, 1}}

// Nothing holds by not being looked at.
func TestPromisesThatCannotBeChecked(t *testing.T) {
	weighted := anonymize.Cell{Label: "?", Members: []uint32{0, 1}, Weights: []float64{math.Pi - 3, 4 - math.Pi}}
	for name, c := range map[string]struct {
		change   func(*anonymize.Release)
		promised string
		reason   string
	}{
		"unknown": {nil, "zeta", "no checker knows it"},
		"no name": {nil, "", "no checker knows it"},
		"alpha of generalized cells": {generalized(0, either), "alpha",
			"column Age of fragment qi1 has cells of more than one value"},
		"gamma of generalized cells": {generalized(0, either), "gamma",
			"column Age of fragment qi1 has cells of more than one value"},
		"background of generalized cells": {generalized(1, either), "background",
			"column Disease of fragment sa has cells of more than one value"},
		"weights without a common denominator": {generalized(1, weighted), "delta",
			"column Disease of fragment sa has a cell, \"?\", whose weights have no common denominator up to 1048576"},
		"no sensitive attribute": {func(r *anonymize.Release) { r.Fragments = r.Fragments[:1] }, "beta",
			"no fragment has the sensitive attribute"},
		"no quasi-identifiers": {func(r *anonymize.Release) { r.Fragments = r.Fragments[1:] }, "alpha",
			"no fragment has the quasi-identifiers"},
		"a mixed fragment": {func(r *anonymize.Release) { r.Fragments[0].Role = anonymize.Mixed }, "alpha",
			"fragment qi1 mixes quasi-identifiers with sensitive attributes"},
		"no fragments": {func(r *anonymize.Release) { r.Fragments = nil }, "presence",
			"the release has no fragments"},
		"too few values for recursive": {nil, "recursive",
			"no c makes group 2 (c, 2)-diverse: in sa, Disease has 1 value in 2 records"},
		"an order of texts": {nil, "t_ordered",
			"no sensitive attribute is numeric"},
	} {
		t.Run(name, func(t *testing.T) {
			promises := []anonymize.Promise{{Guarantee: c.promised, Bound: anonymize.MustRatio("0.5")}}
			refused(t, c.change, promises, c.promised+" was promised and cannot be checked: "+c.reason)
		})
	}
}

// refused asks that small, changed and with these promises, is an error of Verify.
func refused(t *testing.T, change func(*anonymize.Release), promises []anonymize.Promise, want string) {
	t.Helper()
	r := small(t)
	if change != nil {
		change(r)
	}
	r.Promises = promises
	if _, err := privacy.Verify(r); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestPromisesThatAreNone(t *testing.T) {
	half := anonymize.MustRatio("0.5")
	refused(t, nil, []anonymize.Promise{{Guarantee: "beta", Bound: half}, {Guarantee: "beta", Bound: half}}, "beta is promised twice")
	refused(t, nil, []anonymize.Promise{{Guarantee: "beta"}}, "beta is promised without a bound")
}

func TestMalformedReleases(t *testing.T) {
	cell := func(c anonymize.Cell) func(*anonymize.Release) { return generalized(0, c) }
	for name, c := range map[string]struct {
		change func(*anonymize.Release)
		want   string
	}{
		"a record too many": {func(r *anonymize.Release) { r.Rows++ }, "the groups have 5 records, the release 6"},
		"no records":        {func(r *anonymize.Release) { *r = anonymize.Release{} }, "it has no records"},
		"a cell of nothing": {cell(anonymize.Cell{Label: "[]"}),
			`fragment qi1: column Age: cell "[]" stands for no value`},
		"a member that is no value": {cell(anonymize.Cell{Label: "[9]", Members: []uint32{9}}),
			`fragment qi1: column Age: cell "[9]" has member 9, beyond its 3 values`},
		"members that descend": {cell(anonymize.Cell{Label: "[1,0]", Members: []uint32{1, 0}}),
			`fragment qi1: column Age: cell "[1,0]" has members that are not ascending`},
		"a weight too few": {cell(anonymize.Cell{Label: "x", Members: []uint32{1}, Weights: []float64{}}),
			`fragment qi1: column Age: cell "x" has 0 weights for 1 members`},
		"weights of less than one": {cell(anonymize.Cell{Label: "x", Members: []uint32{0, 1}, Weights: []float64{.3, .6}}),
			`fragment qi1: column Age: cell "x" has weights that sum to 0.9`},
		"a weight below 0": {cell(anonymize.Cell{Label: "x", Members: []uint32{0, 1}, Weights: []float64{1.5, -.5}}),
			`fragment qi1: column Age: cell "x" has weight -0.5`},
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.change, nil, "the release is malformed: "+c.want) })
	}
}

// What was not promised and cannot be checked is left out.
func TestUnpromisedIsLeftOut(t *testing.T) {
	r := small(t)
	generalized(0, either)(r)
	got, err := privacy.Verify(r)
	var names []string
	for _, g := range got {
		names = append(names, g.Name)
	}
	if err != nil || strings.Join(names, " ") != "k beta delta lift l distinct entropy t_equal background breach" {
		t.Errorf("%v, %v", names, err)
	}
}

func TestEmptyGroup(t *testing.T) {
	r := small(t)
	r.GroupSizes = append(r.GroupSizes, 0)
	for _, f := range r.Fragments {
		f.GroupStart = append(f.GroupStart, f.GroupStart[2])
	}
	if _, err := privacy.Verify(r); err == nil || err.Error() != "the release is malformed: group 3 has no records" {
		t.Error(err)
	}
}

// A record of a set cell counts in equal parts for its values: {a, b} twice and
// b once among three records are 1 of a, 2 of b.
func TestSensitiveSets(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  2
1    b  1
2    a  1
2    b  1
2    c  1`})
	r.Fragments[0].Columns[0].Cells = []anonymize.Cell{
		{Label: "{a,b}", Members: []uint32{0, 1}}, {Label: "b", Members: []uint32{1}}, {Label: "{a,b,c}", Members: []uint32{0, 1, 2}}}
	r.Promises = []anonymize.Promise{{Guarantee: "beta", Bound: anonymize.MustRatio("2/3")}}
	got, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	// Group 2: a 1/2+1/3, b 1/2+1+1/3, c 1/3. In all: a 11/6, b 23/6, c 1/3 of 6.
	want := []string{
		"beta 0.6667 in 0 true: s = 'b' is 2 of 3 records",
		"delta 0.0556 in 0 true: s = 'c' is 0 of 3 records, 0.3333 (expected) of 6 in the release",
		"lift 2.0000 in 1 true: s = 'c' is 0.3333 (expected) of 3 records, 0.3333 (expected) of 6 in the release",
		"l 1.0000 in 0 true: in sa, s = 'b' is 1/1 of the cell b",
		"distinct 1.0000 in 0 true: in sa, s has 1 value in the cell b",
		"entropy 1.0000 in 0 true: in sa, s has 1 value in the cell b, s = 'b' is 1/1 of the cell b",
		"t_equal 0.0556 in 0 true: in sa, s = 'a' is 1 of 3 records, 1.833 (expected) of 6 in the release",
	}
	for i, g := range got {
		line := fmt.Sprintf("%s %.4f in %d %v: %s", g.Name, g.Achieved, g.WorstGroup, g.Holds, g.Detail)
		if line != want[i] {
			t.Errorf("got  %s\nwant %s", line, want[i])
		}
	}
}

// Against big rationals, value by value and group by group, on random releases.
func TestOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		r := randomRelease(random)
		got, err := privacy.Verify(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range got {
			if _, ok := slowDiversity(r, g.Name, 0); ok {
				continue // see TestDiversityOracle
			}
			if g.Name == "k" || g.Name == "breach" {
				continue // see TestAnonymity and TestBreachOracle
			}
			want, _ := slow(r, g.Name).Float64()
			if g.Achieved != want {
				t.Fatalf("%s is %v, by the slow way %v", g.Name, g.Achieved, want)
			}
			if there, _ := slowGroup(r, g.Name, g.WorstGroup).Float64(); there != want {
				t.Fatalf("%s is %v in group %d, not %v", g.Name, there, g.WorstGroup, want)
			}
		}
	}
}

// randomRelease has 1 to 6 groups, up to 12 QI fragments (so that products leave
// 64 bits) and one sensitive fragment, of one column each.
func randomRelease(random *rand.Rand) *anonymize.Release {
	r := &anonymize.Release{}
	for range 1 + random.IntN(6) {
		size := 1 + random.Uint32N(1000)
		r.GroupSizes = append(r.GroupSizes, size)
		r.Rows += int(size)
	}
	fragments := 1 + random.IntN(12)
	for i := range fragments + 1 {
		f := &anonymize.Fragment{Name: fmt.Sprint("qi", i), Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
		if i == fragments {
			f.Role = anonymize.Sensitive
		}
		c := &anonymize.FragmentColumn{Name: fmt.Sprint("c", i)}
		for v := range 4 {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for _, size := range r.GroupSizes {
			left := size
			for code := range uint32(4) {
				n := random.Uint32N(left + 1)
				if code == 3 {
					n = left
				}
				if n > 0 {
					c.Codes, f.Count = append(c.Codes, code), append(f.Count, n)
					left -= n
				}
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
		f.Columns = []*anonymize.FragmentColumn{c}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

func slow(r *anonymize.Release, name string) *big.Rat {
	worst := new(big.Rat)
	for g := range r.GroupSizes {
		if x := slowGroup(r, name, g); x.Cmp(worst) > 0 {
			worst = x
		}
	}
	return worst
}

func slowGroup(r *anonymize.Release, name string, g int) *big.Rat {
	size := int64(r.GroupSizes[g])
	counts := func(f *anonymize.Fragment, from, to int) (n [4]int64) {
		for t := f.GroupStart[from]; t < f.GroupStart[to]; t++ {
			n[f.Columns[0].Codes[t]] += int64(f.Count[t])
		}
		return n
	}
	worst, product := new(big.Rat), big.NewRat(1, 1)
	raise := func(x *big.Rat) {
		if x.Cmp(worst) > 0 {
			worst = x
		}
	}
	for _, f := range r.Fragments {
		here, all := counts(f, g, g+1), counts(f, 0, r.Groups())
		product.Mul(product, big.NewRat(max(here[0], here[1], here[2], here[3]), size))
		for v := range here {
			share, prior := big.NewRat(here[v], size), big.NewRat(all[v], int64(r.Rows))
			switch {
			case name == "alpha" && f.Role == anonymize.QuasiIdentifying, name == "beta" && f.Role == anonymize.Sensitive:
				raise(share)
			case name == "delta" && f.Role == anonymize.Sensitive:
				d := new(big.Rat).Sub(share, prior)
				raise(d.Abs(d))
			case name == "lift" && f.Role == anonymize.Sensitive && all[v] > 0:
				raise(new(big.Rat).Quo(share, prior))
			}
		}
	}
	switch name {
	case "gamma":
		return product
	case "presence":
		if product.Mul(product, big.NewRat(size, 1)); product.Cmp(big.NewRat(1, 1)) > 0 {
			return big.NewRat(1, 1)
		}
		return product
	}
	return worst
}

func TestComplete(t *testing.T) {
	table := anontest.Parse(t, `
Age Sex Disease
30  F   flu
30  F   cold
40  M   NULL
30  F   flu
50  M   flu`)
	if err := privacy.Complete(small(t), table.Columns); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		change func(*anonymize.Release)
		want   string
	}{
		{func(r *anonymize.Release) { r.Fragments[0].Columns[0].Codes[3] = 1 }, "40 and Sex = 'M'"},
		// The same ages, the same sexes, other pairs.
		{func(r *anonymize.Release) {
			r.Fragments[0].Columns[1].Codes[2], r.Fragments[0].Columns[1].Codes[3] = 1, 0
		}, "records more in the table than in the release"},
		{func(r *anonymize.Release) { r.Fragments[1].Columns[0].Codes[3] = 0 }, "Disease = NULL: -2 records more"},
		{func(r *anonymize.Release) { r.Fragments = r.Fragments[:1] }, "column Disease is in no fragment"},
		{func(r *anonymize.Release) { r.Fragments = append(r.Fragments, r.Fragments[1]) }, "fragment sa: column Disease is published twice or not the table's"},
		{func(r *anonymize.Release) { r.Fragments[0].Columns[0].Name = "age" }, "column age is published twice or not the table's"},
		{func(r *anonymize.Release) { r.Rows, r.GroupSizes[1] = 4, 1; halve(r) }, "the release has 4 records, the table 5"},
		{func(r *anonymize.Release) { r.Fragments[1].Columns[0].Dictionary[2] = anonymize.TextValue("cough") }, "Disease = flu is not in its dictionary"},
		{func(r *anonymize.Release) { r.Fragments[0].Count[0]++ }, "malformed"},
	} {
		r := small(t)
		c.change(r)
		if err := privacy.Complete(r, table.Columns); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v\nwant ... %s", err, c.want)
		}
	}
}

// halve takes a record out of group 2.
func halve(r *anonymize.Release) {
	f := r.Fragments[0]
	f.GroupStart[2], f.Count = 3, f.Count[:3]
	for _, c := range f.Columns {
		c.Codes = c.Codes[:3]
	}
	r.Fragments[1].Count[3] = 1
}

func TestCompleteWithCells(t *testing.T) {
	release := func(cells ...anonymize.Cell) *anonymize.Release {
		r := anontest.Release(t, anontest.Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Age  Count
1    30   2
1    40   1`})
		r.Fragments[0].Columns[0].Cells = cells
		return r
	}
	table := anontest.Parse(t, "Age\n30\n40\n40")
	either, forty := anonymize.Cell{Label: "[30-40]", Members: []uint32{0, 1}}, anonymize.Cell{Label: "40", Members: []uint32{1}}
	if err := privacy.Complete(release(either, forty), table.Columns); err != nil {
		t.Error(err)
	}
	err := privacy.Complete(release(forty, either), anontest.Parse(t, "Age\n30\n30\n40").Columns)
	if err == nil || err.Error() != "fragment qi1: Age = 30 is 2 records of the table, the release leaves room for 0 to 1" {
		t.Error(err)
	}
}

// A column of many values goes through the map instead of the array.
func TestCompleteOfManyValues(t *testing.T) {
	const n = 3000
	values := make([]anonymize.Value, n)
	codes, counts := make([]uint32, n), make([]uint32, n)
	for i := range n {
		values[i], codes[i], counts[i] = anonymize.IntegerValue(int64(i)), uint32(i), 1
	}
	a, b := anonymize.NewColumn("a", "", values), anonymize.NewColumn("b", "", values)
	r := &anonymize.Release{Rows: n, GroupSizes: []uint32{n}, Fragments: []*anonymize.Fragment{{Name: "qi1",
		Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0, n}, Count: counts, Columns: []*anonymize.FragmentColumn{
			{Name: "a", Dictionary: values, Codes: codes}, {Name: "b", Dictionary: values, Codes: codes}}}}}
	if err := privacy.Complete(r, []*anonymize.Column{a, b}); err != nil {
		t.Error(err)
	}
	b.Codes[0], b.Codes[1] = b.Codes[1], b.Codes[0]
	if err := privacy.Complete(r, []*anonymize.Column{a, b}); err == nil {
		t.Error("other pairs of the same values passed")
	}
}

// k counts equal tuples over all groups, of points and of cells alike.
func TestAnonymity(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		r := &anonymize.Release{}
		f := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
		points := &anonymize.FragmentColumn{Name: "a", Dictionary: []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2)}}
		cells := &anonymize.FragmentColumn{Name: "b", Dictionary: points.Dictionary, Cells: []anonymize.Cell{
			{Label: "1", Members: []uint32{0}}, {Label: "[1-2]", Members: []uint32{0, 1}}}}
		f.Columns = []*anonymize.FragmentColumn{points, cells}
		records, least := map[[2]uint32]int{}, 0
		for range 1 + random.IntN(4) {
			size := uint32(0)
			for tuple := range uint32(4) {
				if n := random.Uint32N(3); n > 0 {
					points.Codes, cells.Codes, f.Count = append(points.Codes, tuple/2), append(cells.Codes, tuple%2), append(f.Count, n)
					records[[2]uint32{tuple / 2, tuple % 2}] += int(n)
					size += n
				}
			}
			if size == 0 {
				points.Codes, cells.Codes, f.Count, size = append(points.Codes, 0), append(cells.Codes, 0), append(f.Count, 1), 1
				records[[2]uint32{}]++
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
			r.GroupSizes, r.Rows = append(r.GroupSizes, size), r.Rows+int(size)
		}
		r.Fragments = []*anonymize.Fragment{f}
		for _, n := range records {
			if least == 0 || n < least {
				least = n
			}
		}
		got, err := privacy.Verify(r)
		if err != nil || len(got) == 0 || got[0].Name != "k" || got[0].Achieved != float64(least) {
			t.Fatalf("%v, %v, want k = %d", got, err, least)
		}
	}
}

// Every interval counts, whichever classes its values might be in: of 3 to 9 and a threshold of 1, 4 and 5 are close, and so are 5 and 6.
func TestThresholdIsOfIntervals(t *testing.T) {
	for text, want := range map[string]string{
		"3 5 9": "",
		"4 5 9": "l_threshold is 1.5 in group 2, promised was at least 3: in sa, wage from 4 to 5 is 2 of 3 records; numbers within 1 of each other count as one",
		"3 4 9": "l_threshold is 1.5 in group 2, promised was at least 3: in sa, wage from 3 to 4 is 2 of 3 records; numbers within 1 of each other count as one",
		"5 6 9": "l_threshold is 1.5 in group 2, promised was at least 3: in sa, wage from 5 to 6 is 2 of 3 records; numbers within 1 of each other count as one",
	} {
		rows := "\nGID wage Count" // group 1 has all values
		for _, wage := range []string{"3", "4", "5", "6", "9", "12"} {
			rows += "\n1 " + wage + " 1"
		}
		for _, wage := range strings.Fields(text) {
			rows += "\n2 " + wage + " 1"
		}
		r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: rows})
		r.Promises = []anonymize.Promise{{Guarantee: "l_threshold", Bound: anonymize.MustRatio("3"), Threshold: anonymize.MustRatio("1")}}
		got, err := privacy.Verify(r)
		if err != nil {
			t.Fatal(err)
		}
		if err = privacy.FirstBroken(got); want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// With a threshold, 4 and 5 are of one class: 2 of 3 records.
func TestThreshold(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  wage  Count
1    4     1
1    5     1
1    9     1`})
	r.Promises = []anonymize.Promise{{Guarantee: "l", Bound: anonymize.MustRatio("3")}, {Guarantee: "l_threshold", Bound: anonymize.MustRatio("2"), Threshold: anonymize.MustRatio("1")}}
	got, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	err = privacy.FirstBroken(got)
	if err == nil || err.Error() != "l_threshold is 1.5 in group 1, promised was at least 2: in sa, wage from 4 to 5 is 2 of 3 records; numbers within 1 of each other count as one" {
		t.Error(err)
	}
}
