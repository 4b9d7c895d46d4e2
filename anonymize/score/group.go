package score

import "github.com/anonsql/anonsql/anonymize/bucketization"

// A group is the state of a group for exchanges.
type group struct {
	records []uint32
	sum     []float64 // of its points, during exchanges
	verdict
	scatter float64 // sum of squared distances of its quasi-identifiers from their mean: D
}

func (x *exchanger) newGroup(records []uint32) *group {
	return &group{records: records, scatter: x.scatterOf(records)}
}

// addUp computes the sums of groups before exchanges.
func (x *exchanger) addUp(groups []*group) {
	for _, g := range groups {
		g.sum = make([]float64, x.dimensions())
		for _, record := range g.records {
			x.add(g.sum, record, 1)
		}
	}
}

// scatterOf returns D of a group.
func (x *exchanger) scatterOf(records []uint32) float64 {
	within, between := 0.0, 0.0
	for i, a := range records {
		within += x.quasiOf(a, a)
		for _, b := range records[:i] {
			between += x.quasiOf(a, b)
		}
	}
	n := float64(len(records))
	return max(0, within-(within+2*between)/n)
}

// scatterAfter returns D of a group after one of its records is exchanged for another.
func (x *exchanger) scatterAfter(g *group, leaves, comes uint32) float64 {
	n := float64(len(g.records))
	out, in, both := x.quasiOf(leaves, leaves), x.quasiOf(comes, comes), x.quasiOf(leaves, comes)
	shift := x.quasi(g.sum, comes) - x.quasi(g.sum, leaves)
	return max(0, g.scatter+in-out-(2*shift+in+out-2*both)/n)
}

// objective is what exchanges lower: the expected posterior of the own value, and the scatter
// relative to that of groups of similar records.
func (x *exchanger) objective(v verdict, scatter float64) float64 {
	value := (1-x.nearness)*v.mean + x.penalty*max(0, v.greatest-x.bound)
	if x.nearness > 0 && x.alike > 0 {
		value += x.nearness * scatter / x.alike
	}
	return value
}

// meanScatter returns the mean D of the groups of a partition.
func (x *exchanger) meanScatter(p *bucketization.Partition) float64 {
	sum := 0.0
	for g := range p.Groups() {
		sum += x.scatterOf(p.Records(g))
	}
	return sum / float64(p.Groups())
}
