package clustering

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

const (
	// nearGroups is the number of groups, the nearest by their centroids, to which
	// a record may go.
	nearGroups = 12
	// mostPasses bounds the search, which ends when a pass has no swap.
	mostPasses = 30
	// tries is the number of swaps of two groups that are looked at exactly.
	tries = 4
	// fewest is the number of swaps up to which all are looked at exactly: in
	// groups of few records a centroid does not stay where it is.
	fewest = 16
	// less is what a swap must gain, above what rounding can feign.
	less = 1e-12
)

type swapper struct {
	*Task
	Weights
	groups   [][]uint32
	centroid []float64 // by group and axis
	loss, pr []float64 // by group
	totalPr  float64   // Eq. (15)
	// How far the sums over groups are below what they must not exceed.
	lossBelow, prBelow float64
	touched            []int // by group: the last pass with a swap, or the last one before the first
	here, there        side
	centre             *Centre
	options            []swap
	most               int // options to keep
}

// A side is one of the two groups at hand.
type side struct {
	group    int
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

func (t *Task) newSwapper(w Weights, groups *bucketization.Partition) *swapper {
	p, q := groups.Groups(), len(t.Space.axes)
	s := &swapper{Task: t, Weights: w, groups: make([][]uint32, p), centroid: make([]float64, p*q),
		loss: make([]float64, p), pr: make([]float64, p), touched: make([]int, p), centre: t.Space.NewCentre()}
	for i := range 2 {
		side := [2]*side{&s.here, &s.there}[i]
		side.count, side.class = make([]int, len(t.Catalogue.Class)), make([]int, t.Catalogue.Classes)
	}
	var values []uint32
	for g := range p {
		s.groups[g] = slices.Clone(groups.Of(g))
		values = values[:0]
		for _, r := range s.groups[g] {
			values = append(values, t.Value[r])
		}
		s.pr[g] = t.Catalogue.Probability(values)
		s.totalPr += s.pr[g]
		s.loss[g] = s.measure(s.groups[g], s.centroid[g*q:][:q])
	}
	return s
}

// measure is IL(G); it leaves the centroid in to.
func (s *swapper) measure(members []uint32, to []float64) float64 {
	s.centre.Reset()
	for _, r := range members {
		s.centre.Add(r)
	}
	copy(to, s.centre.At())
	sum := 0.0
	for _, r := range members {
		sum += s.Space.Distance(to, s.Space.Of(r))
	}
	return sum / float64(len(members))
}

// pass tries every group that a swap of the pass before, or of this one, has
// changed with the groups near to its records.
func (s *swapper) pass(ctx context.Context, pass int, done func() bool) (swaps int, err error) {
	all := make([]uint32, len(s.groups))
	for g := range all {
		all[g] = uint32(g)
	}
	// A copy: centroids move, the tree does not follow until the next pass.
	near := newTree(s.Space, slices.Clone(s.centroid), nil, all)
	seen := make([]int, len(s.groups)) // the last group that was tried with it
	for g := range s.groups {
		if g%stretch == 0 && ctx.Err() != nil {
			return swaps, ctx.Err()
		}
		if s.touched[g] < pass-1 {
			continue
		}
		if done() {
			return swaps, nil
		}
		for i := range s.groups[g] { // members may change on the way
			at := s.Space.Of(s.groups[g][i])
			for _, f := range near.bests(&query{at: at, beta: 1}, nearGroups) {
				h := int(f.point)
				if h == g || seen[h] == g+1 {
					continue
				}
				seen[h] = g + 1
				if n := s.exchange(g, h); n > 0 {
					s.touched[g], s.touched[h] = pass, pass
					swaps += n
				}
			}
		}
	}
	return swaps, nil
}

// exchange swaps records of two groups while that is worth it.
func (s *swapper) exchange(g, h int) (swaps int) {
	s.load(&s.here, g, h)
	s.load(&s.there, h, g)
	for s.swapOne() {
		swaps++
	}
	s.here.unload(s)
	s.there.unload(s)
	return swaps
}

// load fills in one side; g is its group, h the other.
func (s *swapper) load(d *side, g, h int) {
	q := len(s.Space.axes)
	d.group, d.members, d.centroid, d.links = g, s.groups[g], s.centroid[g*q:][:q], 0
	for _, r := range d.members {
		v := s.Value[r]
		class := s.Catalogue.Class[v]
		d.links += d.count[v] + d.class[class]
		d.count[v]++
		d.class[class]++
	}
	s.distances(d, s.centroid[h*q:][:q])
}

func (s *swapper) distances(d *side, other []float64) {
	d.own, d.other = d.own[:0], d.other[:0]
	for _, r := range d.members {
		d.own = append(d.own, s.Space.Distance(d.centroid, s.Space.Of(r)))
		d.other = append(d.other, s.Space.Distance(other, s.Space.Of(r)))
	}
}

func (d *side) unload(s *swapper) {
	for _, r := range d.members {
		v := s.Value[r]
		d.count[v], d.class[s.Catalogue.Class[v]] = 0, 0
	}
}

// exchanged returns the links of the side with a value in the place of another.
func (d *side) exchanged(k *Catalogue, out, in uint32) int {
	if out == in {
		return d.links
	}
	links := d.links - (d.count[out] - 1) - (d.class[k.Class[out]] - 1) + d.count[in] + d.class[k.Class[in]]
	if k.Class[out] == k.Class[in] {
		links-- // the one that leaves is no synonym any more
	}
	return links
}

// swapOne does the first of the most promising swaps that keeps its promise.
func (s *swapper) swapOne() bool {
	s.choose()
	for _, o := range s.options {
		if s.try(o) {
			return true
		}
	}
	return false
}

// choose lists the swaps that lower J the most, with the centroids where they
// are.
func (s *swapper) choose() {
	s.options = s.options[:0]
	a, b := &s.here, &s.there
	n, m := float64(len(a.members)), float64(len(b.members))
	limit := less
	s.most = tries
	if len(a.members)*len(b.members) <= fewest {
		s.most, limit = fewest, math.Inf(-1)
	}
	for i, r := range a.members {
		leaves := a.own[i]/n - a.other[i]/m
		for j, t := range b.members {
			gain := s.Beta * (leaves + b.own[j]/m - b.other[j]/n)
			if gain+s.Gamma*(s.pr[a.group]+s.pr[b.group]) <= limit {
				continue // even without any link
			}
			o := swap{i: i, j: j, links: a.exchanged(s.Catalogue, s.Value[r], s.Value[t]), lower: b.exchanged(s.Catalogue, s.Value[t], s.Value[r])}
			o.worth = gain + s.Gamma*(s.pr[a.group]+s.pr[b.group]-probability(o.links, len(a.members))-probability(o.lower, len(b.members)))
			if o.worth > limit {
				limit = s.keep(o, limit)
			}
		}
	}
}

// keep puts a swap among the best tries ones and returns what another must be
// worth more than.
func (s *swapper) keep(o swap, limit float64) float64 {
	if len(s.options) == s.most {
		s.options = s.options[:s.most-1]
	}
	i := len(s.options)
	for i > 0 && s.options[i-1].worth < o.worth {
		i--
	}
	s.options = slices.Insert(s.options, i, o)
	if len(s.options) == s.most {
		return s.options[s.most-1].worth
	}
	return limit
}

// try does a swap if J falls and no sum rises above what it must not exceed.
func (s *swapper) try(o swap) bool {
	a, b := &s.here, &s.there
	q := len(s.Space.axes)
	prs := [2]float64{probability(o.links, len(a.members)), probability(o.lower, len(b.members))}
	pr := prs[0] + prs[1] - s.pr[a.group] - s.pr[b.group]
	if pr > 0 && pr > s.prBelow {
		return false
	}
	exchange := func() { a.members[o.i], b.members[o.j] = b.members[o.j], a.members[o.i] }
	exchange()
	centroids := make([]float64, 2*q)
	losses := [2]float64{s.measure(a.members, centroids[:q]), s.measure(b.members, centroids[q:])}
	loss := losses[0] + losses[1] - s.loss[a.group] - s.loss[b.group]
	if !(s.Beta*loss+s.Gamma*pr < -less) || loss > 0 && loss > s.lossBelow {
		exchange()
		return false
	}
	s.recount(a, s.Value[b.members[o.j]], s.Value[a.members[o.i]])
	s.recount(b, s.Value[a.members[o.i]], s.Value[b.members[o.j]])
	a.links, b.links = o.links, o.lower
	copy(a.centroid, centroids[:q])
	copy(b.centroid, centroids[q:])
	s.distances(a, b.centroid)
	s.distances(b, a.centroid)
	s.loss[a.group], s.loss[b.group], s.pr[a.group], s.pr[b.group] = losses[0], losses[1], prs[0], prs[1]
	s.lossBelow, s.prBelow, s.totalPr = s.lossBelow-loss, s.prBelow-pr, s.totalPr+pr
	return true
}

// recount lets one value leave a side and another one come.
func (s *swapper) recount(d *side, out, in uint32) {
	d.count[out]--
	d.class[s.Catalogue.Class[out]]--
	d.count[in]++
	d.class[s.Catalogue.Class[in]]++
}
