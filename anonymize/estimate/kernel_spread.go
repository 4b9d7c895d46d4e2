package estimate

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Limits of the kernels of spreads and of Distinct: as maxKernelClasses and
// joinCost, beside a general path that costs some ten times the weighted join.
const (
	maxBoxCombinations = 1 << 12
	generalCost        = 10 * joinCost
)

// A scan is what a Prepared keeps of a question between its answer, its
// standard errors and its bounds.
type scan struct {
	prepared *Prepared
	question *Question
	sides    []*side
	// spreads says that standard errors and bounds are wanted by the pass that
	// answers; looked that it is known whether they come from a kernel.
	spreads, looked bool
	kernel          *kernel // with boxes; nil: none fits
	totals          *kernelTotals
	// columns has what was read of relations that are elsewhere, by fragment and column.
	columns map[[2]int]*readColumn
	// means has the extreme means of every box where relations are elsewhere.
	means []steps
	// cells and result are the same for questions that read cells.
	cells  *cellKernel
	result *cellResult
	// portions answer a question that reads cells which no cellKernel does.
	portions []*portion
}

// AskWithSpread answers q as Ask does, for a caller who will ask for the
// standard errors or the bounds of the answer: where kernels fit, the pass that
// finds the answer finds these too, and StandardErrors and Bounds make none.
func (p *Prepared) AskWithSpread(ctx context.Context, q *Question) (*Answer, error) {
	return ask(ctx, p.release, q, &scan{prepared: p, question: q, spreads: true})
}

// join computes the weights by a kernel if one fits, else by the weighted join.
func (s *scan) join(ctx context.Context, r *anonymize.Release, sides []*side) (*weights, error) {
	if s == nil {
		return join(ctx, r, sides)
	}
	s.sides = sides
	k := s.prepared.newKernel(sides)
	if k == nil {
		return join(ctx, r, sides)
	}
	if s.spreads && len(sides) > 1 {
		s.looked = true
		k.setBoxes(newBoxes(s.question, sides, Kind.hasSpread))
	}
	totals, err := k.total(ctx)
	if err != nil {
		return nil, err
	}
	if k.boxes != nil {
		s.kernel, s.totals = k, totals
	}
	return &weights{sides: sides, dense: k.divide(totals.products)}, nil
}

// overBoxes runs a kernel over the boxes of the aggregates of some kinds; nil
// when none fits.
func (s *scan) overBoxes(ctx context.Context, asked func(Kind) bool) (*kernel, *kernelTotals, error) {
	k := s.prepared.newKernelWithin(s.sides, maxBoxCombinations, generalCost)
	if k == nil || !k.setBoxes(newBoxes(s.question, s.sides, asked)) {
		return nil, nil, nil
	}
	k.weighs = false
	totals, err := k.total(ctx)
	return k, totals, err
}

// scanOf returns the scan of an answer to q, with the sums of the boxes where
// a kernel fits.
func (p *Prepared) scanOf(ctx context.Context, q *Question, answer *Answer) (*scan, error) {
	s := answer.scan
	if s == nil || s.prepared != p || s.question != q {
		s = &scan{prepared: p, question: q}
	}
	if s.portions != nil {
		return s, nil
	}
	if p.elsewhere != nil {
		return s, s.distantSpreads(ctx)
	}
	if result, err := s.cellSpreads(ctx); result != nil || err != nil {
		return s, err
	}
	if s.portions = q.portions(p.release); s.portions != nil {
		return s, nil
	}
	if s.sides == nil {
		sides, err := sidesOf(ctx, p.release, q)
		if err != nil {
			return nil, err
		}
		s.sides = sides
	}
	if s.looked {
		return s, nil
	}
	var err error
	if len(s.sides) > 1 {
		s.kernel, s.totals, err = s.overBoxes(ctx, Kind.hasSpread)
	}
	s.looked = err == nil
	return s, err
}

// StandardErrors returns what the function [StandardErrors] does, faster where
// the records of every key are conditions inside fragments of points.
func (p *Prepared) StandardErrors(ctx context.Context, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.Exact {
		return exactDeviations(q, answer), nil
	}
	p, err := p.spreadSource(ctx, q, answer)
	if err != nil {
		return nil, err
	}
	s, err := p.scanOf(ctx, q, answer)
	if err != nil {
		return nil, err
	}
	switch {
	case s.cells != nil:
		return s.cellErrors(answer), nil
	case s.portions != nil:
		return spreadsApart(s, answer, func(q *Question, part *Answer) ([][]anonymize.Value, error) { return p.StandardErrors(ctx, q, part) })
	}
	if s.kernel == nil {
		return standardErrors(ctx, p.release, q, answer, s.sides)
	}
	rows, thinned := make([][]anonymize.Value, len(answer.Rows)), thinningOf(p.release)
	for i, row := range answer.Rows {
		rows[i] = make([]anonymize.Value, len(row.Figures))
		s.eachFigure(row, func(a, box int) {
			kind, deviation := q.Aggregates[a].Kind, 0.0
			switch {
			case box < 0:
			case kind == Count:
				deviation = thinned.moments(secondMoments{meanN: s.mean(box), varN: s.variance(box)}).deviation(kind)
			default:
				deviation = thinned.moments(s.totals.floats[box].sums).deviation(kind)
			}
			rows[i][a] = anonymize.RealValue(deviation)
		})
	}
	return rows, nil
}

// Bounds returns what the function [Bounds] does, faster where StandardErrors
// is. AVG takes some passes more. With counterfeits the bounds of SUM and AVG
// hang on the single greatest values, which the kernels do not keep: these take the
// general way.
func (p *Prepared) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	switch {
	case answer.Exact:
		return exactBounds(q, answer), nil
	case q.ReadsNoise(p.release):
		return noBounds(answer), nil
	}
	p, err := p.spreadSource(ctx, q, answer)
	if err != nil {
		return nil, err
	}
	s, err := p.scanOf(ctx, q, answer)
	if err != nil {
		return nil, err
	}
	switch {
	case s.cells != nil:
		return s.cellBounds(answer), nil
	case s.portions != nil:
		return spreadsApart(s, answer, func(q *Question, part *Answer) ([][]Bound, error) { return p.Bounds(ctx, q, part) })
	}
	thinned := thinningOf(p.release)
	if s.kernel == nil || !thinned.isNone() && q.addsUp() {
		return bound(ctx, p.release, q, answer, s.sides)
	}
	means, err := s.extremeMeans(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([][]Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]Bound, len(row.Figures))
		s.eachFigure(row, func(a, box int) {
			low, high := 0.0, 0.0
			switch {
			case box < 0:
			case q.Aggregates[a].Kind == Count:
				low, high = thinned.bounds(Count, s.countBounds(box))
			case q.Aggregates[a].Kind == Average:
				low, high = means[box].low, means[box].high
			default:
				low, high = s.totals.floats[box].low, s.totals.floats[box].high
			}
			rows[i][a] = Bound{anonymize.RealValue(low), anonymize.RealValue(high)}
		})
	}
	return rows, nil
}

// extremeMeans returns the least and the greatest mean of the boxes of AVG, all
// by the iteration of leastMean: a pass per step, some five.
func (s *scan) extremeMeans(ctx context.Context) ([]steps, error) {
	if s.means != nil {
		return s.means, nil
	}
	list := s.kernel.boxes.list
	means := make([]steps, len(list))
	k, boxes := *s.kernel, *s.kernel.boxes
	k.weighs, k.boxes = false, &boxes
	boxes.list = slices.Clone(list)
	for i, x := range list {
		means[i] = x.steps
		if x.aggregate != Average {
			boxes.list[i] = nil
		}
	}
	for totals := s.totals; ; {
		moved := false
		for i, x := range boxes.list {
			if x == nil {
				continue
			}
			next := means[i].next(&totals.floats[i])
			if next == means[i] {
				boxes.list[i] = nil
				continue
			}
			means[i], moved = next, true
			further := *x
			further.steps = next
			boxes.list[i] = &further
		}
		if !moved {
			return means, nil
		}
		var err error
		if totals, err = k.total(ctx); err != nil {
			return nil, err
		}
	}
}

// next are the means of the values that the last step took; where there are
// none, or the mean is not better, the last is the extreme one.
func (at steps) next(f *boxFloats) steps {
	next := steps{at.low, at.high, true}
	if f.lowRecords > 0 {
		next.low = min(at.low, f.low/f.lowRecords)
	}
	if f.highRecords > 0 {
		next.high = max(at.high, f.high/f.highRecords)
	}
	if !at.further && next.low == at.low && next.high == at.high {
		return at
	}
	return next
}

// eachFigure visits the figures of a row that have a spread, with their box; -1
// where no record counts.
func (s *scan) eachFigure(row AnswerRow, visit func(a, box int)) {
	key := int32(s.kernel.boxes.terms.numbering.number(row.Keys))
	for a, figure := range row.Figures {
		if figure.IsNull() || !s.question.Aggregates[a].Kind.hasSpread() {
			continue
		}
		box, ok := s.kernel.boxes.of[a][keyedValue{key: key}]
		if !ok {
			box = -1
		}
		visit(a, box)
	}
}

// addsUp reports whether an aggregate adds up values.
func (q *Question) addsUp() bool {
	return slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return a.Kind == Sum || a.Kind == Average })
}

// mean is the expected number of records in a box.
func (s *scan) mean(box int) float64 {
	total := 0.0
	for i, size := range s.kernel.layout.sizes {
		products := s.totals.moments[i*len(s.kernel.boxes.list)+box].products
		total += float64(products) / math.Pow(float64(size), float64(len(s.sides)-1))
	}
	return total
}

// variance is that of the number of records in a box: per group, for X of m,
//
//	E[X] = m prod(a_i/m),  E[X(X-1)] = m (m-1) prod(a_i (a_i-1) / (m (m-1)))
//
// Variances can be small beside the squares of means that are taken away: the
// difference is formed in whole numbers, over m^(2f-2) (m-1)^(f-1).
func (s *scan) variance(box int) float64 {
	total := 0.0
	for i, size := range s.kernel.layout.sizes {
		t := &s.totals.moments[i*len(s.kernel.boxes.list)+box]
		if t.products == 0 || size == 1 {
			continue // a single record is what it is
		}
		m, less, f := big.NewInt(int64(size)), big.NewInt(int64(size-1)), big.NewInt(int64(len(s.sides)-1))
		m.Exp(m, f, nil)
		less.Exp(less, f, nil)
		means, pairs, squares := new(big.Int).SetUint64(t.products), new(big.Int).SetUint64(t.pairs), new(big.Int).SetUint64(t.squares)
		means.Mul(means.Mul(means, m), less)
		means.Add(means, pairs.Mul(pairs, m))
		means.Sub(means, squares.Mul(squares, less))
		variance, _ := new(big.Rat).SetFrac(means, less.Mul(less, m.Mul(m, m))).Float64()
		total += variance
	}
	return max(0, total)
}

// countBounds are the least and the greatest number of records in a box: per
// group max(0, sum a_i - (f-1) m) and min a_i.
func (s *scan) countBounds(box int) *total {
	sum := &total{}
	for i := range s.kernel.layout.sizes {
		t := &s.totals.moments[i*len(s.kernel.boxes.list)+box]
		sum.low += float64(t.low)
		sum.high += float64(t.high)
	}
	return sum
}
