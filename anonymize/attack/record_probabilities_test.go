package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/crossbucket"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// slowProbability is p(t,s) as section 4.1 writes it: every tuple looked at.
func slowProbability(r *anonymize.Release, quasi []*anonymize.Column, sensitive *anonymize.Column, record int) (p, matches float64) {
	qi, _, _ := r.Locate(quasi[0].Name)
	sa, at, _ := r.Locate(sensitive.Name)
	f, s := r.Fragments[qi], r.Fragments[sa]
	for g, size := range r.GroupSizes {
		here := 0.0
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			if matchesTuple(f, t, quasi, record) {
				here += float64(f.Count[t])
			}
		}
		matches += here
		for t := s.GroupStart[g]; t < s.GroupStart[g+1]; t++ {
			if s.Columns[at].Dictionary[s.Columns[at].Codes[t]] == sensitive.Value(record) {
				p += here * float64(s.Count[t]) / float64(size)
			}
		}
	}
	return p / matches, matches
}

func matchesTuple(f *anonymize.Fragment, t uint32, quasi []*anonymize.Column, record int) bool {
	for _, raw := range quasi {
		c := f.Columns[f.Column(raw.Name)]
		code := uint32(slices.Index(c.Dictionary, raw.Value(record)))
		if c.IsPoint() && c.Codes[t] != code || !c.IsPoint() && !slices.Contains(c.Cells[c.Codes[t]].Members, code) {
			return false
		}
	}
	return true
}

// The index finds the same as a scan of all tuples, for points, intervals and sets, also with columns that the
// attacker does not know.
func TestRecordProbabilities(t *testing.T) {
	compared := 0
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 9))
		in := anontest.RandomTable(10+random.IntN(80), seed)
		method := []anonymize.Method{crossbucket.Method(), mondrian.Method(), anatomy.Method()}[seed%3]
		arguments := anonymize.Arguments{"l": "2", "k": "3"}
		if method.Name == "anatomy" {
			delete(arguments, "k")
		}
		r, err := method.Run(context.Background(), in, arguments)
		if err != nil {
			continue
		}
		known := in.QuasiIdentifiers[:1+random.IntN(len(in.QuasiIdentifiers))]
		p, err := RecordProbabilities(context.Background(), r, Truth{QuasiIdentifiers: known, Sensitive: in.Sensitive[0]})
		if err != nil {
			t.Fatal(err)
		}
		mean, matches, greatest := 0.0, 0.0, 0.0
		for record := range in.Rows {
			want, m := slowProbability(r, known, in.Sensitive[0], record)
			if math.Abs(p.Of[record]-want) > 1e-12 {
				t.Fatalf("seed %d, %s: p of record %d is %v, by the slow way %v", seed, r.Method, record, p.Of[record], want)
			}
			mean, matches, greatest = mean+want/float64(in.Rows), matches+m/float64(in.Rows), max(greatest, want)
			compared++
		}
		if math.Abs(p.Mean-mean)+math.Abs(p.Matches-matches)+math.Abs(p.Max-greatest) > 1e-9 {
			t.Fatalf("%v %v %v, want %v %v %v", p.Mean, p.Matches, p.Max, mean, matches, greatest)
		}
	}
	if compared < 2000 {
		t.Errorf("only %d records compared", compared)
	}
}

func TestCurve(t *testing.T) {
	p := &Probabilities{Of: []float64{.1, .2, .2, .4}, Max: .4}
	got := p.Curve(5)
	want := []CurvePoint{{0, 1}, {p.Max / 4, 1}, {p.Max * 2 / 4, .75}, {p.Max * 3 / 4, .25}, {p.Max, .25}}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := p.Curve(1); len(got) != 1 || got[0] != (CurvePoint{.4, .25}) {
		t.Errorf("%v", got)
	}
}

func TestRecordProbabilitiesRefuses(t *testing.T) {
	in := anontest.People(60, 3)
	r, err := slppa.Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1", "tables": "2"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = RecordProbabilities(context.Background(), r, Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]})
	if err == nil || !strings.Contains(err.Error(), "several fragments") {
		t.Error(err)
	}
}

// A bounded number of records has the probabilities that these records have among all.
func TestRecordProbabilitiesOfSome(t *testing.T) {
	in := anontest.People(60, 3)
	r, err := mondrian.Method().Run(context.Background(), in, anonymize.Arguments{"k": "5"})
	if err != nil {
		t.Fatal(err)
	}
	truth := Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
	all, err := RecordProbabilities(context.Background(), r, truth)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 7, 20, 60, 61} {
		truth.Most = most
		some, err := RecordProbabilities(context.Background(), r, truth)
		if err != nil {
			t.Fatal(err)
		}
		n := min(most, 60)
		mean, greatest := 0.0, 0.0
		for i, p := range some.Of {
			if p != all.Of[i*60/n] {
				t.Errorf("of %d: p of the record %d is %v, among all %v", most, i*60/n, p, all.Of[i*60/n])
			}
			mean, greatest = mean+p/float64(n), max(greatest, p)
		}
		if len(some.Of) != n || math.Abs(some.Mean-mean) > 1e-12 || some.Max != greatest || some.Matches < 5 {
			t.Errorf("of %d: %d probabilities, %v", most, len(some.Of), some)
		}
	}
}
