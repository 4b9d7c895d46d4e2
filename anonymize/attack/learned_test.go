package attack_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/testsize"
)

func learned(t testing.TB, r *anonymize.Release, truth attack.Truth) attack.Result {
	t.Helper()
	got, err := attack.Learned(context.Background(), r, truth, attack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// released publishes records by a method; the arguments are names and values in turn.
func released(t testing.TB, in *anonymize.Input, method string, arguments ...string) (*anonymize.Release, attack.Truth) {
	t.Helper()
	truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
	in.Assigned = func(groupOf []uint32) { truth.GroupOf = groupOf }
	given := make(anonymize.Arguments)
	for i := 0; i < len(arguments); i += 2 {
		given[arguments[i]] = arguments[i+1]
	}
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background(), in, given)
	if err != nil {
		t.Fatal(err)
	}
	return r, truth
}

// withQuasiIdentifiers adds a fragment for each of some lists of quasi-identifiers.
func withQuasiIdentifiers(truth attack.Truth, fragments ...[]*anonymize.Column) *anonymize.Release {
	r := release(truth.Sensitive, truth.GroupOf)
	sensitive := r.Fragments[0]
	r.Fragments = nil
	for _, columns := range fragments {
		// The distinct rows in ascending order, as one column of their numbers.
		row := func(i uint32) (codes []uint32) {
			for _, c := range columns {
				codes = append(codes, c.Codes[i])
			}
			return codes
		}
		order := anonymize.Indices(r.Rows)
		slices.SortFunc(order, func(a, b uint32) int { return slices.Compare(row(a), row(b)) })
		joined, examples := &anonymize.Column{Name: "joined", Codes: make([]uint32, r.Rows)}, []uint32(nil)
		for i, record := range order {
			if i == 0 || !slices.Equal(row(order[i-1]), row(record)) {
				examples = append(examples, record)
			}
			joined.Codes[record] = uint32(len(examples) - 1)
		}
		joined.Dictionary = make([]anonymize.Value, len(examples))
		f := release(joined, truth.GroupOf).Fragments[0]
		f.Name, f.Role = columns[0].Name, anonymize.QuasiIdentifying
		numbers := f.Columns[0].Codes
		f.Columns = nil
		for _, c := range columns {
			column := &anonymize.FragmentColumn{Name: c.Name, Dictionary: c.Dictionary}
			for _, n := range numbers {
				column.Codes = append(column.Codes, c.Codes[examples[n]])
			}
			f.Columns = append(f.Columns, column)
		}
		r.Fragments = append(r.Fragments, f)
	}
	r.Fragments = append(r.Fragments, sensitive)
	return r
}

// With nothing to learn the mean is the baseline, in groups of all sizes: every guess is wrong by chance only, with a
// standard error of .006 (how much posteriors of 1,500 records vary). The first guess is worse than the most frequent
// value: learning from noise moves away from it.
func TestLearnedIndependent(t *testing.T) {
	const rows = 1500
	for _, l := range []int{4, 9, 40} {
		random := rand.New(rand.NewPCG(3, 3))
		truth := synthetic(rows, false, random)
		if l == 4 {
			truth.GroupOf = anatomy(truth.Sensitive, l, random)
		} else {
			truth.GroupOf = make([]uint32, rows)
			for i, record := range random.Perm(rows) {
				truth.GroupOf[record] = uint32(i * (rows / l) / rows)
			}
		}
		q := truth.QuasiIdentifiers
		got := learned(t, withQuasiIdentifiers(truth, q[:1], q[1:]), truth)
		t.Logf("groups of %d: %+v", l, got)
		near(t, "mean", got.Mean, got.Baseline, .02)
	}
}

// Each of three quasi-identifiers determines the value: whatever the fragments, the attacker knows nearly everything.
func TestLearnedDetermined(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	truth := synthetic(1500, true, random)
	truth.GroupOf = anatomy(truth.Sensitive, 4, random)
	q := truth.QuasiIdentifiers
	for _, r := range []*anonymize.Release{withQuasiIdentifiers(truth, q), withQuasiIdentifiers(truth, q[:1], q[1:])} {
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		got := learned(t, r, truth)
		if got.Mean < .97 || got.Top1 < .99 || got.Own50 < .98 || got.Own90 < .9 || got.Above90Right < .99 {
			t.Errorf("%d fragments: %+v", len(r.Fragments), got)
		}
	}
}

// Without learning both learning attackers know the same, whatever is published together.
func TestLearnedBaseline(t *testing.T) {
	for _, call := range [][]string{
		{"anatomy", "l", "3"}, {"slppa", "beta", "0.25", "tables", "2"}, {"asn", "beta", "0.25"},
		{"slicing", "l", "2", "sa_column", "grouped"}, {"aip", "l", "3"},
	} {
		in := anontest.People(600, 1)
		in.QuasiIdentifiers = in.QuasiIdentifiers[:4]
		r, truth := released(t, in, call[0], call[1:]...)
		got, err := attack.Learned(context.Background(), r, truth, attack.Options{})
		if err != nil {
			t.Fatal(call, err)
		}
		want := definetti(t, truth, attack.Options{})
		if call[0] == "slicing" {
			if want, err = attack.DeFinetti(context.Background(), r, truth, attack.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		near(t, call[0]+": baseline", got.Baseline, want.Baseline, 1e-9)
		near(t, call[0]+": baseline top-1", got.BaselineTop1, want.BaselineTop1, 1e-9)
		if got.Records != 600 || got.Mean <= 0 || got.Mean > 1 || got.Own90 > got.Own50 {
			t.Errorf("%s: %+v", call[0], got)
		}
	}
}

// The figures of an independent prototype on Adult, by enumeration of all matchings.
func TestAdultLearned(t *testing.T) {
	for _, c := range []struct {
		homogeneous string
		mean, top1  float64
	}{{"false", .447, .554}, {"true", .338, .411}} {
		r, truth := adultReleased(t, "anatomy", "l", "5", "homogeneous", c.homogeneous)
		got := learned(t, r, truth)
		t.Logf("homogeneous=%s: %+v", c.homogeneous, got)
		near(t, "baseline", got.Baseline, .2, .0001)
		near(t, "mean", got.Mean, c.mean, .01)
		near(t, "top-1", got.Top1, c.top1, .015)
	}
}

func TestLearnedOnOneCore(t *testing.T) {
	persons := testsize.Of(200, 800)
	r, truth := released(t, anontest.People(persons, 2), "slppa", "beta", "0.25", "tables", "3")
	before := learned(t, r, truth)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if after := learned(t, r, truth); after != before {
		t.Errorf("with one core %+v, before %+v", after, before)
	}
}

// A sample has whole groups; if matchings are expensive, it is smaller than requested.
func TestLearnedSample(t *testing.T) {
	r, truth := released(t, anontest.People(3000, 2), "anatomy", "l", "4")
	options := func(sample int) attack.Options {
		return attack.Options{Sample: sample, Random: rand.NewPCG(1, 1)}
	}
	got, err := attack.Learned(context.Background(), r, truth, options(500))
	if err != nil || got.Records < 500 || got.Records > 508 {
		t.Errorf("%+v, %v", got, err)
	}
	if work := impute.Work(5, 4); work != 80 {
		t.Errorf("%d matchings for a target of a group of 5 in 4 fragments", work)
	}
}

// Releases that cannot be attacked are refused with the reason.
func TestLearnedErrors(t *testing.T) {
	whole := func() (*anonymize.Release, attack.Truth) {
		_, truth, _ := two(t)
		return withQuasiIdentifiers(truth, truth.QuasiIdentifiers), truth
	}
	for name, c := range map[string]struct {
		change func(r *anonymize.Release, truth *attack.Truth)
		want   string
	}{
		"one fragment": {func(r *anonymize.Release, _ *attack.Truth) { r.Fragments = r.Fragments[1:] }, "it has one fragment"},
		"cells": {func(r *anonymize.Release, _ *attack.Truth) {
			r.Fragments[0].Columns[0].Cells = []anonymize.Cell{{Members: []uint32{0, 1}}}
		}, "column a has cells that stand for several values"},
		"other quasi-identifiers": {func(_ *anonymize.Release, truth *attack.Truth) {
			truth.QuasiIdentifiers = []*anonymize.Column{{Name: "a", Dictionary: truth.QuasiIdentifiers[0].Dictionary, Codes: make([]uint32, 4)}}
			truth.QuasiIdentifiers[0].Dictionary = []anonymize.Value{anonymize.TextValue("z")}
		}, "has other values in fragment a than in the truth"},
		"other groups": {func(_ *anonymize.Release, truth *attack.Truth) { truth.GroupOf = []uint32{0, 1, 0, 1} }, "has other values of s in the truth"},
		"no sensitive attribute": {func(r *anonymize.Release, _ *attack.Truth) { r.Fragments[1].Role = anonymize.QuasiIdentifying },
			"the release has no sensitive attribute s"},
	} {
		t.Run(name, func(t *testing.T) {
			r, truth := whole()
			c.change(r, &truth)
			_, err := attack.Learned(context.Background(), r, truth, attack.Options{})
			if err == nil || !strings.HasPrefix(err.Error(), "attack by completed tables: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	r, truth := whole()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := attack.Learned(ended, r, truth, attack.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
