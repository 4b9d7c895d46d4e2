package clustering

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// GrowImproved is a variant that the paper does not have: the groups of DPP, in
// which near groups exchange records as long as that lowers
//
//	J = beta IL + gamma Pr_SA, summed over groups.
//
// The loss must not rise above that of DPP; gamma is small at first, so that the
// swaps that lower linkage at the least loss come first. Where linkage is then
// still above that of DRASL, loss may rise until it is not; and where that does
// not help, the groups of DRASL are improved instead. DPP and DRASL are those of
// the same source. So
//
//	Total_Pr is at most that of DRASL, always,
//	Average_IL is at most that of DPP, unless the linkage of DRASL is not
//	reached at that loss.
//
// It returns the number of swaps. O(P w K^3) a pass for P groups of K records and
// w near groups, beside two runs of [Grow].
func GrowImproved(ctx context.Context, t *Task, w Weights) (*bucketization.Partition, int, error) {
	order := t.shuffled()
	dpp, err := t.grow(ctx, order, Weights{Alpha: w.Alpha, Beta: w.Beta})
	if err != nil {
		return nil, 0, err
	}
	drasl, err := t.grow(ctx, order, w)
	if err != nil {
		return nil, 0, err
	}
	goal := Measure(t.Space, t.Catalogue, t.Value, drasl).TotalPr
	s := t.newSwapper(w, dpp)
	reached := func() bool { return s.totalPr <= goal+less }
	s.prBelow = math.Inf(1)
	swaps, err := s.descend(ctx, gently, never)
	if err != nil {
		return nil, 0, err
	}
	if !reached() {
		s.lossBelow = math.Inf(1)
		more, err := s.descend(ctx, finely, reached)
		if err != nil {
			return nil, 0, err
		}
		swaps += more
	}
	if !reached() {
		s = t.newSwapper(w, drasl) // neither sum may rise
		if swaps, err = s.descend(ctx, gently, never); err != nil {
			return nil, 0, err
		}
	}
	return s.partition(), swaps, nil
}

// The parts of gamma that count, one descent after the other.
var (
	gently = []float64{0.05, 0.2, 1}
	finely = []float64{0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1}
)

func never() bool { return false }

// descend swaps until no swap lowers J, for each part of gamma in turn, or done.
func (s *swapper) descend(ctx context.Context, parts []float64, done func() bool) (swaps int, err error) {
	gamma := s.Gamma
	defer func() { s.Gamma = gamma }()
	pass := 0
	for _, part := range parts {
		s.Gamma = gamma * part
		for g := range s.touched {
			s.touched[g] = pass - 1 // all are to be tried
		}
		for range mostPasses {
			n, err := s.pass(ctx, pass, done)
			if err != nil {
				return swaps, err
			}
			pass++
			if swaps += n; n == 0 || done() {
				break
			}
		}
	}
	return swaps, nil
}

// partition returns the groups as they are.
func (s *swapper) partition() *bucketization.Partition {
	group := make([]uint32, s.records())
	for g, members := range s.groups {
		for _, r := range members {
			group[r] = uint32(g)
		}
	}
	return s.Task.partition(group, len(s.groups))
}
