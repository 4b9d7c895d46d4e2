package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// readsCells reports whether a question reads columns whose cells may stand for
// several values.
func readsCells(r *anonymize.Release, q *Question) bool {
	return slices.ContainsFunc(q.Leaves, func(l Leaf) bool {
		return slices.ContainsFunc(l.Columns, func(c int) bool { return !r.Fragments[l.Fragment].Columns[c].IsPoint() })
	})
}

// askCells answers by a cellKernel; nil where none fits.
func (s *scan) askCells(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	if !readsCells(r, q) {
		return nil, nil
	}
	k, reason, err := newCellKernel(ctx, r, q)
	if reason != "" || err != nil {
		return nil, err
	}
	exact := k.exact && r.Forged == 0
	result, err := k.total(ctx, s.spreads && !exact)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Fragments: q.touched(), Exact: exact}
	if answer.Rows, err = k.rows(result); err != nil {
		return nil, err
	}
	for a, aggregate := range k.aggregates {
		if aggregate.Kind == Distinct {
			if err := k.countDistinct(ctx, a, answer.Rows); err != nil {
				return nil, err
			}
		}
	}
	if !exact {
		s.cells, s.result = k, result
		answer.scan = s
	}
	return answer, nil
}

// rows returns the keys that have records, with their figures.
func (k *cellKernel) rows(result *cellResult) ([]AnswerRow, error) {
	q := k.question
	k.numbering = newTupleNumbering(len(q.Keys))
	var rows []AnswerRow
	for combination, records := range result.records {
		if records == 0 && len(q.Keys) > 0 {
			continue
		}
		row := AnswerRow{Keys: k.keysOf(combination), Figures: make([]anonymize.Value, len(q.Aggregates))}
		k.numbering.number(row.Keys)
		k.combinationOf = append(k.combinationOf, combination)
		if q.MaxKeys > 0 && len(k.combinationOf) > q.MaxKeys {
			return nil, ErrTooManyKeys
		}
		for a, aggregate := range q.Aggregates {
			t := &result.totals[combination*len(q.Aggregates)+a]
			figure := &running{records: t.records, sum: t.sum, mean: t.mean, squares: t.squares}
			thinningOf(k.release).figure(figure)
			switch {
			case aggregate.Kind == Distinct: // countDistinct
			case aggregate.Kind == Least:
				row.Figures[a] = k.value(a, t.least)
			case aggregate.Kind == Greatest:
				row.Figures[a] = k.value(a, t.greatest)
			default:
				row.Figures[a] = figure.number(aggregate.Kind)
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows, nil
}

// cellSpreads returns the sums behind the standard errors and bounds of an answer
// over cells, having run over the groups again if the answer came without; nil
// where no cellKernel fits.
func (s *scan) cellSpreads(ctx context.Context) (*cellResult, error) {
	if !readsCells(s.prepared.release, s.question) {
		return nil, nil
	}
	if s.cells == nil {
		k, reason, err := newCellKernel(ctx, s.prepared.release, s.question)
		if reason != "" || err != nil {
			return nil, err
		}
		s.cells = k
	}
	if s.result != nil && s.result.spread {
		return s.result, nil
	}
	result, err := s.cells.total(ctx, true)
	if err != nil {
		return nil, err
	}
	if s.cells.numbering == nil {
		_, err = s.cells.rows(result)
	}
	s.result = result
	return result, err
}

// eachCellFigure visits the figures of a row that have a spread, with their
// totals; nil where no record counts.
func (s *scan) eachCellFigure(row AnswerRow, visit func(a int, t *cellTotals)) {
	n := len(s.question.Aggregates)
	at := int(s.cells.numbering.number(row.Keys))
	for a, figure := range row.Figures {
		switch {
		case figure.IsNull() || !s.question.Aggregates[a].Kind.hasSpread():
		case at >= len(s.cells.combinationOf):
			visit(a, nil)
		default:
			visit(a, &s.result.totals[s.cells.combinationOf[at]*n+a])
		}
	}
}

func (s *scan) cellErrors(answer *Answer) [][]anonymize.Value {
	thinned := thinningOf(s.prepared.release)
	rows := make([][]anonymize.Value, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]anonymize.Value, len(row.Figures))
		s.eachCellFigure(row, func(a int, t *cellTotals) {
			deviation := 0.0
			if t != nil {
				deviation = thinned.moments(t.moments).deviation(s.question.Aggregates[a].Kind)
			}
			rows[i][a] = anonymize.RealValue(deviation)
		})
	}
	return rows
}

func (s *scan) cellBounds(answer *Answer) [][]Bound {
	thinned := thinningOf(s.prepared.release)
	rows := make([][]Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]Bound, len(row.Figures))
		s.eachCellFigure(row, func(a int, t *cellTotals) {
			low, high := 0.0, 0.0
			if t != nil {
				low, high = thinned.bounds(s.question.Aggregates[a].Kind, &t.total)
			}
			rows[i][a] = Bound{anonymize.RealValue(low), anonymize.RealValue(high)}
		})
	}
	return rows
}
