package attack

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Rank runs the position-rank attack on groups of neighbours. position has the place of every
// record in the order by which the method formed the groups. The attacker is assumed to know
// it, and the sensitive values of half of the groups (both pessimistic). From these he learns
// how often records with each value have which rank in their group, and which distance from its
// middle. Groups of even and of odd number teach each other.
//
// Cost: O(records log group), then that of one round of [DeFinetti] with one attribute.
func Rank(ctx context.Context, r *anonymize.Release, truth Truth, position []uint32, o Options) (Result, error) {
	w, err := newWorlds(r, truth, o.withDefaults())
	if err == nil && len(position) != r.Rows {
		err = fmt.Errorf("the release has %d records, %d have positions", r.Rows, len(position))
	}
	if err != nil {
		return Result{}, fmt.Errorf("rank attack: %w", err)
	}
	s := newStanding(w, position)
	tallies, matchings := make([]tally, rankShards), make([]matching, rankShards)
	err = parallel.Run(ctx, rankShards, func(shard int) error {
		first, end := w.part(shard, rankShards)
		for number := first; number < end; number++ {
			if number%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			c, m := w.classOf(number), &matchings[shard]
			m.reset(len(c.members), len(c.values))
			s.likelihoods(m, number, c)
			m.posterior(c)
			tallies[shard].look(m, w, c)
		}
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	return sumOf(tallies).result(), nil
}

const rankShards = 16

// standing has the records' positions in their groups.
type standing struct {
	*worlds
	feature []uint32 // by place in members
	bins    int      // of displacement
	logs    [2][]float64
}

const (
	maxRanks      = 8  // distinguished ranks
	maxBins       = 16 // distinguished displacements
	recordsPerBin = 8  // to learn from, per value on average
)

func newStanding(w *worlds, position []uint32) *standing {
	s := &standing{worlds: w, feature: make([]uint32, len(w.members))}
	s.bins = min(max(w.records/2/(w.width*maxRanks*recordsPerBin), 1), maxBins)
	displacement := make([]int64, len(w.members))
	for class := range w.classes() {
		first, end := w.start[class], w.start[class+1]
		group := w.members[first:end]
		slices.SortFunc(group, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(position[a], position[b]), cmp.Compare(a, b))
		})
		middle := int64(position[group[len(group)/2]])
		for i, record := range group {
			displacement[int(first)+i] = int64(position[record]) - middle
			s.feature[int(first)+i] = uint32(i * min(maxRanks, len(group)) / len(group))
		}
	}
	s.addDisplacement(displacement)
	s.learn()
	return s
}

// likelihoods uses those learned from the other half of the classes.
func (s *standing) likelihoods(m *matching, number int, c class) {
	logs := s.logs[1-number%2]
	for i := range c.members {
		row, feature := m.row(i), int(s.feature[int(s.start[number])+i])
		for j, v := range c.values {
			row[j] = logs[feature*s.width+int(v)]
		}
		exponentiate(row)
	}
}

// addDisplacement divides the displacements into bins of equal frequency.
func (s *standing) addDisplacement(displacement []int64) {
	sorted := slices.Sorted(slices.Values(displacement))
	var limits []int64
	for b := 1; b < s.bins; b++ {
		limits = append(limits, sorted[b*len(sorted)/s.bins])
	}
	for i, d := range displacement {
		bin, _ := slices.BinarySearch(limits, d)
		s.feature[i] += uint32(bin * maxRanks)
	}
}

// learn counts features with the actual values, in each half of the classes.
func (s *standing) learn() {
	features := s.bins * maxRanks
	for half := range s.logs {
		table, total := make([]float64, features*s.width), make([]float64, s.width)
		for class := half; class < s.classes(); class += 2 {
			for i := s.start[class]; i < s.start[class+1]; i++ {
				v := s.truth[s.members[i]]
				table[int(s.feature[i])*s.width+int(v)]++
				total[v]++
			}
		}
		for j, x := range table {
			table[j] = math.Log((x + laplace) / (total[j%s.width] + laplace*float64(features)))
		}
		s.logs[half] = table
	}
}
