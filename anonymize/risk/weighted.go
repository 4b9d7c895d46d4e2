package risk

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// JournalistEstimated is the name of the risk from an attacker who does not know who is in the table, estimated from weights.
const JournalistEstimated = "journalist_estimated"

// A Weighted is what survey weights say about the population's classes.
type Weighted struct {
	// Persons estimates F_j, the number of persons in every class of the population: the sum of the weights of the class's records.
	Persons []float64
	// Fewest is a class with the fewest persons.
	Fewest int
	// Journalist is the risk from an attacker who knows the design of the survey but not its participants: E[1/F_j | f_j] ([MeanInverse]).
	Journalist Reidentification
	// Uniques is the expected number of the table's units that are unique in the population by some of their combinations of quasi-identifiers.
	Uniques float64
}

// Weigh estimates the population's classes from the positive weights of the records. If records
// belong to units, a unit has the least weight of its records.
func (t *Table) Weigh(weights *anonymize.Column) Weighted {
	least := make(map[uint32]float64)
	for _, record := range t.order {
		weight, _ := weights.Value(int(record)).Number()
		if known, ok := least[t.unit(record)]; !ok || weight < known {
			least[t.unit(record)] = weight
		}
	}
	persons, counted := make([]float64, len(t.Records)), newOnce(len(t.Records))
	for _, record := range t.order {
		if j := t.class[record]; counted.first(j, t.unit(record)) {
			persons[j] += least[t.unit(record)]
		}
	}
	w, unique := t.weighted(persons), newOnce(1)
	for _, record := range t.order { // a unit is in all its classes of one with the same weight
		if j := t.class[record]; t.Records[j] == 1 && unique.first(0, t.unit(record)) {
			w.Uniques += min(1, 1/persons[j])
		}
	}
	return w
}

// Weigh estimates the population's classes from a release's column of weights; ok is false if
// there is none beside the quasi-identifiers. A cell with several weights counts as the least.
func (c *Classes) Weigh(column string) (w Weighted, ok bool) {
	at := c.Fragment.Column(column)
	if at < 0 {
		return w, false
	}
	weights, persons := c.Fragment.Columns[at], make([]float64, len(c.Records))
	for j, records := range c.Records {
		code := weights.Codes[c.First[j]]
		members := []uint32{code}
		if !weights.IsPoint() {
			members = weights.Cells[code].Members
		}
		least := math.Inf(1)
		for _, member := range members {
			weight, _ := weights.Dictionary[member].Number()
			least = min(least, weight)
		}
		persons[j] = float64(records) * least
	}
	return c.weighted(persons), true
}

func (c *Classes) weighted(persons []float64) Weighted {
	w := Weighted{Persons: persons}
	for j, n := range persons {
		if n < persons[w.Fewest] {
			w.Fewest = j
		}
	}
	w.Journalist = c.reidentification(func(j int) float64 { return MeanInverse(c.Records[j], persons[j]) })
	return w
}

// MeanInverse returns the mean of 1/F, where F persons of the population and f of the sample share quasi-identifiers,
// and weights estimate F as persons: F - f has the negative binomial distribution of f and p = f/persons (Benedetti,
// Franconi, "Statistical and Technological Solutions for Controlled Data Dissemination", 1998; Franconi, Polettini,
// "Individual Risk Estimation in mu-Argus", PSD 2004). It exceeds the simple estimate 1/persons. With q = 1 - p it is
//
//	I_f = integral from 0 to 1 of u^(f-1) p/(p + q u) du,  I_1 = (p/q) ln(1/p),  I_(f+1) = (p/q) (1/f - I_f),
//
// computed forwards if p <= q, else backwards from a distant start. O(f).
func MeanInverse(f uint64, persons float64) float64 {
	p := float64(f) / persons
	if p >= 1 {
		return 1 / float64(f)
	}
	q := 1 - p
	if p <= q {
		mean := p / q * -math.Log(p)
		for i := uint64(1); i < f; i++ {
			mean = p / q * (1/float64(i) - mean)
		}
		return mean
	}
	const far = 200
	from := float64(f + far)
	mean := p/from + p*q/(from*(from+1))
	for i := f + far; i > f; i-- {
		mean = 1/float64(i-1) - q/p*mean
	}
	return mean
}
