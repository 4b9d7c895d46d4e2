package anonymize

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestParseRatio(t *testing.T) {
	for text, want := range map[string]Ratio{
		"0.05": {1, 20}, "5e-2": {1, 20}, "1/3": {1, 3}, "2/6": {1, 3}, " 1 ": {1, 1}, "0": {0, 1}, ".5": {1, 2},
		"18446744073709551615": {math.MaxUint64, 1}, "0.1": {1, 10},
	} {
		if got, err := ParseRatio(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "-0.5", "-1/3", "1/0", "NaN", "Inf", "1e-30", "18446744073709551616",
		"1e999999999", "0.3333333333333333333333333333333333333333333333333333333333333333333333333"} {
		if got, err := ParseRatio(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestRatioString(t *testing.T) {
	for text, want := range map[string]string{
		"1/3": "0.3333 (1/3)", "0.25": "0.25", "1": "1", "0": "0", "43832/48842": "0.8974 (21916/24421)",
		"0.00001": "0.00001", "1/300000": "3.333e-06 (1/300000)", "0.12345": "0.12345", "10": "10", "0.0625": "0.0625", "3/2": "1.5",
	} {
		if got := MustRatio(text).String(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string][3]string{ // Text, Below, Above
		"1/3": {"1/3", "0.3333", "0.3334"}, "0.25": {"0.25", "0.25", "0.25"}, "43832/48842": {"21916/24421", "0.8974", "0.8975"},
		"1/48842": {"1/48842", "0.00002047", "0.00002048"}, "0.00001": {"0.00001", "0.00001", "0.00001"}, "7": {"7", "7", "7"}, "0": {"0", "0", "0"},
		"99999/100000": {"0.99999", "0.9999", "1"}, "18446744073709551615/18446744073709551614": {"18446744073709551615/18446744073709551614", "1", "1.0001"},
	} {
		r := MustRatio(text)
		if got := [3]string{r.Text(), r.RoundDown(), r.RoundUp()}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if MustRatio(r.Text()) != r || MustRatio(r.RoundDown()).Cmp(r) > 0 || MustRatio(r.RoundUp()).Cmp(r) < 0 {
			t.Errorf("%s is not between %s and %s, or not %s", text, r.RoundDown(), r.RoundUp(), r.Text())
		}
	}
	if (Ratio{}).String() != "0" || (Ratio{}).Float() != 0 {
		t.Error("the zero Ratio is not printed as 0")
	}
}

// Cmp and Admits against big.Rat, with numbers of all lengths.
func TestComparisonsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	number := func() uint64 { return 1 + random.Uint64()>>(1+random.IntN(63)) }
	for range 50_000 {
		r, s := NewRatio(number(), number()), NewRatio(number(), number())
		if random.IntN(3) == 0 { // neighbours
			s = Ratio{r.Num + uint64(random.IntN(3)) - 1, r.Den}
		}
		if got, want := r.Cmp(s), r.Rat().Cmp(s.Rat()); got != want {
			t.Fatalf("%v cmp %v = %d, want %d", r, s, got, want)
		}
		part, whole := int(number()>>1), int(number()>>1)+1
		if got, want := r.Admits(part, whole), big.NewRat(int64(part), int64(whole)).Cmp(r.Rat()) <= 0; got != want {
			t.Fatalf("%d/%d <= %v: %v", part, whole, r, got)
		}
	}
	// As float64, 3 of 10 is below 0.1 + 0.2 and 0.3 is not equal to it.
	if tenth := MustRatio("0.1"); !tenth.Admits(1, 10) || tenth.Admits(2, 19) || !MustRatio("0.3").Admits(3, 10) {
		t.Error("0.1")
	}
}
