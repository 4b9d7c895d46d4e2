package demand_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// bounds are the tested bounds of each promise.
var bounds = map[string][]string{
	"size": {"2", "6", "12"}, "distinct": {"2", "3", "4"}, "entropy": {"1.5", "2", "3"}, "recursive": {"1", "2", "7/2"},
	"t_equal": {"0.1", "1/4", "1/2"}, "t_ordered": {"0.1", "1/4", "1/2"}, "t_hierarchical": {"0.1", "1/4", "1/2"},
	"beta_likeness": {"0.5", "1", "3"}, "enhanced_beta_likeness": {"0.5", "1", "3"}, "delta_disclosure": {"0.5", "1", "2"},
	"range": {"1/2", "1", "2", "3"}, "l_threshold": {"3/2", "2", "3"}, "l_sets": {"3/2", "2", "3"},
}

// pairs is a tree over 0 to 3.
func pairs(t *testing.T) *anonymize.Taxonomy {
	t.Helper()
	tree, err := anonymize.TaxonomyOfPaths([][]string{{"0", "low", "*"}, {"1", "low", "*"}, {"2", "high", "*"}, {"3", "high", "*"}},
		func(text string) (anonymize.Value, error) { return anonymize.IntegerValue(int64(text[0] - '0')), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// tableOf is an input of records of 4 values, in two classes.
func tableOf(random *rand.Rand, tree *anonymize.Taxonomy) (in *anonymize.Input, counts [2][]uint32) {
	var values []anonymize.Value
	for class := range counts {
		counts[class] = make([]uint32, 4)
		for range 1 + random.IntN(14) {
			v := random.IntN(4)
			counts[class][v]++
			values = append(values, anonymize.IntegerValue(int64(v)))
		}
	}
	c := anonymize.NewColumn("s", "int", values)
	in = &anonymize.Input{Sensitive: []*anonymize.Column{c}, Rows: len(values), Domains: map[string]*anonymize.Domain{"s": {Scale: anonymize.Semantic, Taxonomy: tree}}}
	for class := range counts { // as the dictionary has them
		var dense []uint32
		for _, v := range c.Dictionary {
			dense = append(dense, counts[class][v.Int])
		}
		counts[class] = dense
	}
	return in, counts
}

// releaseOf publishes the two classes.
func releaseOf(in *anonymize.Input, counts [2][]uint32) *anonymize.Release {
	c := &anonymize.FragmentColumn{Name: "s", Dictionary: in.Sensitive[0].Dictionary}
	f := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, Columns: []*anonymize.FragmentColumn{c}, GroupStart: []uint32{0}}
	r := &anonymize.Release{Rows: in.Rows, Fragments: []*anonymize.Fragment{f}}
	for _, count := range counts {
		size := uint32(0)
		for code, n := range count {
			if n > 0 {
				c.Codes, f.Count, size = append(c.Codes, uint32(code)), append(f.Count, n), size+n
			}
		}
		f.GroupStart, r.GroupSizes = append(f.GroupStart, uint32(len(f.Count))), append(r.GroupSizes, size)
	}
	return r
}

// present returns the values with a count, from the last one.
func present(count []uint32) (values []uint32) {
	for v := range count {
		if v = len(count) - 1 - v; count[v] > 0 {
			values = append(values, uint32(v))
		}
	}
	return values
}

// keeps verifies a promise with package privacy.
func keeps(t *testing.T, r *anonymize.Release, p anonymize.Promise, tree *anonymize.Taxonomy) bool {
	t.Helper()
	if p.Guarantee == "t_hierarchical" {
		var err error
		if p.Hierarchy, err = privacy.HierarchyOf(r, "s", tree); err != nil {
			t.Fatal(err)
		}
	}
	r.Promises = []anonymize.Promise{p}
	guarantees, err := privacy.Verify(r)
	var cannot *privacy.CannotCheckError
	if errors.As(err, &cannot) { // no bound mends it
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return privacy.FirstBroken(guarantees) == nil
}

// Two classes are admitted if and only if their release keeps the promise, and their union
// is then admitted, too.
func TestDemandsMeanWhatPrivacySays(t *testing.T) {
	random, tree := rand.New(rand.NewPCG(1, 1)), pairs(t)
	admitted, refused := make(map[string]int), make(map[string]int)
	for range 600 {
		in, counts := tableOf(random, tree)
		r := releaseOf(in, counts)
		for _, name := range slices.Sorted(maps.Keys(bounds)) {
			texts := bounds[name]
			p := anonymize.Promise{Guarantee: name, Bound: anonymize.MustRatio(texts[random.IntN(len(texts))])}
			if name == "recursive" {
				p.Threshold = anonymize.NewRatio(uint64(2+random.IntN(2)), 1)
			}
			switch name {
			case anonymize.LThreshold:
				p.Threshold, p.Relative = anonymize.NewRatio(uint64(1+random.IntN(2)), 2), random.IntN(2) == 0
			case anonymize.LSets:
				p.Separator = ";"
			}
			in.Asked = []anonymize.Promise{p}
			want := keeps(t, r, p, tree)
			d, err := demand.ForAttribute(in, in.Sensitive[0])
			if err != nil {
				if want || !errors.As(err, new(*anonymize.InfeasibleError)) {
					t.Fatalf("%+v of %v: %v", p, counts, err)
				}
				continue
			}
			got := d.Admits(counts[0], present(counts[0]), int(r.GroupSizes[0])) && d.Admits(counts[1], present(counts[1]), int(r.GroupSizes[1]))
			if got != want {
				t.Fatalf("%s %s of %v: admitted %v, privacy says %v", name, p.Bound, counts, got, want)
			}
			if got {
				admitted[name]++
			} else {
				refused[name]++
			}
		}
	}
	for name := range bounds {
		if admitted[name] < 10 || refused[name] < 10 {
			t.Errorf("%s was admitted %d times and refused %d times", name, admitted[name], refused[name])
		}
	}
}

// Promises about another attribute, about a tuple, or not about values do not concern an attribute.
func TestDemandsOfOthers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	in, counts := tableOf(random, pairs(t))
	for _, name := range []string{"distinct(other)", "distinct(s,other)", "k", "breach"} {
		in.Asked = []anonymize.Promise{{Guarantee: name, Bound: anonymize.MustRatio("4")}}
		if d, err := demand.ForAttribute(in, in.Sensitive[0]); d != nil || err != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if all, err := demand.OfEach(in, in.Sensitive); all != nil || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if !(*demand.Demand)(nil).Admits(counts[0], nil, 1) {
		t.Error("nothing asked, and not admitted")
	}
	in.Asked = []anonymize.Promise{{Guarantee: "distinct(s)", Bound: anonymize.MustRatio("5")}}
	_, err := demand.OfEach(in, in.Sensitive)
	if infeasible, ok := errors.AsType[*anonymize.InfeasibleError](err); !ok || infeasible.Parameter != "distinct(s)" {
		t.Errorf("five of four values: %v", err)
	}
}

// A class between two that are admitted is never smaller for it: unions are admitted.
func TestUnionsAreAdmitted(t *testing.T) {
	random, tree, seen := rand.New(rand.NewPCG(2, 2)), pairs(t), 0
	for range 2000 {
		in, counts := tableOf(random, tree)
		for _, name := range slices.Sorted(maps.Keys(bounds)) {
			texts := bounds[name]
			in.Asked = append(in.Asked, anonymize.Promise{Guarantee: name, Bound: anonymize.MustRatio(texts[random.IntN(len(texts))]),
				Threshold: anonymize.NewRatio(2, 1), Separator: ";"})
		}
		in.Asked = in.Asked[:1+random.IntN(len(in.Asked))]
		d, err := demand.ForAttribute(in, in.Sensitive[0])
		if err != nil {
			continue
		}
		// Two disjoint parts of the table.
		a, b := slices.Clone(counts[0]), make([]uint32, len(counts[0]))
		for v := range a {
			b[v] = random.Uint32N(a[v] + 1)
			a[v] -= b[v]
		}
		union := slices.Clone(counts[0])
		sum := func(count []uint32) (m int) {
			for _, n := range count {
				m += int(n)
			}
			return m
		}
		if sum(a) > 0 && sum(b) > 0 && d.Admits(a, present(a), sum(a)) && d.Admits(b, present(b), sum(b)) {
			seen++
			if !d.Admits(union, present(union), sum(union)) {
				t.Fatalf("%v and %v of %v are admitted, their union is not: %+v", a, b, counts, in.Asked)
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d pairs were admitted", seen)
	}
}
