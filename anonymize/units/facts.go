package units

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// facts returns the facts of the run. It adds the method's facts if there is only one stratum:
// with several, they would not apply to all.
func (r *run) facts(layout *anonymize.Release) (facts []anonymize.Fact) {
	units, least, merged := 0, r.divided[0].records, 0
	for _, d := range r.divided {
		units += len(d.units)
		least = min(least, d.records)
		merged += d.merged
	}
	facts = append(facts, anonymize.Fact{Name: "units",
		Value: fmt.Sprintf("%d, of %d to %d records; units of a group have equally many", units, least, r.divided[0].records)})
	if r.left > 0 {
		facts = append(facts, anonymize.Fact{Name: "warning", Value: fmt.Sprintf("%d of %d records (%.2f %%) are left out, of %d units: too few units have as many. "+
			"Answers and hard bounds are about the others",
			r.left, r.whole, 100*float64(r.left)/float64(r.whole), len(r.trimmed))})
	}
	if merged > 0 {
		facts = append(facts, anonymize.Fact{Name: "merges", Value: fmt.Sprintf("%d groups into others, since units with several values share some", merged)})
	}
	if len(r.divided) == 1 && merged == 0 {
		facts = slices.Concat(facts, layout.Facts)
	}
	return facts
}

// uniqueFacts warns of sub-tuples of quasi-identifiers that occur in one record only, because they reveal the group of its unit.
func uniqueFacts(f *anonymize.Fragment, p *bucketization.Projection) []anonymize.Fact {
	if f.Role != anonymize.QuasiIdentifying {
		return nil
	}
	once, distinct := p.Uniques()
	return []anonymize.Fact{{Name: "unique tuples of records " + f.Name, Value: fmt.Sprintf(
		"%d of %d (%.1f %%) occur once in the whole table and reveal their owners' group", once, distinct, 100*float64(once)/float64(distinct))}}
}
