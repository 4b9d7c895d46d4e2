package risk

import "github.com/anonsql/anonsql/anonymize"

// KMap returns the least number of population records that the cells of a class cover (Sweeney
// 2002), and such a class: each of its records could belong to any of these persons.
func (c *Classes) KMap(m *Matches) (k uint64, class int) {
	for j, n := range m.Records {
		if j == 0 || n < k {
			k, class = n, j
		}
	}
	return k, class
}

// A Presence has bounds of the probability that a person of the population is in the release:
// delta_min and delta_max of delta-presence (Nergiz et al. 2007).
type Presence struct {
	Least, Greatest anonymize.Ratio
	// LeastClass is -1 if no class covers the persons.
	LeastClass, GreatestClass int
}

// Presence computes f_j/F_j for persons whom class j covers, and 0 for those with
// quasi-identifiers that no class covers. It is exact if no two classes cover a person (m.Several is -1), which the
// definition's generalization of the population ensures; otherwise it is meaningless.
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
