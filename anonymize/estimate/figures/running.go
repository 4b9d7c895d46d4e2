package figures

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Running figure collects what combinations of classes add to an aggregate for one key.
type Running struct {
	// Records is the expected number of records with an argument that is not
	// NULL, sum the expected sum of arguments, and rest what rounding has left out of it.
	// absolute is the expected sum of the arguments' absolute values, or more ([LinearJoin]).
	Records, Sum, rest, absolute float64
	// Mean and squares are the weighted mean and the weighted sum of squared
	// distances from it, updated with every combination: the difference of two
	// large sums would lose the digits of a small variance.
	Mean, Squares float64
	// extreme is the number of the least or greatest value, or -1. seen has the expected number
	// of records by value.
	extreme int
	seen    map[int]float64
}

func newTally(n int) tally {
	t := make(tally, n)
	for i := range t {
		t[i].extreme = -1
	}
	return t
}

// add adds a combination of classes with its weight.
func (f *Running) add(t *question.Terms, a int, weight float64, c question.Contribution) error {
	f.Records += weight * c.Records
	kind := t.Question.Aggregates[a].Kind
	switch {
	case kind <= question.Average && len(t.Sides) > 1:
		f.Sum += weight * c.Sum
		f.absolute += math.Abs(weight * c.Sum)
		return nil
	case kind <= question.Average: // of one fragment it is exact
		f.addNumber(weight, c.Sum)
		return nil
	case c.Records == 0:
		return nil
	case !kind.KeepsValues():
		distance := c.Sum - f.Mean
		f.Mean += distance * weight / f.Records
		f.Squares += weight * distance * (c.Sum - f.Mean)
		return nil
	}
	number := int(c.Sum)
	if kind == question.Distinct {
		if f.seen == nil {
			f.seen = make(map[int]float64)
		}
		f.seen[number] += weight
		return nil
	}
	return f.addExtreme(t, a, number)
}

// addNumber adds a number with a weight in two words (Dekker), so that the order of numbers does not show and great ones cancel.
func (f *Running) addNumber(weight, number float64) {
	x := weight * number
	f.absolute += math.Abs(x)
	sum := f.Sum + x
	if math.IsInf(sum, 0) {
		f.Sum = sum
		return
	}
	part := sum - f.Sum
	rest := f.rest + math.FMA(weight, number, -x) + (f.Sum - (sum - part)) + (x - part)
	f.Sum = sum + rest
	f.rest = rest - (f.Sum - sum)
}

// canceled is what the figure would be if numbers of both signs did not cancel; 0 where none do.
func (f *Running) canceled(kind question.Kind) float64 {
	switch {
	case f.absolute <= math.Abs(f.Sum)*(1+barelyMore):
		return 0
	case kind == question.Average:
		return f.absolute / f.Records
	}
	return f.absolute
}

// addExtreme keeps the better one of two values. Of values that the aggregate's
// order holds equal (texts by their collation) it keeps the first by bytes, so
// that the answer does not hang on the order of groups.
func (f *Running) addExtreme(t *question.Terms, a, number int) error {
	if f.extreme < 0 || f.extreme == number {
		f.extreme = number
		return nil
	}
	aggregate := &t.Question.Aggregates[a]
	candidate, kept := t.Values[a].List[number], t.Values[a].List[f.extreme]
	order, err := aggregate.Order(candidate, kept)
	if err != nil {
		return err
	}
	if aggregate.Kind == question.Greatest {
		order = -order
	}
	if order < 0 || order == 0 && anonymize.Compare(candidate, kept) < 0 {
		f.extreme = number
	}
	return nil
}

// barelyMore bounds the rounding error of a sum of expected numbers.
const barelyMore = 1e-9

// figure returns the value of aggregate a; the zero Value is NULL.
func (f *Running) figure(t *question.Terms, a int, thinned Thinning) anonymize.Value {
	kind := t.Question.Aggregates[a].Kind
	switch {
	case kind == question.Distinct:
		return anonymize.RealValue(thinned.values(f.seen))
	case !kind.KeepsValues():
		return f.Number(kind)
	case f.Records == 0:
		return anonymize.NullValue
	}
	return t.Values[a].List[f.extreme]
}

// Number returns the value of an aggregate that is a number.
func (f *Running) Number(kind question.Kind) anonymize.Value {
	switch {
	case kind == question.Count:
		return anonymize.RealValue(f.Records)
	case f.Records == 0:
		return anonymize.NullValue
	case kind == question.Sum:
		return anonymize.RealValue(f.Sum)
	case kind == question.Average:
		return anonymize.RealValue(f.Sum / f.Records)
	}
	return f.variance(kind)
}

func (f *Running) variance(kind question.Kind) anonymize.Value {
	records := f.Records
	if kind == question.VarianceSample || kind == question.DeviationSample {
		if records <= 1+barelyMore {
			return anonymize.NullValue
		}
		records--
	}
	variance := max(0, f.Squares/records)
	if kind == question.DeviationPopulation || kind == question.DeviationSample {
		return anonymize.RealValue(math.Sqrt(variance))
	}
	return anonymize.RealValue(variance)
}
