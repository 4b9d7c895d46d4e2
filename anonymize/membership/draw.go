package membership

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// blockGroups is the number of groups that a core takes at a time.
const blockGroups = 256

// Draw returns the unit of every row of a completed table of a release with units, numbered from 0 in its group. Rows are those of
// [anonymize.Completion]: by group, and in it by the place of their tuple of the first fragment. Cost: some steps a row and fragment.
func Draw(ctx context.Context, r *anonymize.Release, c *anonymize.Completion, table int) ([]uint16, error) {
	traits, units, starts := traitsOf(r), make([]uint16, r.Rows), groupStarts(r)
	newWorker := func(int) *group { return &group{release: r, completion: c, table: table, traits: traits} }
	_, err := parallel.Collect(ctx, parallel.All, (r.Groups()+blockGroups-1)/blockGroups, newWorker, func(w *group, block int) error {
		for g := block * blockGroups; g < min((block+1)*blockGroups, r.Groups()); g++ {
			w.draw(g, starts[g], units[starts[g]:starts[g]+int(r.GroupSizes[g])])
		}
		return nil
	})
	return units, err
}

// groupStarts is the first row of every group.
func groupStarts(r *anonymize.Release) []int {
	starts, at := make([]int, r.Groups()), 0
	for g, size := range r.GroupSizes {
		starts[g], at = at, at+int(size)
	}
	return starts
}

// draw draws the units of the rows of one group.
func (w *group) draw(g, first int, units []uint16) {
	members := int(w.release.Units[g])
	records := len(units) / members
	switch {
	case members == 1: // all are 0
	case records == 1:
		for row := range units {
			units[row] = uint16(row)
		}
	default:
		w.load(g, first, members, len(units))
		w.random = rand.New(rand.NewPCG(uint64(w.table), uint64(g)))
		w.search()
		copy(units, w.unit)
	}
}
