package functions

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// A method may compute a measure differently from the published cells: for the classes that it made instead of the records with equal cells, or
// with penalties by the levels of a taxonomy. Each measure has one value, which everybody can check: that of package utility.

// recomputedFact returns the value of a fact that follows from the published cells.
func recomputedFact(name string, l *utility.GeneralizationLoss) (value string, ok bool) {
	switch name {
	case "equivalence classes":
		return fmt.Sprintf("%d of %d to %d records, %.2f on average", l.Classes, l.LeastClass, l.GreatestClass, l.MeanClass), true
	case "discernibility (C_DM)":
		return fmt.Sprintf("%.0f", l.Discernibility), true
	case "normalized certainty penalty":
		return fmt.Sprintf("%.4f", l.Mean), true
	}
	return "", false
}

// recomputed are a method's facts with the values of the published cells.
func recomputed(facts []anonymize.Fact, r *anonymize.Release) []anonymize.Fact {
	loss := utility.GeneralizationOf(r)
	if loss == nil {
		return facts
	}
	facts = slices.Clone(facts)
	for i, f := range facts {
		if value, ok := recomputedFact(f.Name, loss); ok {
			facts[i].Value = value
		}
	}
	return facts
}

// withoutMeasures omits facts that are rows of ANON_UTILITY themselves.
func withoutMeasures(facts []anonymize.Fact, r *anonymize.Release) []anonymize.Fact {
	loss := utility.GeneralizationOf(r)
	if loss == nil {
		return facts
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f anonymize.Fact) bool {
		_, ok := recomputedFact(f.Name, loss)
		return ok
	})
}
