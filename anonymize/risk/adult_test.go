package risk

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// UCI Adult as a population of which samples are released, so that its uniques are known.
// docs/risk.md has this table. By the rule of Dankar et al. many uniques are found within
// a tenth from a tenth of the population on, and within a third or so at a twentieth; few
// uniques seem more.
func TestEstimatorsOnAdult(t *testing.T) {
	table := anontest.Adult(t)
	var text strings.Builder
	for _, qi := range []string{"age sex race", "age sex race marital_status education", "age sex race marital_status education native_country hours_per_week"} {
		var codes [][]uint32
		for _, name := range strings.Fields(qi) {
			codes = append(codes, table.Column(name).Codes)
		}
		number, _ := anonymize.NumberRows(codes, table.Rows)
		class := make([]int, table.Rows)
		for row, n := range number {
			class[row] = int(n)
		}
		for _, fraction := range []float64{0.01, 0.05, 0.1, 0.2, 0.5} {
			sizes, uniques := drawn(rand.New(rand.NewPCG(1, 1)), class, fraction)
			fmt.Fprintf(&text, "| %s | %g %% | %.0f |", strings.ReplaceAll(qi, " ", ", "), 100*fraction, uniques)
			for _, estimate := range []func([]SizeCount, uint64) (float64, error){Pitman, Zayatz, SlideNegativeBinomial} {
				if x, err := estimate(sizes, uint64(table.Rows)); err == nil {
					fmt.Fprintf(&text, " %.0f |", x)
				} else {
					text.WriteString(" - |")
				}
			}
			chosen, err := Dankar(sizes, uint64(table.Rows))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, " %.0f (%s) |\n", chosen.Uniques, chosen.Model)
			off := chosen.Uniques / uniques
			within := map[float64]float64{0.01: 5, 0.05: 1.4, 0.1: 1.1, 0.2: 1.2, 0.5: 1.05}[fraction]
			if uniques > 1000 && (off > within || off < 1/within) || uniques < 1000 && (off < 0.95 || fraction >= 0.2 && off > 2) {
				t.Errorf("%s, %g: %.0f uniques, %+v", qi, fraction, uniques, chosen)
			}
		}
	}
	t.Log("\n" + text.String())
}
