package risk

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// JournalistEstimated is the name of the risk by who does not know who is in the table, where weights say how many the population has.
const JournalistEstimated = "journalist_estimated"

// A Weighted is what the weights of a survey say of the population's classes.
type Weighted struct {
	// Persons are estimates of the population's persons of every class, F_j: the sum of weights of the class's records.
	Persons []float64
	// Fewest is a class of fewest persons.
	Fewest int
	// Journalist is the risk by who knows the design of the survey, and not who is in it: E[1/F_j | f_j] ([MeanInverse]).
	Journalist Reidentification
	// Uniques is how many of a table's units are expected to be the only ones of the population with some quasi-identifiers of theirs.
	Uniques float64
}

// Weigh estimates the population's classes from the weights of the records, which are positive. Where records belong to units, a unit has
// the least weight of its records.
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
	for _, record := range t.order { // a unit is in all its classes of one by the same weight
		if j := t.class[record]; t.Records[j] == 1 && unique.first(0, t.unit(record)) {
			w.Uniques += min(1, 1/persons[j])
		}
	}
	return w
}

// Weigh estimates the population's classes from the column of weights that a release has; false where it has none beside the quasi-identifiers. A cell
// of several weights counts the least of them.
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

// MeanInverse is the mean of 1/F, where F persons of a population have the quasi-identifiers that f of the sample have, and weights say that they are
// persons: F - f has the negative binomial distribution of f and p = f/persons (Benedetti, Franconi, "Statistical and Technological Solutions for
// Controlled Data Dissemination", 1998; Franconi, Polettini, "Individual Risk Estimation in mu-Argus", PSD 2004). It is greater than 1/persons,
// which the simple estimate has. With q = 1 - p it is
//
//	I_f = integral from 0 to 1 of u^(f-1) p/(p + q u) du,  I_1 = (p/q) ln(1/p),  I_(f+1) = (p/q) (1/f - I_f),
//
// which is taken forwards where p is less than q, and backwards from far away else. O(f).
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
