package question

import "github.com/anonsql/anonsql/anonymize"

// Part returns what a record adds to a COUNT or SUM, or to the sum of an AVG.
func (k Kind) Part(c Contribution) float64 {
	if k == Count {
		return c.Records
	}
	return c.Sum
}

// A Kind is a kind of aggregate.
type Kind uint8

const (
	Count Kind = iota // COUNT(*) without an argument, else COUNT(x)
	Sum
	Average
	// These are plug-in estimates of the variance and the standard deviation: Q/N - (S/N)^2,
	// with the expected number N of records, their expected sum S and sum of squares Q; for a
	// sample times N/(N-1). They are NULL for N = 0, and for a sample also for N <= 1.
	VariancePopulation
	VarianceSample
	DeviationPopulation
	DeviationSample
	// Least and Greatest are the extreme values that the argument of a qualifying record has in
	// any table that agrees with the release. The actual minimum is not below Least, the actual
	// maximum not above Greatest.
	Least
	Greatest
	// Distinct is the expected number of different values other than NULL: the sum over values
	// of the probability that a qualifying record has the value.
	Distinct
)

// KeepsValues reports whether the kind reads the argument as a value, not as a number. Its
// contribution is then the value's number in Terms.Values.
func (k Kind) KeepsValues() bool { return k >= Least }

// HasSpread reports whether the kind has standard errors and bounds.
func (k Kind) HasSpread() bool { return k <= Average }

func (a *Aggregate) Order(x, y anonymize.Value) (int, error) {
	if a.Compare == nil {
		return anonymize.Compare(x, y), nil
	}
	return a.Compare(x, y)
}

// A ValueList numbers the values of an aggregate's argument.
type ValueList struct {
	Numbers map[anonymize.Value]int
	List    []anonymize.Value
}

func (l *ValueList) Number(v anonymize.Value) int {
	n, ok := l.Numbers[v]
	if !ok {
		n = len(l.List)
		l.Numbers[v] = n
		l.List = append(l.List, v)
	}
	return n
}

// Numbers returns how many numbers of a running figure the kind keeps.
func (k Kind) Numbers() int {
	switch {
	case k == Count || k == Distinct:
		return 1
	case k <= Average || k.KeepsValues():
		return 2
	}
	return 3
}
