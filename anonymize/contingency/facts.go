package contingency

import (
	"fmt"
	"math"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Facts describes a model to the owner.
func Facts(m *anonymize.Model) []anonymize.Fact {
	cells, pooled := 0, 0
	var of []string
	for _, t := range m.Tables {
		of = append(of, t.Attribute)
		cells += len(t.Weight)
		for _, w := range t.Weight {
			if w == anonymize.Pooled {
				pooled++
			}
		}
	}
	text := fmt.Sprintf("%d two-way tables with %s, of %s: %d cells", len(m.Tables), m.Sensitive, strings.Join(of, ", "), cells)
	if m.IsNoisy() {
		text += fmt.Sprintf(", all with %s noise of standard deviation %.4g: label differential privacy of %s for %s",
			m.NoiseName(), math.Sqrt(m.NoiseVariance()), m.Loss(), m.Protected())
		if !m.Alone {
			text += " by itself, and not of the relations beside it"
		}
	} else {
		text += fmt.Sprintf(", %d of them in multiples of %d, the others of fewer than %d units together", cells-pooled, max(1, m.Base), m.Least)
	}
	return []anonymize.Fact{{Name: "model", Value: text}}
}
