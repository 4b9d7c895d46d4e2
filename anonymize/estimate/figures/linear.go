package figures

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A LinearJoin is the weighted join of a question whose aggregates are COUNT, SUM and AVG of
// arguments that read one column each. They are linear in the argument, so its values need no
// classes: the number of records of a class in a group and their sum of the argument suffice.
// With n and S of a class in the argument's fragment, and a_i records of the classes of the
// others,
//
//	E[records with an argument] = n * prod_i(a_i) / m^(f-1),  E[sum] = S * prod_i(a_i) / m^(f-1).
//
// Completed tables and other engines compute the sums.
type LinearJoin struct {
	// counted is the question asked, without arguments.
	asked, counted *question.Question
	Sides          []*question.Side // of the question without arguments
	Arguments      []Argument
	argumentOf     []int // by aggregate: index into Arguments; -1 for COUNT(*)
}

// An Argument is what the records of a side add to the aggregates of one column.
type Argument struct {
	Side, Unit    int
	Contributions []question.Contribution // by code of the unit
}

// NewLinearJoin returns nil if q does not fit.
func NewLinearJoin(ctx context.Context, r *anonymize.Release, q *question.Question) (*LinearJoin, error) {
	some := false
	for _, a := range q.Aggregates {
		if a.Kind > question.Average {
			return nil, nil
		}
		some = some || a.Argument != nil
	}
	if !some {
		return nil, nil
	}
	counted := *q
	counted.Aggregates = []question.Aggregate{{Kind: question.Count}}
	l := &LinearJoin{asked: q, counted: &counted}
	var err error
	if l.Sides, err = question.SidesOf(ctx, r, &counted); err != nil {
		return nil, err
	}
	for _, side := range l.Sides {
		if !side.Point {
			return nil, nil
		}
	}
	for a := range q.Aggregates {
		at := -1
		if q.Aggregates[a].Argument != nil {
			x, ok := l.argument(q, a)
			if !ok {
				return nil, nil
			}
			if at = slices.IndexFunc(l.Arguments, x.equal); at < 0 {
				at, l.Arguments = len(l.Arguments), append(l.Arguments, x)
			}
		}
		l.argumentOf = append(l.argumentOf, at)
	}
	return l, nil
}

// Width returns the number of sums per combination of classes: its records, and for each
// argument the records with an argument and their sum.
func (l *LinearJoin) Width() int { return 1 + 2*len(l.Arguments) }

func (a Argument) equal(other Argument) bool {
	return a.Side == other.Side && a.Unit == other.Unit && slices.Equal(a.Contributions, other.Contributions)
}

// argument evaluates the argument of an aggregate once per value of its column. ok is false if
// the argument reads several columns or fails for a value, even one that may not occur.
func (l *LinearJoin) argument(q *question.Question, aggregate int) (x Argument, ok bool) {
	e := q.Aggregates[aggregate].Argument
	fragment := q.FragmentOf(e)
	x.Side = slices.Index(q.Touched(), fragment)
	if fragment < 0 {
		return x, false
	}
	column := q.Leaves[e.Leaves[0]].Columns[0]
	for _, leaf := range e.Leaves {
		for _, c := range q.Leaves[leaf].Columns {
			if c != column {
				return x, false
			}
		}
	}
	side := l.Sides[x.Side]
	x.Unit = slices.IndexFunc(side.Units, func(u *question.Unit) bool { return len(u.Columns) == 1 && u.Columns[0] == column && u.Radix != nil })
	if x.Unit < 0 {
		return x, false
	}
	outcomes, values, buffer := make([]question.Outcome, len(q.Leaves)), []anonymize.Value(nil), make([]anonymize.Value, 0, len(q.Leaves))
	for code, value := range side.Fragment.Columns[column].Dictionary {
		c := question.Contribution{}
		if side.Units[x.Unit].ClassOf[code] != question.Dead {
			for _, leaf := range e.Leaves {
				values = values[:0]
				for range q.Leaves[leaf].Columns {
					values = append(values, value)
				}
				outcomes[leaf] = q.Leaves[leaf].Outcome(values)
			}
			var err error
			if c, err = q.Contribution(aggregate, outcomes, buffer); err != nil {
				return x, false
			}
		}
		x.Contributions = append(x.Contributions, c)
	}
	return x, true
}

// largest is the greatest number by its absolute value, where there are numbers of both signs, else 0.
func (a Argument) largest() float64 {
	low, high := 0.0, 0.0
	for _, c := range a.Contributions {
		low, high = min(low, c.Sum), max(high, c.Sum)
	}
	if low == 0 || high == 0 {
		return 0
	}
	return max(-low, high)
}

// Answers adds up the combinations by key; totals are sums over that many tables.
func (l *LinearJoin) Answers(totals []float64, tables float64) ([]question.AnswerRow, error) {
	terms, width := question.NewTerms(l.counted, l.Sides), l.Width()
	combinations := &Weights{Sides: l.Sides, Dense: make([]float64, len(totals)/width)}
	for i := range combinations.Dense {
		combinations.Dense[i] = totals[i*width]
	}
	largest := make([]float64, len(l.Arguments))
	for i, x := range l.Arguments {
		largest[i] = x.largest()
	}
	return aggregate(l.asked, terms, combinations, tables, Thinning{}, func(figures tally, _ int, classes []uint32, weight float64) error {
		index := 0
		for s, class := range classes {
			index += int(class) * terms.Stride[s]
		}
		sums := totals[index*width:][:width]
		for a, argument := range l.argumentOf {
			if argument < 0 {
				figures[a].Records += weight
				continue
			}
			records, sum := sums[1+2*argument], sums[2+2*argument]
			figures[a].Records += records
			figures[a].Sum += sum
			figures[a].absolute += max(math.Abs(sum), records*largest[argument])
		}
		return nil
	})
}

// A KeyedJoin is a linear join in which only one side has several classes: the side with the
// keys. The other sides determine, per group, the weight of a record of the keys' side,
//
//	w = prod_i(a_i) / m^(f-1)
//
// and w times the mean of every measure over their own records that count. A group costs a
// look-up and an addition per tuple, without classification.
type KeyedJoin struct {
	*LinearJoin
	Key      int // the side with classes
	Measures []Measure
	// Own are the measures of the keys' side, whose records each have their own value.
	Own []Measure
}

// A Measure is a sum over records: of an argument's values, or the number of those that are not NULL.
type Measure struct {
	Side, Unit int
	Values     []float64 // by code of the unit
	Sum        int       // index among the sums of a class
}

// Keyed returns l as a join whose keys are on one side; ok is false if they are not.
func (l *LinearJoin) Keyed() (k KeyedJoin, ok bool) {
	several := 0
	for s, side := range l.Sides {
		if side.Classes > 1 {
			k.Key = s
			several++
		}
	}
	k.LinearJoin = l
	if several > 1 {
		return k, false
	}
	for i := range l.Arguments {
		for _, m := range l.measuresOf(i) {
			if m.Side == k.Key {
				k.Own = append(k.Own, m)
			} else {
				k.Measures = append(k.Measures, m)
			}
		}
	}
	return k, true
}

// measuresOf returns the measures of argument i. It omits the trivial ones: the number of
// records with an argument if none is NULL, and a sum of zeros, as in COUNT(x).
func (l *LinearJoin) measuresOf(i int) []Measure {
	a := &l.Arguments[i]
	records := Measure{Side: a.Side, Unit: a.Unit, Sum: 1 + 2*i, Values: make([]float64, len(a.Contributions))}
	sums := Measure{Side: a.Side, Unit: a.Unit, Sum: 2 + 2*i, Values: make([]float64, len(a.Contributions))}
	some, someNull := false, false
	for code, c := range a.Contributions {
		records.Values[code], sums.Values[code] = c.Records, c.Sum
		some = some || c.Sum != 0
		someNull = someNull || c.Records == 0 && l.Sides[a.Side].Units[a.Unit].ClassOf[code] != question.Dead
	}
	var measures []Measure
	if someNull {
		measures = append(measures, records)
	}
	if some {
		measures = append(measures, sums)
	}
	return measures
}
