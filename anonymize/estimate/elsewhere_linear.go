package estimate

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// maxToldApart is how many combinations of classes a question of COUNT, SUM and AVG may have before sums of arguments are asked
// in place of the weights of their values.
const maxToldApart = 4096

// distantLinear answers by a linearJoin whose sums the store forms; nil when the question is of another kind, has few combinations, or has
// arguments that are no whole numbers times a power of ten.
func (s *scan) distantLinear(ctx context.Context, r *anonymize.Release, fragments []int) ([]AnswerRow, error) {
	if !s.tellsManyApart() {
		return nil, nil
	}
	l, err := newLinearJoin(ctx, r, s.question)
	if err != nil || l == nil {
		return nil, err
	}
	size := l.width()
	for _, side := range l.sides {
		if size *= side.classes; size > maxDenseCombinations {
			return nil, nil
		}
	}
	d := s.prepared.elsewhere
	if err := d.fits(len(l.sides)); err != nil {
		return nil, err
	}
	totals := make([]float64, size)
	for i := range l.arguments {
		of, scale, err := d.worthOf(l, i)
		if unanswered := (*UnansweredError)(nil); errors.As(err, &unanswered) {
			return nil, nil // its values' weights may do
		}
		if err != nil {
			return nil, err
		}
		if err := s.addLinear(ctx, l, i, fragments, of, scale, totals); err != nil {
			return nil, err
		}
	}
	return l.answers(totals, 1)
}

// tellsManyApart reports whether there are more than maxToldApart combinations of classes, and records of all fragments.
func (s *scan) tellsManyApart() bool {
	combinations := 1
	for _, side := range s.sides {
		if side.isEmpty() {
			return false
		}
		combinations = min(combinations*side.classes, maxToldApart+1)
	}
	return combinations > maxToldApart
}

// worthOf is what the values of an argument are worth, times a power of ten.
func (d *elsewhere) worthOf(l *linearJoin, argument int) (of Worth, scale float64, err error) {
	a := l.arguments[argument]
	scale, err = d.scaleOf(func(yield func(float64) bool) {
		for _, c := range a.contributions {
			if c.records > 0 && !yield(c.sum) {
				return
			}
		}
	}, 1)
	of = Worth{Fragment: a.side, Unit: a.unit, Of: make([]int64, len(a.contributions)), None: make([]bool, len(a.contributions))}
	for code, c := range a.contributions {
		of.None[code] = c.records == 0
		of.Of[code] = int64(math.Round(c.sum * scale))
	}
	return of, scale, err
}

// addLinear asks for the sums of an argument, and adds them to the totals: of sizes from the least to the greatest. Weights come with the first
// argument.
func (s *scan) addLinear(ctx context.Context, l *linearJoin, argument int, fragments []int, of Worth, scale float64, totals []float64) error {
	asked := make([]Classes, len(l.sides))
	for i, fragment := range fragments {
		asked[i] = l.sides[i].asked(fragment)
	}
	d := s.prepared.elsewhere
	sums, err := d.store.WeightedSums(ctx, asked, of)
	if err != nil {
		return err
	}
	perSize, perSizeOf := make([]uint64, len(d.sizes)+1), make([]uint64, len(d.sizes)+1)
	for _, sum := range mergeSums(sums) {
		m, err := d.check(&sum.Weight, l.sides, perSize)
		if err != nil {
			return err
		}
		with := sum.Weight // of those that are worth something there are no more
		with.Products = sum.Records
		if _, err := d.check(&with, l.sides, perSizeOf); err != nil {
			return err
		}
		index, stride := 0, l.width()
		for side, class := range sum.Classes {
			index += int(class) * stride
			stride *= l.sides[side].classes
		}
		if argument == 0 {
			totals[index] += divided(sum.Products, m, len(l.sides))
		}
		totals[index+1+2*argument] += divided(sum.Records, m, len(l.sides))
		totals[index+2+2*argument] += floatOf(sum.Sum) / scale / math.Pow(m, float64(len(l.sides)-1))
	}
	return nil
}

// mergeSums are the sums of every combination and size, in the order of compareWeights.
func mergeSums(sums []WeightedSum) (list []WeightedSum) {
	slices.SortFunc(sums, func(a, b WeightedSum) int { return compareWeights(a.Weight, b.Weight) })
	for i, sum := range sums {
		if i == 0 || compareWeights(list[len(list)-1].Weight, sum.Weight) != 0 {
			list = append(list, WeightedSum{Weight: Weight{Classes: sum.Classes, Size: sum.Size}, Sum: new(big.Int)})
		}
		last := &list[len(list)-1]
		last.Products += sum.Products
		last.Records += sum.Records
		last.Sum.Add(last.Sum, sum.Sum)
	}
	return list
}
