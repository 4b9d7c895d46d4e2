package clustering

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// GrowLinkFree makes link-free groups: no group has two records with equal or synonymous
// sensitive values. It is Algorithm 1 under that condition: every allowed record adds the same
// entropy and no link, so the metric of Definition 11 reduces to distance. [quota] says which
// records are allowed; there always is one. If a class of synonyms is too frequent, the error
// is an *anonymize.InfeasibleError.
//
// With improve, groups exchange records by annealing as in [GrowImproved], but never create a
// link; the loss is at most that without. It returns the number of swaps. O(n log n) like
// [Grow], and O(classes) for every group that must take critical classes.
func GrowLinkFree(ctx context.Context, t *Task, improve bool) (*bucketization.Partition, int, error) {
	if err := t.CheckLinkFree(); err != nil {
		return nil, 0, err
	}
	order := t.shuffled()
	g := t.newLinkFree(order)
	for _, seed := range order {
		for g.rest > 0 && g.group[seed] == unassigned {
			if err := t.pace(ctx, g.groups, g.groups*t.K); err != nil {
				return nil, 0, err
			}
			g.begin(seed)
		}
	}
	if err := g.leftovers(ctx, order); err != nil {
		return nil, 0, err
	}
	groups := t.partition(g.group, g.groups)
	if !improve {
		return groups, 0, nil
	}
	return t.improveLinkFree(ctx, groups)
}

// linkFree holds groups under construction.
type linkFree struct {
	*Task
	*quota
	*allowance
	search searcher
	group  []uint32 // by record
	groups int
	centre *Centre
}

func (t *Task) newLinkFree(order []uint32) *linkFree {
	g := &linkFree{Task: t, quota: newQuota(t.classSizes(), t.K, t.records()/t.K),
		search: newSearcher(t.Space, t.Space.at, t.kinds(), order, t.Exact),
		group:  make([]uint32, t.records()), centre: t.Space.NewCentre()}
	g.allowance = newAllowance(t.Catalogue, g.quota)
	for i := range g.group {
		g.group[i] = unassigned
	}
	return g
}

// begin starts a group with a seed, or near it if its class is not allowed.
func (g *linkFree) begin(seed uint32) {
	g.centre.Reset()
	g.allowance.reset()
	owed, at := g.criticalNeeded(), g.Space.Coordinates(seed)
	for picks := g.K; picks > 0; picks-- {
		g.allowance.prepare(owed == picks)
		next := seed
		if picks < g.K || !g.allows(g.Value[seed]) {
			next, _ = g.search.bestPoint(&query{at: at, beta: 1, allowance: g.allowance, value: g.Value})
		}
		class := g.Task.Catalogue.Class[g.Value[next]]
		if g.isCritical(class) {
			owed = max(0, owed-1)
		}
		g.take(class)
		g.allowance.add(class)
		g.search.remove(next)
		g.group[next] = uint32(g.groups)
		g.centre.Add(next)
		at = g.centre.Centroid()
	}
	g.groups++
	g.finish()
}

// leftovers adds the remaining records, fewer than K, to the groups with the nearest centroids
// that lack their class. O(n (K + q)).
func (g *linkFree) leftovers(ctx context.Context, order []uint32) error {
	var centroids [][]float64
	for _, r := range order {
		if g.group[r] != unassigned {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if centroids == nil {
			centroids = g.centroids()
		}
		class, lacks := g.Task.Catalogue.Class[g.Value[r]], make([]bool, g.groups)
		for i := range lacks {
			lacks[i] = true
		}
		for other, group := range g.group {
			if group != unassigned && g.Task.Catalogue.Class[g.Value[other]] == class {
				lacks[group] = false
			}
		}
		best, least := 0, math.Inf(1)
		for i := range lacks {
			if d := g.Space.Distance(centroids[i], g.Space.Coordinates(r)); lacks[i] && d < least {
				best, least = i, d
			}
		}
		g.group[r] = uint32(best)
	}
	return nil
}

// centroids returns the groups' centroids before leftovers join.
func (g *linkFree) centroids() [][]float64 {
	var records, group []uint32
	for r, in := range g.group {
		if in != unassigned {
			records, group = append(records, uint32(r)), append(group, in)
		}
	}
	made := bucketization.NewPartition(records, group, g.groups)
	centroids := make([][]float64, g.groups)
	for i := range centroids {
		centroids[i] = g.Space.Centroid(made.Records(i))
	}
	return centroids
}

// improveLinkFree exchanges records of link-free groups without creating a link.
func (t *Task) improveLinkFree(ctx context.Context, groups *bucketization.Partition) (*bucketization.Partition, int, error) {
	i := &improvement{swapper: t.newSwapper(Weights{Beta: 1}, groups)}
	i.linkFree, i.goalLoss = true, i.totalLoss+minSwapGain
	if err := i.anneal(ctx, warmth); err != nil {
		return nil, 0, err
	}
	i.highestLoss = max(i.goalLoss, i.totalLoss)
	if err := i.descend(ctx, 0); err != nil {
		return nil, 0, err
	}
	if i.totalLoss > i.goalLoss {
		return groups, 0, nil
	}
	return i.partition(), i.swaps, nil
}
