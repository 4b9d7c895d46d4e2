package clustering

import (
	"context"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Parts of a table are processed in parallel, each with its own source: the same seed gives the same groups, and
// every group is in one part.
func TestPartsAreRepeatable(t *testing.T) {
	var made [2][]uint32
	for i := range made {
		task := taskOf(t, people(t, 2*partGroups+500, 1), 2, false, 1)
		groups, err := Grow(context.Background(), task, Weights{Beta: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := task.newSwapper(Weights{Alpha: 0.6, Beta: 0.4, Gamma: 0.1}, groups)
		all := anonymize.Indices(len(s.groups))
		parts := s.parts(slices.Clone(all), partGroups)
		together := slices.Concat(parts...)
		slices.Sort(together)
		if len(parts) != 2 || !slices.Equal(together, all) {
			t.Fatalf("%d parts of %d groups", len(parts), len(together))
		}
		s.highestLoss, s.highest, s.heat = 2*s.totalLoss, 2*s.totalPr, 1e-4
		for range 2 {
			if n, err := s.pass(context.Background()); err != nil || n == 0 {
				t.Fatalf("%d swaps, %v", n, err)
			}
		}
		made[i] = s.partition().GroupOf()
	}
	if !slices.Equal(made[0], made[1]) {
		t.Error("the groups differ")
	}
}
