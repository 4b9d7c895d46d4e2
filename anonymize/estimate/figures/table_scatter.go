package figures

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// total returns a figure of the mean weights.
func (f *tableFigures) total(key, a int) float64 {
	all := f.runningFigure(key, a, f.tables)
	return f.question.Aggregates[a].Kind.Part(question.Contribution{Records: all.Records, Sum: all.Sum}) / float64(f.tables)
}

// Scatter adds the scatters to an answer in a second pass over the counts, because a residual
// needs the figure.
func (f *tableFigures) Scatter(ctx context.Context, counts TableCounts, answer *question.Answer) error {
	aggregates, quotients := f.question.Aggregates, f.question.Quotients
	scatters, own := make([][]question.Scatter, len(f.terms.Keys)), make([][]question.QuotientAnswer, len(f.terms.Keys))
	for key := range f.terms.Keys {
		scatters[key], own[key] = make([]question.Scatter, len(aggregates)), make([]question.QuotientAnswer, len(quotients))
		for a, asked := range aggregates {
			scatters[key][a].Total, scatters[key][a].Tables = 1, f.tables
			if asked.Kind == question.Average {
				scatters[key][a].Total = f.runningFigure(key, a, f.tables).Records / float64(f.tables)
				scatters[key][a].Tables = f.tablesWith(key, a)
			}
		}
		for i, q := range quotients {
			own[key][i] = f.quotient(key, q)
		}
	}
	err := counts.VisitCombinations(ctx, func(classes []uint32, records []uint32) error {
		entry, err := f.terms.EntryOf(classes)
		if err != nil || f.terms.Key[entry] < 0 {
			return err
		}
		key, all, parts := f.terms.Key[entry], 0.0, f.terms.Figures[entry]
		for _, n := range records {
			all += float64(n)
		}
		all /= float64(f.tables)
		for a, asked := range aggregates {
			if asked.Kind <= question.Average {
				residual := asked.Kind.Part(parts[a])
				if asked.Kind == question.Average {
					residual -= f.mean(int(key), a) * parts[a].Records
				}
				scatters[key][a].Add(all, residual)
			}
		}
		for i, q := range quotients {
			if figure, ok := own[key][i].Figure.Number(); ok {
				by := aggregates[q.Denominator].Kind.Part(parts[q.Denominator])
				own[key][i].Scatter.Add(all, aggregates[q.Numerator].Kind.Part(parts[q.Numerator])-figure*by)
			}
		}
		return nil
	})
	for _, key := range f.sorted {
		answer.Scatters, answer.Quotients = append(answer.Scatters, scatters[key]), append(answer.Quotients, own[key])
	}
	return err
}

// mean returns the AVG of the mean weights.
func (f *tableFigures) mean(key, a int) float64 {
	all := f.runningFigure(key, a, f.tables)
	return all.Sum / all.Records
}

// quotient returns a quotient without its residuals.
func (f *tableFigures) quotient(key int, q question.Quotient) (answer question.QuotientAnswer) {
	kind := func(a int) question.Kind { return f.question.Aggregates[a].Kind }
	answer.Scatter.Total = f.total(key, q.Denominator)
	if answer.Scatter.Total == 0 {
		return answer
	}
	figure := f.total(key, q.Numerator) / answer.Scatter.Total
	squares := 0.0
	for d := range f.tables {
		numerator, denominator := f.runningFigure(key, q.Numerator, d), f.runningFigure(key, q.Denominator, d)
		if by := kind(q.Denominator).Part(question.Contribution{Records: denominator.Records, Sum: denominator.Sum}); by != 0 {
			distance := kind(q.Numerator).Part(question.Contribution{Records: numerator.Records, Sum: numerator.Sum})/by - figure
			squares += float64(distance * distance)
			answer.Scatter.Tables++
		}
	}
	answer.Figure, answer.Deviation = anonymize.RealValue(figure), ErrorBetween(float64(answer.Scatter.Tables), squares)
	return answer
}
