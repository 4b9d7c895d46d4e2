package units

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// copied concatenates the i-th fragments of the strata's releases. A tuple of u units with n
// records each stands for u n records.
func (r *run) copied(t *table, i int) *anonymize.Fragment {
	parts := make([]*anonymize.Fragment, len(r.divided))
	for p, d := range r.divided {
		of := *d.release.Fragments[i]
		of.Units, of.Count = of.Count, make([]uint32, len(of.Count))
		for tuple, units := range of.Units {
			of.Count[tuple] = units * uint32(d.records)
		}
		parts[p] = &of
	}
	return bucketization.UniteFragments(parts, t.origin)
}
