package misfit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/testsize"
)

// What three attributes do is what is left of the counts when those of all pairs are right.
func TestPairwise(t *testing.T) {
	b := &box{2, 2, 2, nil}
	// Parity: three attributes of which any two are independent.
	parity := []float64{10, 0, 0, 10, 0, 10, 10, 0}
	if got := b.pairwise(parity); !slices.Equal(got, []float64{5, 5, 5, 5, 5, 5, 5, 5}) {
		t.Errorf("the pairs of parity are %v", got)
	}
	// n(x, y, z) = f(x, y) g(x, z) h(y, z) has nothing of three.
	var product []float64
	for i := range 8 {
		x, y, z := i/4, i/2%2, i%2
		product = append(product, float64((1+2*x*y)*(2+x*z)*(3-2*y*z)))
	}
	for i, got := range b.pairwise(product) {
		if math.Abs(got-product[i]) > 0.01*product[i] {
			t.Errorf("combination %d is %g of %g", i, got, product[i])
		}
	}
	have, want := b.margins(b.pairwise(product)), b.margins(product)
	for n := range want {
		for i, sum := range want[n] {
			if math.Abs(have[n][i]-sum) > 0.01*sum {
				t.Errorf("margin %d has %g, want %g", n, have[n][i], sum)
			}
		}
	}
}

// interacting are attributes whose cells have the interactions given, of 100 expected.
func interacting(cells int, there, kept float64) threeway {
	w := threeway{attributes: [3]string{"a", "b", "c"}}
	for i := range cells {
		sign := float64(1 - i%2*2)
		w.cells = append(w.cells, interaction{cell{known: 100, mean: 100, at: i}, 100, sign * there, sign * kept})
	}
	return w
}

// Deviation 141: of three attributes and more the squares of the largest ratios of pairs add
// up, one less than there are attributes, to 1 at most; a triple comes on top.
func TestDeviation141_LargerQuestions(t *testing.T) {
	m := &Misfit{Triples: []Triple{{"a", "b", "c", .4}, {"a", "b", "d", .3}}}
	for i, names := range []string{"a b", "a c", "a d", "b c", "b d", "c d"} {
		m.Pairs = append(m.Pairs, Pair{A: names[:1], B: names[2:], Ratio: []float64{.3, .2, .1, .15, .05, .7}[i]})
	}
	for _, c := range []struct {
		columns string
		want    float64 // its square
	}{
		{"a", 0}, {"a b", .09}, {"b a b", .09}, {"c d e", .49},
		{"a b c", .09 + .04 + .16}, {"c a a b", .09 + .04 + .16}, {"a b d", .09 + .01 + .09},
		{"b c d", .49 + .0225}, {"a b c d", .49 + .09 + .04 + .16},
	} {
		if got := m.Ratio(strings.Fields(c.columns)); math.Abs(got*got-c.want) > 1e-12 {
			t.Errorf("%s: the square of r is %g, want %g", c.columns, got*got, c.want)
		}
	}
	m.Pairs[0].Ratio, m.Triples = .9, nil
	if got := m.Ratio([]string{"a", "b", "c", "d"}); got != 1 {
		t.Errorf("r is %g", got)
	}
}

// Deviation 142: what tables show of three attributes counts by what re-publications lose
// of such, where these lose more than luck, and as far as the null does not have it.
func TestDeviation142_Threeways(t *testing.T) {
	m := &measurer{spread: 1, alone: 20}
	luck := interacting(40, 4, 2)
	for _, c := range []struct {
		name             string
		own, again, null threeway
		want             float64
	}{
		// Of 20, half was kept, so that 20 are missing (less what is luck: 19.6); 2.365 r / 2 is .2.
		{"half of it is lost", interacting(40, 20, 20), interacting(40, 20, 10), luck, 0.2},
		{"the null keeps less", interacting(40, 20, 20), interacting(40, 20, 10), interacting(40, 4, 1), 0.7},
		{"nothing is lost", interacting(40, 20, 20), interacting(40, 20, 20), luck, 0},
		{"luck is lost", interacting(40, 20, 20), interacting(40, 20, 19), luck, 0},
		{"hardly more than luck is lost", interacting(40, 20, 20), interacting(40, 20, 18.2), luck, 0},
		{"hardly more than luck is shown", interacting(40, 2.5, 2.5), interacting(40, 20, 10), luck, 0},
		{"luck is shown", interacting(40, 2, 2), interacting(40, 20, 10), luck, 0},
		{"few cells", interacting(19, 20, 20), interacting(19, 20, 10), luck, 0},
		{"in one fragment there", interacting(40, 20, 20), threeway{}, luck, 0},
	} {
		got := m.threeways([]threeway{c.own}, [][]threeway{{c.again}, {c.again}}, []threeway{c.null})
		want := []Triple{{"a", "b", "c", c.want}}
		if c.want == 0 {
			want = nil
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// Groups of more than ten records show nothing of three attributes. Three of which nothing is found have the usual ratio.
func TestDeviation142_TriplesThatLargeGroupsHide(t *testing.T) {
	for _, c := range []struct {
		groups, rows int
		hides        bool
	}{{100, 1000, false}, {100, 1001, true}, {20, 1000, true}} {
		if got := hasLargeGroups(&anonymize.Release{Rows: c.rows, GroupSizes: make([]uint32, c.groups)}); got != c.hides {
			t.Errorf("%d groups of %d records: %v", c.groups, c.rows, got)
		}
	}
	all := []threeway{{attributes: [3]string{"a", "b", "c"}}, {attributes: [3]string{"a", "b", "d"}}, {attributes: [3]string{"b", "c", "d"}}}
	got := withUsual([]Triple{{"a", "b", "d", 0.05}, {"b", "c", "d", 0.3}}, all)
	if want := []Triple{{"a", "b", "c", 0.1}, {"a", "b", "d", 0.1}, {"b", "c", "d", 0.3}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Of many attributes, some triples are not compared. They have the usual ratio, too.
func TestDeviation142_TriplesThatAreNotCompared(t *testing.T) {
	m := &Misfit{Pairs: []Pair{{A: "x", B: "y"}, {A: "x", B: "z", Ratio: .3}}}
	for n := range maxTriples {
		m.Triples = append(m.Triples, Triple{"a", "b", fmt.Sprint("c", n), .2})
	}
	if got, _ := m.Average([]string{"x"}, []string{"x", "y", "z"}); got != math.Sqrt(.3*.3+.1*.1) {
		t.Errorf("an average has the ratio %g", got)
	}
	for _, c := range []struct {
		columns []string
		want    float64
	}{{[]string{"x", "y", "z"}, math.Sqrt(.3*.3 + .1*.1)}, {[]string{"x", "z"}, .3}, {[]string{"y", "z", "y"}, 0}} {
		if got := m.Ratio(c.columns); got != c.want {
			t.Errorf("%v: %g, want %g", c.columns, got, c.want)
		}
	}
}

// An interaction that one re-publication has as much as the other has its opposite does not
// last.
func TestLastingInteraction(t *testing.T) {
	one, same, opposite := interacting(10, 20, 10), interacting(9, 20, 10), interacting(10, -20, -10)
	for _, c := range []struct {
		other threeway
		cells int
		want  float64
	}{{same, 9, 1}, {opposite, 10, 0}} {
		means := lastingInteraction(one.cells, c.other.cells)
		if got := strength(means, missed); len(means) != c.cells || got != c.want {
			t.Errorf("%d cells, strength %g; want %d and %g", len(means), got, c.cells, c.want)
		}
	}
	if got := retained(one.cells); got != 0.5 {
		t.Errorf("%g of one half is retained", got)
	}
	if got := retained(opposite.cells[:0]); got != 1 {
		t.Errorf("%g of nothing is retained", got)
	}
}

// Every three attributes are compared once, none of one fragment, in the cells that a count
// of the table has.
func TestCompareTriples(t *testing.T) {
	s, _, _, r, c := published(t, 2000, "slppa", "beta", "0.25", "tables", "2")
	subject := &subject{r, c, s.table, 5, nil}
	triples, err := subject.compareTriples(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	fragment := make(map[string]int)
	for j, f := range r.Fragments {
		for _, column := range f.Columns {
			fragment[column.Name] = j
		}
	}
	seen := make(map[[3]string]bool)
	for _, triple := range triples {
		a, b, c := triple.attributes[0], triple.attributes[1], triple.attributes[2]
		if a >= b || b >= c || fragment[a] == fragment[b] && fragment[b] == fragment[c] || seen[triple.attributes] {
			t.Errorf("%v is no triple", triple.attributes)
		}
		seen[triple.attributes] = true
		counted := make(map[[3]uint32]float64)
		for record := range r.Rows {
			counted[[3]uint32{s.table.Column(a).Codes[record], s.table.Column(b).Codes[record], s.table.Column(c).Codes[record]}]++
		}
		var want, got []float64
		for _, n := range counted {
			if n >= 5 {
				want = append(want, n)
			}
		}
		for _, x := range triple.cells {
			got = append(got, x.known)
			if math.Abs(x.expected+x.there-x.known) > 1e-9 {
				t.Errorf("%v: %g expected and %g more are %g", triple.attributes, x.expected, x.there, x.known)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%v: %d cells, want %d", triple.attributes, len(got), len(want))
		}
	}
	if len(triples) < 4 {
		t.Errorf("%d triples", len(triples))
	}
}

// Of many attributes maxTriples are compared, at equal steps, and none of too many values.
func TestManyTriples(t *testing.T) {
	r := &anonymize.Release{}
	for j := range 7 {
		f := &anonymize.Fragment{}
		for y := range 2 {
			f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: fmt.Sprintf("%c%d", 'a'+j, y)})
		}
		r.Fragments = append(r.Fragments, f)
	}
	// 14 attributes have 364 triples.
	triples := (&subject{release: r}).triplesOf()
	seen := make(map[[3]place]bool)
	for _, triple := range triples {
		seen[triple] = true
	}
	if len(triples) != maxTriples || len(seen) != maxTriples || !seen[[3]place{{0, 0}, {0, 1}, {1, 0}}] || triples[maxTriples-1][0].fragment < 4 {
		t.Errorf("%d triples, %d of them different, the last %v", len(triples), len(seen), triples[len(triples)-1])
	}
	r.Fragments = r.Fragments[:6] // 220
	if n := len((&subject{release: r}).triplesOf()); n != maxTriples {
		t.Errorf("of 220 %d are compared", n)
	}
	r.Fragments = r.Fragments[:5] // 120
	if n := len((&subject{release: r}).triplesOf()); n != 120 {
		t.Errorf("of 120 %d are compared", n)
	}
	both := &tally{cell: make([]int32, maxBoxed/2), width: 2}
	if newBox(both, &tally{width: 2}) == nil || newBox(both, &tally{width: 3}) != nil {
		t.Errorf("a box has %d combinations at most", maxBoxed)
	}
}

// Pupils of a language and a teacher have marks that neither shows. The tables have them
// to a part, and the misfit of these three attributes is found.
func TestThreewayIsFound(t *testing.T) {
	few := func(testing.TB) source {
		s := pupils(testsize.Of(3_000, 6_000), 3)
		s.roles.QuasiIdentifiers = []string{"teacher", "language", "sport"}
		return s
	}
	c := trial{"", few, "anatomy", []string{"l", "3"}}
	_, _, _, m, took := c.measured(t, impute.Options{}, Options{})
	t.Logf("%v: %v", took, m.Triples)
	if !slices.ContainsFunc(m.Triples, func(x Triple) bool { return x.A == "language" && x.B == "mark" && x.C == "teacher" && x.Ratio >= 0.3 }) {
		t.Errorf("%v is found", m.Triples)
	}
}
