package privacy_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// twoGroups has a release of 12: flu 6, cold 4, gout 2.
func twoGroups(t *testing.T) *anonymize.Release {
	return anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Disease  Count
1    flu      4
1    cold     1
1    gout     1
2    flu      2
2    cold     3
2    gout     1`})
}

// By hand: group 1 has flu 4/6 beside 6/12 (gain 1/3, and ln 2 allows .69), cold 1/6
// beside 4/12 (half), gout as the release. Group 2 has flu 2/6 (two thirds) and cold 3/6
// beside 4/12 (gain 1/2; ln 3 allows 1.1).
func TestLikenessByHand(t *testing.T) {
	for _, c := range []struct {
		name, bound string
		achieved    float64
		group       int
		holds       bool
		detail      string
	}{
		{"beta_likeness", "1/2", .5, 1, true, "in sa, Disease = 'cold' is 3 of 6 records, 4 of 12 in the release"},
		{"beta_likeness", "0.4999", .5, 1, false, "in sa, Disease = 'cold' is 3 of 6 records, 4 of 12 in the release"},
		{"enhanced_beta_likeness", "1/2", .5, 1, true, "in sa, Disease = 'cold' is 3 of 6 records, 4 of 12 in the release"},
		{"enhanced_beta_likeness", "0.49", .5, 1, false, "in sa, Disease = 'cold' is 3 of 6 records, 4 of 12 in the release"},
		{"delta_disclosure", "1", 1, 0, false, "in sa, Disease = 'cold' is 1 of 6 records, 4 of 12 in the release"},
		{"delta_disclosure", "1.0001", 1, 0, true, "in sa, Disease = 'cold' is 1 of 6 records, 4 of 12 in the release"},
	} {
		r := twoGroups(t)
		r.Promises = []anonymize.Promise{{Guarantee: c.name, Bound: anonymize.MustRatio(c.bound)}}
		g := anontest.Guarantees(t, r)[c.name]
		if math.Abs(g.Achieved-c.achieved) > 1e-12 || g.WorstGroup != c.group || g.Holds != c.holds || g.Detail != c.detail {
			t.Errorf("%s %s: %+v", c.name, c.bound, g)
		}
	}
}

// What no bound mends: a gain above the logarithm, and a value that a group lacks.
func TestLikenessThatNoBoundMends(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  5
2    a  1
2    b  4`})
	for name, want := range map[string]string{
		// a: p = 6/10, q = 1: a gain of 2/3, and ln(10/6) = .51.
		"enhanced_beta_likeness": "no beta is enough in group 1: in sa, s = 'a' is 5 of 5 records, 6 of 10 in the release, a gain of 0.6667, and the logarithm allows 0.5108",
		"delta_disclosure":       "no delta is enough in group 1: it has no s = 'b', which 4 of 10 records of the release have",
	} {
		r.Promises = []anonymize.Promise{{Guarantee: name, Bound: anonymize.MustRatio("1000000")}}
		var cannot *privacy.CannotCheckError
		if _, err := privacy.Verify(r); !errors.As(err, &cannot) || cannot.Reason != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := anontest.Guarantees(t, twoGroups(t)); got["beta_likeness"].Name+got["delta_disclosure"].Name+got["t_hierarchical"].Name != "" {
		t.Error("figures that nobody asked for")
	}
}

// Groups as the release: no gain, also of a value that everybody has, whose logarithm
// is 0.
func TestLikenessOfEqualGroups(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  5
2    a  1`})
	r.Promises = []anonymize.Promise{{Guarantee: "beta_likeness"}, {Guarantee: "enhanced_beta_likeness"}}
	for i := range r.Promises {
		r.Promises[i].Bound = anonymize.NewRatio(0, 1)
	}
	r.Promises = append(r.Promises, anonymize.Promise{Guarantee: "delta_disclosure", Bound: anonymize.MustRatio("0.001")})
	got := anontest.Guarantees(t, r)
	for _, p := range r.Promises {
		if g := got[p.Guarantee]; g.Achieved != 0 || !g.Holds {
			t.Errorf("%+v", g)
		}
	}
}

// Delta must not be reached: shares of 2/3 and 1/3 beside 4/9 and 5/9 are at most a factor
// of 5/3 apart, and 4/8 beside 1/8 is exactly 2^2.
func TestDisclosureMustStayBelow(t *testing.T) {
	for text, bounds := range map[string]map[string]bool{
		"GID s Count\n1 a 2\n1 b 1\n2 a 2\n2 b 4":  {"0.7369655": false, "0.7369656": true, "1": true},
		"GID s Count\n1 a 1\n1 b 1\n2 a 1\n2 b 13": {"2": false, "4/2": false, "20000001/10000000": true, "2000000000000001/1000000000000000": false},
	} {
		r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: text})
		for bound, holds := range bounds {
			r.Promises = []anonymize.Promise{{Guarantee: "delta_disclosure", Bound: anonymize.MustRatio(bound)}}
			if g := anontest.Guarantees(t, r)["delta_disclosure"]; g.Holds != holds {
				t.Errorf("%s: %+v", bound, g)
			}
		}
	}
}

// slowLikeness are the figures of one group by their definitions; NaN for none.
var slowLikeness = map[string]func(g diverseGroup) float64{
	"beta_likeness": func(g diverseGroup) (figure float64) {
		for v := range g.here {
			if p := g.all[v] / g.rows; p > 0 {
				figure = max(figure, (g.here[v]/g.size-p)/p)
			}
		}
		return figure
	},
	"enhanced_beta_likeness": func(g diverseGroup) (figure float64) {
		for v := range g.here {
			if p := g.all[v] / g.rows; p > 0 {
				gain := (g.here[v]/g.size - p) / p
				if gain > -math.Log(p) && gain > 1e-12 {
					return math.NaN()
				}
				figure = max(figure, gain)
			}
		}
		return figure
	},
	"delta_disclosure": func(g diverseGroup) (figure float64) {
		for v := range g.here {
			if g.all[v] > 0 && g.here[v] == 0 {
				return math.NaN()
			}
			if g.all[v] > 0 {
				figure = max(figure, math.Abs(math.Log2(g.here[v]/g.size*g.rows/g.all[v])))
			}
		}
		return figure
	},
	"t_hierarchical": slowHierarchicalDistance,
}

// pairs is a tree over four values: two pairs below the root, one of them one edge
// lower.
//
//	root - ab - a, b
//	root - cd - x - c, d
const pairs = "a ab * *;b ab * *;c x cd *;d x cd *"

// apart are the distances of pairs, the root's height being 3.
var apart = [4][4]float64{{0, 1, 3, 3}, {1, 0, 3, 3}, {3, 3, 0, 1}, {3, 3, 1, 0}}

// slowHierarchicalDistance moves mass from the group to the release at the least cost,
// along shortest paths of the residual network.
func slowHierarchicalDistance(g diverseGroup) (cost float64) {
	var from, to [4]float64
	var flow [4][4]float64
	for v := range from {
		from[v], to[v] = g.here[v]/g.size, g.all[v]/g.rows
	}
	for {
		distance, before := [8]float64{}, [8]int{}
		for v := range distance {
			distance[v], before[v] = math.Inf(1), -1
			if v < 4 && from[v] > 1e-12 {
				distance[v] = 0
			}
		}
		for range 8 {
			for a := range 4 {
				for b := range 4 {
					if d := distance[a] + apart[a][b]/3; d < distance[4+b]-1e-12 {
						distance[4+b], before[4+b] = d, a
					}
					if d := distance[4+b] - apart[a][b]/3; flow[a][b] > 1e-12 && d < distance[a]-1e-12 {
						distance[a], before[a] = d, 4+b
					}
				}
			}
		}
		end := -1
		for b := range 4 {
			if to[b] > 1e-12 && (end < 0 || distance[4+b] < distance[end]) {
				end = 4 + b
			}
		}
		if end < 0 || math.IsInf(distance[end], 1) {
			return cost
		}
		amount, start := to[end-4], end
		for ; before[start] >= 0; start = before[start] {
			if start < 4 {
				amount = min(amount, flow[start][before[start]-4])
			}
		}
		amount = min(amount, from[start])
		from[start] -= amount
		to[end-4] -= amount
		for v := end; before[v] >= 0; v = before[v] {
			if v >= 4 {
				flow[before[v]][v-4] += amount
			} else {
				flow[v][before[v]-4] -= amount
			}
		}
		cost += amount * distance[end]
	}
}

// hierarchyOf reads a tree of paths over integers 0 to 3, named a to d.
func hierarchyOf(t *testing.T, r *anonymize.Release, attribute string) *anonymize.Hierarchy {
	t.Helper()
	var paths [][]string
	for _, path := range strings.Split(pairs, ";") {
		paths = append(paths, strings.Fields(path))
	}
	tree, err := anonymize.TaxonomyOfPaths(paths, func(text string) (anonymize.Value, error) {
		return anonymize.IntegerValue(int64(text[0] - 'a')), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := privacy.HierarchyOf(r, attribute, tree)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Every figure against its definition, group by group, on random releases.
func TestLikenessOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	seen := make(map[string]int)
	for range 400 {
		r := randomRelease(random)
		sensitive := r.Fragments[len(r.Fragments)-1].Columns[0].Name
		hierarchy := hierarchyOf(t, r, sensitive)
		for name, definition := range slowLikeness {
			r.Promises = []anonymize.Promise{{Guarantee: name, Bound: anonymize.MustRatio("1000"), Hierarchy: hierarchy}}
			want, none := 0.0, false
			for group := range r.GroupSizes {
				x := definition(groupOf(r, group))
				none = none || math.IsNaN(x)
				want = max(want, x)
			}
			guarantees, err := privacy.Verify(r)
			if none || err != nil {
				if (err != nil) != none {
					t.Fatalf("%s, by its definition %v: %v", name, want, err)
				}
				continue
			}
			seen[name]++
			g := guarantees[slices.IndexFunc(guarantees, func(g anonymize.Guarantee) bool { return g.Name == name })]
			if math.Abs(g.Achieved-want) > 1e-9*max(1, want) {
				t.Fatalf("%s is %v, by its definition %v", name, g.Achieved, want)
			}
		}
	}
	for name := range slowLikeness {
		if seen[name] < 30 {
			t.Errorf("%s was looked at %d times", name, seen[name])
		}
	}
}

// The hierarchy of another column, or none, is refused.
func TestHierarchyThatDoesNotFit(t *testing.T) {
	r := twoGroups(t)
	for want, h := range map[string]*anonymize.Hierarchy{
		"no hierarchy is given":              nil,
		"it has 1 values, the release 3":     {Parent: []int{-1, 0}, Height: []int{1, 0}, Leaf: []int{1}},
		"its root is none":                   {},
		"its node 1 is not below another":    {Parent: []int{-1, 0}, Height: []int{1, 1}, Leaf: []int{1, 1, 1}},
		"its value 1 has no node of its own": {Parent: []int{-1, 0}, Height: []int{1, 0}, Leaf: []int{1, 1, 1}},
	} {
		r.Promises = []anonymize.Promise{{Guarantee: "t_hierarchical", Bound: anonymize.NewRatio(1, 1), Hierarchy: h}}
		if _, err := privacy.Verify(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// NULL has a leaf of its own below the root: as far from everything as can be.
func TestHierarchicalDistanceOfNull(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s     Count
1    NULL  1
1    0     1
2    0     2`})
	r.Promises = []anonymize.Promise{{Guarantee: "t_hierarchical", Bound: anonymize.NewRatio(1, 1), Hierarchy: hierarchyOf(t, r, "s")}}
	if g := anontest.Guarantees(t, r)["t_hierarchical"]; g.Achieved != .25 { // 1/4 of the mass goes over the root
		t.Errorf("%+v", g)
	}
}
