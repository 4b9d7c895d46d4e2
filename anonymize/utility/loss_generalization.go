package utility

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A GeneralizationLoss is what cells that are not points have lost, from the
// release alone. An equivalence class is all records shown with the same cells,
// in whichever groups.
type GeneralizationLoss struct {
	Classes int
	// Discernibility is C_DM (Bayardo and Agrawal, ICDE 2005; Li et al. 2018, Section
	// 4.2): the sum of the squared sizes of the equivalence classes.
	Discernibility float64
	// MeanClass is records per class.
	MeanClass float64
	// Penalties are the normalized certainty penalties of the generalized
	// attributes, and Mean that of all quasi-identifiers (GCP).
	Penalties []AttributePenalty
	Mean      float64
}

// An AttributePenalty is the mean over records of the part of the attribute's
// domain that their cells span: 0 for one value, 1 for everything.
type AttributePenalty struct {
	Attribute string
	Penalty   float64
}

// GeneralizationOf looks at the one fragment of quasi-identifiers of a release;
// nil when there are several, or no generalized column among them. O(tuples x
// columns + members of the cells).
func GeneralizationOf(r *anonymize.Release) *GeneralizationLoss {
	fragment := onlyQuasiIdentifiers(r)
	if fragment == nil || r.Rows == 0 {
		return nil
	}
	loss, generalized := &GeneralizationLoss{}, false
	for _, c := range fragment.Columns {
		if c.IsPoint() {
			continue
		}
		generalized = true
		penalty, sum := penalties(c), 0.0
		for t, cell := range c.Codes {
			sum += float64(fragment.Count[t]) * penalty[cell]
		}
		sum /= float64(r.Rows)
		loss.Penalties = append(loss.Penalties, AttributePenalty{c.Name, sum})
		loss.Mean += sum / float64(len(fragment.Columns))
	}
	if !generalized {
		return nil
	}
	for _, records := range classSizes(fragment) {
		loss.Classes++
		loss.Discernibility += float64(records) * float64(records)
	}
	loss.MeanClass = float64(r.Rows) / float64(loss.Classes)
	return loss
}

// SpansGroups reports whether records shown with the same generalized
// quasi-identifiers are in different groups (cross-bucket generalization). Then
// nobody knows which group a record is in, and figures that take the group for
// known say nothing.
func SpansGroups(r *anonymize.Release) bool {
	fragment := onlyQuasiIdentifiers(r)
	if fragment == nil || !slices.ContainsFunc(fragment.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() }) {
		return false
	}
	number, classes := fragment.NumberTuples(len(fragment.Columns))
	group := make([]int, classes)
	for g := range r.Groups() {
		for t := fragment.GroupStart[g]; t < fragment.GroupStart[g+1]; t++ {
			if of := &group[number[t]]; *of == 0 {
				*of = g + 1
			} else if *of != g+1 {
				return true
			}
		}
	}
	return false
}

func onlyQuasiIdentifiers(r *anonymize.Release) *anonymize.Fragment {
	var only *anonymize.Fragment
	for _, f := range r.Fragments {
		if f.Role == anonymize.Sensitive {
			continue
		}
		if only != nil {
			return nil
		}
		only = f
	}
	return only
}

// penalties are those of a column's cells: numbers by the distance between the
// ends, others by the number of values. The domain is the published dictionary.
func penalties(c *anonymize.FragmentColumn) []float64 {
	numeric := (&anonymize.Column{Dictionary: c.Dictionary}).IsNumeric()
	length := func(members []uint32) float64 {
		for len(members) > 0 && c.Dictionary[members[0]].IsNull() {
			members = members[1:]
		}
		if len(members) == 0 {
			return 0
		}
		low, _ := c.Dictionary[members[0]].Number()
		high, _ := c.Dictionary[members[len(members)-1]].Number()
		return high - low
	}
	all := make([]uint32, len(c.Dictionary))
	for code := range all {
		all[code] = uint32(code)
	}
	whole := length(all)
	penalty := make([]float64, len(c.Cells))
	for i, cell := range c.Cells {
		switch {
		case len(cell.Members) < 2:
		case numeric && whole > 0:
			penalty[i] = length(cell.Members) / whole
		default:
			penalty[i] = float64(len(cell.Members)) / float64(len(c.Dictionary))
		}
	}
	return penalty
}

// classSizes counts the records of equal tuples.
func classSizes(f *anonymize.Fragment) []int {
	number, classes := f.NumberTuples(len(f.Columns))
	sizes := make([]int, classes)
	for t, n := range number {
		sizes[n] += int(f.Count[t])
	}
	return sizes
}
