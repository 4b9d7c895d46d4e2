package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A linearJoin is the weighted join of a question whose aggregates are COUNT, SUM and AVG
// of arguments that read one column each. They are linear in the argument, so that its
// values need no classes: of the records of a class in a group, their number and the sum of
// the argument are enough. With n and S of a class in the argument's fragment, and a_i
// records of the classes of the others,
//
//	E[records with an argument] = n * prod_i(a_i) / m^(f-1),  E[sum] = S * prod_i(a_i) / m^(f-1).
//
// A group costs its tuples, and the product of the few classes of keys and conditions in it;
// its tuples alone, where the keys are of one fragment (linear_keyed.go).
type linearJoin struct {
	// counted is the question asked, without arguments.
	asked, counted *Question
	sides          []*side // of the question without arguments
	arguments      []argument
	argumentOf     []int // per aggregate, an index of arguments; -1 for COUNT(*)
}

// An argument is what the records of a side add to the aggregates of one column.
type argument struct {
	side, unit    int
	contributions []contribution // by code of the unit
}

// sums answers q by a linear join; nil when q is of another kind, or a kernel looks at no
// single record.
func (s *scan) sums(ctx context.Context, r *anonymize.Release, q *Question, sides []*side) ([]AnswerRow, error) {
	if s == nil || len(sides) < 2 || !thinningOf(r).isNone() {
		return nil, nil
	}
	if _, reason := s.prepared.planKernel(sides, maxKernelClasses, joinCost); reason == "" {
		return nil, nil
	}
	l, err := newLinearJoin(ctx, r, q)
	if err != nil || l == nil {
		return nil, err
	}
	size := l.width()
	for _, side := range l.sides {
		if size *= side.classes; size > maxDenseCombinations {
			return nil, nil
		}
	}
	for _, side := range l.sides {
		side.number()
	}
	keyed, ok := l.keyed()
	totals, err := sumBlocks(ctx, r.Groups(), size, func(int) blockSummer {
		if ok {
			worker := keyed.newWorker(r)
			return func(first, end int, sums []float64) error { return worker.add(ctx, first, end, sums) }
		}
		worker := &linearWorker{groupWorker: newGroupWorker(l.sides), join: l}
		for _, a := range l.arguments {
			worker.moments = append(worker.moments, make([]contribution, l.sides[a.side].classes))
		}
		return func(first, end int, sums []float64) error { return worker.add(ctx, r, first, end, sums) }
	})
	if err != nil {
		return nil, err
	}
	s.sides = sides
	return l.answers(totals, 1)
}

// newLinearJoin returns nil when q is of another kind.
func newLinearJoin(ctx context.Context, r *anonymize.Release, q *Question) (*linearJoin, error) {
	some := false
	for _, a := range q.Aggregates {
		if a.Kind > Average {
			return nil, nil
		}
		some = some || a.Argument != nil
	}
	if !some {
		return nil, nil
	}
	counted := *q
	counted.Aggregates = []Aggregate{{Kind: Count}}
	l := &linearJoin{asked: q, counted: &counted}
	var err error
	if l.sides, err = sidesOf(ctx, r, &counted); err != nil {
		return nil, err
	}
	for _, side := range l.sides {
		if !side.point {
			return nil, nil
		}
	}
	for a := range q.Aggregates {
		at := -1
		if q.Aggregates[a].Argument != nil {
			x, ok := l.argument(q, a)
			if !ok {
				return nil, nil
			}
			if at = slices.IndexFunc(l.arguments, x.equal); at < 0 {
				at, l.arguments = len(l.arguments), append(l.arguments, x)
			}
		}
		l.argumentOf = append(l.argumentOf, at)
	}
	return l, nil
}

// width is the number of sums of a combination of classes: its records, and of each
// argument those that have one, and its sum.
func (l *linearJoin) width() int { return 1 + 2*len(l.arguments) }

func (a argument) equal(other argument) bool {
	return a.side == other.side && a.unit == other.unit && slices.Equal(a.contributions, other.contributions)
}

// argument evaluates the argument of an aggregate once per value of its column; ok is false
// where it reads several, or a value fails it, which somebody may have or not.
func (l *linearJoin) argument(q *Question, aggregate int) (x argument, ok bool) {
	e := q.Aggregates[aggregate].Argument
	fragment := q.fragmentOf(e)
	x.side = slices.Index(q.touched(), fragment)
	if fragment < 0 {
		return x, false
	}
	column := q.Leaves[e.Leaves[0]].Columns[0]
	for _, leaf := range e.Leaves {
		for _, c := range q.Leaves[leaf].Columns {
			if c != column {
				return x, false
			}
		}
	}
	side := l.sides[x.side]
	x.unit = slices.IndexFunc(side.units, func(u *unit) bool { return len(u.columns) == 1 && u.columns[0] == column && u.radix != nil })
	if x.unit < 0 {
		return x, false
	}
	outcomes, values, buffer := make([]outcome, len(q.Leaves)), []anonymize.Value(nil), make([]anonymize.Value, 0, len(q.Leaves))
	for code, value := range side.fragment.Columns[column].Dictionary {
		c := contribution{}
		if side.units[x.unit].classOf[code] != dead {
			for _, leaf := range e.Leaves {
				values = values[:0]
				for range q.Leaves[leaf].Columns {
					values = append(values, value)
				}
				outcomes[leaf] = q.Leaves[leaf].outcome(values)
			}
			var err error
			if c, err = q.contribution(aggregate, outcomes, buffer); err != nil {
				return x, false
			}
		}
		x.contributions = append(x.contributions, c)
	}
	return x, true
}

// A linearWorker holds one core's scratch space.
type linearWorker struct {
	*groupWorker
	join *linearJoin
	// moments are, per argument and class of its side, what the records of the current
	// group add, and then what one of them adds in the mean.
	moments [][]contribution
}

// add adds the groups first..end-1 to sums.
func (w *linearWorker) add(ctx context.Context, r *anonymize.Release, first, end int, sums []float64) error {
	work := checkpoint{ctx: ctx}
	for g := first; g < end; g++ {
		ok, err := w.collect(g, &work)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for i, a := range w.join.arguments {
			w.collectMoments(i, a, g)
		}
		w.spreadMoments(0, 0, 1, w.scale(r.GroupSizes[g]), sums)
		if err := work.pass(min(workPerCheck, w.combinations())); err != nil {
			return err
		}
	}
	return nil
}

// collectMoments adds up argument i over the tuples of group g, by class.
func (w *linearWorker) collectMoments(i int, a argument, g int) {
	side, moments := w.sides[a.side], w.moments[i]
	for _, class := range w.present[a.side] {
		moments[class] = contribution{}
	}
	codes := side.units[a.unit].codes
	for t := side.fragment.GroupStart[g]; t < side.fragment.GroupStart[g+1]; t++ {
		class, ok := side.classOf(t)
		if !ok {
			continue
		}
		count, c := float64(side.fragment.Count[t]), &a.contributions[codes[t]]
		moments[class].records += count * c.records
		moments[class].sum += count * c.sum
	}
	for _, class := range w.present[a.side] {
		moments[class].records /= w.weight[a.side][class]
		moments[class].sum /= w.weight[a.side][class]
	}
}

// spreadMoments adds the weights of the current group's combinations, those of the sides
// from s on, and what their records add to the arguments, to sums.
func (w *linearWorker) spreadMoments(s, index int, product, scale float64, sums []float64) {
	if s == len(w.sides) {
		at, weight := sums[index*w.join.width():], product/scale
		at[0] += weight
		for i, a := range w.join.arguments {
			c := w.moments[i][w.chosen[a.side]]
			at[1+2*i] += weight * c.records
			at[2+2*i] += weight * c.sum
		}
		return
	}
	for _, class := range w.present[s] {
		w.chosen[s] = class
		w.spreadMoments(s+1, index+int(class)*w.stride[s], product*w.weight[s][class], scale, sums)
	}
}

// answers adds up the combinations by key; totals are those of so many tables together.
func (l *linearJoin) answers(totals []float64, tables float64) ([]AnswerRow, error) {
	terms, width := newTerms(l.counted, l.sides), l.width()
	var tallies []tally // by key
	combinations := &weights{sides: l.sides, dense: make([]float64, len(totals)/width)}
	for i := range combinations.dense {
		combinations.dense[i] = totals[i*width]
	}
	err := combinations.visitPositive(func(classes []uint32, weight float64) error {
		entry, err := terms.entryOf(classes)
		if err != nil || terms.key[entry] < 0 {
			return err
		}
		if l.asked.MaxKeys > 0 && len(terms.keys) > l.asked.MaxKeys {
			return ErrTooManyKeys
		}
		for len(tallies) < len(terms.keys) {
			tallies = append(tallies, newTally(len(l.asked.Aggregates)))
		}
		index := 0
		for s, class := range classes {
			index += int(class) * terms.stride[s]
		}
		sums := totals[index*width:][:width]
		for a, argument := range l.argumentOf {
			figure := &tallies[terms.key[entry]][a]
			if argument < 0 {
				figure.records += weight
				continue
			}
			figure.records += sums[1+2*argument]
			figure.sum += sums[2+2*argument]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(l.asked.Keys) == 0 && len(tallies) == 0 {
		terms.keys, tallies = [][]anonymize.Value{nil}, []tally{newTally(len(l.asked.Aggregates))}
	}
	for _, figures := range tallies {
		for a := range figures {
			figures[a].records /= tables
			figures[a].sum /= tables
		}
	}
	terms.question = l.asked
	return l.asked.answers(terms, tallies, thinning{}), nil
}
