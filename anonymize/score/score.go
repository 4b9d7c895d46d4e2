package score

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Options of a grouping by score.
type Options struct {
	// Weight is the weight of the quasi-identifiers relative to the scores, from 0 to 1.
	Weight float64
	// MaxPosterior is the greatest probability that the model may give to any value of any record within its group; 1 is no limit.
	MaxPosterior float64
	// Steps is the number of rounds of exchanges.
	Steps int
	// EqualSizes exchanges only between groups of equal size, so that the pairs of a count and a size stay the same.
	EqualSizes bool
}

// Order returns the position of every record along a kd tree of the space; equal records are in random order.
func (s *Space) Order(ctx context.Context, random *rand.Rand) (position []uint32, err error) {
	records := anonymize.Indices(s.rows)
	bucketization.Shuffle(records, random)
	if err := s.order(ctx, records); err != nil {
		return nil, err
	}
	position = make([]uint32, s.rows)
	for place, record := range records {
		position[record] = uint32(place)
	}
	return position, nil
}

// Exchange exchanges records of consecutive groups along [Space.Order], and keeps the frequencies of values in groups. alike are as many groups of
// similar records, whose scatter is the measure of nearness. If it unites groups to keep MaxPosterior, the result has fewer groups.
//
// Groups of more than ten records stay unchanged, because they have no exact posterior.
func (s *Space) Exchange(ctx context.Context, in *anonymize.Input, groups, alike *bucketization.Partition, o Options,
	random *rand.Rand) (*bucketization.Partition, []anonymize.Fact, error) {
	share := s.greatestShare(groups)
	facts := s.Facts(share)
	if err := o.check(groups, share); err != nil {
		return nil, nil, err
	}
	if largest(groups) > MaxExact {
		return groups, append(facts, anonymize.Fact{Name: "exchanges", Value: fmt.Sprintf(
			"none: a group has %d records, and posteriors are computed in groups of up to %d", largest(groups), MaxExact)}), nil
	}
	x := &exchanger{Space: s, random: random, bound: o.MaxPosterior, equalSizes: o.EqualSizes, nearness: nearness(o.Weight)}
	x.alike = x.meanScatter(alike)
	for g := range groups.Groups() {
		x.groups = append(x.groups, x.newGroup(groups.Records(g)))
	}
	if err := x.judgeAll(ctx); err != nil {
		return nil, nil, err
	}
	first := 0
	for _, end := range x.blocks() {
		if err := x.run(ctx, in, first, end, o.Steps); err != nil {
			return nil, nil, err
		}
		first = end
	}
	if o.MaxPosterior < 1 {
		if err := x.keepBound(ctx, in); err != nil {
			return nil, nil, err
		}
	}
	if err := x.judgeAll(ctx); err != nil { // nearness alone does not need them
		return nil, nil, err
	}
	return x.partition(), append(facts, x.posteriors()), nil
}

// nearness returns the weight of the scatter in a group's objective: small, since scatter starts at 1 while posteriors cannot fall below 1/m.
func nearness(weight float64) float64 { return .1 * weight / (1 - weight + .1*weight) }

// greatestShare returns the greatest share of a value in any group.
func (s *Space) greatestShare(groups *bucketization.Partition) (share float64) {
	count := make([]int, s.values)
	for g := range groups.Groups() {
		records := groups.Records(g)
		for _, record := range records {
			count[s.value[record]]++
			share = max(share, float64(count[s.value[record]])/float64(len(records)))
		}
		for _, record := range records {
			count[s.value[record]] = 0
		}
	}
	return share
}

func sqrt(x float64) float64 { return math.Sqrt(max(0, x)) }
