package clustering

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A Task is the input of all clusterings.
type Task struct {
	Space     *Space
	Catalogue *Catalogue
	Value     []uint32 // the sensitive value of every record, a code
	K         int      // least number of records of a group, at most the records
	Exact     bool     // examine all records in searches
	LinkFree  bool     // permit no links in the release: see GrowLinkFree
	Random    *rand.Rand
	Report    func(done, total int)
	large     int // number of records above which [GrowImproved] has only one round
}

// records returns the number of records.
func (t *Task) records() int { return len(t.Value) }

// stretch is the number of groups between two checks of the context.
const stretch = 1 << 6

// pace sometimes reports progress and returns the context's error.
func (t *Task) pace(ctx context.Context, groups, done int) error {
	if groups%stretch != 0 {
		return nil
	}
	if t.Report != nil && groups%(64*stretch) == 0 {
		t.Report(done, t.records())
	}
	return ctx.Err()
}

// shuffled returns the records in random order.
func (t *Task) shuffled() []uint32 {
	order := anonymize.Indices(t.records())
	bucketization.Shuffle(order, t.Random)
	return order
}

func (t *Task) kinds() []uint64 {
	kinds := make([]uint64, t.records())
	for r, v := range t.Value {
		kinds[r] = t.Catalogue.kind(v)
	}
	return kinds
}

// Grow is Algorithm 1, lines 6-11 and 24-32: a random record begins a group, the
// record of the greatest metric joins until it has K, and what is left, fewer
// than K records, goes to the groups of the greatest metric. With Gamma = 0 it is
// DPP. Finished groups are not absorbed (lines 12-18). A search looks at no more
// than maxLeaves x leafSize = 6,144 records, on Adult at a few hundred: O(n log n)
// with that factor. With Exact it looks at all, O(n^2).
func Grow(ctx context.Context, t *Task, w Weights) (*bucketization.Partition, error) {
	return t.grow(ctx, t.shuffled(), w)
}

// grow uses seeds in the given order.
func (t *Task) grow(ctx context.Context, order []uint32, w Weights) (*bucketization.Partition, error) {
	g := &grower{Task: t, search: newSearcher(t.Space, t.Space.at, t.kinds(), order, t.Exact),
		group: make([]uint32, t.records()), centre: t.Space.NewCentre(), bonus: newBonus(t.Catalogue, w)}
	for i := range g.group {
		g.group[i] = unassigned
	}
	left := t.records()
	for _, seed := range order {
		if left < t.K {
			break
		}
		if g.group[seed] != unassigned {
			continue
		}
		if err := t.pace(ctx, g.groups, t.records()-left); err != nil {
			return nil, err
		}
		g.begin(seed)
		left -= t.K
	}
	if err := g.leftovers(ctx, order); err != nil {
		return nil, err
	}
	return t.partition(g.group, g.groups), ctx.Err()
}

const unassigned = ^uint32(0)

type grower struct {
	*Task
	search searcher
	group  []uint32 // by record
	groups int
	centre *Centre
	bonus  *bonus
}

// begin starts a seed's group.
func (g *grower) begin(seed uint32) {
	g.centre.Reset()
	g.bonus.reset()
	g.join(seed)
	for range g.K - 1 {
		g.bonus.prepare()
		next, _ := g.search.bestPoint(&query{at: g.centre.Centroid(), beta: g.bonus.Beta, bonus: g.bonus, value: g.Value})
		g.join(next)
	}
	g.groups++
}

func (g *grower) join(record uint32) {
	g.search.remove(record)
	g.group[record] = uint32(g.groups)
	g.centre.Add(record)
	g.bonus.add(g.Value[record])
}

// partition returns the groups of the records' group numbers.
func (t *Task) partition(group []uint32, groups int) *bucketization.Partition {
	records := anonymize.Indices(len(group))
	return bucketization.NewPartition(records, group, groups)
}

// NewTask prepares the clustering of an input. Errors are *anonymize.DataError.
func NewTask(in *anonymize.Input, k int, joint, exact bool, random *rand.Rand) (*Task, error) {
	space, err := NewSpace(in, joint)
	if err != nil {
		return nil, err
	}
	catalogue, err := NewCatalogue(in)
	if err != nil {
		return nil, err
	}
	return &Task{Space: space, Catalogue: catalogue, Value: in.Sensitive[0].Codes, K: k, Exact: exact, Random: random, large: largeRecords,
		Report: func(done, total int) { in.Report("groups", done, total) }}, nil
}
