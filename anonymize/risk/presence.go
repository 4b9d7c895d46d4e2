package risk

import "github.com/anonsql/anonsql/anonymize"

// KMap is the least number of records of the population that the cells of a class cover
// (Sweeney 2002): each record of the release could be any of so many persons. class has
// the least.
func (c *Classes) KMap(m *Matches) (k uint64, class int) {
	for j, n := range m.Records {
		if j == 0 || n < k {
			k, class = n, j
		}
	}
	return k, class
}

// A Presence is how likely the persons of the population are in the release: delta_min and
// delta_max of delta-presence (Nergiz et al. 2007).
type Presence struct {
	Least, Greatest anonymize.Ratio
	// LeastClass is -1 for persons whom no class covers.
	LeastClass, GreatestClass int
}

// Presence is f_j/F_j for the persons whom class j covers, and 0 for those whom none does.
// It is exact where no person is covered by two classes (m.Several is -1), which the
// definition's generalization of the population makes sure of; else it has no meaning.
func (c *Classes) Presence(m *Matches) (p Presence) {
	for j, n := range c.Records {
		share := anonymize.NewRatio(n, m.Records[j])
		if j == 0 || share.Cmp(p.Least) < 0 {
			p.Least, p.LeastClass = share, j
		}
		if j == 0 || share.Cmp(p.Greatest) > 0 {
			p.Greatest, p.GreatestClass = share, j
		}
	}
	if m.Uncovered > 0 {
		p.Least, p.LeastClass = anonymize.NewRatio(0, 1), -1
	}
	return p
}
