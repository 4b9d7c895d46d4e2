package misfit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// missing is a comparison of cells of which some are off by a share, at the spread of
// tables given.
func missing(a, b string, cells, off int, by float64) comparison {
	c := comparison{a: a, b: b, cells: slices.Repeat([]cell{{known: 100, mean: 100, independent: 100}}, cells)}
	for i := range off {
		c.cells[i].known = 100 - 100*by
	}
	return c
}

// Deviation 135: r is the least of eleven that leaves one cell in twenty-five out, and a single
// cell never decides.
func TestDeviation135_OneCellInTwentyFive(t *testing.T) {
	for _, c := range []struct {
		cells, off int
		by, want   float64
	}{{50, 2, .4, 0}, {50, 3, .11, .1}, {49, 2, .11, .1}, {10, 1, .4, 0}, {10, 2, .11, .1}, {1, 1, .9, 0}, {40, 40, 1.9, 1}} {
		pair := missing("a", "b", c.cells, c.off, c.by)
		if got := pair.ratio(1); got != c.want {
			t.Errorf("%d of %d cells are off by %v: r is %v, want %v", c.off, c.cells, c.by, got, c.want)
		}
	}
	// What the tables differ by needs no r; what is less than t deviations of it is covered.
	spread := comparison{cells: slices.Repeat([]cell{{known: 120, mean: 100, variance: 100}}, 40)}
	if got := spread.ratio(1); got != 0 {
		t.Errorf("r is %v where the tables differ enough", got)
	}
	if got := spread.ratio(.25); got == 0 {
		t.Error("r is 0 where they do not")
	}
}

// concluded are the pairs of a release of which all records were looked at.
func concluded(t *testing.T, r *anonymize.Release, pretended, republished []comparison) []Pair {
	t.Helper()
	return (&measurer{release: r, spread: 1}).conclude(pretended, &sight{pairs: republished}, &sight{}, &sight{}).Pairs
}

// Deviation 136: no pair has less than related pairs together, whatever its own cells say,
// and one without cells has at least a tenth. Related pairs share an attribute. Of the age,
// of 40 values, the model has 16 bins, so that pairs with it are related to each other only.
func TestDeviation136_AFloorForEveryPair(t *testing.T) {
	r := &anonymize.Release{Rows: 100}
	for i, name := range []string{"age", "cut", "day", "sex", "zip"} {
		c, f := &anonymize.FragmentColumn{Name: name}, &anonymize.Fragment{}
		for v := range []int{40, 2, 3, 4, 5}[i] {
			c.Dictionary, c.Codes = append(c.Dictionary, anonymize.IntegerValue(int64(v))), append(c.Codes, uint32(v))
			f.Count = append(f.Count, 1)
		}
		f.Columns = []*anonymize.FragmentColumn{c}
		r.Fragments = append(r.Fragments, f)
	}
	good, other := missing("day", "zip", 30, 0, 0), missing("sex", "zip", 30, 0, 0)
	for _, c := range []struct {
		name                   string
		pretended, republished []comparison
		want                   string // of three pairs
	}{
		{"one good pair", nil, []comparison{good}, "age zip 0.1, day zip 0, sex zip 0.1"},
		{"a bad one that shares an attribute", nil, []comparison{good, other, missing("cut", "day", 30, 10, .2)}, "age zip 0.2, day zip 0.2, sex zip 0"},
		{"a bad one of others", nil, []comparison{good, other, missing("age", "cut", 30, 10, .2)}, "age zip 0.2, day zip 0, sex zip 0"},
		{"a split that goes wrong says nothing of attributes that it has not", []comparison{missing("cut", "day", 30, 10, .3), missing("sex", "zip", 30, 0, 0)},
			[]comparison{good, other}, "age zip 0.1, day zip 0.3, sex zip 0"},
	} {
		var list []string
		for _, p := range concluded(t, r, c.pretended, c.republished) {
			if p.B == "zip" && p.A != "cut" {
				list = append(list, fmt.Sprint(p.A, " ", p.B, " ", p.Ratio))
			}
		}
		if got := strings.Join(list, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Deviation 137: an association is chi-square beyond Eq. 11 without what tables differ by;
// the fragments answer where more of it is invented than is left, from a tenth on.
func TestDeviation137_Invented(t *testing.T) {
	// Two cells of 100 records are off by 30 and 20, each with a variance of 100.
	c := comparison{cells: []cell{{mean: 130, independent: 100, variance: 100}, {mean: 80, independent: 100, variance: 100}}}
	if got, want := c.association(), math.Round(1000*math.Sqrt((800+300)/100./200))/1000; got != want {
		t.Errorf("the association is %v, want %v", got, want)
	}
	for i := range c.cells {
		c.cells[i].variance = 2000
	}
	if got := c.association(); got != 0 {
		t.Errorf("tables that differ by more than it show an association of %v", got)
	}
	for _, c := range []struct {
		invented, associated float64
		want                 bool
	}{{.3, .4, true}, {.3, .45, false}, {.09, .09, false}, {.11, .11, true}, {.3, .2, true}} {
		m := &Misfit{Pairs: []Pair{{A: "a", B: "b", Invented: c.invented, Associated: c.associated}}}
		if got := m.Independent([]string{"b", "a"}); got != c.want {
			t.Errorf("invented %v of %v: the fragments answer: %v", c.invented, c.associated, got)
		}
	}
}

// Deviation 138: whole groups of a part of the records are looked at, and the tables'
// spread, which is wider there, counts four fifths; the cells are those that have twenty of
// the records that are looked at, one in a thousand of fewer, and half as many where the
// means of two publications count.
func TestDeviation138_APartOfTheGroups(t *testing.T) {
	_, m, a, r, c := published(t, 2000, "anatomy", "l", "4")
	roles := made(2000, 1).roles
	for _, of := range []struct {
		records     int
		spread      float64
		all         bool
		least, most int
	}{{500, sampleSpread, false, 490, 500}, {2000, 1, true, 2000, 2000}} {
		got := newMeasurer(r, c, Recipe{m, a, roles, nil}, Options{Records: of.records})
		if got.spread != of.spread || (got.release == r) != of.all || got.release.Rows < of.least || got.release.Rows > of.most || got.alone != minRecords || got.least != minRecords {
			t.Errorf("%d records: %d are looked at, cells of %d, spread %v", of.records, got.release.Rows, got.least, got.spread)
		}
	}
	if got := newMeasurer(r, c, Recipe{m, a, roles, nil}, Options{}); got.least != max(minRecords, got.alone/2) {
		t.Errorf("means have cells of %d records, single publications of %d", got.least, got.alone)
	}
	for looked, want := range map[int]int{500: 5, 5_500: 6, 8_000: 8, 20_000: 20, 1_000_000: 20} {
		if got := aloneOf(looked); got != want {
			t.Errorf("of %d records cells of %d are compared, want %d", looked, got, want)
		}
	}
	some, tables, _ := sampled(r, c, 500, rand.New(rand.NewPCG(1, 1)))
	if some.Groups() < 100 || slices.Max(some.GroupSizes) > slices.Max(r.GroupSizes) || tables.Check(t.Context(), some) != nil {
		t.Errorf("%d groups are not whole", some.Groups())
	}
}
