package membership

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// blockGroups is the number of groups that a core takes together.
const blockGroups = 256

// Draw returns the unit of every row of a completed table that [Join] has made, numbered from 0 in its group. Rows are in the
// order of [anonymize.Completion]: by group, then by the place of their tuple of the first fragment. Cost: some steps per row.
func Draw(ctx context.Context, r *anonymize.Release, table int) ([]uint16, error) {
	units, starts := make([]uint16, r.Rows), groupStarts(r)
	err := eachGroup(ctx, r, func(w *group, g int) {
		copy(units[starts[g]:], w.unitsOf(0, g, table))
	})
	return units, err
}

// eachGroup visits the groups on all cores. It starts no visit after the context has ended, and long visits check it ([group.isCanceled]).
func eachGroup(ctx context.Context, r *anonymize.Release, visit func(w *group, g int)) error {
	traits := traitsOf(r)
	newWorker := func(int) *group { return &group{ctx: ctx, release: r, traits: traits} }
	_, err := parallel.Collect(ctx, parallel.All, (r.Groups()+blockGroups-1)/blockGroups, newWorker, func(w *group, block int) error {
		for g := block * blockGroups; g < min((block+1)*blockGroups, r.Groups()) && ctx.Err() == nil; g++ {
			visit(w, g)
		}
		return nil
	})
	return err
}

// groupStarts returns the first row of every group.
func groupStarts(r *anonymize.Release) []int {
	starts, at := make([]int, r.Groups()), 0
	for g, size := range r.GroupSizes {
		starts[g], at = at, at+int(size)
	}
	return starts
}
