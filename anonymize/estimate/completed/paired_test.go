package completed

import "testing"

// Sums of whole numbers and of decimals are exact; others are left to the tables.
func TestWholeScale(t *testing.T) {
	for _, test := range []struct {
		list  []float64
		scale int64
		ok    bool
	}{
		{[]float64{-3, 0, 7}, 1, true}, {[]float64{1.5, 2.25}, 100, true}, {[]float64{.000001}, 1e6, true},
		{[]float64{1. / 3}, 0, false}, {[]float64{1e15}, 0, false}, {nil, 1, true},
	} {
		scale, ok := wholeScale(test.list, 12_000)
		if ok != test.ok || ok && scale != test.scale {
			t.Errorf("%v: %d, %v, not %d, %v", test.list, scale, ok, test.scale, test.ok)
		}
	}
}
