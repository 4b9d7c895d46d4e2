package score

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Options are what a grouping by score is asked for.
type Options struct {
	// Weight is that of the quasi-identifiers beside the scores, from 0 to 1.
	Weight float64
	// MaxPosterior is the greatest probability that the model may give any value of any record inside its group. 1 asks nothing.
	MaxPosterior float64
	// Steps is the number of rounds of exchanges.
	Steps int
	// EqualSizes exchanges between groups of one size alone, so that the pairs of a count and a size stay those of the groups before.
	EqualSizes bool
}

// Order returns the place of every record along a kd tree of the space, equal ones at random.
func (s *Space) Order(ctx context.Context, random *rand.Rand) (position []uint32, err error) {
	records := make([]uint32, s.rows)
	for record := range records {
		records[record] = uint32(record)
	}
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

// Exchange exchanges records of groups that follow each other along [Space.Order], and keeps how often a value is in groups. alike are as
// many groups of records that are alike, whose scatter is the measure of nearness. Groups that are united to keep MaxPosterior are fewer.
//
// Larger groups than of ten records stay as they are: there is no exact posterior of them.
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
	if err := x.judgeAll(ctx); err != nil { // nearness alone does not look at them
		return nil, nil, err
	}
	return x.partition(), append(facts, x.posteriors()), nil
}

// nearness is the weight of the scatter in the objective of a group: little, since it falls from 1 where posteriors cannot fall below 1/m.
func nearness(weight float64) float64 { return .1 * weight / (1 - weight + .1*weight) }

// greatestShare is the greatest share that a value has of a group.
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
