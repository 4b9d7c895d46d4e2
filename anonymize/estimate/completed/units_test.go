package completed

import (
	"slices"
	"testing"
)

// Tables that all have one number have no deviation from it, not even that of rounding.
func TestMeanOfTables(t *testing.T) {
	for x := range 200 {
		if mean, deviation := MeanOfTables(slices.Repeat([]float64{float64(x)}, 12)); mean != float64(x) || deviation != 0 {
			t.Errorf("twelve tables of %d: %v, off by %v", x, mean, deviation)
		}
	}
}
