package clustering

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// tries is the number of swaps of two groups that are evaluated exactly.
	tries = 4
	// fewest is the number of swaps up to which all are evaluated exactly, without heat: in
	// small groups a swap moves the centroids.
	fewest = 16
)

// An exchanger lets the groups of a part exchange records. It changes only these groups' data
// of the swapper.
type exchanger struct {
	*swapper
	number      int      // of the part
	own         []uint32 // its groups
	random      *rand.Rand
	bad         *tree // positions in own of the faulty groups
	here, there side
	centre      *Centre
	options     []swap
	most        int // options to keep
	// How far the sums over groups are below their bounds.
	lossBelow, prBelow   float64
	lossChange, prChange float64
	swaps                int
}

// A side is one of the two current groups.
type side struct {
	group    uint32
	members  []uint32
	own      []float64 // by member: the distance to the centroid of the group
	other    []float64 // to that of the other group
	count    []int     // by value
	class    []int     // by class
	links    int
	centroid []float64
}

// A swap exchanges members i of here and j of there.
type swap struct {
	i, j         int
	worth        float64 // fall of J, with the centroids where they are
	links, lower int     // of here and there, after the swap
}

func (e *exchanger) run(ctx context.Context) error {
	e.plant()
	for i, g := range e.own {
		if i%stretch == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if e.heat > 0 || e.touched[g] >= e.passes-1 {
			e.meet(g)
		}
	}
	return nil
}

// plant builds the tree of faulty groups from copies: centroids move, and the tree follows only
// in the next pass.
func (e *exchanger) plant() {
	if e.Gamma == 0 {
		return
	}
	var bad []uint32
	var at []float64
	for place, g := range e.own {
		at = append(at, e.centroidOf(g)...)
		if e.faulty(g) {
			bad = append(bad, uint32(place))
		}
	}
	e.bad = newTree(e.Space, at, nil, bad)
}

// meet lets a group exchange records with groups near its records.
func (e *exchanger) meet(g uint32) {
	for i := range e.groups[g] { // members may change on the way
		r := int(e.groups[g][i])
		for _, h := range e.near[r*nearGroups:][:nearGroups] {
			e.meetOne(g, h)
		}
		if e.Gamma > 0 && e.faulty(g) {
			q := &query{at: e.Space.Coordinates(uint32(r)), beta: 1, leaves: faultyLeaves}
			for _, f := range e.bad.bests(q, faultyGroups) {
				e.meetOne(g, e.own[f.point])
			}
		}
	}
}

// meetOne lets a group exchange records with another group of the same part, unless it has just
// done so.
func (e *exchanger) meetOne(g, h uint32) {
	now := e.passes*len(e.groups) + int(g)
	if h == g || h == unassigned || e.part[h] != e.number || e.seen[h] == now {
		return
	}
	e.seen[h] = now
	if n := e.exchange(g, h); n > 0 {
		e.touched[g], e.touched[h] = e.passes, e.passes
		e.swaps += n
	}
}

// exchange swaps records of two groups as long as it pays; with heat, which could continue
// forever, at most once.
func (e *exchanger) exchange(g, h uint32) (swaps int) {
	e.load(&e.here, g, h)
	e.load(&e.there, h, g)
	for e.swapOne() {
		swaps++
		if e.heat > 0 {
			break
		}
	}
	e.unload(&e.here)
	e.unload(&e.there)
	return swaps
}

// load fills one side; g is its group, h the other.
func (e *exchanger) load(d *side, g, h uint32) {
	d.group, d.members, d.centroid, d.links = g, e.groups[g], e.centroidOf(g), 0
	for _, r := range d.members {
		v := e.Value[r]
		class := e.Catalogue.Class[v]
		d.links += d.count[v] + d.class[class]
		d.count[v]++
		d.class[class]++
	}
	e.distances(d, e.centroidOf(h))
}

func (e *exchanger) distances(d *side, other []float64) {
	d.own, d.other = d.own[:0], d.other[:0]
	for _, r := range d.members {
		d.own = append(d.own, e.away[r])
		d.other = append(d.other, e.Space.Distance(other, e.Space.Coordinates(r)))
	}
}

func (e *exchanger) unload(d *side) {
	for _, r := range d.members {
		v := e.Value[r]
		d.count[v], d.class[e.Catalogue.Class[v]] = 0, 0
	}
}

// exchanged returns the side's links after replacing one value by another.
func (d *side) exchanged(k *Catalogue, out, in uint32) int {
	if out == in {
		return d.links
	}
	links := d.links - (d.count[out] - 1) - (d.class[k.Class[out]] - 1) + d.count[in] + d.class[k.Class[in]]
	if k.Class[out] == k.Class[in] {
		links-- // the leaving record is no synonym any more
	}
	return links
}

// swapOne does the first of the most promising swaps that turns out as good as promised.
func (e *exchanger) swapOne() bool {
	e.choose()
	for _, o := range e.options {
		if e.try(o) {
			return true
		}
	}
	return false
}

// choose lists the swaps that lower J most with the present centroids, give or take the heat.
func (e *exchanger) choose() {
	e.options = e.options[:0]
	a, b := &e.here, &e.there
	n, m := float64(len(a.members)), float64(len(b.members))
	limit, pr := minSwapGain-5*e.heat, e.pr[a.group]+e.pr[b.group]
	e.most = tries
	if len(a.members)*len(b.members) <= fewest {
		limit = math.Inf(-1)
		if e.heat == 0 {
			e.most = fewest
		}
	}
	for i, r := range a.members {
		leaves := a.own[i]/n - a.other[i]/m
		for j, t := range b.members {
			gain := e.Beta * (leaves + b.own[j]/m - b.other[j]/n)
			if gain+e.Gamma*pr <= limit {
				continue // even without any link
			}
			o := swap{i: i, j: j, links: a.exchanged(e.Catalogue, e.Value[r], e.Value[t]), lower: b.exchanged(e.Catalogue, e.Value[t], e.Value[r])}
			if e.linkFree && o.links+o.lower > 0 {
				continue
			}
			o.worth = gain + e.Gamma*(pr-probability(o.links, len(a.members))-probability(o.lower, len(b.members)))
			if e.heat > 0 {
				o.worth += e.heat * (e.random.ExpFloat64() - 1)
			}
			if o.worth > limit {
				limit = e.keep(o, limit)
			}
		}
	}
}

// keep adds a swap to the best ones and returns the worth that another one must exceed.
func (e *exchanger) keep(o swap, limit float64) float64 {
	if len(e.options) == e.most {
		e.options = e.options[:e.most-1]
	}
	i := len(e.options)
	for i > 0 && e.options[i-1].worth < o.worth {
		i--
	}
	e.options = slices.Insert(e.options, i, o)
	if len(e.options) == e.most {
		return e.options[e.most-1].worth
	}
	return limit
}

// try does a swap if J falls, or rises by no more than the heat allows, and no sum exceeds its
// bound.
func (e *exchanger) try(o swap) bool {
	a, b := &e.here, &e.there
	q := len(e.Space.axes)
	prs := [2]float64{probability(o.links, len(a.members)), probability(o.lower, len(b.members))}
	pr := prs[0] + prs[1] - e.pr[a.group] - e.pr[b.group]
	if pr > 0 && pr > e.prBelow {
		return false
	}
	exchange := func() { a.members[o.i], b.members[o.j] = b.members[o.j], a.members[o.i] }
	exchange()
	centroids := make([]float64, 2*q)
	losses := [2]float64{e.measure(e.centre, a.members, centroids[:q]), e.measure(e.centre, b.members, centroids[q:])}
	loss := losses[0] + losses[1] - e.loss[a.group] - e.loss[b.group]
	allowed := -minSwapGain
	if e.heat > 0 {
		allowed += e.heat * e.random.ExpFloat64()
	}
	if !(e.Beta*loss+e.Gamma*pr < allowed) || loss > 0 && loss > e.lossBelow {
		exchange()
		return false
	}
	e.recount(a, e.Value[b.members[o.j]], e.Value[a.members[o.i]])
	e.recount(b, e.Value[a.members[o.i]], e.Value[b.members[o.j]])
	a.links, b.links = o.links, o.lower
	copy(a.centroid, centroids[:q])
	copy(b.centroid, centroids[q:])
	e.remeasure(a.group)
	e.remeasure(b.group)
	e.distances(a, b.centroid)
	e.distances(b, a.centroid)
	e.loss[a.group], e.loss[b.group], e.pr[a.group], e.pr[b.group] = losses[0], losses[1], prs[0], prs[1]
	e.lossBelow, e.prBelow = e.lossBelow-loss, e.prBelow-pr
	e.lossChange, e.prChange = e.lossChange+loss, e.prChange+pr
	return true
}

// recount replaces one value of a side by another.
func (e *exchanger) recount(d *side, out, in uint32) {
	d.count[out]--
	d.class[e.Catalogue.Class[out]]--
	d.count[in]++
	d.class[e.Catalogue.Class[in]]++
}
