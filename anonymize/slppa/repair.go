package slppa

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// repairs are the figures of step 4.
type repairs struct {
	swaps, merges int
}

// A repairer makes the groups of a partition meet alpha and gamma: Section
// 4.3.2, step 4. Swaps first (swaps.go), for they keep the groups; then merges
// (merges.go) of what is left.
type repairer struct {
	*bucketization.Partition
	parameters *parameters
	rows       int
	value      []uint32 // sensitive code of every place of member
	// each has, with sa_mode=each, the codes of every sensitive attribute by place; value is
	// then the tuple, which swaps preserve. Nil otherwise.
	each [][]uint32
	// id has the sub-tuple of every place and table, at place*tables+table: so a group is
	// contiguous, and so is a record; fetching them dominates the cost of swaps.
	id      []uint32
	tables  int
	bad     []bool // by group: breaks alpha or gamma
	scratch *tally
}

// repair returns the repaired partition, or the given one if nothing is required. It is linear
// in rows x tables: the first look at every group is, the swaps have a budget, and a merge
// counts only the records that it adds.
func repair(ctx context.Context, s *side, groups *bucketization.Partition, projections []*bucketization.Projection,
	random *rand.Rand, p *parameters) (*bucketization.Partition, repairs, error) {
	var done repairs
	if p.alpha == ratioOne && p.gamma == ratioOne {
		return groups, done, nil
	}
	r, err := newRepairer(ctx, groups, projections, s.one.Sensitive[0], s.sensitive, p)
	if err != nil {
		return nil, done, err
	}
	if done.swaps, err = r.swap(ctx, random, s.one.Report); err != nil {
		return nil, done, err
	}
	groups, done.merges, err = r.merge(ctx)
	return groups, done, p.asParameterError(err)
}

// newRepairer takes in each the attributes of which each must meet gamma; sensitive is then their tuple.
func newRepairer(ctx context.Context, groups *bucketization.Partition, projections []*bucketization.Projection,
	sensitive *anonymize.Column, each []*anonymize.Column, p *parameters) (*repairer, error) {
	k := len(projections)
	r := &repairer{Partition: groups, parameters: p, rows: len(groups.Member), tables: k,
		id: make([]uint32, len(groups.Member)*k), bad: make([]bool, groups.Groups())}
	parts := (r.rows + chunk - 1) / chunk
	err := parallel.Run(ctx, parts+1, func(part int) error {
		if part == parts {
			r.value = anonymize.Gather(sensitive.Codes, groups.Member)
			for _, c := range each {
				r.each = append(r.each, anonymize.Gather(c.Codes, groups.Member))
			}
			return ctx.Err()
		}
		first, end := part*chunk, min((part+1)*chunk, r.rows)
		for i, p := range projections {
			at := first*k + i
			for _, record := range groups.Member[first:end] {
				r.id[at] = p.ID[record]
				at += k
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	widths := make([]int, len(each))
	for i, c := range each {
		widths[i] = len(c.Dictionary)
	}
	tally := func() *tally { return newTally(projections, len(sensitive.Dictionary), widths...) }
	r.scratch = tally()
	return r, r.look(ctx, tally)
}

// subTuplesOf returns the sub-tuples of group g: those of its first record, then those of
// its second one, ...
func (r *repairer) subTuplesOf(g int) []uint32 {
	return r.id[int(r.Start[g])*r.tables : int(r.Start[g+1])*r.tables]
}

// stretch is the number of groups, chunk of records, between two checks of the context.
const stretch, chunk = 1 << 12, 1 << 16

// look marks the groups that violate a requirement, stretches in parallel.
func (r *repairer) look(ctx context.Context, newTally func() *tally) error {
	pool := sync.Pool{New: func() any { return newTally() }}
	return parallel.Run(ctx, (r.Groups()+stretch-1)/stretch, func(task int) error {
		t := pool.Get().(*tally)
		defer pool.Put(t)
		for g := task * stretch; g < min((task+1)*stretch, r.Groups()); g++ {
			r.bad[g] = !r.measure(t, g).meets
		}
		return ctx.Err()
	})
}

// A tally counts sub-tuples and sensitive values in arrays as long as their
// dictionaries; between uses they are all zero.
type tally struct {
	count    [][]uint32 // by table and sub-tuple
	values   []uint32   // by sensitive code
	each     [][]uint32 // by sensitive attribute and code, with sa_mode=each
	greatest []uint32   // of every table: c_j^1 .. c_j^k
}

func newTally(projections []*bucketization.Projection, values int, each ...int) *tally {
	t := &tally{count: make([][]uint32, len(projections)), values: make([]uint32, values),
		greatest: make([]uint32, len(projections))}
	for i, p := range projections {
		t.count[i] = make([]uint32, len(p.Frequency))
	}
	for _, width := range each {
		t.each = append(t.each, make([]uint32, width))
	}
	return t
}

// figures measure the distance of a group from its requirements.
type figures struct {
	meets bool
	// In descending order of importance; all should fall.
	excess  int     // records above alpha n_j of a sub-tuple, over all tables
	product float64 // Eq. (7), left side
	squares int     // of the counts of sub-tuples, over all tables
}

// isNearer reports whether f is nearer to the requirements than g.
func (f figures) isNearer(g figures) bool {
	if f.excess != g.excess {
		return f.excess < g.excess
	}
	if f.product != g.product {
		return f.product < g.product
	}
	return f.squares < g.squares
}

// measure counts group g in the scratch arrays and clears them again.
func (r *repairer) measure(t *tally, g int) figures {
	var f figures
	first, end := r.Start[g], r.Start[g+1]
	size := int(end - first)
	limit := floorOf(r.parameters.alpha, size)
	ids := r.subTuplesOf(g)
	for i, count := range t.count {
		greatest := uint32(0)
		for at := i; at < len(ids); at += r.tables {
			count[ids[at]]++
			greatest = max(greatest, count[ids[at]])
		}
		for at := i; at < len(ids); at += r.tables {
			if c := int(count[ids[at]]); c > 0 {
				f.squares += c * c
				f.excess += max(0, c-limit)
				count[ids[at]] = 0
			}
		}
		t.greatest[i] = greatest
	}
	f.meets = f.excess == 0
	if r.parameters.gamma != ratioOne {
		sensitive := r.mostSensitive(t, first, end)
		f.product = product(t.greatest, sensitive, size)
		f.meets = f.meets && withinGamma(r.parameters.gamma, t.greatest, sensitive, size)
	}
	return f
}

// mostSensitive returns the greatest count of a sensitive value at the places from first to
// end: gamma holds for every attribute if it does for that value's.
func (r *repairer) mostSensitive(t *tally, first, end uint32) (greatest uint32) {
	if r.each == nil {
		return mostOf(r.value[first:end], t.values)
	}
	for i, codes := range r.each {
		greatest = max(greatest, mostOf(codes[first:end], t.each[i]))
	}
	return greatest
}

// mostOf returns the greatest count of a code and leaves count as it was: zero.
func mostOf(codes, count []uint32) uint32 {
	greatest := uint32(0)
	for _, code := range codes {
		count[code]++
		greatest = max(greatest, count[code])
	}
	for _, code := range codes {
		count[code] = 0
	}
	return greatest
}

// floorOf returns the greatest count c with c/size <= r.
func floorOf(r anonymize.Ratio, size int) int {
	// r <= 1, so an estimate by float is off by at most one.
	c := int(r.Float() * float64(size))
	for c < size && r.Admits(c+1, size) {
		c++
	}
	for c > 0 && !r.Admits(c, size) {
		c--
	}
	return c
}

// product returns the left side of Eq. (7), rounded.
func product(greatest []uint32, sensitive uint32, size int) float64 {
	p := float64(sensitive) / float64(size)
	for _, c := range greatest {
		p *= float64(c) / float64(size)
	}
	return p
}

// withinGamma tests Eq. (7) exactly: floats decide unless rounding matters, then big integers
// do. A product of k+1 quotients has a relative error of at most (2k+2) 2^-53, far below the
// margin of 1e-9.
func withinGamma(gamma anonymize.Ratio, greatest []uint32, sensitive uint32, size int) bool {
	p, bound := product(greatest, sensitive, size), gamma.Float()
	if p < bound*(1-1e-9) {
		return true
	}
	if p > bound*(1+1e-9) {
		return false
	}
	m := big.NewInt(int64(size))
	left, right := big.NewInt(int64(sensitive)), new(big.Int).Set(m)
	for _, c := range greatest {
		left.Mul(left, big.NewInt(int64(c)))
		right.Mul(right, m)
	}
	left.Mul(left, new(big.Int).SetUint64(gamma.Den))
	right.Mul(right, new(big.Int).SetUint64(gamma.Num))
	return left.Cmp(right) <= 0
}

// asParameterError says what to change if gamma was not reached.
func (p *parameters) asParameterError(err error) error {
	var e *NotReachedError
	if !errors.As(err, &e) {
		return err
	}
	return &anonymize.NoGroupsError{Err: &anonymize.ParameterError{Parameter: "gamma", Value: p.gamma.String(),
		Rule: e.Error() + "; try a larger gamma, a smaller alpha or beta, or other tables"}}
}
