package figures

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A tally has one key's aggregates.
type tally []Running

// Aggregate adds up the combinations of classes by key.
func Aggregate(q *question.Question, w *Weights, thinned Thinning) ([]question.AnswerRow, error) {
	t := question.NewTerms(q, w.Sides)
	return aggregate(q, t, w, 1, thinned, func(figures tally, entry int, _ []uint32, weight float64) error {
		for a, c := range t.Figures[entry] {
			if err := figures[a].add(t, a, weight, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// aggregate adds the combinations of classes to the figures of their keys, over that many tables together.
func aggregate(
	q *question.Question, t *question.Terms, w *Weights, tables float64, thinned Thinning,
	add func(figures tally, entry int, classes []uint32, weight float64) error,
) ([]question.AnswerRow, error) {
	var tallies []tally // by key
	err := w.VisitPositive(func(classes []uint32, weight float64) error {
		entry, err := t.EntryOf(classes)
		if err != nil || t.Key[entry] < 0 {
			return err
		}
		if q.MaxKeys > 0 && len(t.Keys) > q.MaxKeys {
			return question.ErrTooManyKeys
		}
		for len(tallies) < len(t.Keys) {
			tallies = append(tallies, newTally(len(q.Aggregates)))
		}
		return add(tallies[t.Key[entry]], entry, classes, weight)
	})
	if err != nil {
		return nil, err
	}
	if len(q.Keys) == 0 && len(tallies) == 0 {
		t.Keys, tallies = [][]anonymize.Value{nil}, []tally{newTally(len(q.Aggregates))}
	}
	for _, figures := range tallies {
		for a := range figures {
			figures[a].Records /= tables
			figures[a].Sum /= tables
			figures[a].absolute /= tables
		}
	}
	t.Question = q
	return answers(q, t, tallies, thinned), nil
}

func answers(q *question.Question, t *question.Terms, tallies []tally, thinned Thinning) []question.AnswerRow {
	rows := make([]question.AnswerRow, len(tallies))
	for i := range tallies {
		rows[i] = question.AnswerRow{Keys: t.Keys[i], Figures: make([]anonymize.Value, len(q.Aggregates))}
		for a := range q.Aggregates {
			thinned.Figure(&tallies[i][a])
			rows[i].Figures[a] = tallies[i][a].figure(t, a, thinned)
			if canceled := tallies[i][a].canceled(q.Aggregates[a].Kind); canceled > 0 {
				rows[i].SetCanceled(a, canceled)
			}
		}
	}
	slices.SortFunc(rows, func(a, b question.AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows
}
