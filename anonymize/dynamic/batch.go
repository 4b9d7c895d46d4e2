package dynamic

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// batch makes new groups of those who wait, if there are K of them, as the method
// makes groups of a table.
func (s *state) batch(ctx context.Context) error {
	records := s.recordsWhere(waiting)
	if s.unlinked {
		var err error
		if records, err = s.separable(records); err != nil {
			return err
		}
	}
	if len(records) < s.k {
		return ctx.Err()
	}
	task, err := s.task(s.input(records))
	if err != nil {
		return err
	}
	groups, err := s.cluster(ctx, task)
	if err != nil {
		return err
	}
	for g := range groups.Groups() {
		for _, i := range groups.Records(g) {
			s.records[records[i]].group = uint32(s.groups + g)
		}
	}
	s.groups += groups.Groups()
	return ctx.Err()
}

// task prepares records for clustering.
func (s *state) task(in *anonymize.Input) (*clustering.Task, error) {
	t, err := clustering.NewTask(in, s.k, s.joint, s.exact, rand.New(s.Random))
	if err == nil {
		t.LinkFree = s.unlinked
	}
	return t, err
}

// cluster is what the method does with a table.
func (s *state) cluster(ctx context.Context, t *clustering.Task) (groups *bucketization.Partition, err error) {
	switch {
	case s.unlinked:
		groups, _, err = clustering.GrowLinkFree(ctx, t, s.improve)
	case s.improve:
		groups, _, err = clustering.GrowImproved(ctx, t, s.weights)
	default:
		groups, err = clustering.Grow(ctx, t, s.weights)
	}
	return groups, err
}

// separable returns most of the records that groups without synonyms can hold. G
// groups can hold min(c, G) records of a class of c, and need K of each other's in
// every group: the greatest G with sum of min(c, G) >= K G. The sum over G falls
// with G. Which records of a class wait on is drawn.
func (s *state) separable(records []uint32) ([]uint32, error) {
	if len(records) == 0 {
		return nil, nil
	}
	in := s.input(records)
	catalogue, err := clustering.NewCatalogue(in)
	if err != nil {
		return nil, err
	}
	class := bucketization.Gather(catalogue.Class, in.Sensitive[0].Codes)
	count := make([]int, catalogue.Classes)
	for _, c := range class {
		count[c]++
	}
	groups := sort.Search(len(records)/s.k, func(i int) bool { return capacity(count, i+1) < s.k*(i+1) })
	order := make([]uint32, len(records))
	for i := range order {
		order[i] = uint32(i)
	}
	bucketization.Shuffle(order, rand.New(s.Random))
	clear(count)
	var kept []uint32
	for _, i := range order {
		if count[class[i]]++; count[class[i]] <= groups {
			kept = append(kept, records[i])
		}
	}
	slices.Sort(kept)
	return kept, nil
}

// capacity is the number of records that so many groups can hold.
func capacity(count []int, groups int) int {
	sum := 0
	for _, c := range count {
		sum += min(c, groups)
	}
	return sum
}
