package methods

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/testsize"
)

// keeping are the methods that unite groups until these keep what is asked. Each of them, as
// run here, breaks some of it without being asked.
var keeping = []string{
	"anatomy l=2", "anatomy l=2 homogeneous=true", "slppa beta=1/2 alpha=2/3", "slppa beta=1/2 homogeneous=true", "asn beta=1/2",
	"arp l=2", "arp l=2 over=slicing", "arp l=2 over=generalization", "aip l=2", "slicing l=2", "oka k=3", "ika k=3", "dpp k=3", "cdt k=3", "cdt k=3 variant=paper k1=4 k2=12",
	"cross_bucket k=2 l=3", "cross_bucket k=3 l=2",
}

// verifying are those that are refused instead.
var verifying = []string{"nonhomogeneous l=2", "arp l=2 over=randomization", "arp l=2 over=randomization p=1/4", "slicing l=2 sa_column=grouped tables=3", "drasl k=3"}

// Every promise of every method that can keep it: package privacy finds it kept where it was
// asked, with more than one group but for the strictest one; and every promise is broken by
// some release that was not asked, which package privacy says of it. No paper has that.
func TestDeviation156_UnitedGroups(t *testing.T) {
	in := anontest.AdultOfZhu(t)(1_000, "age education race sex")
	withCollars(t, in)
	broken := make(map[string]int)
	for _, method := range keeping {
		for _, p := range askedPromises {
			asked, err := runAsking(t, in, method, p)
			if err != nil || !keepsPromise(t, in, asked, p) {
				t.Errorf("%s: %s %s is not kept: %v", method, p.Guarantee, p.Bound, err)
				continue
			}
			if asked.Groups() < 2 && p.Guarantee != "delta_disclosure" {
				t.Errorf("%s: %s %s: one group", method, p.Guarantee, p.Bound)
			}
			plain, err := runAsking(t, in, method)
			if err != nil {
				t.Fatal(err)
			}
			if !keepsPromise(t, in, plain, p) {
				broken[p.Guarantee]++
			}
			if err := anontest.Publishable(asked, in); err != nil {
				t.Errorf("%s: %s: %v", method, p.Guarantee, err)
			}
		}
	}
	for _, p := range askedPromises {
		if broken[p.Guarantee] < 5 {
			t.Errorf("%s is broken by %d releases that were not asked", p.Guarantee, broken[p.Guarantee])
		}
	}
}

// Of every table that has so many records, groups of that size keep what the method promises: shares in unions are
// means of shares. A larger size is refused, and the refusal says how large a table there is.
func TestSizeKeepsTheMethodsOwnPromises(t *testing.T) {
	larger := 0
	for seed := range uint64(testsize.Of(10, 100)) {
		random := rand.New(rand.NewPCG(seed, 4))
		in := anontest.RandomTable(20+random.IntN(60), seed)
		p := anonymize.Promise{Guarantee: "size", Bound: anonymize.NewRatio(uint64(2+random.IntN(in.Rows-1)), 1)}
		tooLarge := anonymize.Promise{Guarantee: "size", Bound: anonymize.NewRatio(uint64(in.Rows+1), 1)}
		for _, method := range keeping {
			plain, err := runAsking(t, in, method)
			if err != nil {
				continue // the table has too few values
			}
			asked, err := runAsking(t, in, method, p)
			if err != nil {
				t.Fatalf("table %d, %s: size %s: %v", seed, method, p.Bound, err)
			}
			if err := anontest.Publishable(asked, in); err != nil || !keepsPromise(t, in, asked, p) {
				t.Errorf("table %d, %s: size %s: groups of %v: %v", seed, method, p.Bound, asked.GroupSizes, err)
			}
			if asked.Groups() < plain.Groups() {
				larger++
			}
			var infeasible *anonymize.InfeasibleError
			if _, err := runAsking(t, in, method, tooLarge); !errors.As(err, &infeasible) || infeasible.Parameter != "size" || infeasible.Largest.Num != uint64(in.Rows) {
				t.Errorf("table %d, %s: groups of more than %d records: %v", seed, method, in.Rows, err)
			}
		}
	}
	if larger < 50 {
		t.Errorf("size changed only %d releases", larger)
	}
}

// Others make the release that they would have made without, and the verification refuses it.
func TestOthersLeaveWhatIsAskedToTheVerification(t *testing.T) {
	in := anontest.AdultOfZhu(t)(1_000, "age education race sex")
	p := anonymize.Promise{Guarantee: "distinct", Bound: anonymize.MustRatio("12")}
	for _, method := range verifying {
		asked, err := runAsking(t, in, method, p)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		plain, err := runAsking(t, in, method)
		if last := plain.Fragments[len(plain.Fragments)-1]; strings.Contains(method, "grouped") && last.Role != anonymize.Mixed {
			t.Errorf("%s: the sensitive attribute is alone", method)
		}
		if err != nil || plain.Groups() != asked.Groups() || keepsPromise(t, in, asked, p) {
			t.Errorf("%s: %d groups, %d without: %v", method, asked.Groups(), plain.Groups(), err)
		}
	}
}

// Several sensitive attributes, each by itself or as one value.
func TestSeveralAttributesKeepWhatIsAsked(t *testing.T) {
	in := anontest.AdultOfZhu(t)(1_000, "age education")
	in.Sensitive = append(in.Sensitive, in.QuasiIdentifiers[1])
	in.QuasiIdentifiers = in.QuasiIdentifiers[:1]
	for _, method := range []string{"anatomy l=2", "slppa beta=1/2", "arp l=2", "mondrian k=3 l=2", "cdt k=3"} {
		for _, mode := range []string{" sa_mode=each", " sa_mode=combined"} {
			if strings.HasPrefix(method, "cdt") {
				mode = ""
			}
			for _, p := range []anonymize.Promise{
				{Guarantee: "distinct", Bound: anonymize.MustRatio("4")},
				{Guarantee: "t_equal(occupation)", Bound: anonymize.MustRatio("0.3")},
				{Guarantee: "distinct(occupation,education)", Bound: anonymize.MustRatio("9")},
			} {
				r, err := runAsking(t, in, method+mode, p)
				if err != nil || r.Groups() < 2 || !keepsPromise(t, in, r, p) {
					t.Errorf("%s: %s %s is not kept: %v", method+mode, p.Guarantee, p.Bound, err)
				}
			}
		}
	}
}

// runAsking runs a method as written, "anatomy l=2".
func runAsking(t *testing.T, in *anonymize.Input, written string, asked ...anonymize.Promise) (*anonymize.Release, error) {
	t.Helper()
	name, _, _ := strings.Cut(written, " ")
	m, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	one := *in
	one.Random, one.Asked = rand.NewPCG(1, 2), asked
	return m.Run(context.Background(), &one, anontest.Arguments(written))
}

// keepsPromise asks package privacy, with all that the method promises.
func keepsPromise(t *testing.T, in *anonymize.Input, r *anonymize.Release, p anonymize.Promise) bool {
	t.Helper()
	if p.Guarantee == "t_hierarchical" {
		var err error
		if p.Hierarchy, err = privacy.HierarchyOf(r, "occupation", in.Domains["occupation"].Taxonomy); err != nil {
			t.Fatal(err)
		}
	}
	one := *r
	one.Promises = privacy.AddPromise(r.Promises, p)
	guarantees, err := privacy.Verify(&one)
	if err == nil {
		err = privacy.FirstBroken(guarantees)
	}
	if err != nil && !errors.As(err, new(*privacy.BrokenError)) && !errors.As(err, new(*privacy.CannotCheckError)) {
		t.Fatal(err)
	}
	return err == nil
}
