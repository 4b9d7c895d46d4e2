package fulldomain

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/testsize"
)

const adultQI = "age workclass education marital_status race sex native_country"

// adult is Adult with hierarchies as they are common for it: ages in intervals of
// 5, 10, 20 and 40 years (those that a number has without a taxonomy), two or
// three levels for the others, "*" alone for race and sex.
func adult(t testing.TB) *anonymize.Input {
	t.Helper()
	table := anontest.AdultComplete(t)
	in := anontest.NewInput(t, table, adultQI, "occupation", nil)
	in.Domains = anontest.AdultHierarchies(t, table, "education marital_status workclass native_country")
	return in
}

// The model loses more than Mondrian, which generalizes class by class; allowing
// suppression never raises the loss; and the release is right.
func TestAdult(t *testing.T) {
	in := adult(t)
	in.Random = rand.NewPCG(1, 1)
	r, err := mondrian.Method().Run(context.Background(), in, anonymize.Arguments{"k": "5", "mode": "strict"})
	if err != nil {
		t.Fatal(err)
	}
	local, localSquares := anontest.FactNumber(t, r, "normalized certainty penalty"), squares(r)
	t.Logf("mondrian   k = 5: loss %.4f, C_DM %11d, %d classes", local, localSquares, r.Groups())
	before := 1.0
	for _, suppress := range []string{"0", "0.01", "0.05"} {
		in.Random = rand.NewPCG(1, 1)
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "5", "suppress": suppress})
		if err != nil {
			t.Fatal(err)
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Error(err)
		}
		got := anontest.FactNumber(t, r, "normalized certainty penalty")
		t.Logf("fulldomain k = 5, suppress = %s: loss %.4f, C_DM %11d, %d classes", suppress, got, squares(r), r.Groups())
		for _, f := range r.Facts {
			t.Logf("  %s: %s", f.Name, f.Value)
		}
		if got <= local || got > before || squares(r) <= localSquares {
			t.Errorf("suppress = %s: loss %.4f, C_DM %d; mondrian has %.4f and %d, less suppression %.4f", suppress, got, squares(r), local, localSquares, before)
		}
		before = got
	}
}

func squares(r *anonymize.Release) (sum int) {
	for _, size := range r.GroupSizes {
		sum += int(size) * int(size)
	}
	return sum
}

// On Adult, too, the optimum is that of all nodes, each counted from the table.
func TestAdultExhaustive(t *testing.T) {
	in := adult(t)
	in.Random = rand.NewPCG(1, 1)
	attributes, err := generalization.NewAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	all := []anonymize.Arguments{
		{"k": "5", "l": "3", "suppress": "0.03"}, {"k": "10"}, {"k": "10", "suppress": "0.03"},
		{"k": "10", "suppress": "0.02", "optimize": classSize}, {"k": "10", "suppress": "0.02", "optimize": discernibility},
	}
	for _, arguments := range all[:testsize.Of(1, len(all))] {
		c, measure, err := readArguments(in, arguments)
		if err != nil {
			t.Fatal(err)
		}
		s, best := optimum(t, in, attributes, c, measure)
		least, j := key{value: math.Inf(1)}, s.newJudge()
		for node := range s.base.nodes {
			if v := j.judge(j.roll(&s.base.tuples, node)); v.feasible && v.cost.isBetter(least) {
				least = v.cost
			}
		}
		t.Logf("%v: %d of %d nodes counted", arguments, s.judged, s.base.nodes)
		if best != least {
			t.Errorf("%v: %+v, all nodes: %+v", arguments, best, least)
		}
	}
}
