package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

const (
	mendRounds = 150
	// nearby is the greatest distance, in places, of a group's partner in odd rounds.
	nearby = 40
	// unions is how often a group may be united with another.
	unions = 2
	// neighbours is the number of groups on either side that are considered for a union.
	neighbours = 16
)

// keepBound exchanges, then unites, until no posterior exceeds the bound. The error is a *anonymize.InfeasibleError.
func (x *exchanger) keepBound(ctx context.Context, in *anonymize.Input) error {
	t := new(matcher)
	x.addUp(x.groups)
	for round := 1; round <= mendRounds && len(x.overBound()) > 0; round++ {
		in.Report("greatest posterior", round-1, mendRounds)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		x.mendAll(t, round)
	}
	for range unions {
		x.unite(t)
	}
	above := x.overBound()
	if len(above) == 0 {
		return ctx.Err()
	}
	records := 0
	for _, g := range above {
		records += len(g.records)
	}
	return &anonymize.InfeasibleError{Parameter: "max_posterior", Given: ratioAbove(x.bound), Smallest: ratioAbove(x.maxPosterior()), Obstacle: fmt.Sprintf(
		"%d of %d records are in groups where the model fitted to this table gives some value more, whatever was exchanged; a larger size of groups or a coarser sensitive attribute allows less",
		records, x.rows)}
}

// ratioAbove rounds a share up to thousandths.
func ratioAbove(share float64) anonymize.Ratio {
	return anonymize.NewRatio(uint64(math.Ceil(1000*share-1e-9)), 1000)
}

// overBound lists the groups that exceed the bound.
func (x *exchanger) overBound() (groups []*group) {
	for _, g := range x.groups {
		if g.greatest > x.bound {
			groups = append(groups, g)
		}
	}
	return groups
}

// mendAll lets every group over the bound exchange once with a partner, in odd rounds one near it along a random direction.
func (x *exchanger) mendAll(t *matcher, round int) {
	line, place := slices.Clone(x.groups), make(map[*group]int)
	if round%2 == 1 {
		line = x.project(line, 0)
	}
	for i, g := range line {
		place[g] = i
	}
	for _, g := range x.overBound() {
		low, high := 0, len(line)
		if round%2 == 1 {
			low, high = max(0, place[g]-nearby), min(len(line), place[g]+nearby+1)
		}
		if h := line[low+x.random.IntN(high-low)]; h != g {
			x.mend(t, g, h)
		}
	}
}

// mend tries exchanges of two groups as [exchanger.try] does, by their excess over the bound: any two records, and any exchange
// that raises the excess by no more than chance allows. Choosing the best exchange would depend on the assignment of values to
// records, which determines the possible exchanges (keeps). It ends when both groups keep the bound, which depends on sets only.
func (x *exchanger) mend(t *matcher, g, h *group) {
	excess := func(v, w verdict) float64 {
		return max(0, v.greatest-x.bound) + max(0, w.greatest-x.bound) + .02*(v.mean+w.mean)
	}
	for range len(g.records) * len(h.records) {
		if max(g.greatest, h.greatest) <= x.bound {
			return
		}
		i, j, rise := x.random.IntN(len(g.records)), x.random.IntN(len(h.records)), temperature*x.random.ExpFloat64()
		if !x.keeps(g, h, i, j) {
			continue
		}
		if m := x.look(t, g, h, i, j); excess(m.ofG, m.ofH) < excess(g.verdict, h.verdict)+rise {
			x.exchange(m)
		}
	}
}

// unite unites every group over the bound with the nearby group that gives the least greatest
// posterior. Groups of more than ten records have no exact posterior, so it makes none.
func (x *exchanger) unite(t *matcher) {
	gone := make(map[*group]bool)
	for at, g := range x.groups {
		if gone[g] || g.greatest <= x.bound {
			continue
		}
		var partner *group
		var united verdict
		for _, h := range x.groups[max(0, at-neighbours):min(len(x.groups), at+neighbours+1)] {
			if h == g || gone[h] || len(g.records)+len(h.records) > MaxExact {
				continue
			}
			if v := t.judge(x.Model, slices.Concat(g.records, h.records)); partner == nil || v.greatest < united.greatest {
				partner, united = h, v
			}
		}
		if partner != nil {
			gone[partner] = true
			*g = *x.newGroup(slices.Concat(g.records, partner.records))
			g.verdict = united
		}
	}
	x.groups = slices.DeleteFunc(x.groups, func(g *group) bool { return gone[g] })
}

// maxPosterior returns the greatest posterior of all groups.
func (x *exchanger) maxPosterior() (greatest float64) {
	for _, g := range x.groups {
		greatest = max(greatest, g.verdict.greatest)
	}
	return greatest
}

// posteriors reports what a reader with the model learns: the mean posterior of the own value, and quantiles of groups' greatest posteriors.
func (x *exchanger) posteriors() anonymize.Fact {
	greatest, mean, records := make([]float64, len(x.groups)), 0.0, 0
	for i, g := range x.groups {
		greatest[i] = g.verdict.greatest
		mean += g.mean * float64(len(g.records))
		records += len(g.records)
	}
	slices.Sort(greatest)
	quantile := func(q float64) float64 { return greatest[int(q*float64(len(greatest)-1))] }
	return anonymize.Fact{Name: "model_posterior", Value: fmt.Sprintf(
		"under the model fitted to this table, a record's own value has a mean of %.3f; the greatest posterior is %.3f, of half of the groups at most %.3f, of 99 %% at most %.3f",
		mean/float64(records), quantile(1), quantile(.5), quantile(.99))}
}

// check refuses a bound that no exchange can reach.
func (o Options) check(groups *bucketization.Partition, share float64) error {
	if o.MaxPosterior >= 1 {
		return nil
	}
	refuse := func(rule string) error {
		return &anonymize.ParameterError{Parameter: "max_posterior", Value: fmt.Sprintf("%.4g", o.MaxPosterior), Rule: rule}
	}
	if o.MaxPosterior <= share {
		return refuse(fmt.Sprintf("must be above %.4g, the greatest share of a value in a group: no posterior is below it everywhere", share))
	}
	if largest(groups) > MaxExact {
		return refuse(fmt.Sprintf("is for groups of up to %d records, in which posteriors are computed; these have up to %d", MaxExact, largest(groups)))
	}
	return nil
}

// largest returns the size of the largest group.
func largest(p *bucketization.Partition) (size int) {
	for g := range p.Groups() {
		size = max(size, len(p.Records(g)))
	}
	return size
}
