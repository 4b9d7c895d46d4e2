package slicing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// One test for every departure from Li et al., and from what Yao et al. say of
// slicing, in DEVIATIONS.md, by number.

// The sensitive attribute is a column group of its own unless asked otherwise.
func TestDeviation40_SensitiveAttributeAlone(t *testing.T) {
	table := anontest.Parse(t, `
ward  age  sex  diagnosis
1     30   F    flu
1     31   M    cold
1     32   F    cold
1     33   M    flu
2     34   F    gout
2     35   M    cough
2     36   F    cough
2     37   M    gout`)
	for saColumn, want := range map[string]string{alone: "diagnosis sa", grouped: "ward diagnosis mixed"} {
		in := anontest.NewInput(t, table, "ward age sex", "diagnosis", rand.NewPCG(1, 1))
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2", "tables": "2", "sa_column": saColumn, "bins": "2"})
		if len(r.Fragments) != 3 {
			t.Fatalf("sa_column=%s: %d fragments", saColumn, len(r.Fragments))
		}
		last := r.Fragments[2]
		var got []string
		for _, c := range last.Columns {
			got = append(got, c.Name)
		}
		if got := strings.Join(append(got, string(last.Role)), " "); last.Name != "sa" || got != want {
			t.Errorf("sa_column=%s: fragment %s is %s, want %s", saColumn, last.Name, got, want)
		}
	}
}

// p(t, s) <= 1/2 for all five records, whose quasi-identifiers are equal, with
// buckets {a, a, a, b} and {c}: c's bucket says what c is, and a has three of
// five records, so that no release is 2-diverse. The means weigh both buckets
// alike. Here every bucket is l-diverse. On buckets of Mondrian the two checks
// are one, see TestGlobalIsLocal.
func TestDeviation41_EveryBucketIsDiverse(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s\n1 a\n1 a\n1 a\n1 b\n1 c"), "q", "s", rand.NewPCG(1, 1))
	tables, err := project(context.Background(), [][]*anonymize.Column{in.QuasiIdentifiers, in.Sensitive})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSensitive(context.Background(), bucketization.NewBuckets(in.Sensitive[0], nil), in.Sensitive, 2)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGlobalCheck(context.Background(), tables, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	admitted, err := g.admits(context.Background(), newRows(in, s), []bucket{{0, 4}, {4, 5}})
	if err != nil || !admitted || fmt.Sprint(g.share) != "[0.75 0.25 1]" {
		t.Errorf("p(t, s) are half of %v, admitted: %v, %v", g.share, admitted, err)
	}
	if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "2"}); !errors.As(err, new(*anonymize.InfeasibleError)) {
		t.Error(err)
	}
}

// After a refused split another quasi-identifier is tried, and then another cut.
func TestDeviation42_RefusedSplits(t *testing.T) {
	for name, c := range map[string]struct {
		table   string
		buckets map[string]int
	}{
		"another quasi-identifier": {"q1 q2 s\n1 1 a\n2 2 a\n3 1 a\n8 1 b\n9 2 b\n10 2 b", map[string]int{widest: 1, every: 1, nearest: 1}},
		"and it splits":            {"q1 q2 s\n1 1 a\n2 2 a\n9 1 b\n10 2 b", map[string]int{widest: 1, every: 2, nearest: 2}},
		"another cut":              {"q1 q2 s\n1 1 a\n2 1 b\n3 1 a\n4 1 a\n5 1 b\n6 1 b", map[string]int{widest: 1, every: 1, nearest: 2}},
	} {
		for split, want := range c.buckets {
			in := anontest.NewInput(t, anontest.Parse(t, c.table), "q1 q2", "s", rand.NewPCG(1, 1))
			if r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2", "split": split}); r.Groups() != want {
				t.Errorf("%s, split=%s: %d buckets, want %d", name, split, r.Groups(), want)
			}
		}
	}
}

// The cut is the more even one of the two beside the median's value, the upper
// one of equals; equal values stay together.
func TestDeviation43_TheMedian(t *testing.T) {
	for codes, want := range map[string]uint32{
		"0 0 0 1 1 1 1 1": 0, "0 0 0 0 0 1 2 3": 0, "0 0 0 1 1 2 2 2": 1, "0 0 0 0 1 1 1 2 2": 0, "0 1": 0, "0 1 2": 1,
		"0 9": 0, "3 5000 9000": 5000, "0 1 1": 0, "0 0 1": 0,
	} {
		in := anontest.NewInput(t, anontest.Parse(t, "q s\n"+strings.ReplaceAll(codes, " ", " x\n")+" y"), "q", "s", nil)
		c := in.QuasiIdentifiers[0]
		width := uint32(c.Dictionary[len(c.Dictionary)-1].Int) + 1
		for i := range c.Codes {
			c.Codes[i] = uint32(c.Dictionary[c.Codes[i]].Int)
		}
		c.Dictionary = nil
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		s, err := newSensitive(context.Background(), bucketization.NewBuckets(in.Sensitive[0], nil), in.Sensitive, 2)
		if err != nil {
			t.Fatal(err)
		}
		w := newCutter(newRows(in, s), newAxes(in.QuasiIdentifiers), s, 2)
		all := bucket{0, in.Rows}
		w.candidates(all)
		got := w.median(all, 0).last
		left := 0
		for _, code := range c.Codes {
			if code <= got {
				left++
			}
		}
		wantLeft := 0
		for _, code := range c.Codes {
			if code <= want {
				wantLeft++
			}
		}
		if left != wantLeft {
			t.Errorf("%s: codes up to %d go to the left, want up to %d", codes, got, want)
		}
	}
}

// Equal distances: the first attributes are the medoids, and the others go to the
// first of them.
func TestDeviation44_Ties(t *testing.T) {
	phi := [][]float64{{1, .5, .5, .5}, {.5, 1, .5, .5}, {.5, .5, 1, .5}, {.5, .5, .5 + 1e-14, 1}}
	clusters, err := cluster(context.Background(), newDistances(phi), 2)
	if err != nil || fmt.Sprint(clusters) != "[[0 2 3] [1]]" {
		t.Errorf("clusters %v, %v", clusters, err)
	}
}

// Beside a quasi-identifier every value of it must be l-diverse in its bucket:
// here Age = 33 is flu, whatever the buckets are.
func TestDeviation45_DiversityBesideQuasiIdentifiers(t *testing.T) {
	_, err := Method().Run(context.Background(), li(t), anonymize.Arguments{"l": "2", "sa_column": grouped, "tables": "1"})
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) || infeasible.Largest != anonymize.NewRatio(1, 1) ||
		!strings.Contains(err.Error(), "publishes Age, Zipcode beside the sensitive attribute, and Disease = 'flu' is 1 of the 1 records with Age = 33 and Zipcode = 47905") {
		t.Error(err)
	}
}

// Columns are not permuted at random inside a bucket but stored sorted, with
// counts: two sources give the same buckets, under other gids.
func TestDeviation46_SortedNotPermuted(t *testing.T) {
	bucketsOf := func(seed uint64) (buckets []string, first string) {
		in := anontest.People(2000, 0)
		in.Random = rand.NewPCG(seed, seed)
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "3", "tables": "2"})
		for g := range r.Groups() {
			text := ""
			for _, f := range r.Fragments {
				for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
					for _, c := range f.Columns {
						text += fmt.Sprint(c.Codes[tuple], ",")
					}
					text += fmt.Sprint("x", f.Count[tuple], ";")
				}
			}
			buckets = append(buckets, text)
		}
		first = buckets[0]
		slices.Sort(buckets)
		return buckets, first
	}
	one, firstOfOne := bucketsOf(1)
	two, firstOfTwo := bucketsOf(2)
	if !reflect.DeepEqual(one, two) || firstOfOne == firstOfTwo {
		t.Error("two sources gave other buckets, or the same gids")
	}
}

// Tables 7 and 8 ask for l = 20 and l = 10 where United-States has 91 percent.
func TestDeviation47_Table7(t *testing.T) {
	in := anontest.NewInput(t, anontest.AdultComplete(t), "age workclass race sex", "native_country", rand.NewPCG(1, 1))
	for _, l := range []string{"20", "10"} {
		_, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": l, "tables": "3"})
		var infeasible *anonymize.InfeasibleError
		if !errors.As(err, &infeasible) || infeasible.Largest != anonymize.NewRatio(1, 1) ||
			!strings.Contains(err.Error(), "native_country = 'United-States' is 41292 of 45222 records") {
			t.Errorf("l = %s: %v", l, err)
		}
	}
}

// Numbers at most threshold apart count as one value: of 10, 11, 20 and 21 with a
// threshold of 1 there are two.
func TestDeviation48_Threshold(t *testing.T) {
	table := anontest.Parse(t, "q s\n1 10\n2 11\n3 20\n4 21")
	for threshold, want := range map[string]string{"0": "l=4", "1": "l=2"} {
		for _, l := range []string{"4", "2"} {
			in := anontest.NewInput(t, table, "q", "s", rand.NewPCG(1, 1))
			_, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": l, "threshold": threshold})
			if feasible := l == "2" || want == "l=4"; feasible != (err == nil) {
				t.Errorf("threshold %s, l = %s: %v", threshold, l, err)
			}
		}
	}
	in := anontest.NewInput(t, table, "q", "s", rand.NewPCG(1, 1))
	if r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2", "threshold": "1"}); r.Groups() != 1 {
		t.Errorf("%d buckets: 10 and 11 were taken for two values", r.Groups())
	}
	in.Random = rand.NewPCG(1, 1)
	if r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2"}); r.Groups() != 2 {
		t.Errorf("%d buckets without a threshold, want 2", r.Groups())
	}
}
