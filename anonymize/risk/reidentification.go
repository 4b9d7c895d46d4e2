package risk

// A Reidentification is the probability that an attacker finds a person, over the records of
// the release. El Emam (2013) calls its figures R_b, R_c and R_a.
type Reidentification struct {
	// Highest is the greatest probability of a record, Mean the mean over all.
	Highest, Mean float64
	// AtRisk is the share of the records with a probability above Threshold.
	AtRisk float64
	// Worst is a class with the greatest probability.
	Worst int
}

// Threshold is the probability above which a record is at risk: that of a class of five, the
// most common choice of custodians of health data (El Emam 2013).
const Threshold = 0.2

// Prosecutor is the risk from an attacker who knows that the person is in the release: 1/f_j.
// Its mean is J/n, with J classes and n records.
func (c *Classes) Prosecutor() Reidentification {
	return c.reidentification(probabilityAmong(c.Records))
}

// Journalist is the risk from an attacker who does not know it but has the register of the
// population, with its number of records in every class: 1/F_j. Its mean is the greater of J /
// sum F_j, where the target is drawn from the population, and the marketer's (El Emam 2013).
func (c *Classes) Journalist(m *Matches) Reidentification {
	r := c.reidentification(probabilityAmong(m.Records))
	total := uint64(0)
	for _, n := range m.Records {
		total += n
	}
	r.Mean = min(r.Highest, max(r.Mean, float64(len(m.Records))/float64(total)))
	return r
}

// Marketer is the expected share of correct matches of an attacker who matches all records with
// the population: (1/n) sum f_j/F_j.
func (c *Classes) Marketer(m *Matches) float64 {
	sum := 0.0
	for j, n := range c.Records {
		sum += float64(n) / float64(m.Records[j])
	}
	return sum / float64(c.Rows)
}

// probabilityAmong returns, by class, the probability of finding a record among its candidates.
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
