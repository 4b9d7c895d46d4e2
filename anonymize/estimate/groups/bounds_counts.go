package groups

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A CountBounder finds the hard bounds of COUNTs whose conditions, keys and arguments
// read one fragment of points each: per group and combination of the sides' keys
//
//	max(0, sum a_i - (f-1) m) and min a_i,
//
// a_i being the records of side i that have its part of the key (Fréchet). These are
// integers, so that neither the order of the groups nor the number of cores matters.
//
// Cost per group: its tuples, and the product of the numbers of keys that its sides have.
type CountBounder struct {
	Release *anonymize.Release
	Sides   []*countSide
	// combinations is the product of the sides' numbers of keys.
	Combinations int
}

// A countSide is what one side says of a record: which key it has.
type countSide struct {
	*question.Side
	keys      []*question.Expression
	places    []int // of these among the question's keys
	numbering *question.TupleNumbering
	// keyOf has the key of every class, noKey where the argument of the COUNT is NULL.
	keyOf  []uint32
	count  int // of keys
	Stride int // in the numbers of combinations
}

const (
	noKey = math.MaxUint32
	// maxCountClasses and maxCountCombinations bound the classes of a side, and the
	// combinations of keys, that the arrays of a countBounder are made for.
	maxCountClasses      = 1 << 16
	maxCountCombinations = 1 << 20
)

// NewCountBounder returns nil where the question is of another kind. All sides are points.
func NewCountBounder(r *anonymize.Release, q *question.Question, sides []*question.Side, argument *question.Expression) *CountBounder {
	b := &CountBounder{Release: r, Combinations: 1}
	outcomes, buffer := make([]question.Outcome, len(q.Leaves)), make([]anonymize.Value, 0, len(q.Leaves))
	if !isSeparable(q, argument) {
		return nil
	}
	if holds, err := q.Holds(outcomes, buffer); err != nil || !holds {
		return nil // a condition that is a constant
	}
	for _, s := range sides {
		if !s.Point || s.Classes > maxCountClasses || s.IsEmpty() {
			return nil
		}
		c := &countSide{Side: s, Stride: b.Combinations}
		for i := range q.Keys {
			if r.Fragments[q.FragmentOf(&q.Keys[i])] == s.Fragment {
				c.keys, c.places = append(c.keys, &q.Keys[i]), append(c.places, i)
			}
		}
		var own *question.Expression
		if argument != nil && r.Fragments[q.FragmentOf(argument)] == s.Fragment {
			own = argument
		}
		if !c.number(outcomes, buffer, own) || b.Combinations*c.count > maxCountCombinations {
			return nil
		}
		b.Combinations *= c.count
		b.Sides = append(b.Sides, c)
	}
	return b
}

// isSeparable reports whether every condition, key and the argument read at most one
// fragment, and keys and argument one.
func isSeparable(q *question.Question, argument *question.Expression) bool {
	for i := range q.Where {
		if q.FragmentOf(&q.Where[i]) < 0 && len(q.Where[i].Leaves) > 0 {
			return false
		}
	}
	for i := range q.Keys {
		if q.FragmentOf(&q.Keys[i]) < 0 {
			return false
		}
	}
	return argument == nil || q.FragmentOf(argument) >= 0
}

// number numbers the keys of the side's classes; false where one cannot be evaluated.
func (c *countSide) number(outcomes []question.Outcome, buffer []anonymize.Value, argument *question.Expression) bool {
	c.numbering, c.keyOf = question.NewTupleNumbering(len(c.keys)), make([]uint32, c.Classes)
	for class := range c.keyOf {
		if c.Decode(uint32(class), outcomes) != nil {
			return false
		}
		if argument != nil {
			v, err := argument.Evaluate(outcomes, buffer)
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
			if values[i], err = k.Evaluate(outcomes, buffer); err != nil {
				return false
			}
		}
		c.keyOf[class] = c.numbering.Number(values)
		c.count = max(c.count, int(c.keyOf[class])+1)
	}
	return c.count > 0
}

// A countRange is the least and the greatest number of records of every combination.
type countRange struct{ low, high []int64 }

// addGroups adds up the groups, on all cores.
func (b *CountBounder) addGroups(ctx context.Context) (*countRange, error) {
	groups := b.Release.Groups()
	blocks := (groups + question.BlockGroups - 1) / question.BlockGroups
	workers, err := parallel.Collect(ctx, parallel.All, blocks, func(int) *countWorker { return b.newWorker(ctx) },
		func(w *countWorker, block int) error {
			return w.add(block*question.BlockGroups, min((block+1)*question.BlockGroups, groups))
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

func (b *CountBounder) newRange() *countRange {
	return &countRange{make([]int64, b.Combinations), make([]int64, b.Combinations)}
}

// A countWorker has one core's sums and scratch space.
type countWorker struct {
	*CountBounder
	sum     *countRange
	present []KeyParts[int64] // records by key
	work    question.Checkpoint
}

func (b *CountBounder) newWorker(ctx context.Context) *countWorker {
	return &countWorker{b, b.newRange(), NewKeyParts[int64](b.Sides), question.Checkpoint{Ctx: ctx}}
}

// add adds up the groups first to end-1. The error is the context's.
func (w *countWorker) add(first, end int) error {
	for g := first; g < end; g++ {
		steps := 1
		for i, s := range w.Sides {
			w.present[i].gather(s, g, func(records *int64, t uint32) { *records += int64(s.Fragment.Count[t]) })
			steps *= 1 + len(w.present[i].Keys)
		}
		w.combine(w.sum, w.present, 0, 0, -int64(len(w.Sides)-1)*int64(w.Release.GroupSizes[g]), math.MaxInt64)
		if err := w.work.Pass(steps); err != nil {
			return err
		}
	}
	return nil
}

// KeyParts are the keys that a side has in a group, with what is added up of their tuples. Something is added of every tuple, so that the part of a
// key that is there is not zero.
type KeyParts[Part comparable] struct {
	Keys  []uint32
	Parts []Part // by key, zero of the others
}

func NewKeyParts[Part comparable](sides []*countSide) []KeyParts[Part] {
	list := make([]KeyParts[Part], len(sides))
	for i, s := range sides {
		list[i].Parts = make([]Part, s.count)
	}
	return list
}

// gather adds up the tuples of a group, in the place of those of the group before.
func (p *KeyParts[Part]) gather(s *countSide, g int, add func(part *Part, t uint32)) {
	p.Begin()
	f := s.Fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		p.Add(s, t, add)
	}
}

// Begin forgets the group before.
func (p *KeyParts[Part]) Begin() {
	var none Part
	for _, key := range p.Keys {
		p.Parts[key] = none
	}
	p.Keys = p.Keys[:0]
}

// Add adds a tuple.
func (p *KeyParts[Part]) Add(s *countSide, t uint32, add func(part *Part, t uint32)) {
	class := s.ClassOfTuple(t)
	if class == question.Dead || s.keyOf[class] == noKey {
		return
	}
	var none Part
	key := s.keyOf[class]
	if p.Parts[key] == none {
		p.Keys = append(p.Keys, key)
	}
	add(&p.Parts[key], t)
}

// combine goes through the combinations of the keys of the sides from s on: index, sum and
// least are those of the sides before.
func (b *CountBounder) combine(to *countRange, present []KeyParts[int64], s, index int, sum, least int64) {
	p, stride := &present[s], b.Sides[s].Stride
	if s < len(b.Sides)-1 {
		for _, key := range p.Keys {
			n := p.Parts[key]
			b.combine(to, present, s+1, index+int(key)*stride, sum+n, min(least, n))
		}
		return
	}
	for _, key := range p.Keys {
		n, at := p.Parts[key], index+int(key)*stride
		to.low[at] += max(0, sum+n)
		to.high[at] += min(least, n)
	}
}

// rangeOfKeys is what a row's key has.
func (b *CountBounder) rangeOfKeys(sum *countRange, keys []anonymize.Value) (low, high float64) {
	index, known := b.IndexOf(keys)
	if !known {
		return 0, 0
	}
	return float64(sum.low[index]), float64(sum.high[index])
}

// IndexOf is the combination of a row's keys; false where no side has one of them.
func (b *CountBounder) IndexOf(keys []anonymize.Value) (index int, known bool) {
	for _, s := range b.Sides {
		values := make([]anonymize.Value, len(s.places))
		for i, place := range s.places {
			values[i] = keys[place]
		}
		key := int(s.numbering.Number(values))
		if key >= s.count {
			return 0, false
		}
		index += key * s.Stride
	}
	return index, true
}

// CountBounds returns the bounds of a question whose only figures with a spread are COUNTs
// that a countBounder fits; nil where it does not.
func CountBounds(ctx context.Context, r *anonymize.Release, q *question.Question, answer *question.Answer, sides []*question.Side) ([][]question.Bound, error) {
	thinned := figures.ThinningOf(r)
	bounders := make([]*CountBounder, len(q.Aggregates))
	for a := range q.Aggregates {
		switch x := &q.Aggregates[a]; {
		case !x.Kind.HasSpread():
		case x.Kind != question.Count:
			return nil, nil
		default:
			if bounders[a] = NewCountBounder(r, q, sides, x.Argument); bounders[a] == nil {
				return nil, nil
			}
		}
	}
	for _, s := range sides {
		s.Number()
	}
	rows := make([][]question.Bound, len(answer.Rows))
	for i := range rows {
		rows[i] = make([]question.Bound, len(q.Aggregates))
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
				rows[i][a] = question.Bound{Low: figure, High: figure}
				continue
			}
			var t figures.Total
			t.Low, t.High = b.rangeOfKeys(sum, row.Keys)
			low, high := thinned.Bounds(question.Count, &t)
			rows[i][a] = question.Bound{Low: anonymize.RealValue(low), High: anonymize.RealValue(high)}
		}
	}
	return rows, nil
}
