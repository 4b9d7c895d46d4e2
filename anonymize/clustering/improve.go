package clustering

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// rounds is the number of times that groups are heated.
	rounds = 3
	// coolings is the number of passes of a round, each with less heat.
	coolings = 16
	// warmth is the first heat, as a share of what a record's distance weighs in J.
	warmth = 0.2
	// maxPasses bounds a descent, which ends after a pass without a swap.
	maxPasses = 30
	// steer is the factor by which the weight of linkage changes after a pass.
	steer = 1.25
	// largeRecords is the number of records above which there is one round, which begins
	// with the groups of DRASL.
	largeRecords = 50_000
)

// GrowImproved is a variant that the paper does not have: groups of the nearest
// records exchange records, one for one, to lower
//
//	J = beta IL + gamma Pr_SA, summed over groups,
//
// by annealing: at first a swap may raise J a little, in every pass less. gamma
// is steered: it rises while linkage is above that of DRASL and falls while loss
// is above that of DPP, which are run with the same source, and it stays where
// neither is. So
//
//	Total_Pr is at most that of DRASL, always: if it is not reached, the groups
//	of DRASL are improved instead, without raising linkage or loss;
//	Average_IL is at most that of DPP wherever this was measured on up to 50,000
//	records (see package drasl), which is not proved.
//
// Larger tables begin with the groups of DRASL and have one round, in which
// linkage comes first: where many attributes are independent, 100,000 records
// keep a loss some percent above that of DPP, below that of DRASL.
//
// O(n w K^2) a pass for w near groups, which are searched every few passes and not
// by every one, beside the runs of [Grow]; parts of the table are worked on side by
// side. The passes of a round do not depend on n.
func GrowImproved(ctx context.Context, t *Task, w Weights) (*bucketization.Partition, Improvement, error) {
	begin, dpp, drasl, err := t.growRivals(ctx, w)
	if err != nil {
		return nil, Improvement{}, err
	}
	loss := Measure(t.Space, t.Catalogue, t.Value, dpp).AverageIL * float64(t.records())
	pr := Measure(t.Space, t.Catalogue, t.Value, drasl).TotalPr
	i := &improvement{swapper: t.newSwapper(w, begin), goalLoss: loss + minSwapGain, goalPr: pr + minSwapGain}
	if err := i.seek(ctx, w); err != nil {
		return nil, Improvement{}, err
	}
	if i.totalPr > i.goalPr {
		i.swapper, i.swaps = t.newSwapper(w, drasl), 0
		for _, part := range []float64{0.05, 0.2, 1} {
			if err := i.descend(ctx, part*w.Gamma); err != nil {
				return nil, Improvement{}, err
			}
		}
	}
	return i.partition(), Improvement{Swaps: i.swaps, AboveDPP: i.aboveDPP()}, nil
}

// An Improvement is the result of the exchanges.
type Improvement struct {
	Swaps    int
	AboveDPP float64 // share by which Average_IL exceeds DPP's; 0 if it does not
}

// growRivals grows the groups of DPP and of DRASL in parallel, with the same seeds, and the
// initial groups: of nearest records, or DRASL's if there are too many records.
func (t *Task) growRivals(ctx context.Context, w Weights) (begin, dpp, drasl *bucketization.Partition, err error) {
	order := t.shuffled()
	weights := []Weights{w, {Alpha: w.Alpha, Beta: w.Beta}, {Beta: 1}}
	if t.isLarge() {
		weights = weights[:2]
	}
	groups := make([]*bucketization.Partition, len(weights))
	err = parallel.Run(ctx, len(groups), func(i int) (err error) {
		quiet := *t
		if i > 0 {
			quiet.Report = nil // the first one reports progress for all
		}
		groups[i], err = quiet.grow(ctx, order, weights[i])
		return err
	})
	drasl, dpp, begin = groups[0], groups[1], groups[0]
	if len(groups) > 2 {
		begin = groups[2]
	}
	return begin, dpp, drasl, err
}

// An improvement is a search for groups with bounded loss and linkage.
type improvement struct {
	*swapper
	goalLoss, goalPr float64
	swaps            int
}

func (i *improvement) reached() bool { return i.totalLoss <= i.goalLoss && i.totalPr <= i.goalPr }

// aboveDPP returns the share by which the loss exceeds the goal, 0 if it does not.
func (i *improvement) aboveDPP() float64 {
	if i.totalLoss <= i.goalLoss {
		return 0
	}
	return i.totalLoss/i.goalLoss - 1
}

func (t *Task) isLarge() bool { return t.records() > t.large }

// seek anneals, a few times at most, until it reaches the goal.
func (i *improvement) seek(ctx context.Context, w Weights) error {
	i.Gamma = 0.2 * w.Gamma
	if i.Gamma == 0 {
		i.Gamma = 0.1 // DRASL is DPP then, whose linkage is to be kept all the same
	}
	for round := range rounds {
		if err := i.anneal(ctx, warmth/float64(1+round)); err != nil {
			return err
		}
		if err := i.settle(ctx); err != nil || i.reached() || i.isLarge() {
			return err
		}
	}
	return nil
}

// anneal makes passes with falling heat.
func (i *improvement) anneal(ctx context.Context, warmth float64) error {
	i.highestLoss, i.highest = math.Inf(1), math.Inf(1)
	hottest := warmth * i.Beta * i.totalLoss / float64(i.records())
	defer func() { i.heat = 0 }()
	for c := range coolings {
		i.heat = hottest * float64(coolings-c) / coolings
		if err := i.runPass(ctx); err != nil {
			return err
		}
		switch {
		case i.totalPr > i.goalPr && (i.totalLoss <= i.goalLoss || i.isLarge()):
			i.Gamma *= steer
		case i.totalPr <= i.goalPr && i.totalLoss > i.goalLoss:
			i.Gamma /= steer
		}
	}
	return nil
}

// runPass makes one pass.
func (i *improvement) runPass(ctx context.Context) error {
	n, err := i.pass(ctx)
	i.swaps += n
	return err
}

// settle descends without heat: first to the linkage goal, at any loss, then to the loss goal,
// without more linkage.
func (i *improvement) settle(ctx context.Context) error {
	gamma := i.Gamma
	defer func() { i.Gamma = gamma }()
	i.highestLoss, i.highest = i.goalLoss, i.goalPr
	if err := i.descend(ctx, gamma); err != nil {
		return err
	}
	i.highestLoss = math.Inf(1)
	for part := 1.0; part < 50 && i.totalPr > i.goalPr; part *= 1.6 {
		if err := i.descend(ctx, part*gamma); err != nil {
			return err
		}
	}
	i.highestLoss = i.goalLoss
	for part := 1.0; part > 0.02 && i.totalPr <= i.goalPr && i.totalLoss > i.goalLoss; part /= 2 {
		above := i.totalLoss - i.goalLoss
		if err := i.descend(ctx, part*gamma); err != nil {
			return err
		}
		if part < 1 && i.totalLoss-i.goalLoss > 0.9*above {
			break // later rounds gain less
		}
	}
	return nil
}

// descend swaps until no swap lowers J for this weight of linkage.
func (i *improvement) descend(ctx context.Context, gamma float64) error {
	i.Gamma = gamma
	for g := range i.touched {
		i.touched[g] = i.passes // try all groups
	}
	for range maxPasses {
		before := i.swaps
		if err := i.runPass(ctx); err != nil || i.swaps == before {
			return err
		}
	}
	return nil
}
