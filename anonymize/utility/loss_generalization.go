package utility

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A GeneralizationLoss is what cells that are not points have lost, computed from the release
// alone. An equivalence class E is the set of all records with the same cells, across groups; n
// is the number of records, counterfeits included. Domains are the published dictionaries.
type GeneralizationLoss struct {
	Records, Classes int
	// LeastClass and GreatestClass are sizes in records.
	LeastClass, GreatestClass int
	// Suppressed is the number of records whose cells all stand for the whole domain, so that
	// their quasi-identifiers are unknown.
	Suppressed int
	// Discernibility is C_DM without a penalty for suppression: the sum over the classes of
	// |E|^2 (Bayardo and Agrawal, Data Privacy through Optimal k-Anonymization, ICDE 2005, with
	// nothing suppressed; Li et al. 2018, Section 4.2). Suppressed records are a class like any
	// other.
	Discernibility float64
	// DiscernibilitySuppressed is C_DM as Bayardo and Agrawal 2005 define it with suppressed
	// records, each of which costs n:
	//
	//	sum over the classes that are not suppressed of |E|^2 + n * suppressed
	DiscernibilitySuppressed float64
	// MeanClass is n / classes.
	MeanClass float64
	// Penalties are those of the generalized attributes. Mean is the normalized certainty
	// penalty and Granularity the loss metric over all quasi-identifiers, where unchanged ones
	// count 0; see [AttributePenalty].
	Penalties   []AttributePenalty
	Mean        float64
	Granularity float64
}

// An AttributePenalty says how much of an attribute's domain the cells span: means over the
// records, 0 for one value, 1 for the whole domain.
type AttributePenalty struct {
	Attribute string
	// Penalty is the normalized certainty penalty (NCP) of Xu et al., Utility-Based
	// Anonymization Using Local Recoding, KDD 2006, with equal weights of attributes. For
	// numbers it is
	//
	//	(greatest - least of the cell) / (greatest - least of the domain)
	//
	// and for others |cell| / |domain| in values, 0 for one value.
	Penalty float64
	// Granularity is the general loss metric (LM) of Iyengar, Transforming Data to Satisfy
	// Privacy Constraints, KDD 2002. For numbers it is the same, for others
	//
	//	(|cell| - 1) / (|domain| - 1)
	Granularity float64
}

// GeneralizationOf measures the only fragment of quasi-identifiers of a release. It returns nil
// if there are several, or if no column is generalized. O(tuples x columns + members of the
// cells).
func GeneralizationOf(r *anonymize.Release) *GeneralizationLoss {
	fragment := onlyQuasiIdentifiers(r)
	if fragment == nil || r.Rows == 0 {
		return nil
	}
	loss, generalized := &GeneralizationLoss{}, false
	for _, c := range fragment.Columns {
		if !c.IsPoint() {
			generalized = true
			loss.penalize(c, fragment.Count, len(fragment.Columns))
		}
	}
	if !generalized {
		return nil
	}
	loss.classes(r, fragment)
	return loss
}

// penalize adds the penalties of one of several columns. count has the records by tuple.
func (l *GeneralizationLoss) penalize(c *anonymize.FragmentColumn, count []uint32, columns int) {
	of := AttributePenalty{Attribute: c.Name}
	penalty, granularity := penalties(c)
	rows := 0.0
	for t, cell := range c.Codes {
		records := float64(count[t])
		rows += records
		of.Penalty += records * penalty[cell]
		of.Granularity += records * granularity[cell]
	}
	of.Penalty /= rows
	of.Granularity /= rows
	l.Penalties = append(l.Penalties, of)
	l.Mean += of.Penalty / float64(columns)
	l.Granularity += of.Granularity / float64(columns)
}

// classes sets the figures about equivalence classes.
func (l *GeneralizationLoss) classes(r *anonymize.Release, f *anonymize.Fragment) {
	sizes, suppressed := classSizes(f)
	l.Records, l.Classes, l.LeastClass, l.GreatestClass = r.Rows, len(sizes), slices.Min(sizes), slices.Max(sizes)
	for class, records := range sizes {
		square := float64(records) * float64(records)
		l.Discernibility += square
		if suppressed[class] {
			l.Suppressed += records
			square = float64(r.Rows) * float64(records)
		}
		l.DiscernibilitySuppressed += square
	}
	l.MeanClass = float64(r.Rows) / float64(l.Classes)
}

// NormalizedClass returns C_AVG = (n / classes) / k for a promised k, at least 1 (LeFevre et
// al., Mondrian Multidimensional k-Anonymity, ICDE 2006): 1 at best.
func (l *GeneralizationLoss) NormalizedClass(k float64) float64 { return l.MeanClass / k }

// SpansGroups reports whether records with the same generalized quasi-identifiers are in
// different groups (cross-bucket generalization). Then nobody knows a record's group, and
// figures that assume it is known mean nothing.
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

// penalties returns NCP and LM of a column's cells. The domain is the published dictionary.
func penalties(c *anonymize.FragmentColumn) (penalty, granularity []float64) {
	numeric := (&anonymize.Column{Dictionary: c.Dictionary}).IsNumeric()
	all := anonymize.Indices(len(c.Dictionary))
	whole := lengthOf(c, all)
	penalty, granularity = make([]float64, len(c.Cells)), make([]float64, len(c.Cells))
	for i, cell := range c.Cells {
		members, domain := float64(len(cell.Members)), float64(len(c.Dictionary))
		switch {
		case len(cell.Members) < 2:
		case numeric && whole > 0:
			penalty[i] = lengthOf(c, cell.Members) / whole
			granularity[i] = penalty[i]
		default:
			penalty[i] = members / domain
			granularity[i] = (members - 1) / (domain - 1)
		}
	}
	return penalty, granularity
}

// lengthOf returns the distance between the least and the greatest number, without NULL.
func lengthOf(c *anonymize.FragmentColumn, members []uint32) float64 {
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

// classSizes returns the number of records by class of equal tuples, and which classes are suppressed.
func classSizes(f *anonymize.Fragment) (sizes []int, suppressed []bool) {
	number, classes := f.NumberTuples(len(f.Columns))
	sizes, suppressed = make([]int, classes), make([]bool, classes)
	for t, class := range number {
		if sizes[class] == 0 {
			suppressed[class] = tellsNothing(f, t)
		}
		sizes[class] += int(f.Count[t])
	}
	return sizes, suppressed
}

// tellsNothing reports whether every cell of a tuple stands for the whole domain.
func tellsNothing(f *anonymize.Fragment, tuple int) bool {
	for _, c := range f.Columns {
		members := 1
		if !c.IsPoint() {
			members = len(c.Cells[c.Codes[tuple]].Members)
		}
		if members < len(c.Dictionary) {
			return false
		}
	}
	return true
}
