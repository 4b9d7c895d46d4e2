package groups

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// A CountBounder computes the hard bounds of COUNTs whose conditions, keys and arguments each
// read one fragment of points: per group and combination of the sides' keys
//
//	max(0, sum a_i - (f-1) m) and min a_i,
//
// where a_i is the number of records of side i with its part of the key (Fréchet). These are
// integers, so neither the order of groups nor the number of cores matters.
//
// Cost per group: its tuples, plus the product of its sides' numbers of keys.
type CountBounder struct {
	Release *anonymize.Release
	Sides   []*countSide
	// Combinations is the product of the sides' numbers of keys.
	Combinations int
}

// A countSide is a side's part of the key.
type countSide struct {
	*question.Side
	keys      []*question.Expression
	places    []int // positions of keys among the question's keys
	numbering *question.TupleNumbering
	// keyOf has the key of every class, or noKey if the COUNT's argument is NULL.
	keyOf  []uint32
	Keys   int // number of keys
	Stride int // in the combination numbers
}

const (
	noKey = math.MaxUint32
	// maxCountClasses and maxCountCombinations are the greatest numbers of classes of a side,
	// and of combinations of keys, that a CountBounder makes arrays for.
	maxCountClasses      = 1 << 16
	maxCountCombinations = 1 << 20
)

// NewCountBounder returns nil if the question does not fit. All sides must be points.
func NewCountBounder(r *anonymize.Release, q *question.Question, sides []*question.Side, argument *question.Expression) *CountBounder {
	b := &CountBounder{Release: r, Combinations: 1}
	outcomes, buffer := make([]question.Outcome, len(q.Leaves)), make([]anonymize.Value, 0, len(q.Leaves))
	if !isSeparable(q, argument) {
		return nil
	}
	if holds, err := q.Holds(outcomes, buffer); err != nil || !holds {
		return nil // a constant condition fails
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
		if !c.number(outcomes, buffer, own) || b.Combinations*c.Keys > maxCountCombinations {
			return nil
		}
		b.Combinations *= c.Keys
		b.Sides = append(b.Sides, c)
	}
	return b
}

// isSeparable reports whether every key and the argument read exactly one fragment, and every
// condition at most one.
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

// number numbers the keys of the side's classes; false if one cannot be evaluated.
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
		c.Keys = max(c.Keys, int(c.keyOf[class])+1)
	}
	return c.Keys > 0
}

// A countRange has the least and the greatest number of records of every combination.
type countRange struct{ low, high []int64 }

// addGroups adds up all groups in parallel.
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
	sum   *countRange
	sides []keyCounts
	// before has the combinations of keys in a group of all sides but the last.
	before, spare []keysBefore
	work          question.Checkpoint
}

// keyCounts are the keys of a side in a group, as parts of combination numbers, with their records.
type keyCounts struct {
	keyOf    []uint32 // by code; the number of keys for codes that do not count
	space    question.CodeScratch
	codes    []uint32 // of the tuples of up to groupsTogether groups
	records  []uint32 // by key: 0 between groups, except for those that do not count
	met      []uint32
	at, more []int
}

// keysBefore are keys of the sides so far: their part of the combination number, and the sum and the least of their numbers of records.
type keysBefore struct{ index, sum, least int }

func (b *CountBounder) newWorker(ctx context.Context) *countWorker {
	w := &countWorker{CountBounder: b, sum: b.newRange(), sides: make([]keyCounts, len(b.Sides)), work: question.Checkpoint{Ctx: ctx}}
	for i, s := range b.Sides {
		k := &w.sides[i]
		k.records = make([]uint32, s.Keys+1)
		k.records[s.Keys] = 1
		for _, class := range s.ClassOfCode() {
			if class != question.Dead {
				class = s.keyOf[class]
			}
			k.keyOf = append(k.keyOf, min(class, uint32(s.Keys)))
		}
	}
	return w
}

// groupsTogether is the number of groups whose tuples are classified together.
const groupsTogether = 256

// add adds up the groups first to end-1. The only error is the context's.
func (w *countWorker) add(first, end int) error {
	for g := first; g < end; g++ {
		from := first + (g-first)/groupsTogether*groupsTogether
		to, m, steps := min(from+groupsTogether, end), int(w.Release.GroupSizes[g]), 1
		w.before = append(w.before[:0], keysBefore{sum: -(len(w.Sides) - 1) * m, least: m})
		for i, s := range w.Sides {
			k, start := &w.sides[i], s.Fragment.GroupStart
			if g == from {
				k.codes = s.CodesBetween(start[from], start[to], &k.space)
			}
			k.gather(k.codes[start[g]-start[from]:start[g+1]-start[from]], s.Fragment.Count[start[g]:start[g+1]], s.Stride)
			if steps *= 1 + len(k.at); i < len(w.Sides)-1 {
				w.combine(k)
			}
		}
		w.addPairs(&w.sides[len(w.Sides)-1])
		if err := w.work.Pass(steps); err != nil {
			return err
		}
	}
	return nil
}

// gather counts the records of a group by key, without branches on the tuples.
func (k *keyCounts) gather(codes, counts []uint32, stride int) {
	if len(k.met) <= len(codes) {
		k.met, k.at, k.more = make([]uint32, 2*len(codes)+1), make([]int, 2*len(codes)), make([]int, 2*len(codes))
	}
	met, records, keyOf, n := k.met, k.records, k.keyOf, 0
	counts = counts[:len(codes)]
	for t, code := range codes {
		key, isNew := keyOf[code], 0
		before := records[key]
		if before == 0 {
			isNew = 1
		}
		met[n] = key
		n += isNew
		records[key] = before + counts[t]
	}
	at, more := k.at[:n], k.more[:n]
	for i, key := range met[:n] {
		at[i], more[i] = int(key)*stride, int(records[key])
		records[key] = 0
	}
	k.at, k.more = at, more
}

// combine extends the combinations in before by the keys of a side.
func (w *countWorker) combine(k *keyCounts) {
	w.spare = w.spare[:0]
	for _, p := range w.before {
		for i, at := range k.at {
			w.spare = append(w.spare, keysBefore{p.index + at, p.sum + k.more[i], min(p.least, k.more[i])})
		}
	}
	w.before, w.spare = w.spare, w.before
}

// addPairs adds the bounds of all combinations, including the last side's keys.
func (w *countWorker) addPairs(last *keyCounts) {
	low, high, more := w.sum.low, w.sum.high, last.more[:len(last.at)]
	for _, p := range w.before {
		for i, at := range last.at {
			n := more[i]
			high[p.index+at] += int64(min(p.least, n))
			if sum := p.sum + n; sum > 0 {
				low[p.index+at] += int64(sum)
			}
		}
	}
}

// KeyOf returns the key of a tuple; ok is false if none of its records counts.
func (s *countSide) KeyOf(t uint32) (key uint32, ok bool) {
	class := s.ClassOf(t)
	if class == question.Dead || s.keyOf[class] == noKey {
		return 0, false
	}
	return s.keyOf[class], true
}

// IndexOf returns the combination number of a row's keys; known is false if a side lacks its part.
func (b *CountBounder) IndexOf(keys []anonymize.Value) (index int, known bool) {
	for _, s := range b.Sides {
		key := int(s.numbering.Number(anonymize.Gather(keys, s.places)))
		if key >= s.Keys {
			return 0, false
		}
		index += key * s.Stride
	}
	return index, true
}

// A RangeCounter returns the least and the greatest number of records of every combination of classes of two sides; nil if it cannot.
type RangeCounter func(ctx context.Context, sides []*question.Side) (low, high []int64, err error)

// rangeOf uses another counter if there are two sides and every class is a key; otherwise it counts group by group.
func (b *CountBounder) rangeOf(ctx context.Context, sides []*question.Side, by RangeCounter) (*countRange, error) {
	apart := by != nil && len(sides) == 2
	for _, s := range b.Sides {
		apart = apart && s.Keys == s.Classes && !slices.Contains(s.keyOf, noKey)
	}
	if apart {
		if low, high, err := by(ctx, sides); low != nil || err != nil {
			return &countRange{low, high}, err
		}
	}
	return b.addGroups(ctx)
}

// CountTotals returns the totals of a question whose only figures with a spread are COUNTs that
// fit a [CountBounder]; nil if one does not fit.
func (c *Counter) CountTotals(ctx context.Context) (figures.TotalOf, error) {
	bounders := make([]*CountBounder, len(c.Question.Aggregates))
	for a := range c.Question.Aggregates {
		switch x := &c.Question.Aggregates[a]; {
		case !x.Kind.HasSpread():
		case x.Kind != question.Count:
			return nil, nil
		default:
			if bounders[a] = NewCountBounder(c.Release, c.Question, c.Sides, x.Argument); bounders[a] == nil {
				return nil, nil
			}
		}
	}
	ranges := make([]*countRange, len(bounders))
	for a, b := range bounders {
		if b == nil {
			continue
		}
		var err error
		if ranges[a], err = b.rangeOf(ctx, c.Sides, c.Ranges); err != nil {
			return nil, err
		}
	}
	return func(row question.AnswerRow, a int) *figures.Total {
		index, known := bounders[a].IndexOf(row.Keys)
		if !known {
			return &figures.Total{}
		}
		return &figures.Total{Low: float64(ranges[a].low[index]), High: float64(ranges[a].high[index])}
	}, nil
}
