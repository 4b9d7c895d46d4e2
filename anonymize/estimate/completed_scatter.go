package estimate

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// A Quotient is a COUNT or SUM of a question by another one: a share, a weighted mean. AVG is SUM(x)
// by COUNT(x).
type Quotient struct{ Numerator, Denominator int } // indexes into Question.Aggregates

// A Scatter says how much a figure hangs on which records have its key, means over all tables. With
// x the number of a record, it is over the residuals e of the records that count: e = x of SUM, e = 1
// of COUNT, and e = x - figure * y of a quotient with the denominator's number y (AVG: y = 1), since
// a record more moves a quotient by e / Total (linearisation; Cochran, Sampling Techniques, 1977,
// section 6.3). The residuals of a quotient add up to 0.
type Scatter struct {
	Total    float64 // the denominator; 1 of COUNT and SUM
	Absolute float64 // sum |e|
	Squares  float64 // sum e^2
}

// A QuotientAnswer is what completed tables say of a quotient and a key: the figure is the mean
// numerator by the mean denominator, the deviation as that of AVG. NULL without a denominator.
type QuotientAnswer struct {
	Figure, Deviation anonymize.Value
	Scatter           Scatter
}

// Scatters returns, for every row of an answer of AskWithSpread, the scatter of every COUNT, SUM and
// AVG, and of an exact answer nil.
func (a *Answer) Scatters() [][]Scatter { return a.scatters }

// Quotients returns the same of the question's quotients.
func (a *Answer) Quotients() [][]QuotientAnswer { return a.quotients }

// part is what a record adds to a COUNT or SUM, or to the sum of an AVG.
func (k Kind) part(c contribution) float64 {
	if k == Count {
		return c.records
	}
	return c.sum
}

// total is a figure of the mean weights.
func (f *tableFigures) total(key, a int) float64 {
	all := f.runningFigure(key, a, f.tables)
	return f.question.Aggregates[a].Kind.part(contribution{all.records, all.sum}) / float64(f.tables)
}

// scatter makes the scatters of an answer in a second pass over the counts: a residual needs the
// figure.
func (f *tableFigures) scatter(ctx context.Context, counts *tableCounts, answer *Answer) error {
	aggregates, quotients := f.question.Aggregates, f.question.Quotients
	scatters, own := make([][]Scatter, len(f.terms.keys)), make([][]QuotientAnswer, len(f.terms.keys))
	for key := range f.terms.keys {
		scatters[key], own[key] = make([]Scatter, len(aggregates)), make([]QuotientAnswer, len(quotients))
		for a, asked := range aggregates {
			scatters[key][a].Total = 1
			if asked.Kind == Average {
				scatters[key][a].Total = f.runningFigure(key, a, f.tables).records / float64(f.tables)
			}
		}
		for i, q := range quotients {
			own[key][i] = f.quotient(key, q)
		}
	}
	err := counts.visitCombinations(ctx, func(classes []uint32, records []uint32) error {
		entry, err := f.terms.entryOf(classes)
		if err != nil || f.terms.key[entry] < 0 {
			return err
		}
		key, all, parts := f.terms.key[entry], 0.0, f.terms.figures[entry]
		for _, n := range records {
			all += float64(n)
		}
		all /= float64(f.tables)
		for a, asked := range aggregates {
			if asked.Kind <= Average {
				residual := asked.Kind.part(parts[a])
				if asked.Kind == Average {
					residual -= f.mean(int(key), a) * parts[a].records
				}
				scatters[key][a].add(all, residual)
			}
		}
		for i, q := range quotients {
			if figure, ok := own[key][i].Figure.Number(); ok {
				by := aggregates[q.Denominator].Kind.part(parts[q.Denominator])
				own[key][i].Scatter.add(all, aggregates[q.Numerator].Kind.part(parts[q.Numerator])-figure*by)
			}
		}
		return nil
	})
	for _, key := range f.sorted {
		answer.scatters, answer.quotients = append(answer.scatters, scatters[key]), append(answer.quotients, own[key])
	}
	return err
}

func (s *Scatter) add(records, residual float64) {
	s.Absolute += records * math.Abs(residual)
	s.Squares += records * residual * residual
}

// mean is the AVG of the mean weights.
func (f *tableFigures) mean(key, a int) float64 {
	all := f.runningFigure(key, a, f.tables)
	return all.sum / all.records
}

// quotient is one without its residuals.
func (f *tableFigures) quotient(key int, q Quotient) (answer QuotientAnswer) {
	kind := func(a int) Kind { return f.question.Aggregates[a].Kind }
	answer.Scatter.Total = f.total(key, q.Denominator)
	if answer.Scatter.Total == 0 {
		return answer
	}
	figure := f.total(key, q.Numerator) / answer.Scatter.Total
	n, squares := 0.0, 0.0
	for d := range f.tables {
		numerator, denominator := f.runningFigure(key, q.Numerator, d), f.runningFigure(key, q.Denominator, d)
		if by := kind(q.Denominator).part(contribution{denominator.records, denominator.sum}); by != 0 {
			distance := kind(q.Numerator).part(contribution{numerator.records, numerator.sum})/by - figure
			n, squares = n+1, squares+distance*distance
		}
	}
	answer.Figure = anonymize.RealValue(figure)
	if n > 1 {
		answer.Deviation = anonymize.RealValue(math.Sqrt((1 + 1/n) * squares / (n - 1)))
	}
	return answer
}
