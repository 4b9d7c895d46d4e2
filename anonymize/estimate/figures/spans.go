package figures

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Total is the sum over groups of the least and of the greatest value. A mean is no sum of
// the groups' means, so AVG keeps what its steps take from the groups. If any group may have
// counterfeits, AVG and SUM keep Spans.
type Total struct {
	Low, High float64
	takes     Takes
	Spans     []Span
}

// AddTotal adds the total of other groups.
func (t *Total) AddTotal(other *Total) {
	t.Low += other.Low
	t.High += other.High
	t.Spans = append(t.Spans, other.Spans...)
	if other.takes != nil && t.takes == nil {
		t.takes = make(Takes)
	}
	t.takes.addAll(other.takes)
}

// A Span is what one group allows one aggregate: any number of records from Low to High, with
// values from a list. Least and Greatest have, ascending, the least and the greatest value of
// every record that may count (equal for points). For COUNT they are nil.
type Span struct {
	Low, High       int
	Least, Greatest []float64
}

// Add adds a group.
func (t *Total) Add(kind question.Kind, s *Span, thinned Thinning) {
	switch {
	case kind == question.Count:
		t.Low += float64(s.Low)
		t.High += float64(s.High)
	case kind == question.Sum && thinned.IsNone():
		t.Low += LeastSum(s.Least, s.Low, s.High)
		t.High += GreatestSum(s.Greatest, s.Low, s.High)
	case thinned.IsNone():
		if t.takes == nil {
			t.takes = make(Takes)
		}
		t.takes.addSpan(s)
	default:
		t.Spans = append(t.Spans, Span{s.Low, s.High, slices.Clone(s.Least), slices.Clone(s.Greatest)})
	}
}

func (s *Span) Repeat(count int, least, greatest float64) {
	for range count {
		s.Least, s.Greatest = append(s.Least, least), append(s.Greatest, greatest)
	}
}

// LeastSum returns the least sum of low to high of the values, which ascend.
func LeastSum(values []float64, low, high int) float64 {
	sum := 0.0
	for i, x := range values[:high] {
		if i >= low && x >= 0 {
			break
		}
		sum += x
	}
	return sum
}

// GreatestSum returns the greatest sum of low to high of the values, which ascend.
func GreatestSum(values []float64, low, high int) float64 {
	sum := 0.0
	for i := range high {
		x := values[len(values)-1-i]
		if i >= low && x <= 0 {
			break
		}
		sum += x
	}
	return sum
}

// mirrored negates the values, so that the greatest become the least.
func mirrored(spans []Span) []Span {
	list := make([]Span, len(spans))
	for i, s := range spans {
		negated := make([]float64, len(s.Greatest))
		for j, x := range s.Greatest {
			negated[len(s.Greatest)-1-j] = -x
		}
		list[i] = Span{Low: s.Low, High: s.High, Least: negated}
	}
	return list
}

// AddKnown adds records of one value that surely count.
func (t *Total) AddKnown(kind question.Kind, records int, value float64) {
	t.Low += float64(records)
	t.High += float64(records)
	if kind == question.Count {
		return
	}
	if t.Spans == nil {
		t.Spans = []Span{{}}
	}
	s := &t.Spans[0]
	s.Low, s.High = s.Low+records, s.High+records
	s.Least = append(s.Least, slices.Repeat([]float64{value}, records)...)
	s.Greatest = s.Least
}
