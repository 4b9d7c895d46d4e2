package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/cells"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A portion is a question that asks some of another one's aggregates, under the same
// conditions and by the same keys. The figures of an aggregate do not hang on what
// else is asked; but the weighted join tells apart what any argument does, so that
// the combinations of several arguments' values are as many as their product.
type portion struct {
	question   *Question
	aggregates []int // of the whole question
	scan       *scan
	exact      bool
}

// portions cuts a question that reads cells: what a kernel of cells may answer from the
// rest, or argument by argument. Nil: there is nothing to cut.
func portions(q *Question, r *anonymize.Release) []*portion {
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
		if q.Aggregates[sets[i][0]].Argument == nil { // COUNT(*) is at home with any argument
			slices.Reverse(sets[i])
		}
	}
	if len(sets) < 2 {
		return nil
	}
	list := make([]*portion, len(sets))
	for i, set := range sets {
		list[i] = &portion{question: q.RestrictedTo(set), aggregates: set}
	}
	return list
}

func sameArgument(x, y *Expression) bool {
	return x == y || x != nil && y != nil && x.Combine == nil && y.Combine == nil && slices.Equal(x.Leaves, y.Leaves)
}

// askApart answers a question by its portions; nil where it has none.
func (s *scan) askApart(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	s.portions = portions(q, r)
	if s.portions == nil {
		return nil, nil
	}
	whole := &Answer{Fragments: q.Touched(), Exact: len(q.Touched()) < 2, Kept: s}
	numbering := question.NewTupleNumbering(len(q.Keys))
	for _, p := range s.portions {
		p.scan = &scan{prepared: s.prepared, question: p.question, spreads: s.spreads}
		answer, err := ask(ctx, r, p.question, p.scan)
		if err != nil {
			return nil, err
		}
		p.exact = answer.Exact
		whole.Exact = whole.Exact && answer.Exact
		for _, row := range answer.Rows {
			at := int(numbering.Number(row.Keys))
			if at == len(whole.Rows) {
				whole.Rows = append(whole.Rows, emptyRow(q, row.Keys))
			}
			for i, a := range p.aggregates {
				whole.Rows[at].Figures[a] = row.Figures[i]
			}
		}
	}
	if whole.Exact {
		whole.Kept = nil
	}
	slices.SortFunc(whole.Rows, func(a, b AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return whole, nil
}

// spreadPortion is the portion of the aggregates that have standard errors and bounds, where others have none.
func spreadPortion(q *Question) []*portion {
	var spread []int
	for a := range q.Aggregates {
		if q.Aggregates[a].Kind.HasSpread() {
			spread = append(spread, a)
		}
	}
	if len(spread) == len(q.Aggregates) {
		return nil
	}
	return []*portion{{question: q.RestrictedTo(spread), aggregates: spread}}
}

// emptyRow has the figures of no records.
func emptyRow(q *Question, keys []anonymize.Value) AnswerRow {
	row := AnswerRow{Keys: keys, Figures: make([]anonymize.Value, len(q.Aggregates))}
	for a, aggregate := range q.Aggregates {
		if aggregate.Kind == Count || aggregate.Kind == Distinct {
			row.Figures[a] = anonymize.RealValue(0)
		}
	}
	return row
}

// spreadsApart finds what of returns for the portions of an answer.
func spreadsApart[T any](s *scan, answer *Answer, of func(*Question, *Answer) ([][]T, error)) ([][]T, error) {
	rows := make([][]T, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]T, len(row.Figures))
	}
	for _, p := range s.portions {
		if !slices.ContainsFunc(p.question.Aggregates, func(a Aggregate) bool { return a.Kind.HasSpread() }) {
			continue
		}
		list, err := of(p.question, p.answer(answer))
		if err != nil {
			return nil, err
		}
		for i := range rows {
			for j, a := range p.aggregates {
				rows[i][a] = list[i][j]
			}
		}
	}
	return rows, nil
}

// answer is that of the portion, of the whole one.
func (p *portion) answer(whole *Answer) *Answer {
	part := &Answer{Fragments: p.question.Touched(), Exact: p.exact, Kept: p.scan}
	for _, row := range whole.Rows {
		figures := make([]anonymize.Value, len(p.aggregates))
		for i, a := range p.aggregates {
			figures[i] = row.Figures[a]
		}
		part.Rows = append(part.Rows, AnswerRow{Keys: row.Keys, Figures: figures})
	}
	return part
}

// pathApart is the path of a question that is answered by its portions: exact if all
// are, else that of the slowest.
func (p *Prepared) pathApart(ctx context.Context, q *Question, portions []*portion) (path Path, reason string, err error) {
	order := []Path{ExactPath, KernelPath, JoinPath}
	if path = ExactPath; len(q.Touched()) > 1 {
		path = KernelPath
	}
	for _, part := range portions {
		next, why, err := p.Path(ctx, part.question)
		if err != nil {
			return "", "", err
		}
		if slices.Index(order, next) > slices.Index(order, path) {
			path, reason = next, why
		}
	}
	return path, reason, nil
}
