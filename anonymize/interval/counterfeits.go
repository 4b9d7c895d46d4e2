package interval

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// published has the figures over all published records, including counterfeits.
type published struct {
	question *estimate.Question // with one COUNT more for every argument
	// counts has, for a SUM or an AVG, the aggregate that counts its argument.
	counts     []int
	forged     float64
	records    float64
	figures    []estimate.AnswerRow // nil for an unknown row
	deviations [][]anonymize.Value
	bounds     [][]estimate.Bound
	extremes   [][]extreme
}

// An extreme bounds the contribution of one counting record to a figure.
type extreme struct {
	least, greatest float64
	known           bool
}

// publishedOf computes q over the release with its counterfeits. Rows are those of answer.
func publishedOf(ctx context.Context, r *estimate.Prepared, q *estimate.Question, answer *estimate.Answer) (*published, error) {
	all := r.Published()
	p := &published{forged: float64(r.Release().Forged), records: float64(r.Release().Rows)}
	p.question, p.counts = counted(q)
	whole, err := all.AskWithSpread(ctx, p.question)
	if err != nil {
		return nil, err
	}
	deviations, err := all.StandardErrors(ctx, p.question, whole)
	if err != nil {
		return nil, err
	}
	bounds, err := all.Bounds(ctx, p.question, whole)
	if err != nil {
		return nil, err
	}
	extremes, err := extremesOf(ctx, all, q, answer)
	if err != nil {
		return nil, err
	}
	for i, at := range placesOf(answer, whole) {
		p.figures = append(p.figures, whole.Rows[at])
		p.deviations, p.bounds = append(p.deviations, deviations[at]), append(p.bounds, bounds[at])
		p.extremes = append(p.extremes, extremes[i])
	}
	return p, nil
}

// counted adds the number of records behind every SUM and AVG to q, and returns its position.
func counted(q *estimate.Question) (*estimate.Question, []int) {
	more := *q
	more.Aggregates = slices.Clone(q.Aggregates)
	counts := make([]int, len(q.Aggregates))
	for i, a := range q.Aggregates {
		if a.Kind == estimate.Sum || a.Kind == estimate.Average {
			counts[i] = len(more.Aggregates)
			more.Aggregates = append(more.Aggregates, estimate.Aggregate{Kind: estimate.Count, Argument: a.Argument})
		}
	}
	return &more, counts
}

// placesOf finds the rows of an answer in another one with the same keys. Both are sorted by
// key, and have the same keys: a key that a record may have, a person may have, unless no
// person is left; then everything is exact.
func placesOf(answer, other *estimate.Answer) []int {
	places := make([]int, 0, len(answer.Rows))
	at := 0
	for _, row := range answer.Rows {
		for slices.CompareFunc(other.Rows[at].Keys, row.Keys, anonymize.Compare) != 0 {
			at++
		}
		places = append(places, at)
	}
	return places
}

// extremesOf computes the least and the greatest value of every SUM and AVG.
func extremesOf(ctx context.Context, r *estimate.Prepared, q *estimate.Question, answer *estimate.Answer) ([][]extreme, error) {
	rows := make([][]extreme, len(answer.Rows))
	for i := range rows {
		rows[i] = make([]extreme, len(q.Aggregates))
	}
	asked := *q
	asked.Aggregates = nil
	var of []int
	for i, a := range q.Aggregates {
		if a.Kind == estimate.Sum || a.Kind == estimate.Average {
			of = append(of, i)
			asked.Aggregates = append(asked.Aggregates, estimate.Aggregate{Kind: estimate.Least, Argument: a.Argument},
				estimate.Aggregate{Kind: estimate.Greatest, Argument: a.Argument})
		}
	}
	if len(of) == 0 {
		return rows, nil
	}
	found, err := r.Ask(ctx, &asked)
	if err != nil {
		return nil, err
	}
	for i, at := range placesOf(answer, found) {
		for j, a := range of {
			x := &rows[i][a]
			low, lowKnown := found.Rows[at].Figures[2*j].Number()
			high, highKnown := found.Rows[at].Figures[2*j+1].Number()
			*x = extreme{low, high, lowKnown && highKnown}
		}
	}
	return rows, nil
}

// interval returns the interval of the figure over persons; NaN for an unknown end.
func (p *published) interval(w *Widths, row, aggregate int, level float64) (low, high float64) {
	switch p.question.Aggregates[aggregate].Kind {
	case estimate.Count:
		low, high = p.ends(w, row, aggregate, level)
		return low - p.forged, high
	case estimate.Sum:
		least, most, ok := p.forgedSum(row, aggregate)
		if !ok {
			return math.NaN(), math.NaN()
		}
		low, high = p.ends(w, row, aggregate, level)
		return low - most, high - least
	}
	return p.mean(w, row, aggregate, level)
}

// ends returns the ends of the interval of the figure over all records.
func (p *published) ends(w *Widths, row, aggregate int, level float64) (low, high float64) {
	f := figureOf(p.figures[row].Figures[aggregate], p.deviations[row][aggregate], p.bounds[row][aggregate])
	half := w.halfWidth(widthKind(p.question.Aggregates[aggregate]), f, level)
	return f.Estimate - half, f.Estimate + half
}

// mean returns the interval of AVG.
func (p *published) mean(w *Widths, row, aggregate int, level float64) (low, high float64) {
	both := (1 + level) / 2 // level of either, so that both hold at level
	count := p.counts[aggregate]
	n, _ := p.ends(w, row, count, both)
	n = max(n, p.bounds[row][count].Low.Float)
	x := p.extremes[row][aggregate]
	if n <= p.forged || !x.known {
		return math.NaN(), math.NaN()
	}
	low, high = p.ends(w, row, aggregate, both)
	low, high = max(low, x.least), min(high, x.greatest)
	return (n*low - p.forged*x.greatest) / (n - p.forged), (n*high - p.forged*x.least) / (n - p.forged)
}

// maxCounterfeits returns the greatest number of counterfeits among the counting records.
func (p *published) maxCounterfeits(row, count int) float64 {
	return min(p.forged, p.bounds[row][count].High.Float)
}

// forgedSum bounds the contribution of counterfeits to a SUM.
func (p *published) forgedSum(row, aggregate int) (least, most float64, ok bool) {
	n, x := p.maxCounterfeits(row, p.counts[aggregate]), p.extremes[row][aggregate]
	return n * min(0, x.least), n * max(0, x.greatest), x.known
}

// worstDeviations are the roots of the mean square deviations of the answer's
// figures from those over persons, for the counterfeits that make them largest.
// With X over N records, of expectation E and variance V, the answer is (N-F)/N E,
// the figure over persons X - f, and
//
//	E[((N-F)/N E - X + f)^2] = V + (f - F/N E)^2
//
// which is greatest at an end of what f may be. No deviation is larger than the
// distance of the answer from the farther hard bound.
func (s *Spread) worstDeviations() [][]anonymize.Value {
	p := s.forged
	rows := make([][]anonymize.Value, len(s.answer.Rows))
	for i, row := range s.answer.Rows {
		rows[i] = make([]anonymize.Value, len(row.Figures))
		for a, figure := range row.Figures {
			kind := s.question.Aggregates[a].Kind
			if figure.IsNull() || kind != estimate.Count && kind != estimate.Sum {
				continue // NULL
			}
			least, most, known := 0.0, 0.0, true
			if kind == estimate.Count {
				most = p.maxCounterfeits(i, a)
			} else {
				least, most, known = p.forgedSum(i, a)
			}
			farthest := max(figure.Float-s.Bounds[i][a].Low.Float, s.Bounds[i][a].High.Float-figure.Float)
			deviation := farthest
			if known {
				expected := p.forged / p.records * p.figures[i].Figures[a].Float
				deviation = min(farthest, math.Hypot(p.deviations[i][a].Float, max(expected-least, most-expected)))
			}
			rows[i][a] = anonymize.RealValue(max(0, deviation))
		}
	}
	return rows
}
