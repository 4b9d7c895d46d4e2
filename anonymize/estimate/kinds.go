package estimate

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// A Kind of aggregate.
type Kind uint8

const (
	Count Kind = iota // COUNT(*) without an argument, else COUNT(x)
	Sum
	Average
	// The plug-in estimates of the variance and the standard deviation: with
	// the expected number N of records, their expected sum S and sum of
	// squares Q, Q/N - (S/N)^2, of a sample times N/(N-1). NULL for no
	// records; of a sample also for N <= 1.
	VariancePopulation
	VarianceSample
	DeviationPopulation
	DeviationSample
	// Least and Greatest value that the argument of a qualifying record has in
	// some table that agrees with the release. The actual minimum is not below
	// Least, nor the actual maximum above Greatest.
	Least
	Greatest
	// Distinct is the expected number of different values other than NULL: the
	// sum over values of the probability that a qualifying record has it.
	Distinct
)

// keepsValues reports whether the kind looks at the argument as a value, not as
// a number: its contribution is the number of the value in terms.values.
func (k Kind) keepsValues() bool { return k >= Least }

// hasSpread reports whether standard errors and bounds are known for the kind.
func (k Kind) hasSpread() bool { return k <= Average }

// A running figure collects what combinations of classes add to an aggregate of
// one key.
type running struct {
	// records is the expected number of records with an argument that is not
	// NULL, sum the expected sum of arguments.
	records, sum float64
	// mean and squares are the weighted mean and the weighted sum of squared
	// distances from it, updated with every combination: the difference of two
	// large sums would lose the digits of a small variance.
	mean, squares float64
	// extreme is the number of the least or greatest value, or -1; seen has
	// the expected numbers of records of all.
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

// add takes in a combination of classes of the given weight.
func (f *running) add(t *terms, a int, weight float64, c contribution) error {
	f.records += weight * c.records
	kind := t.question.Aggregates[a].Kind
	switch {
	case kind <= Average:
		f.sum += weight * c.sum
		return nil
	case c.records == 0:
		return nil
	case !kind.keepsValues():
		distance := c.sum - f.mean
		f.mean += distance * weight / f.records
		f.squares += weight * distance * (c.sum - f.mean)
		return nil
	}
	number := int(c.sum)
	if kind == Distinct {
		if f.seen == nil {
			f.seen = make(map[int]float64)
		}
		f.seen[number] += weight
		return nil
	}
	return f.addExtreme(t, a, number)
}

// addExtreme keeps the better one of two values. Of values that the aggregate's
// order holds equal (texts by their collation) it keeps the first by bytes, so
// that the answer does not hang on the order of groups.
func (f *running) addExtreme(t *terms, a, number int) error {
	if f.extreme < 0 || f.extreme == number {
		f.extreme = number
		return nil
	}
	aggregate := &t.question.Aggregates[a]
	candidate, kept := t.values[a].list[number], t.values[a].list[f.extreme]
	order, err := aggregate.compare(candidate, kept)
	if err != nil {
		return err
	}
	if aggregate.Kind == Greatest {
		order = -order
	}
	if order < 0 || order == 0 && anonymize.Compare(candidate, kept) < 0 {
		f.extreme = number
	}
	return nil
}

func (a *Aggregate) compare(x, y anonymize.Value) (int, error) {
	if a.Compare == nil {
		return anonymize.Compare(x, y), nil
	}
	return a.Compare(x, y)
}

// A valueList numbers the values of an aggregate's argument.
type valueList struct {
	numbers map[anonymize.Value]int
	list    []anonymize.Value
}

func (l *valueList) number(v anonymize.Value) int {
	n, ok := l.numbers[v]
	if !ok {
		n = len(l.list)
		l.numbers[v] = n
		l.list = append(l.list, v)
	}
	return n
}

// barelyMore is what a sum of expected numbers may be off by rounding.
const barelyMore = 1e-9

// figure is the value of aggregate a; the zero Value is NULL.
func (f *running) figure(t *terms, a int, thinned thinning) anonymize.Value {
	kind := t.question.Aggregates[a].Kind
	switch {
	case kind == Distinct:
		return anonymize.RealValue(thinned.values(f.seen))
	case !kind.keepsValues():
		return f.number(kind)
	case f.records == 0:
		return anonymize.NullValue
	}
	return t.values[a].list[f.extreme]
}

// number is the value of an aggregate that is a number.
func (f *running) number(kind Kind) anonymize.Value {
	switch {
	case kind == Count:
		return anonymize.RealValue(f.records)
	case f.records == 0:
		return anonymize.NullValue
	case kind == Sum:
		return anonymize.RealValue(f.sum)
	case kind == Average:
		return anonymize.RealValue(f.sum / f.records)
	}
	return f.variance(kind)
}

func (f *running) variance(kind Kind) anonymize.Value {
	records := f.records
	if kind == VarianceSample || kind == DeviationSample {
		if records <= 1+barelyMore {
			return anonymize.NullValue
		}
		records--
	}
	variance := max(0, f.squares/records)
	if kind == DeviationPopulation || kind == DeviationSample {
		return anonymize.RealValue(math.Sqrt(variance))
	}
	return anonymize.RealValue(variance)
}
