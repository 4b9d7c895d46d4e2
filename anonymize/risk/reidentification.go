package risk

// A Reidentification is how likely an attacker finds a person, over the records of the
// release. El Emam (2013) calls the three R_b, R_c and R_a.
type Reidentification struct {
	// Highest is the greatest probability of a record, Mean that of all.
	Highest, Mean float64
	// AtRisk is the share of the records whose probability is above Threshold.
	AtRisk float64
	// Worst is a class with the greatest probability.
	Worst int
}

// Threshold is the probability above which a record is at risk: that of a class of five,
// which custodians of health data use most (El Emam 2013).
const Threshold = 0.2

// Prosecutor is the risk by who knows that the person is in the release: 1/f_j. Its mean
// is J/n.
func (c *Classes) Prosecutor() Reidentification {
	return c.reidentification(probabilityAmong(c.Records))
}

// Journalist is the risk by who does not know it, and has the register of the population,
// with so many records for every class: 1/F_j. The mean is the greater one of J / sum F_j,
// who is looked for being drawn from the population, and the marketer's (El Emam 2013).
func (c *Classes) Journalist(m *Matches) Reidentification {
	r := c.reidentification(probabilityAmong(m.Records))
	total := uint64(0)
	for _, n := range m.Records {
		total += n
	}
	r.Mean = min(r.Highest, max(r.Mean, float64(len(m.Records))/float64(total)))
	return r
}

// Marketer is the expected share of the records that are matched rightly by who matches
// all of them with the population: (1/n) sum f_j/F_j.
func (c *Classes) Marketer(m *Matches) float64 {
	sum := 0.0
	for j, n := range c.Records {
		sum += float64(n) / float64(m.Records[j])
	}
	return sum / float64(c.Rows)
}

// probabilityAmong is the probability to find a record of a class among so many candidates.
func probabilityAmong(candidates []uint64) func(class int) float64 {
	return func(class int) float64 { return 1 / float64(candidates[class]) }
}

func (c *Classes) reidentification(probability func(class int) float64) (r Reidentification) {
	for j := range c.Records {
		p, share := probability(j), float64(c.Records[j])/float64(c.Rows)
		if p > r.Highest {
			r.Highest, r.Worst = p, j
		}
		if p > Threshold {
			r.AtRisk += share
		}
		r.Mean += p * share
	}
	r.AtRisk, r.Mean = min(1, r.AtRisk), min(r.Highest, r.Mean)
	return r
}
