package units

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Cap limits the records of each unit to most. It keeps a random selection of the records of larger units and reports
// that as a fact. rows are those that it kept. If no unit is larger, or if units are records, it returns the input unchanged, and neither rows nor a fact.
func Cap(in *anonymize.Input, most int) (capped *anonymize.Input, rows []uint32, facts []anonymize.Fact) {
	if in.Units == nil {
		return in, nil, nil
	}
	random, result, units, large := rand.New(in.Random), &Result{}, 0, 0
	for _, s := range strata(in) {
		units += len(s.units)
		if s.records > most {
			large += len(s.units)
			to := &stratum{records: most}
			s.trim(to, random)
			s = to
		}
		for _, u := range s.units {
			result.Records = append(result.Records, u...)
		}
	}
	if large == 0 {
		return in, nil, nil
	}
	slices.Sort(result.Records)
	left := in.Rows - len(result.Records)
	return result.Published(in), result.Records, []anonymize.Fact{{Name: "warning", Value: fmt.Sprintf("%d of %d records (%.2f %%) are left out: "+
		"%d of %d units have more than %d, of which these were drawn. Answers and hard bounds are about the others",
		left, in.Rows, 100*float64(left)/float64(in.Rows), large, units, most)}}
}
