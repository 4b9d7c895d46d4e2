package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
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

// portions cuts a question that reads cells: what a cellKernel may answer from the
// rest, or argument by argument. Nil: there is nothing to cut.
func (q *Question) portions(r *anonymize.Release) []*portion {
	if !readsCells(r, q) || len(q.Aggregates) < 2 {
		return nil
	}
	cells := func(a *Aggregate) bool { return q.whyNoArgument(r, a) == "" }
	together := q.whyNoSides() == "" && slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return !cells(&a) })
	var sets [][]int
	for a := range q.Aggregates {
		i := slices.IndexFunc(sets, func(set []int) bool {
			x, y := &q.Aggregates[a], &q.Aggregates[set[0]]
			return x.Argument == nil || y.Argument == nil ||
				cells(x) == cells(y) && (together && cells(x) || sameArgument(x.Argument, y.Argument))
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
		list[i] = &portion{question: q.restrictedTo(set), aggregates: set}
	}
	return list
}

func sameArgument(x, y *Expression) bool {
	return x == y || x != nil && y != nil && x.Combine == nil && y.Combine == nil && slices.Equal(x.Leaves, y.Leaves)
}

// restrictedTo returns the question of some of the aggregates, with the leaves that it reads.
func (q *Question) restrictedTo(aggregates []int) *Question {
	part := &Question{MaxKeys: q.MaxKeys}
	number := make(map[int]int)
	moved := func(e *Expression) Expression {
		leaves := make([]int, len(e.Leaves))
		for i, l := range e.Leaves {
			n, ok := number[l]
			if !ok {
				n = len(part.Leaves)
				number[l] = n
				part.Leaves = append(part.Leaves, q.Leaves[l])
			}
			leaves[i] = n
		}
		return Expression{Leaves: leaves, Combine: e.Combine}
	}
	for i := range q.Where {
		part.Where = append(part.Where, moved(&q.Where[i]))
	}
	for i := range q.Keys {
		part.Keys = append(part.Keys, moved(&q.Keys[i]))
	}
	arguments := make(map[*Expression]*Expression)
	for _, a := range aggregates {
		aggregate := q.Aggregates[a]
		if at := aggregate.Argument; at != nil {
			if arguments[at] == nil {
				argument := moved(at)
				arguments[at] = &argument
			}
			aggregate.Argument = arguments[at]
		}
		part.Aggregates = append(part.Aggregates, aggregate)
	}
	return part
}

// askApart answers a question by its portions; nil where it has none.
func (s *scan) askApart(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	s.portions = q.portions(r)
	if s.portions == nil {
		return nil, nil
	}
	whole := &Answer{Fragments: q.touched(), Exact: len(q.touched()) < 2, scan: s}
	numbering := newTupleNumbering(len(q.Keys))
	for _, p := range s.portions {
		p.scan = &scan{prepared: s.prepared, question: p.question, spreads: s.spreads}
		answer, err := ask(ctx, r, p.question, p.scan)
		if err != nil {
			return nil, err
		}
		p.exact = answer.Exact
		whole.Exact = whole.Exact && answer.Exact
		for _, row := range answer.Rows {
			at := int(numbering.number(row.Keys))
			if at == len(whole.Rows) {
				whole.Rows = append(whole.Rows, q.emptyRow(row.Keys))
			}
			for i, a := range p.aggregates {
				whole.Rows[at].Figures[a] = row.Figures[i]
			}
		}
	}
	if whole.Exact {
		whole.scan = nil
	}
	slices.SortFunc(whole.Rows, func(a, b AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return whole, nil
}

// emptyRow has the figures of no records.
func (q *Question) emptyRow(keys []anonymize.Value) AnswerRow {
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
		if !slices.ContainsFunc(p.question.Aggregates, func(a Aggregate) bool { return a.Kind.hasSpread() }) {
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
	part := &Answer{Fragments: p.question.touched(), Exact: p.exact, scan: p.scan}
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
	if path = ExactPath; len(q.touched()) > 1 {
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
