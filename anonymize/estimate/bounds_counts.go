package estimate

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A countBounder finds the hard bounds of COUNTs whose conditions, keys and arguments
// read one fragment of points each: per group and combination of the sides' keys
//
//	max(0, sum a_i - (f-1) m) and min a_i,
//
// a_i being the records of side i that have its part of the key (Fréchet). These are
// integers, so that neither the order of the groups nor the number of cores matters.
//
// Cost per group: its tuples, and the product of the numbers of keys that its sides have.
type countBounder struct {
	release *anonymize.Release
	sides   []*countSide
	// combinations is the product of the sides' numbers of keys.
	combinations int
}

// A countSide is what one side says of a record: which key it has.
type countSide struct {
	*side
	keys      []*Expression
	places    []int // of these among the question's keys
	numbering *tupleNumbering
	// keyOf has the key of every class, noKey where the argument of the COUNT is NULL.
	keyOf  []uint32
	count  int // of keys
	stride int // in the numbers of combinations
}

const (
	noKey = math.MaxUint32
	// maxCountClasses and maxCountCombinations bound the classes of a side, and the
	// combinations of keys, that the arrays of a countBounder are made for.
	maxCountClasses      = 1 << 16
	maxCountCombinations = 1 << 20
)

// newCountBounder returns nil where the question is of another kind. All sides are points.
func newCountBounder(r *anonymize.Release, q *Question, sides []*side, argument *Expression) *countBounder {
	b := &countBounder{release: r, combinations: 1}
	outcomes, buffer := make([]outcome, len(q.Leaves)), make([]anonymize.Value, 0, len(q.Leaves))
	if !q.isSeparable(argument) {
		return nil
	}
	if holds, err := q.holds(outcomes, buffer); err != nil || !holds {
		return nil // a condition that is a constant
	}
	for _, s := range sides {
		if !s.point || s.classes > maxCountClasses || s.isEmpty() {
			return nil
		}
		c := &countSide{side: s, stride: b.combinations}
		for i := range q.Keys {
			if r.Fragments[q.fragmentOf(&q.Keys[i])] == s.fragment {
				c.keys, c.places = append(c.keys, &q.Keys[i]), append(c.places, i)
			}
		}
		var own *Expression
		if argument != nil && r.Fragments[q.fragmentOf(argument)] == s.fragment {
			own = argument
		}
		if !c.number(outcomes, buffer, own) || b.combinations*c.count > maxCountCombinations {
			return nil
		}
		b.combinations *= c.count
		b.sides = append(b.sides, c)
	}
	return b
}

// isSeparable reports whether every condition, key and the argument read at most one
// fragment, and keys and argument one.
func (q *Question) isSeparable(argument *Expression) bool {
	for i := range q.Where {
		if q.fragmentOf(&q.Where[i]) < 0 && len(q.Where[i].Leaves) > 0 {
			return false
		}
	}
	for i := range q.Keys {
		if q.fragmentOf(&q.Keys[i]) < 0 {
			return false
		}
	}
	return argument == nil || q.fragmentOf(argument) >= 0
}

// number numbers the keys of the side's classes; false where one cannot be evaluated.
func (c *countSide) number(outcomes []outcome, buffer []anonymize.Value, argument *Expression) bool {
	c.numbering, c.keyOf = newTupleNumbering(len(c.keys)), make([]uint32, c.classes)
	for class := range c.keyOf {
		if c.decode(uint32(class), outcomes) != nil {
			return false
		}
		if argument != nil {
			v, err := argument.evaluate(outcomes, buffer)
			if err != nil {
				return false
			}
			if v.IsNull() {
				c.keyOf[class] = noKey
				continue
			}
		}
		values := make([]anonymize.Value, len(c.keys))
		for i, k := range c.keys {
			var err error
			if values[i], err = k.evaluate(outcomes, buffer); err != nil {
				return false
			}
		}
		c.keyOf[class] = c.numbering.number(values)
		c.count = max(c.count, int(c.keyOf[class])+1)
	}
	return c.count > 0
}

// A countRange is the least and the greatest number of records of every combination.
type countRange struct{ low, high []int64 }

// addGroups adds up the groups, on all cores.
func (b *countBounder) addGroups(ctx context.Context) (*countRange, error) {
	groups := b.release.Groups()
	workers, err := parallel.Collect(ctx, parallel.All, (groups+blockGroups-1)/blockGroups, func(int) *countWorker { return b.newWorker(ctx) },
		func(w *countWorker, block int) error {
			return w.add(block*blockGroups, min((block+1)*blockGroups, groups))
		})
	if err != nil {
		return nil, err
	}
	sum := b.newRange()
	for _, w := range workers {
		for i := range w.sum.low {
			sum.low[i] += w.sum.low[i]
			sum.high[i] += w.sum.high[i]
		}
	}
	return sum, nil
}

func (b *countBounder) newRange() *countRange {
	return &countRange{make([]int64, b.combinations), make([]int64, b.combinations)}
}

// A countWorker has one core's sums and scratch space.
type countWorker struct {
	*countBounder
	sum     *countRange
	present []keyParts[int64] // records by key
	work    checkpoint
}

func (b *countBounder) newWorker(ctx context.Context) *countWorker {
	return &countWorker{b, b.newRange(), newKeyParts[int64](b.sides), checkpoint{ctx: ctx}}
}

// add adds up the groups first to end-1. The error is the context's.
func (w *countWorker) add(first, end int) error {
	for g := first; g < end; g++ {
		steps := 1
		for i, s := range w.sides {
			w.present[i].gather(s, g, func(records *int64, t uint32) { *records += int64(s.fragment.Count[t]) })
			steps *= 1 + len(w.present[i].keys)
		}
		w.combine(w.sum, w.present, 0, 0, -int64(len(w.sides)-1)*int64(w.release.GroupSizes[g]), math.MaxInt64)
		if err := w.work.pass(steps); err != nil {
			return err
		}
	}
	return nil
}

// keyParts are the keys that a side has in a group, with what is added up of their tuples. Something is added of every tuple, so that the part of a
// key that is there is not zero.
type keyParts[Part comparable] struct {
	keys  []uint32
	parts []Part // by key, zero of the others
}

func newKeyParts[Part comparable](sides []*countSide) []keyParts[Part] {
	list := make([]keyParts[Part], len(sides))
	for i, s := range sides {
		list[i].parts = make([]Part, s.count)
	}
	return list
}

// gather adds up the tuples of a group, in the place of those of the group before.
func (p *keyParts[Part]) gather(s *countSide, g int, add func(part *Part, t uint32)) {
	p.begin()
	f := s.fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		p.add(s, t, add)
	}
}

// begin forgets the group before.
func (p *keyParts[Part]) begin() {
	var none Part
	for _, key := range p.keys {
		p.parts[key] = none
	}
	p.keys = p.keys[:0]
}

// add adds a tuple.
func (p *keyParts[Part]) add(s *countSide, t uint32, add func(part *Part, t uint32)) {
	class := s.classOfTuple(t)
	if class == dead || s.keyOf[class] == noKey {
		return
	}
	var none Part
	key := s.keyOf[class]
	if p.parts[key] == none {
		p.keys = append(p.keys, key)
	}
	add(&p.parts[key], t)
}

// classOfTuple is dead where a unit says so.
func (s *side) classOfTuple(t uint32) uint32 {
	class, stride := uint32(0), uint32(1)
	for _, u := range s.units {
		c := u.classOf[u.codes[t]]
		if c == dead {
			return dead
		}
		class += c * stride
		stride *= uint32(u.classes)
	}
	return class
}

// combine goes through the combinations of the keys of the sides from s on: index, sum and
// least are those of the sides before.
func (b *countBounder) combine(to *countRange, present []keyParts[int64], s, index int, sum, least int64) {
	p, stride := &present[s], b.sides[s].stride
	if s < len(b.sides)-1 {
		for _, key := range p.keys {
			n := p.parts[key]
			b.combine(to, present, s+1, index+int(key)*stride, sum+n, min(least, n))
		}
		return
	}
	for _, key := range p.keys {
		n, at := p.parts[key], index+int(key)*stride
		to.low[at] += max(0, sum+n)
		to.high[at] += min(least, n)
	}
}

// rangeOfKeys is what a row's key has.
func (b *countBounder) rangeOfKeys(sum *countRange, keys []anonymize.Value) (low, high float64) {
	index, known := b.indexOf(keys)
	if !known {
		return 0, 0
	}
	return float64(sum.low[index]), float64(sum.high[index])
}

// indexOf is the combination of a row's keys; false where no side has one of them.
func (b *countBounder) indexOf(keys []anonymize.Value) (index int, known bool) {
	for _, s := range b.sides {
		values := make([]anonymize.Value, len(s.places))
		for i, place := range s.places {
			values[i] = keys[place]
		}
		key := int(s.numbering.number(values))
		if key >= s.count {
			return 0, false
		}
		index += key * s.stride
	}
	return index, true
}

// countBounds returns the bounds of a question whose only figures with a spread are COUNTs
// that a countBounder fits; nil where it does not.
func countBounds(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer, sides []*side) ([][]Bound, error) {
	thinned := thinningOf(r)
	bounders := make([]*countBounder, len(q.Aggregates))
	for a := range q.Aggregates {
		switch x := &q.Aggregates[a]; {
		case !x.Kind.hasSpread():
		case x.Kind != Count:
			return nil, nil
		default:
			if bounders[a] = newCountBounder(r, q, sides, x.Argument); bounders[a] == nil {
				return nil, nil
			}
		}
	}
	for _, s := range sides {
		s.number()
	}
	rows := make([][]Bound, len(answer.Rows))
	for i := range rows {
		rows[i] = make([]Bound, len(q.Aggregates))
	}
	for a, b := range bounders {
		if b == nil {
			continue
		}
		sum, err := b.addGroups(ctx)
		if err != nil {
			return nil, err
		}
		for i, row := range answer.Rows {
			if figure := row.Figures[a]; figure.IsNull() {
				rows[i][a] = Bound{figure, figure}
				continue
			}
			var t total
			t.low, t.high = b.rangeOfKeys(sum, row.Keys)
			low, high := thinned.bounds(Count, &t)
			rows[i][a] = Bound{anonymize.RealValue(low), anonymize.RealValue(high)}
		}
	}
	return rows, nil
}
