package interval

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A Selection says how a question takes the values of an attribute: together, by a condition or
// as the numbers of an aggregate; or, the zero value, each by itself, like keys.
type Selection struct {
	// Share is the share of the release's records whose value passes a condition, and Runs the
	// number of runs of consecutive passing values.
	Share float64
	Runs  int
	// Weighted says that all values are the numbers of an aggregate.
	Weighted bool
}

// selection returns how the question, for these aggregates, takes the values of an attribute.
func (r reader) selection(of []estimate.Aggregate, name string) Selection {
	var conditions []estimate.Expression
	for _, a := range of {
		if a.Argument == nil || !slices.Contains(r.columns(*a.Argument), name) {
			continue
		}
		switch counted, ok := r.counted(a, name); {
		case ok:
			conditions = append(conditions, counted)
		case isNumber(a):
			return Selection{} // unknown which of its values count
		default:
			return Selection{Weighted: true}
		}
	}
	if slices.Contains(r.columns(r.question.Keys...), name) {
		return Selection{}
	}
	for _, x := range r.question.Where {
		switch names := r.columns(x); {
		case !slices.Contains(names, name):
		case slices.ContainsFunc(names, func(other string) bool { return other != name }):
			return Selection{} // unknown which of its values pass
		default:
			conditions = append(conditions, x)
		}
	}
	return r.passing(name, conditions)
}

// counted returns an aggregate's condition on an attribute: for a in SUM(a = 1 AND b = 2), that a is 1. A value passes if it counts with
// some outcome of the argument's other parts. ok is false if the attribute occurs together with others or is itself summed up.
func (r reader) counted(a estimate.Aggregate, name string) (condition estimate.Expression, ok bool) {
	leaves, own := a.Argument.Leaves, -1
	for i, l := range leaves {
		if names := r.columns(estimate.Expression{Leaves: []int{l}}); slices.Contains(names, name) {
			if own >= 0 || slices.ContainsFunc(names, func(other string) bool { return other != name }) {
				return condition, false
			}
			own = i
		}
	}
	if len(leaves) == 1 && !isNumber(a) || len(leaves) > maxParts || len(leaves) > 1 && !r.isTruth(leaves[own], name) {
		return condition, false
	}
	known := make(map[anonymize.Value]anonymize.Value)
	condition.Leaves = leaves[own : own+1]
	condition.Combine = func(outcome []anonymize.Value) (anonymize.Value, error) {
		counts, again := known[outcome[0]]
		if !again {
			counts = anonymize.IntegerValue(0)
			if r.counts(a, make([]anonymize.Value, 0, len(leaves)), own, outcome[0]) {
				counts = anonymize.IntegerValue(1)
			}
			known[outcome[0]] = counts
		}
		return counts, nil
	}
	return condition, true
}

// maxParts bounds the parts of an argument whose outcomes are enumerated, three each.
const maxParts = 6

// counts reports whether an argument may count if its part own has an outcome: before has the first parts' outcomes, the others may have any.
func (r reader) counts(a estimate.Aggregate, before []anonymize.Value, own int, outcome anonymize.Value) bool {
	if len(before) < len(a.Argument.Leaves) {
		tried := []anonymize.Value{anonymize.NullValue, anonymize.IntegerValue(0), anonymize.IntegerValue(1)}
		if len(before) == own {
			tried = []anonymize.Value{outcome}
		}
		return slices.ContainsFunc(tried, func(v anonymize.Value) bool { return r.counts(a, append(before, v), own, outcome) })
	}
	result := before[0]
	if a.Argument.Combine != nil {
		var err error
		if result, err = a.Argument.Combine(before); err != nil {
			return false
		}
	}
	if a.Kind == estimate.Sum || a.Truths {
		return isTrue(result)
	}
	return !result.IsNull()
}

// isTruth reports whether a part of an argument that reads one attribute is 1, 0 or NULL for all of its values.
func (r reader) isTruth(leaf int, name string) bool {
	fragment, at, _ := r.release.Locate(name)
	values, _ := r.margin(fragment, at)
	l := r.question.Leaves[leaf]
	return !slices.ContainsFunc(values, func(v anonymize.Value) bool {
		outcome, err := l.Eval(slices.Repeat([]anonymize.Value{v}, len(l.Columns)))
		number, ok := outcome.Number()
		return err != nil || !outcome.IsNull() && (!ok || number != 0 && number != 1)
	})
}

// passing finds the values of an attribute that pass all conditions, which read only this attribute.
func (r reader) passing(name string, conditions []estimate.Expression) (s Selection) {
	fragment, at, _ := r.release.Locate(name)
	values, records := r.margin(fragment, at)
	before := false
	for code, n := range records {
		if n == 0 {
			continue
		}
		passes := !slices.ContainsFunc(conditions, func(x estimate.Expression) bool { return !r.passes(x, values[code]) })
		if passes {
			s.Share += float64(n) / float64(r.release.Rows)
			if !before {
				s.Runs++
			}
		}
		before = passes
	}
	return s
}

// passes reports whether a condition is true if every column that it reads has this value.
func (r reader) passes(condition estimate.Expression, value anonymize.Value) bool {
	var outcomes []anonymize.Value
	for _, l := range condition.Leaves {
		leaf := r.question.Leaves[l]
		outcome, err := leaf.Eval(slices.Repeat([]anonymize.Value{value}, len(leaf.Columns)))
		if err != nil {
			return false
		}
		outcomes = append(outcomes, outcome)
	}
	if condition.Combine == nil {
		return isTrue(outcomes[0])
	}
	outcome, err := condition.Combine(outcomes)
	return err == nil && isTrue(outcome)
}

func isTrue(v anonymize.Value) bool {
	number, ok := v.Number()
	return ok && number != 0
}
