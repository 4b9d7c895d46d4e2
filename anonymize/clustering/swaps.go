package clustering

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// nearGroups is the number of groups to which a record may move, those with the nearest
	// centroids.
	nearGroups = 12
	// nearLeaves and faultyLeaves bound these searches, in leaves of the index: with many
	// uninformative attributes, the nearest groups are hardly nearer than others.
	nearLeaves, faultyLeaves = 16, 8
	// refresh is the number of passes after which near groups are searched again, because
	// centroids move.
	refresh = 8
	// faultyGroups is the number of nearest groups with avoidable links to which a record of
	// such a group may also move: if there are no more classes than records in a group, no
	// other group can remove a link.
	faultyGroups = 12
	// partGroups is the greatest number of groups of a part, within which records are
	// exchanged, if that makes at most maxParts parts. Every pass has different parts.
	partGroups, maxParts = 2048, 16
	// minSwapGain is the least gain of a swap, above rounding errors.
	minSwapGain = 1e-12
)

// A swapper has groups that exchange records one for one.
type swapper struct {
	*Task
	Weights              // Gamma changes on the way
	groups               [][]uint32
	centroid             []float64       // by group and axis
	away                 []float64       // by record: its distance to the centroid of its group
	loss, pr             []float64       // by group
	least                map[int]float64 // by size of a group: the least Pr_SA
	totalLoss, totalPr   float64         // sums over groups; the latter is Eq. (15)
	highestLoss, highest float64         // bounds for swaps; above them swaps must lower the sums
	// heat is about the amount by which a swap may raise J; 0 for none.
	heat     float64
	linkFree bool // no swap may create a link
	passes   int
	touched  []int    // by group: the last pass with a swap, or the current one if the group must be tried
	part     []int    // by group: its part in this pass
	seen     []int    // by group: the last pass and group that it was tried with
	near     []uint32 // by record: see findNear; nil until then
	found    int      // the passes before that
}

func (t *Task) newSwapper(w Weights, groups *bucketization.Partition) *swapper {
	p, q := groups.Groups(), len(t.Space.axes)
	s := &swapper{Task: t, Weights: w, groups: make([][]uint32, p), centroid: make([]float64, p*q),
		away: make([]float64, t.records()),
		loss: make([]float64, p), pr: make([]float64, p), touched: make([]int, p), least: make(map[int]float64),
		part: make([]int, p), seen: make([]int, p)}
	centre := t.Space.NewCentre()
	for g := range p {
		members := slices.Clone(groups.Records(g))
		s.groups[g] = members
		if _, known := s.least[len(members)]; !known {
			s.least[len(members)] = t.Catalogue.leastProbability(len(members))
		}
		s.pr[g] = t.Catalogue.Probability(anonymize.Gather(t.Value, members))
		s.loss[g] = t.measure(centre, members, s.centroid[g*q:][:q])
		s.remeasure(uint32(g))
		s.totalPr += s.pr[g]
		s.totalLoss += s.loss[g]
	}
	s.highestLoss, s.highest = s.totalLoss, s.totalPr
	return s
}

// measure returns IL(G) and stores the centroid in to.
func (t *Task) measure(centre *Centre, members []uint32, to []float64) float64 {
	centre.Reset()
	for _, r := range members {
		centre.Add(r)
	}
	copy(to, centre.Centroid())
	sum := 0.0
	for _, r := range members {
		sum += t.Space.Distance(to, t.Space.Coordinates(r))
	}
	return sum / float64(len(members))
}

// remeasure updates the distances of a group's records from its centroid.
func (s *swapper) remeasure(g uint32) {
	for _, r := range s.groups[g] {
		s.away[r] = s.Space.Distance(s.centroidOf(g), s.Space.Coordinates(r))
	}
}

// leastProbability is Pr_SA of n values taken one by one, each that with the
// fewest links to those before: no groups have less, if a table has enough of
// all values. O(n values).
func (k *Catalogue) leastProbability(n int) float64 {
	count, class, links := make([]int, len(k.Class)), make([]int, k.Classes), 0
	for range n {
		best, fewest := 0, math.MaxInt
		for v := range count {
			if more := count[v] + class[k.Class[v]]; more < fewest {
				best, fewest = v, more
			}
			if fewest == 0 {
				break
			}
		}
		links += fewest
		count[best]++
		class[k.Class[best]]++
	}
	return probability(links, n)
}

// faulty reports whether a group has avoidable links.
func (s *swapper) faulty(g uint32) bool { return s.pr[g] > s.least[len(s.groups[g])]+minSwapGain }

func (s *swapper) centroidOf(g uint32) []float64 { return s.Space.row(s.centroid, g) }

// pass lets the groups that changed in this or the last pass exchange records with groups near
// their records; with heat, all groups. Parts of the table do not interact: they run in
// parallel, and their division does not depend on the number of cores.
func (s *swapper) pass(ctx context.Context) (swaps int, err error) {
	if s.near == nil || s.passes >= s.found+refresh {
		if err := s.findNear(ctx); err != nil {
			return 0, err
		}
	}
	s.passes++
	parts := s.parts(anonymize.Indices(len(s.groups)), max(partGroups, (len(s.groups)+maxParts-1)/maxParts))
	exchangers := make([]*exchanger, len(parts))
	for i, part := range parts {
		exchangers[i] = s.newExchanger(i, part, float64(len(parts)))
	}
	err = parallel.Run(ctx, len(parts), func(i int) error { return exchangers[i].run(ctx) })
	for _, e := range exchangers {
		swaps += e.swaps
		s.totalLoss += e.lossChange
		s.totalPr += e.prChange
	}
	return swaps, err
}

// findNear lists the nearGroups groups with the nearest current centroids for every record;
// unassigned if there are fewer.
func (s *swapper) findNear(ctx context.Context) error {
	const records = 1 << 12
	if s.near == nil {
		s.near = make([]uint32, nearGroups*s.records())
	}
	s.found = s.passes
	t := newTree(s.Space, s.centroid, nil, anonymize.Indices(len(s.groups)))
	return parallel.Run(ctx, (s.records()+records-1)/records, func(i int) error {
		view := t.view()
		for r := i * records; r < min((i+1)*records, s.records()); r++ {
			to := s.near[r*nearGroups:][:0:nearGroups]
			for _, f := range view.bests(&query{at: s.Space.Coordinates(uint32(r)), beta: 1, leaves: nearLeaves}, nearGroups) {
				to = append(to, f.point)
			}
			for len(to) < nearGroups {
				to = append(to, unassigned)
			}
		}
		return ctx.Err()
	})
}

// parts recursively halves groups by their distance to a random one, until a part has at most
// most groups.
func (s *swapper) parts(groups []uint32, most int) [][]uint32 {
	if len(groups) <= most {
		return [][]uint32{groups}
	}
	pole := s.centroidOf(groups[s.Random.IntN(len(groups))])
	type away struct {
		distance float64
		group    uint32
	}
	order := make([]away, len(groups))
	for i, g := range groups {
		order[i] = away{s.Space.Distance(pole, s.centroidOf(g)), g}
	}
	slices.SortFunc(order, func(x, y away) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(x.group, y.group))
	})
	for i := range order {
		groups[i] = order[i].group
	}
	middle := len(groups) / 2
	return append(s.parts(groups[:middle], most), s.parts(groups[middle:], most)...)
}

// newExchanger prepares the work on one of parts parts.
func (s *swapper) newExchanger(number int, part []uint32, parts float64) *exchanger {
	for _, g := range part {
		s.part[g] = number
	}
	e := &exchanger{swapper: s, number: number, own: part, centre: s.Space.NewCentre(),
		random:    rand.New(rand.NewPCG(s.Random.Uint64(), s.Random.Uint64())),
		lossBelow: (s.highestLoss - s.totalLoss) / parts, prBelow: (s.highest - s.totalPr) / parts}
	for _, side := range []*side{&e.here, &e.there} {
		side.count, side.class = make([]int, len(s.Catalogue.Class)), make([]int, s.Catalogue.Classes)
	}
	return e
}

// partition returns the current groups.
func (s *swapper) partition() *bucketization.Partition {
	group := make([]uint32, s.records())
	for g, members := range s.groups {
		for _, r := range members {
			group[r] = uint32(g)
		}
	}
	return s.Task.partition(group, len(s.groups))
}
