package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Bound holds the least and the greatest value that a figure can have.
type Bound struct{ Low, High anonymize.Value }

// Bounds returns, for every row of q's answer and every aggregate, hard bounds:
// no table that agrees with the release has a figure outside them. NULL where
// the figure is NULL. AVG is bounded over the tables in which it is not NULL.
//
// Per group, for records that have a key in m records of f fragments, a_i of
// them possible in fragment i,
//
//	max(0, sum a_i - (f-1) m) <= X <= min a_i
//
// every number in between being attained, and SUM has its least value at the X
// smallest, its greatest at the X largest of the argument's values in its
// fragment, for the best X. The bounds of X are those of Fréchet for an
// intersection of f sets. All are attained where the condition is a conjunction of
// conditions on one fragment each and cells are points; AVG, a quotient of such sums, by Dinkelbach's iteration. A
// condition across fragments is bounded by relaxing it to one fragment at a
// time: still true always, no longer attained always. Counterfeits are the most
// favourable ones, see [thinning]: bounds that are attained stay so. All are NULL where the
// question reads what has noise ([Question.ReadsNoise]).
func Bounds(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]Bound, error) {
	switch {
	case answer.Exact:
		return exactBounds(q, answer), nil
	case q.ReadsNoise(r):
		return noBounds(answer), nil
	}
	sides, err := sidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	return bound(ctx, r, q, answer, sides)
}

func bound(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer, sides []*side) ([][]Bound, error) {
	if counts, err := countBounds(ctx, r, q, answer, sides); counts != nil || err != nil {
		return counts, err
	}
	b := &bounds{groupTerms: newGroupTerms(ctx, q, sides), thinned: thinningOf(r)}
	if err := b.addGroups(ctx, r); err != nil {
		return nil, err
	}
	rows := make([][]Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = b.boundsOfRow(row)
	}
	return rows, nil
}

// addGroups adds up the groups.
func (b *bounds) addGroups(ctx context.Context, r *anonymize.Release) error {
	if decided(b.sides) && !b.thinned.isNone() {
		return b.addWhole(ctx, r)
	}
	for g := range r.Groups() {
		ok, err := b.load(g, float64(r.GroupSizes[g]))
		if err != nil {
			return err
		}
		if ok {
			if err := b.countKeyed(); err != nil {
				return err
			}
			if err := b.group(g, int(r.GroupSizes[g])); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadsNoise says that the question reads an attribute of which the release tells nothing but through noise: then no table is excluded,
// and no figure has hard bounds.
func (q *Question) ReadsNoise(r *anonymize.Release) bool {
	if r.Model == nil || !r.Model.Hides(r.Model.Sensitive) {
		return false
	}
	at, _, ok := r.Locate(r.Model.Sensitive)
	return ok && slices.Contains(q.touched(), at)
}

// noBounds are NULL for every figure.
func noBounds(answer *Answer) [][]Bound {
	rows := make([][]Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]Bound, len(row.Figures))
	}
	return rows
}

// exactBounds are the figures themselves.
func exactBounds(q *Question, answer *Answer) [][]Bound {
	rows := make([][]Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]Bound, len(row.Figures))
		for a, figure := range row.Figures {
			if q.Aggregates[a].Kind.hasSpread() {
				rows[i][a] = Bound{figure, figure}
			}
		}
	}
	return rows
}

// bounds adds up, by key and aggregate, what every group allows.
type bounds struct {
	*groupTerms
	thinned thinning
	totals  [][]total
	// scratch of one group
	views   []projection
	scratch span
	at      []uint32 // by class of a side: its place among those present
	// first has the first combination of every key present, next that of the same key
	// after each; -1 at the end.
	first, next []int32
}

// A total is the sum over groups of the least and of the greatest value. A mean
// is no sum of groups' means: AVG keeps the groups, as does SUM where the
// counterfeits may be in any of them.
type total struct {
	low, high float64
	spans     []span
}

// A span is what one group allows one aggregate: any number of records from low
// to high, with values from a list. least and greatest have, ascending, the
// least and the greatest value of every record that may be among them (the same
// for points). For COUNT they are nil.
type span struct {
	low, high       int
	least, greatest []float64
}

func (b *bounds) group(g, m int) error {
	b.chain()
	b.prepareGroup(g)
	for _, key := range b.keysPresent {
		b.growTo(key)
		for a, aggregate := range b.question.Aggregates {
			if !aggregate.Kind.hasSpread() {
				continue
			}
			s := b.span(g, m, a, key)
			if s.high > 0 {
				b.totals[key][a].add(aggregate.Kind, s, b.thinned)
			}
			if err := b.work.pass(len(b.entries) + b.worker.steps); err != nil {
				return err
			}
		}
	}
	return nil
}

// chain links the combinations of every key, in their order.
func (b *bounds) chain() {
	b.first, b.next = resized(b.first, len(b.isPresent)), resized(b.next, len(b.entries))
	for _, key := range b.keysPresent {
		b.first[key] = -1
	}
	for c := len(b.entries) - 1; c >= 0; c-- {
		if key := b.key[b.entries[c]]; key >= 0 {
			b.next[c], b.first[key] = b.first[key], int32(c)
		}
	}
}

// prepareGroup makes room for the classes of the group, and counts the records of every side
// that pass its own conditions.
func (b *bounds) prepareGroup(g int) {
	if b.views == nil {
		b.views = make([]projection, len(b.radix))
	}
	for s, classes := range b.radix {
		p := &b.views[s]
		p.begin(classes)
		if b.sides[s].point {
			for _, class := range b.worker.present[s] {
				p.alive += int(b.worker.weight[s][class])
			}
			continue
		}
		b.eachTuple(g, s, func(t uint32, _ []share, whole bool) {
			if whole {
				p.alive += int(b.sides[s].fragment.Count[t])
			}
		})
	}
}

// growTo makes room for a key.
func (b *bounds) growTo(key int32) {
	for len(b.totals) <= int(key) {
		b.totals = append(b.totals, make([]total, len(b.question.Aggregates)))
	}
}

// add adds a group; s is scratch.
func (t *total) add(kind Kind, s *span, thinned thinning) {
	switch {
	case kind == Count:
		t.low += float64(s.low)
		t.high += float64(s.high)
	case kind == Sum && thinned.isNone():
		t.low += leastSum(s.least, s.low, s.high)
		t.high += greatestSum(s.greatest, s.low, s.high)
	default:
		t.spans = append(t.spans, span{s.low, s.high, slices.Clone(s.least), slices.Clone(s.greatest)})
	}
}

// A projection is the set of qualifying combinations as one side sees it, by
// the position of its classes.
type projection struct {
	qualifying      []int  // combinations with the class
	every           []bool // all of them qualify
	least, greatest []float64
	some            []int // the classes with one that qualifies, as they occur
	// possible and sure count the records of the side that may and that must
	// qualify: sure with the right classes of the other sides, surely with
	// any. alive ones pass the side's own conditions.
	possible, sure, surely, alive int
}

// span bounds the records of group g that have a key and an argument that is
// not NULL. The result is scratch.
func (b *bounds) span(g, m, a int, key int32) *span {
	qualifying := b.project(a, key)
	s := &b.scratch
	*s = span{high: m, least: s.least[:0], greatest: s.greatest[:0]}
	product, shortfall, dead, best := 1, 0, 0, 0
	for i := range b.views {
		p := &b.views[i]
		b.count(p, g, i)
		product *= len(p.some)
		shortfall += m - p.sure
		dead += m - p.alive
		s.high = min(s.high, p.possible)
		if p.ambiguity() < b.views[best].ambiguity() {
			best = i
		}
	}
	for i := range b.views {
		// Records that qualify with any class, but for those that meet a
		// record that fails a condition of its own side.
		s.low = max(s.low, b.views[i].surely-(dead-(m-b.views[i].alive)))
	}
	if product == qualifying { // a conjunction, seen from here
		s.low = max(s.low, m-shortfall)
	}
	if b.question.Aggregates[a].Kind != Count {
		b.fillValues(s, &b.views[best], g, best)
	}
	return s
}

// ambiguity is how far apart the values of one class can be, over all classes.
func (p *projection) ambiguity() float64 {
	total := 0.0
	for _, at := range p.some {
		total += p.greatest[at] - p.least[at]
	}
	return total
}

// project fills the sides' projections in one walk over the combinations of the key.
func (b *bounds) project(a int, key int32) (qualifying int) {
	for s := range b.views {
		b.views[s].clear()
	}
	for c := b.first[key]; c >= 0; c = b.next[c] {
		f := b.figures[b.entries[c]][a]
		if f.records <= 0 {
			continue
		}
		qualifying++
		rest := int(c)
		for s, classes := range b.radix {
			b.views[s].see(rest%classes, f.sum)
			rest /= classes
		}
	}
	for s, classes := range b.radix {
		p := &b.views[s]
		for _, at := range p.some {
			p.every[at] = p.qualifying[at] == len(b.entries)/classes
		}
	}
	return qualifying
}

// begin makes room for n classes.
func (p *projection) begin(n int) {
	p.clear()
	p.alive = 0
	for len(p.qualifying) < n {
		p.qualifying, p.every = append(p.qualifying, 0), append(p.every, false)
		p.least, p.greatest = append(p.least, math.Inf(1)), append(p.greatest, math.Inf(-1))
	}
}

// clear forgets the combinations, and leaves what the group has.
func (p *projection) clear() {
	for _, at := range p.some {
		p.qualifying[at], p.every[at], p.least[at], p.greatest[at] = 0, false, math.Inf(1), math.Inf(-1)
	}
	p.some, p.possible, p.sure, p.surely = p.some[:0], 0, 0, 0
}

// unmark says of no class that all its combinations qualify.
func (p *projection) unmark() {
	for _, at := range p.some {
		p.every[at] = false
	}
}

// see takes in a combination that qualifies, with the class at a position.
func (p *projection) see(at int, value float64) {
	if p.qualifying[at] == 0 {
		p.some = append(p.some, at)
	}
	p.qualifying[at]++
	p.least[at] = min(p.least[at], value)
	p.greatest[at] = max(p.greatest[at], value)
}

// count counts the records of a side that qualify.
func (b *bounds) count(p *projection, g, s int) {
	if b.sides[s].point {
		for _, at := range p.some {
			n := int(b.worker.weight[s][b.worker.present[s][at]])
			p.possible += n
			p.sure += n
			if p.every[at] {
				p.surely += n
			}
		}
		return
	}
	b.eachTuple(g, s, func(t uint32, shares []share, whole bool) {
		count := int(b.sides[s].fragment.Count[t])
		possible, sure, surely := false, whole, whole
		for _, share := range shares {
			at := b.at[share.class]
			some := p.qualifying[at] > 0
			possible = possible || some
			sure = sure && some
			surely = surely && p.every[at]
		}
		if possible {
			p.possible += count
		}
		if sure {
			p.sure += count
		}
		if surely {
			p.surely += count
		}
	})
}

// placeClasses fills in b.at for a side.
func (b *bounds) placeClasses(s int) {
	b.at = resized(b.at, b.sides[s].classes)
	for i, class := range b.worker.present[s] {
		b.at[class] = uint32(i)
	}
}

// eachTuple visits the tuples of a side in a group that may pass its own conditions, with
// their shares and whether these are all of the tuple. b.at has the places of
// their classes among those present.
func (b *bounds) eachTuple(g, s int, visit func(t uint32, shares []share, whole bool)) {
	side := b.sides[s]
	b.placeClasses(s)
	for t := side.fragment.GroupStart[g]; t < side.fragment.GroupStart[g+1]; t++ {
		if shares, whole := side.sharesOf(t, &b.worker.shares); len(shares) > 0 {
			visit(t, shares, whole)
		}
	}
}

// sharesOf returns the shares of a tuple in the classes of the side, and whether they are all of it.
func (s *side) sharesOf(t uint32, space *shareScratch) ([]share, bool) {
	if !s.point {
		return s.cells.sharesOf(t, space)
	}
	space.shares = space.shares[:0]
	if class, ok := s.classOf(t); ok {
		space.shares = append(space.shares, share{class, 1})
	}
	return space.shares, true
}

// fillValues lists the values of the records of side s that may qualify.
func (b *bounds) fillValues(out *span, p *projection, g, s int) {
	if b.sides[s].point {
		for _, at := range p.some {
			out.repeat(int(b.worker.weight[s][b.worker.present[s][at]]), p.least[at], p.greatest[at])
		}
	} else {
		b.eachTuple(g, s, func(t uint32, shares []share, _ bool) {
			least, greatest := math.Inf(1), math.Inf(-1)
			for _, share := range shares {
				at := b.at[share.class]
				least, greatest = min(least, p.least[at]), max(greatest, p.greatest[at])
			}
			if least <= greatest {
				out.repeat(int(b.sides[s].fragment.Count[t]), least, greatest)
			}
		})
	}
	slices.Sort(out.least)
	slices.Sort(out.greatest)
}

func (s *span) repeat(count int, least, greatest float64) {
	for range count {
		s.least, s.greatest = append(s.least, least), append(s.greatest, greatest)
	}
}

// boundsOfRow turns the totals of a row's key into bounds.
func (b *bounds) boundsOfRow(row AnswerRow) []Bound {
	result := make([]Bound, len(row.Figures))
	key := int(b.numbering.number(row.Keys))
	for a, figure := range row.Figures {
		if !b.question.Aggregates[a].Kind.hasSpread() {
			continue // NULL: none are known
		}
		if figure.IsNull() {
			result[a] = Bound{figure, figure}
			continue
		}
		var t total
		if key < len(b.totals) {
			t = b.totals[key][a]
		}
		low, high := b.thinned.bounds(b.question.Aggregates[a].Kind, &t)
		result[a] = Bound{anonymize.RealValue(low), anonymize.RealValue(high)}
	}
	return result
}

// leastSum is the least sum of some number of ascending values, from low to
// high of them.
func leastSum(values []float64, low, high int) float64 {
	sum := 0.0
	for i, x := range values[:high] {
		if i >= low && x >= 0 {
			break
		}
		sum += x
	}
	return sum
}

// greatestSum is the greatest.
func greatestSum(values []float64, low, high int) float64 {
	sum := 0.0
	for i := range high {
		x := values[len(values)-1-i]
		if i >= low && x <= 0 {
			break
		}
		sum += x
	}
	return sum
}

// mirrored negates the values, so that the greatest become the least.
func mirrored(spans []span) []span {
	list := make([]span, len(spans))
	for i, s := range spans {
		negated := make([]float64, len(s.greatest))
		for j, x := range s.greatest {
			negated[len(s.greatest)-1-j] = -x
		}
		list[i] = span{low: s.low, high: s.high, least: negated}
	}
	return list
}
