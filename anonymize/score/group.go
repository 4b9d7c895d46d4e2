package score

import "github.com/anonsql/anonsql/anonymize/bucketization"

// A group is what exchanges know of one.
type group struct {
	records []uint32
	sum     []float64 // of its points, while it exchanges
	verdict
	scatter float64 // sum of the squared distances of its quasi-identifiers to their mean: D
}

func (x *exchanger) newGroup(records []uint32) *group {
	return &group{records: records, scatter: x.scatterOf(records)}
}

// addUp fills the sums of groups that are to exchange.
func (x *exchanger) addUp(groups []*group) {
	for _, g := range groups {
		g.sum = make([]float64, x.dimensions())
		for _, record := range g.records {
			x.add(g.sum, record, 1)
		}
	}
}

// scatterOf is D of a group.
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

// scatterAfter is D of a group once one of its records has left for another.
func (x *exchanger) scatterAfter(g *group, leaves, comes uint32) float64 {
	n := float64(len(g.records))
	out, in, both := x.quasiOf(leaves, leaves), x.quasiOf(comes, comes), x.quasiOf(leaves, comes)
	shift := x.quasi(g.sum, comes) - x.quasi(g.sum, leaves)
	return max(0, g.scatter+in-out-(2*shift+in+out-2*both)/n)
}

// objective is what exchanges lessen: the expected posterior of the own value, and the scatter beside that of groups of
// records that are alike.
func (x *exchanger) objective(v verdict, scatter float64) float64 {
	value := (1-x.nearness)*v.mean + x.penalty*max(0, v.greatest-x.bound)
	if x.nearness > 0 && x.alike > 0 {
		value += x.nearness * scatter / x.alike
	}
	return value
}

// meanScatter is D of the groups of a partition, on average.
func (x *exchanger) meanScatter(p *bucketization.Partition) float64 {
	sum := 0.0
	for g := range p.Groups() {
		sum += x.scatterOf(p.Records(g))
	}
	return sum / float64(p.Groups())
}
