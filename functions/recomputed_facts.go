package functions

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// recomputedFacts are those of a method that ANON_UTILITY computes from the published
// cells. A method may mean something else by the same name, such as the classes that
// it made instead of the records that look alike, or penalties by the levels of a
// taxonomy: of one measure there is one value, which everybody can check.
var recomputedFacts = []string{"equivalence classes", "discernibility (C_DM)", "normalized certainty penalty"}

// withoutMeasures leaves out the facts that are recomputed for a release.
func withoutMeasures(facts []anonymize.Fact, r *anonymize.Release) []anonymize.Fact {
	if utility.GeneralizationOf(r) == nil {
		return facts
	}
	return slices.DeleteFunc(slices.Clone(facts), func(f anonymize.Fact) bool { return slices.Contains(recomputedFacts, f.Name) })
}
