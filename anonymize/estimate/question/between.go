package question

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// If a column spans ([anonymize.FragmentColumn]), questions are evaluated only at the points that delimit intervals, but the table's numbers lie
// between these points. A monotonic part with the same value at two neighbouring points has that value between them, too; a condition is either true
// or false. So the points show what is possible and what is certain if, from each point to the next, at most one part of the conditions, keys and an
// argument changes. x = 19.95 has two parts, x >= 19.95 and x <= 19.95: both change if 19.95 is between two points.

// ReadsBetween reports whether, for the question, numbers between two points may differ from both points. Then its answer is never exact,
// has no standard error, and no hard bounds hold. It evaluates each part at each point.
func (q *Question) ReadsBetween(ctx context.Context, r *anonymize.Release) (bool, error) {
	work, looked := Checkpoint{Ctx: ctx}, make(map[[2]int]bool)
	for i := range q.Leaves {
		for _, column := range q.Leaves[i].Columns {
			at := [2]int{q.Leaves[i].Fragment, column}
			if looked[at] || !r.Fragments[at[0]].Columns[column].Spans {
				continue
			}
			looked[at] = true
			b := &betweenPoints{question: q, fragment: at[0], column: column, work: &work}
			if found, err := b.look(r.Fragments[b.fragment].Columns[column].Dictionary); found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// A betweenPoints examines the parts over one column.
type betweenPoints struct {
	question         *Question
	fragment, column int
	work             *Checkpoint
	before, here     [][]anonymize.Value // by leaf and part
}

func (b *betweenPoints) look(points []anonymize.Value) (bool, error) {
	single := anonymize.AreSingle(points)
	for i, point := range points {
		known, err := b.evaluate(point)
		if !known || err != nil {
			return true, err
		}
		if i > 0 && !points[i-1].IsNull() && b.differs() && !anonymize.Adjacent(points[i-1], point, single) {
			return true, nil
		}
		b.before, b.here = b.here, b.before[:0]
	}
	return false, nil
}

// evaluate evaluates the parts at a point; known is false if a leaf has no known parts, or a part fails.
func (b *betweenPoints) evaluate(point anonymize.Value) (known bool, err error) {
	for i := range b.question.Leaves {
		leaf := &b.question.Leaves[i]
		values := []anonymize.Value{}
		if leaf.Fragment == b.fragment && intersects(leaf.Columns, []int{b.column}) {
			if leaf.Parts == nil || !leaf.IsOfOneColumn() {
				return false, nil
			}
			if err := b.work.Pass(WorkPerEvaluation * (1 + len(leaf.Parts))); err != nil {
				return false, err
			}
			for _, part := range leaf.Parts {
				value, err := part([]anonymize.Value{point})
				if err != nil {
					return false, nil
				}
				values = append(values, value)
			}
		}
		b.here = append(b.here, values)
	}
	return true, nil
}

// differs reports whether a number between the last two points may differ from both.
func (b *betweenPoints) differs() bool {
	shared := 0
	for i := range b.question.Where {
		shared += b.changes(&b.question.Where[i], true)
	}
	for i := range b.question.Keys {
		shared += b.changes(&b.question.Keys[i], false)
	}
	if shared > 1 {
		return true
	}
	for i := range b.question.Aggregates {
		a := &b.question.Aggregates[i]
		if a.Argument != nil && shared+b.argumentChanges(a) > 1 {
			return true
		}
	}
	return false
}

// argumentChanges returns the changes of an argument. For COUNT only NULL matters: conditions choose it, and other values that stay known do not.
func (b *betweenPoints) argumentChanges(a *Aggregate) (n int) {
	if a.Kind != Count || a.Argument.Combine != nil {
		return b.changes(a.Argument, false)
	}
	for i, here := range b.here[a.Argument.Leaves[0]] {
		switch before := b.before[a.Argument.Leaves[0]][i]; {
		case here.IsNull() != before.IsNull():
			return 2
		case here != before && isTruth(here) && isTruth(before):
			n++
		}
	}
	return n
}

// changes counts the parts of an expression that change. It returns 2, meaning several, if a value other than a truth changes and the
// expression computes with it, or must be a condition.
func (b *betweenPoints) changes(e *Expression, truths bool) (n int) {
	for at, leaf := range e.Leaves {
		computes := truths || e.Combine != nil && !slices.Contains(e.Chosen, at)
		for i, here := range b.here[leaf] {
			before := b.before[leaf][i]
			switch {
			case here == before:
			case computes && !(isTruth(here) && isTruth(before)):
				return 2
			default:
				n++
			}
		}
	}
	return n
}

// isTruth reports whether v is 1, 0 or NULL.
func isTruth(v anonymize.Value) bool { return v.IsNull() || v == True || v == False }
