package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// LinearSums answers q by a linear join; nil when q is of another kind.
func LinearSums(ctx context.Context, r *anonymize.Release, q *question.Question) ([]question.AnswerRow, error) {
	l, err := figures.NewLinearJoin(ctx, r, q)
	if err != nil || l == nil {
		return nil, err
	}
	size := l.Width()
	for _, side := range l.Sides {
		if size *= side.Classes; size > question.MaxDenseCombinations {
			return nil, nil
		}
	}
	for _, side := range l.Sides {
		side.Number()
	}
	keyed, ok := l.Keyed()
	totals, err := sumBlocks(ctx, r.Groups(), size, func(int) blockSummer {
		if ok {
			worker := NewWorker(keyed, r)
			return func(first, end int, sums []float64) error { return worker.Add(ctx, first, end, sums) }
		}
		worker := &linearWorker{groupWorker: newGroupWorker(l.Sides), join: l}
		for _, a := range l.Arguments {
			worker.moments = append(worker.moments, make([]question.Contribution, l.Sides[a.Side].Classes))
		}
		return func(first, end int, sums []float64) error { return worker.add(ctx, r, first, end, sums) }
	})
	if err != nil {
		return nil, err
	}
	return l.Answers(totals, 1)
}

// A linearWorker holds one core's scratch space.
type linearWorker struct {
	*groupWorker
	join *figures.LinearJoin
	// moments are, per argument and class of its side, what the records of the current
	// group add, and then what one of them adds in the mean.
	moments [][]question.Contribution
}

// add adds the groups first..end-1 to sums.
func (w *linearWorker) add(ctx context.Context, r *anonymize.Release, first, end int, sums []float64) error {
	work := question.Checkpoint{Ctx: ctx}
	for g := first; g < end; g++ {
		ok, err := w.collect(g, &work)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		for i, a := range w.join.Arguments {
			w.collectMoments(i, a, g)
		}
		w.spreadMoments(0, 0, 1, w.scale(r.GroupSizes[g]), sums)
		if err := work.Pass(min(question.WorkPerCheck, w.combinations())); err != nil {
			return err
		}
	}
	return nil
}

// collectMoments adds up argument i over the tuples of group g, by class.
func (w *linearWorker) collectMoments(i int, a figures.Argument, g int) {
	side, moments := w.sides[a.Side], w.moments[i]
	for _, class := range w.Present[a.Side] {
		moments[class] = question.Contribution{}
	}
	codes := side.Units[a.Unit].Codes
	for t := side.Fragment.GroupStart[g]; t < side.Fragment.GroupStart[g+1]; t++ {
		class, ok := side.ClassOf(t)
		if !ok {
			continue
		}
		count, c := float64(side.Fragment.Count[t]), &a.Contributions[codes[t]]
		moments[class].Records += count * c.Records
		moments[class].Sum += count * c.Sum
	}
	for _, class := range w.Present[a.Side] {
		moments[class].Records /= w.weight[a.Side][class]
		moments[class].Sum /= w.weight[a.Side][class]
	}
}

// spreadMoments adds the weights of the current group's combinations, those of the sides
// from s on, and what their records add to the arguments, to sums.
func (w *linearWorker) spreadMoments(s, index int, product, scale float64, sums []float64) {
	if s == len(w.sides) {
		at, weight := sums[index*w.join.Width():], product/scale
		at[0] += weight
		for i, a := range w.join.Arguments {
			c := w.moments[i][w.chosen[a.Side]]
			at[1+2*i] += weight * c.Records
			at[2+2*i] += weight * c.Sum
		}
		return
	}
	for _, class := range w.Present[s] {
		w.chosen[s] = class
		w.spreadMoments(s+1, index+int(class)*w.stride[s], product*w.weight[s][class], scale, sums)
	}
}
