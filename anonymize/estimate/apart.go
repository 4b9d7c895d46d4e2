package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/cells"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A portion is a question for some of another question's aggregates, with the same conditions
// and keys. An aggregate's figures do not depend on what else is asked. But the weighted join
// distinguishes values by all arguments, so with several arguments its combinations multiply.
type portion struct {
	*way
	aggregates []int // of the whole question
}

// An apart counts the portions of a question one by one.
type apart struct {
	question *Question // the whole one
	portions []portion
}

// chooseApart chooses a way for each set of aggregates.
func (w *way) chooseApart(ctx context.Context, sets [][]int, spreads bool) error {
	whole := &apart{question: w.question}
	w.Counter, w.exact = whole, len(w.question.Touched()) < 2
	for _, set := range sets {
		part, err := w.prepared.choose(ctx, w.question.RestrictedTo(set), w.figures, spreads)
		if err != nil {
			return err
		}
		whole.portions = append(whole.portions, portion{part, set})
		w.exact = w.exact && part.exact
	}
	return nil
}

// portions divides a question that reads cells: the aggregates that a kernel of cells can
// answer and the others, or argument by argument. It returns nil if there is nothing to divide.
func portions(q *Question, r *anonymize.Release) [][]int {
	if !question.ReadsCells(r, q) || len(q.Aggregates) < 2 {
		return nil
	}
	fits := func(a *Aggregate) bool { return cells.WhyNoArgument(q, r, a) == "" }
	together := cells.WhyNoSides(q) == "" && slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return !fits(&a) })
	var sets [][]int
	for a := range q.Aggregates {
		i := slices.IndexFunc(sets, func(set []int) bool {
			x, y := &q.Aggregates[a], &q.Aggregates[set[0]]
			return x.Argument == nil || y.Argument == nil ||
				fits(x) == fits(y) && (together && fits(x) || sameArgument(x.Argument, y.Argument))
		})
		if i < 0 {
			sets = append(sets, nil)
			i = len(sets) - 1
		}
		sets[i] = append(sets[i], a)
		if q.Aggregates[sets[i][0]].Argument == nil { // COUNT(*) fits any argument
			slices.Reverse(sets[i])
		}
	}
	if len(sets) < 2 {
		return nil
	}
	return sets
}

func sameArgument(x, y *Expression) bool {
	return x == y || x != nil && y != nil && x.Combine == nil && y.Combine == nil && slices.Equal(x.Leaves, y.Leaves)
}

// Rows implements [figures.Counter].
func (a *apart) Rows(ctx context.Context, spreads bool) (rows []AnswerRow, err error) {
	numbering := question.NewTupleNumbering(len(a.question.Keys))
	for _, p := range a.portions {
		part, err := p.Rows(ctx, spreads)
		if err != nil {
			return nil, err
		}
		for _, row := range part {
			at := int(numbering.Number(row.Keys))
			if at == len(rows) {
				rows = append(rows, emptyRow(a.question, row.Keys))
			}
			for i, aggregate := range p.aggregates {
				rows[at].Figures[aggregate] = row.Figures[i]
				rows[at].SetCanceled(aggregate, row.Size(i))
			}
		}
	}
	slices.SortFunc(rows, func(a, b AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows, nil
}

// spreadPortion returns the aggregates that have standard errors and bounds as one portion; nil if all or none have them.
func spreadPortion(q *Question) [][]int {
	var spread []int
	for a := range q.Aggregates {
		if q.Aggregates[a].Kind.HasSpread() {
			spread = append(spread, a)
		}
	}
	if len(spread) == len(q.Aggregates) {
		return nil
	}
	return [][]int{spread}
}

// emptyRow returns the figures of an aggregate over no records.
func emptyRow(q *Question, keys []anonymize.Value) AnswerRow {
	row := AnswerRow{Keys: keys, Figures: make([]anonymize.Value, len(q.Aggregates))}
	for a, aggregate := range q.Aggregates {
		if aggregate.Kind == Count || aggregate.Kind == Distinct {
			row.Figures[a] = anonymize.RealValue(0)
		}
	}
	return row
}

// Moments and Totals implement [figures.Counter].
func (a *apart) Moments(ctx context.Context) (figures.MomentsOf, error) {
	return spreadsApart(ctx, a, figures.Counter.Moments, func(anonymize.Value) (none figures.SecondMoments) { return none })
}

func (a *apart) Totals(ctx context.Context) (figures.TotalOf, error) {
	return spreadsApart(ctx, a, figures.Counter.Totals, func(figure anonymize.Value) *figures.Total {
		return &figures.Total{Low: figure.Float, High: figure.Float}
	})
}

// spreadsApart combines the spreads of the portions' counters; ofExact makes that of an exact figure.
func spreadsApart[T any, F ~func(AnswerRow, int) T](
	ctx context.Context, a *apart, ask func(figures.Counter, context.Context) (F, error), ofExact func(figure anonymize.Value) T,
) (F, error) {
	of, at := make([]F, len(a.question.Aggregates)), make([]int, len(a.question.Aggregates))
	for i := range a.portions {
		p := &a.portions[i]
		found := F(func(row AnswerRow, aggregate int) T { return ofExact(row.Figures[p.aggregates[aggregate]]) })
		if !p.isExact() && slices.ContainsFunc(p.question.Aggregates, func(a Aggregate) bool { return a.Kind.HasSpread() }) {
			var err error
			if p.way, err = p.toSpreads(ctx); err != nil {
				return nil, err
			}
			if found, err = ask(p.Counter, ctx); err != nil {
				return nil, err
			}
		}
		for place, aggregate := range p.aggregates {
			of[aggregate], at[aggregate] = found, place
		}
	}
	return func(row AnswerRow, aggregate int) T { return of[aggregate](row, at[aggregate]) }, nil
}

// path returns the path of the slowest portion.
func (a *apart) path() (Path, string) {
	for _, p := range a.portions {
		if path, reason := p.path(); path == JoinPath {
			return path, reason
		}
	}
	return KernelPath, ""
}
