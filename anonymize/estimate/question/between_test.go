package question_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

type part = func(values []anonymize.Value) (anonymize.Value, error)

// above is the truth that a number is above a limit, or below it.
func above(limit int64, below bool) part {
	return func(values []anonymize.Value) (anonymize.Value, error) {
		if (values[0].Int > limit) != below {
			return question.True, nil
		}
		return question.False, nil
	}
}

// Numbers from 0 to 30 have points at multiples of 5 and before them. Where a question of random conditions does not read between points, every number
// satisfies it as the point below or the one above does.
func TestReadsBetween(t *testing.T) {
	c := &anonymize.FragmentColumn{Name: "x", Spans: true}
	for i := int64(0); i < 30; i += 5 {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(i), anonymize.IntegerValue(i+4))
	}
	r := &anonymize.Release{Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{c}}}}
	random, read := rand.New(rand.NewPCG(71, 72)), 0
	for range 2000 {
		var parts []part
		for range 1 + random.IntN(3) {
			parts = append(parts, above(random.Int64N(31)-1, random.IntN(2) == 0))
		}
		odd := random.IntN(2) == 0
		holds := func(values []anonymize.Value) (anonymize.Value, error) { // of them all, or of an odd number
			n := 0
			for _, p := range parts {
				if truth, _ := p(values); truth == question.True {
					n++
				}
			}
			if odd && n%2 == 1 || !odd && n == len(parts) {
				return question.True, nil
			}
			return question.False, nil
		}
		q := &question.Question{Leaves: []question.Leaf{{Columns: []int{0}, Eval: holds, Parts: parts}}, Where: []question.Expression{{Leaves: []int{0}}}}
		between, err := q.ReadsBetween(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if between {
			read++
			continue
		}
		at := func(x int64) anonymize.Value { v, _ := holds([]anonymize.Value{anonymize.IntegerValue(x)}); return v }
		for x := range int64(30) {
			if got := at(x); got != at(x/5*5) && got != at(x/5*5+4) {
				t.Fatalf("%d is as neither point", x)
			}
		}
	}
	if read < 200 || read > 1800 {
		t.Errorf("%d of 2000 questions read between points", read)
	}
}

// What is asked beside a condition decides whether points do.
func TestReadsBetweenOfArguments(t *testing.T) {
	column := func(spans bool) *anonymize.Release {
		c := &anonymize.FragmentColumn{Spans: spans, Dictionary: []anonymize.Value{anonymize.NullValue, anonymize.RealValue(0), anonymize.RealValue(2)}}
		return &anonymize.Release{Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{c}}, {Columns: []*anonymize.FragmentColumn{{}}}}}
	}
	value, unknown := question.ValueOf(0, 0), question.ValueLeaf(0, 0, anonymize.Value.IsNull)
	limit := question.Leaf{Columns: []int{0}, Eval: unknown.Eval, Parts: []part{func(values []anonymize.Value) (anonymize.Value, error) {
		return question.True, map[bool]error{true: question.ErrTooManyKeys}[values[0].Float > 3]
	}}}
	first := question.Expression{Leaves: []int{0}}
	sum, count := question.Aggregate{Kind: question.Sum, Argument: &first}, question.Aggregate{Kind: question.Count, Argument: &first}
	pivot := func(leaves []int, chosen ...int) question.Question { // 0 is x, 1 is c
		choice := question.Expression{Leaves: leaves, Chosen: chosen, Combine: func(values []anonymize.Value) (anonymize.Value, error) { return values[1], nil }}
		sum := question.Aggregate{Kind: question.Sum, Argument: &choice}
		return question.Question{Leaves: []question.Leaf{value, question.ValueOf(1, 0)}, Aggregates: []question.Aggregate{sum}}
	}
	exceeds := func(limit float64) part {
		return func(values []anonymize.Value) (anonymize.Value, error) {
			return map[bool]anonymize.Value{true: question.True, false: question.False}[values[0].Float > limit], nil
		}
	}
	choose := func(where []question.Expression, parts ...part) question.Question { // leaf 1 is x > .5
		return question.Question{Leaves: []question.Leaf{{Columns: []int{0}, Parts: parts}, {Columns: []int{0}, Parts: []part{exceeds(.5)}}},
			Where: where, Aggregates: []question.Aggregate{count}}
	}
	second := []question.Expression{{Leaves: []int{1}}}
	for name, c := range map[string]struct {
		q    question.Question
		want bool
	}{
		"SUM(x), AVG(x)":      {question.Question{Leaves: []question.Leaf{value}, Aggregates: []question.Aggregate{sum, sum}}, false},
		"COUNT(x)":            {question.Question{Leaves: []question.Leaf{value}, Aggregates: []question.Aggregate{count}}, false},
		"COUNT(CASE), 1 end":  {choose(nil, exceeds(1)), false},
		"COUNT(CASE), 2 ends": {choose(nil, exceeds(.5), exceeds(1)), true},
		"COUNT(CASE) WHERE":   {choose(second, exceeds(1)), true},
		"COUNT(x) WHERE":      {choose(second, value.Parts...), false},
		"GROUP BY x":          {question.Question{Leaves: []question.Leaf{value}, Keys: []question.Expression{first}}, false},
		"SUM(x) GROUP BY x":   {question.Question{Leaves: []question.Leaf{value}, Keys: []question.Expression{first}, Aggregates: []question.Aggregate{sum}}, true},
		"WHERE x":             {question.Question{Leaves: []question.Leaf{value}, Where: []question.Expression{first}}, true},
		"WHERE unknown(x)":    {question.Question{Leaves: []question.Leaf{unknown}, Where: []question.Expression{first}}, true},
		"WHERE always the 1":  {question.Question{Leaves: []question.Leaf{limit}, Where: []question.Expression{first}}, false},
		"SUM(IF(c, x, 0))":    {pivot([]int{1, 0}, 1), false},
		"SUM(IF(c, x, x))":    {pivot([]int{1, 0, 0}, 1, 2), true},
		"SUM(IF(x, c, 0))":    {pivot([]int{0, 1}, 1), true},
		"SUM(c * x)":          {pivot([]int{1, 0}), true},
	} {
		for _, spans := range []bool{true, false} {
			if got, err := c.q.ReadsBetween(t.Context(), column(spans)); got != (c.want && spans) || err != nil {
				t.Errorf("%s, spans %v: %v, %v", name, spans, got, err)
			}
		}
	}
}

// Leaves over the same column are evaluated together, once for each point.
func TestReadsBetweenLooksOnce(t *testing.T) {
	const leaves, points = 20, 30
	c, calls := &anonymize.FragmentColumn{Spans: true}, 0
	for i := range int64(points) {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(3*i))
	}
	q := &question.Question{}
	for i := range leaves {
		q.Leaves = append(q.Leaves, question.Leaf{Columns: []int{0}, Parts: []part{func([]anonymize.Value) (anonymize.Value, error) {
			calls++
			return question.True, nil
		}}})
		q.Where = append(q.Where, question.Expression{Leaves: []int{i}})
	}
	r := &anonymize.Release{Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{c}}}}
	if between, err := q.ReadsBetween(t.Context(), r); between || err != nil || calls != leaves*points {
		t.Errorf("%v, %v, after %d evaluations, want %d", between, err, calls, leaves*points)
	}
}

// Two numbers of single precision have others between them, where some number of the column has double precision.
func TestReadsBetweenSingles(t *testing.T) {
	const half = 0.5
	next := float64(math.Nextafter32(half, 1))
	limit := question.Leaf{Columns: []int{0}, Parts: []part{func(values []anonymize.Value) (anonymize.Value, error) {
		return anonymize.RealValue(map[bool]float64{false: 2, true: 3}[values[0].Float > half]), nil
	}}}
	q := question.Question{Leaves: []question.Leaf{limit}, Where: []question.Expression{{Leaves: []int{0}}}}
	for first, want := range map[float64]bool{0.25: false, 0.1: true} {
		c := &anonymize.FragmentColumn{Spans: true, Dictionary: []anonymize.Value{anonymize.RealValue(first), anonymize.RealValue(half), anonymize.RealValue(next)}}
		r := &anonymize.Release{Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{c}}}}
		if got, err := q.ReadsBetween(t.Context(), r); got != want || err != nil {
			t.Errorf("beside %v: %v, %v, want %v", first, got, err, want)
		}
	}
}
