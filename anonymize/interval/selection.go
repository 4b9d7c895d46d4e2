package interval

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A Selection is how a question takes the values of an attribute: together, by a condition or as the numbers of
// an aggregate; or each by itself, as keys do: the zero value.
type Selection struct {
	// Share is that of the release's records whose value a condition lets pass, and Runs how many runs of values next
	// to each other these are.
	Share float64
	Runs  int
	// Weighted says that the values are the numbers of an aggregate, all of them.
	Weighted bool
}

// selection is how the question takes the values of an attribute; own are those of an aggregate.
func (r reader) selection(own []string, name string) Selection {
	if slices.Contains(own, name) {
		return Selection{Weighted: true}
	}
	if slices.Contains(r.columns(r.question.Keys...), name) {
		return Selection{}
	}
	var conditions []estimate.Expression
	for _, x := range r.question.Where {
		switch names := r.columns(x); {
		case !slices.Contains(names, name):
		case slices.ContainsFunc(names, func(other string) bool { return other != name }):
			return Selection{} // nobody knows which of its values pass
		default:
			conditions = append(conditions, x)
		}
	}
	return r.passing(name, conditions)
}

// passing finds the values of an attribute that pass all conditions, which read no other.
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

// passes reports whether a condition is true of a value, that of every column which it reads.
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
