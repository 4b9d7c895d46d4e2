package methods

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// askedPromises are what mondrian and fulldomain look for beside their parameters.
var askedPromises = []anonymize.Promise{
	{Guarantee: "distinct", Bound: anonymize.MustRatio("4")},
	{Guarantee: "entropy", Bound: anonymize.MustRatio("4")},
	{Guarantee: "recursive", Bound: anonymize.MustRatio("2"), Threshold: anonymize.NewRatio(3, 1)},
	{Guarantee: "t_equal", Bound: anonymize.MustRatio("0.3")},
	{Guarantee: "t_hierarchical", Bound: anonymize.MustRatio("0.2")},
	{Guarantee: "beta_likeness", Bound: anonymize.MustRatio("2")},
	{Guarantee: "enhanced_beta_likeness", Bound: anonymize.MustRatio("1.5")},
	{Guarantee: "delta_disclosure", Bound: anonymize.MustRatio("4")},
	{Guarantee: "size", Bound: anonymize.MustRatio("20")},
}

// What is asked beside the parameters is looked for: every release keeps it, of mondrian with
// more than one class where it breaks it without being asked. Fulldomain, which has no
// taxonomies here, knows few levels: one class is left of most.
func TestAskedPromisesAreLookedFor(t *testing.T) {
	in := anontest.AdultOfZhu(t)(5_000, "age education race sex")
	withCollars(t, in)
	for _, method := range []struct{ name, mode string }{{"mondrian", "local"}, {"mondrian", "strict"}, {"mondrian", "relaxed"}, {"fulldomain", ""}} {
		for _, p := range askedPromises {
			asked := classesThatKeep(t, in, method.name, method.mode, p, true)
			plain := classesThatKeep(t, in, method.name, method.mode, p, false)
			t.Logf("%s %s: %s %s: %d classes, %d without", method.name, method.mode, p.Guarantee, p.Bound, asked, plain)
			few := method.name == "fulldomain" && p.Guarantee != "t_equal"
			if asked == 0 || !few && (asked < 2 || plain > 0) {
				t.Errorf("%s %s: %s %s: %d classes keep it, %d without being asked", method.name, method.mode, p.Guarantee, p.Bound, asked, plain)
			}
		}
	}
}

// classesThatKeep runs a method; the number of its classes, 0 if they break the promise.
func classesThatKeep(t *testing.T, in *anonymize.Input, method, mode string, p anonymize.Promise, asked bool) int {
	t.Helper()
	one, arguments := *in, anonymize.Arguments{"k": "3"}
	one.Random = rand.NewPCG(1, 2)
	if one.Asked = nil; asked {
		one.Asked = []anonymize.Promise{p}
	}
	if mode != "" {
		arguments["mode"] = mode
	}
	m, err := ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background(), &one, arguments)
	if err != nil {
		t.Fatalf("%s: %+v: %v", method, p, err)
	}
	if !keepsPromise(t, in, r, p) {
		return 0
	}
	if err := anontest.Publishable(r, &one); err != nil {
		t.Fatal(err)
	}
	return r.Groups()
}

// A table that breaks it as one class is refused by name.
func TestAskedPromisesThatNoTableKeeps(t *testing.T) {
	in := anontest.AdultOfZhu(t)(1_000, "age sex")
	in.Asked = []anonymize.Promise{{Guarantee: "distinct", Bound: anonymize.MustRatio("15")}}
	for _, name := range []string{"mondrian", "fulldomain"} {
		m, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		one := *in
		one.Random = rand.NewPCG(1, 2)
		_, err = m.Run(context.Background(), &one, anonymize.Arguments{"k": "3"})
		if infeasible, ok := errors.AsType[*anonymize.InfeasibleError](err); !ok || infeasible.Parameter != "distinct" {
			t.Errorf("%s: %v", name, fmt.Sprint(err))
		}
	}
}
