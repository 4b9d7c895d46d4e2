package cells

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Scan is a kernel of cells with its sums.
type Scan struct {
	Kernel *Kernel
	result *cellResult
}

// Ask answers.
func (s *Scan) Ask(ctx context.Context, spread bool) (answer *question.Answer, err error) {
	k := s.Kernel
	answer = &question.Answer{Fragments: k.question.Touched(), Exact: k.Exact && k.release.Forged == 0}
	if s.result, err = k.total(ctx, spread && !answer.Exact); err != nil {
		return nil, err
	}
	if answer.Rows, err = k.rows(s.result); err != nil {
		return nil, err
	}
	for a, aggregate := range k.aggregates {
		if aggregate.Kind == question.Distinct {
			if err := k.countDistinct(ctx, a, answer.Rows); err != nil {
				return nil, err
			}
		}
	}
	return answer, nil
}

// rows returns the keys that have records, with their figures.
func (k *Kernel) rows(result *cellResult) ([]question.AnswerRow, error) {
	q := k.question
	k.numbering = question.NewTupleNumbering(len(q.Keys))
	var rows []question.AnswerRow
	for combination, records := range result.records {
		if records == 0 && len(q.Keys) > 0 {
			continue
		}
		row := question.AnswerRow{Keys: k.keysOf(combination), Figures: make([]anonymize.Value, len(q.Aggregates))}
		k.numbering.Number(row.Keys)
		k.combinationOf = append(k.combinationOf, combination)
		if q.MaxKeys > 0 && len(k.combinationOf) > q.MaxKeys {
			return nil, question.ErrTooManyKeys
		}
		for a, aggregate := range q.Aggregates {
			t := &result.totals[combination*len(q.Aggregates)+a]
			figure := &figures.Running{Records: t.records, Sum: t.sum, Mean: t.mean, Squares: t.squares}
			figures.ThinningOf(k.release).Figure(figure)
			switch {
			case aggregate.Kind == question.Distinct: // countDistinct
			case aggregate.Kind == question.Least:
				row.Figures[a] = k.value(a, t.least)
			case aggregate.Kind == question.Greatest:
				row.Figures[a] = k.value(a, t.greatest)
			default:
				row.Figures[a] = figure.Number(aggregate.Kind)
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b question.AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows, nil
}

// Spread finds the sums behind the standard errors and bounds of an answer, running over the groups again if that came without.
func (s *Scan) Spread(ctx context.Context) error {
	if s.result != nil && s.result.spread {
		return nil
	}
	result, err := s.Kernel.total(ctx, true)
	if err != nil {
		return err
	}
	if s.Kernel.numbering == nil {
		_, err = s.Kernel.rows(result)
	}
	s.result = result
	return err
}

// totalsOf are those of a figure of a row.
func (s *Scan) totalsOf(row question.AnswerRow, a int) *cellTotals {
	if at := int(s.Kernel.numbering.Number(row.Keys)); at < len(s.Kernel.combinationOf) {
		return &s.result.totals[s.Kernel.combinationOf[at]*len(s.Kernel.aggregates)+a]
	}
	return &cellTotals{}
}

// MomentsOf and TotalOf implement [figures.Source].
func (s *Scan) MomentsOf(row question.AnswerRow, a int) figures.SecondMoments {
	return s.totalsOf(row, a).moments
}

func (s *Scan) TotalOf(row question.AnswerRow, a int) *figures.Total {
	return &s.totalsOf(row, a).Total
}
