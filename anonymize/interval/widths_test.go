package interval

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize/estimate"
)

// among says which share of deviations, in half widths of the model's own interval, is
// up to a factor.
func among(deviations []float64) Coverage {
	return Coverage{len(deviations), func(factor, level float64) bool { return within1(deviations, factor) >= level }}
}

func within1(deviations []float64, factor float64) float64 {
	inside := 0
	for _, z := range deviations {
		if z <= factor {
			inside++
		}
	}
	return float64(inside) / float64(len(deviations))
}

// The chosen width covers what it claims at every level, and the step before does
// not: whatever the errors are. What enters the choice is rounded up.
func TestChosenWidthCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	chosen := map[uint8]int{}
	for range 500 {
		deviations := make([]float64, MinimumEstimates+random.IntN(300))
		scale, tail := math.Exp(5*random.Float64()-1), 3*random.Float64()
		for i := range deviations {
			deviations[i] = scale * math.Abs(random.NormFloat64()) * math.Exp(tail*random.NormFloat64())
		}
		w := Choose(func(estimate.Kind) Coverage { return among(deviations) })
		if w.Count != w.Sum || w.Sum != w.Average {
			t.Fatalf("the same errors get %+v", w)
		}
		chosen[w.Count]++
		covers := func(step uint8) bool {
			narrow := &Widths{Count: step, Sum: step, Average: step}
			for _, level := range Levels {
				if half, ok := narrow.HalfWidth(estimate.Count, Figure{Deviation: 1 / normal}, level); !ok || within1(deviations, half*(1+tolerance)) < level {
					return false
				}
			}
			return true
		}
		if !covers(w.Count) || w.Count > 1 && covers(w.Count-1) {
			t.Fatalf("step %d was chosen for %v", w.Count, deviations)
		}
	}
	if len(chosen) != int(Widest) {
		t.Errorf("not every step was needed: %v", chosen)
	}
}

// An aggregate of which too little was measured takes the width of another; there
// are never more than eight.
func TestUnmeasuredWidths(t *testing.T) {
	few, many := among(make([]float64, MinimumEstimates-1)), among(make([]float64, MinimumEstimates))
	large := among(slices.Repeat([]float64{50}, MinimumEstimates))
	for _, c := range []struct {
		measured [3]Coverage
		want     Widths
	}{
		{[3]Coverage{few, few, few}, Widths{Count: Widest, Sum: Widest, Average: Widest}},
		{[3]Coverage{many, few, few}, Widths{Count: 1, Sum: 1, Average: 1}},
		{[3]Coverage{many, large, few}, Widths{Count: 1, Sum: 8, Average: 8}},
		{[3]Coverage{large, many, large}, Widths{Count: 8, Sum: 1, Average: 8}},
	} {
		if got := Choose(func(kind estimate.Kind) Coverage { return c.measured[kind] }); *got != c.want {
			t.Errorf("%+v, want %+v", *got, c.want)
		}
	}
}

// Levels below 95 percent have the quotients of normal quantiles, levels above
// those of Student's t with two degrees of freedom.
func TestHalf(t *testing.T) {
	w := &Widths{Count: 1, Sum: 3, Average: Widest}
	f := Figure{Estimate: -80, Deviation: 3, Low: -100, High: -70}
	for level, want := range map[float64]float64{0.5: 0.344, 0.8: 0.654, 0.9: 0.839, 0.95: 1, 0.99: 9.925 / 4.303} {
		for kind, factor := range map[estimate.Kind]float64{estimate.Count: 1, estimate.Sum: 3} {
			if half, ok := w.HalfWidth(kind, f, level); !ok || math.Abs(half/(factor*1.96*5*want)-1) > 0.001 { // 5 = hypot(3, 0.05 * 80)
				t.Errorf("kind %v, level %v: half width %v %v, want %v", kind, level, half, ok, factor*1.96*5*want)
			}
		}
		if half, ok := w.HalfWidth(estimate.Average, f, level); !ok || !math.IsInf(half, 1) {
			t.Errorf("the hard bounds have the half width %v %v", half, ok)
		}
		if half, ok := w.HalfWidth(estimate.Average, Figure{Estimate: -80, Low: -80, High: -80}, level); !ok || half != 0 {
			t.Errorf("an exact answer has the half width %v %v", half, ok)
		}
	}
	var none *Widths
	for name, has := range map[string]bool{
		"no widths":      second(none.HalfWidth(estimate.Count, f, 0.95)),
		"level 0.4":      second(w.HalfWidth(estimate.Count, f, 0.4)),
		"level 0.999":    second(w.HalfWidth(estimate.Count, f, 0.999)),
		"level NaN":      second(w.HalfWidth(estimate.Count, f, math.NaN())),
		"no deviation":   second(w.HalfWidth(estimate.Count, Figure{Deviation: math.NaN()}, 0.95)),
		"another figure": second(w.HalfWidth(estimate.Average+1, f, 0.95)),
	} {
		if has {
			t.Errorf("%s: there is an interval", name)
		}
	}
}

// The misfit of a mean is a share of the way to the nearer hard bound, so that it does
// not change with the zero of the values; what is not known is not added.
func TestUnitOfAMean(t *testing.T) {
	for _, c := range []struct {
		f    Figure
		want float64
	}{
		{Figure{Estimate: 50, Deviation: 3, Low: 10, High: 130}, 3.6056}, // hypot(3, 0.05 * 40)
		{Figure{Estimate: 2050, Deviation: 3, Low: 2010, High: 2130}, 3.6056},
		{Figure{Estimate: -50, Deviation: 3, Low: -130, High: -10}, 3.6056},
		{Figure{Estimate: 10, Deviation: 3, Low: 10.001, High: 130}, 3}, // rounding
		{Figure{Estimate: 50, Deviation: 3, Low: math.Inf(-1), High: math.Inf(1)}, 3},
		{Figure{Estimate: 50, Deviation: 3, Low: math.NaN(), High: math.NaN()}, 3},
	} {
		if got := Unit(estimate.Average, c.f) / normal; math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%+v: %v, want %v", c.f, got, c.want)
		}
	}
}

func second(_ float64, ok bool) bool { return ok }

// What is stored is read, damage is refused, and nothing
// but the widths is public.
func TestStored(t *testing.T) {
	for text, want := range map[string]*Widths{
		"": nil, "null": nil,
		`{"Factors":{"Count":1,"Sum":8,"Average":3},"Queries":500,"Everyday":[{"Covered":0.96}]}`: {Count: 1, Sum: 8, Average: 3},
	} {
		got, err := Decode(json.RawMessage(text))
		if err != nil || (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%s is read as %+v, %v, not %+v", text, got, err, want)
		}
		public, err := Public(json.RawMessage(text))
		if want == nil {
			if public != nil || err != nil {
				t.Errorf("of nothing %s is public, %v", public, err)
			}
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(public, &fields); err != nil || len(fields) != 1 || fields["Factors"] == nil {
			t.Errorf("%s is public of %s (%v)", public, text, err)
		}
		if again, err := Decode(public); err != nil || *again != *want {
			t.Errorf("%s is read as %+v, %v", public, again, err)
		}
	}
}

func TestDamagedWidths(t *testing.T) {
	for _, damaged := range []string{"{", "{}", `{"Factors":{"Count":-1,"Sum":1,"Average":1}}`,
		`{"Factors":{"Count":0,"Sum":1,"Average":1}}`, `{"Factors":{"Count":1,"Sum":9,"Average":1}}`, `{"Factors":{"Count":1}}`} {
		if _, err := Decode(json.RawMessage(damaged)); err == nil {
			t.Errorf("%s was read", damaged)
		}
		if _, err := Public(json.RawMessage(damaged)); err == nil {
			t.Errorf("something of %s is public", damaged)
		}
	}
}

// Each number is a half width, in words too.
func TestFactors(t *testing.T) {
	for stored, want := range map[string][]float64{
		`{"Factors":{"Count":%d,"Sum":1,"Average":1}}`: {1, 2, 3, 5, 8, 12, 18, math.Inf(1)},
	} {
		for i, factor := range want {
			w, err := Decode(json.RawMessage(fmt.Sprintf(stored, i+1)))
			if err != nil || w.Factor(estimate.Count) != factor || len(want) != int(Widest) {
				t.Errorf(stored+": %+v, %v, want %v", i+1, w, err, factor)
			}
		}
	}
	w := &Widths{Count: 2, Sum: 5, Average: 8}
	if got := w.String(); got != "COUNT 2 half widths of the model's own, SUM 8 half widths of the model's own, AVG the hard bounds" {
		t.Error(got)
	}
}
