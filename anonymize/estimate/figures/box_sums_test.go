package figures

import (
	"math"
	"testing"
)

// The number of common places of two random subsets, against counting.
func TestHypergeometric(t *testing.T) {
	for m := 1; m <= 6; m++ {
		for c := 0; c <= m; c++ {
			for n := 0; n <= m; n++ {
				want, got := make([]float64, m+1), make([]float64, m+1)
				subsets := 0.0
				for bits := range 1 << m {
					size, common := 0, 0
					for i := range m {
						if bits>>i&1 == 1 {
							size++
							if i < c {
								common++
							}
						}
					}
					if size == n {
						want[common]++
						subsets++
					}
				}
				addHypergeometric(got, 1, m, c, n)
				for k := range want {
					if math.Abs(got[k]-want[k]/subsets) > 1e-12 {
						t.Fatalf("m=%d c=%d n=%d k=%d: %v, counted %v", m, c, n, k, got[k], want[k]/subsets)
					}
				}
			}
		}
	}
}
