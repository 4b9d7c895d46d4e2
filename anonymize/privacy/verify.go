package privacy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A checker recomputes some guarantees. Its error says why it cannot, for this
// release; that is an error of Verify only if one of them was promised.
type checker struct {
	names []string
	check func(r *anonymize.Release) ([]figure, error)
}

// checkers is the one list; a new guarantee is one line here and a name in
// reported.
func checkers() []checker {
	return []checker{
		{[]string{"alpha"}, recordAssociation},
		{[]string{"beta", "delta", "lift"}, sensitiveAssociation},
		{[]string{"gamma", "presence"}, presence},
	}
}

// reported is the order of the report.
var reported = []string{"alpha", "beta", "gamma", "presence", "delta", "lift"}

// A figure is the worst value of a guarantee, before it meets its bound.
type figure struct {
	name   string
	worst  exact
	group  int
	detail string
}

// raise takes a group's value if it is worse than all before it.
func (f *figure) raise(value exact, group int) bool {
	if f.group >= 0 && value.compare(f.worst) <= 0 {
		return false
	}
	f.worst, f.group = value, group
	return true
}

// Verify checks that r is well-formed and recomputes every guarantee that can be
// recomputed from its fragments. A guarantee that was promised has Required, and
// Holds says whether it is met; the others are reported and hold.
//
// A malformed release, a promise that has no checker here, is made twice or has
// no bound, and a promise that cannot be checked on this release
// (*[CannotCheckError]) are errors. A broken promise is not: see [FirstBroken].
func Verify(r *anonymize.Release) ([]anonymize.Guarantee, error) {
	if err := wellFormed(r); err != nil {
		return nil, fmt.Errorf("the release is malformed: %w", err)
	}
	promised, err := promises(r)
	if err != nil {
		return nil, err
	}
	var guarantees []anonymize.Guarantee
	for _, c := range checkers() {
		figures, err := c.check(r)
		if err != nil {
			for _, name := range c.names {
				if _, ok := promised[name]; ok {
					return nil, &CannotCheckError{Guarantee: name, Reason: err.Error()}
				}
			}
			continue
		}
		for _, f := range figures {
			guarantees = append(guarantees, f.guarantee(promised))
		}
	}
	slices.SortFunc(guarantees, func(a, b anonymize.Guarantee) int {
		return slices.Index(reported, a.Name) - slices.Index(reported, b.Name)
	})
	return guarantees, nil
}

// promises returns the bounds by name.
func promises(r *anonymize.Release) (map[string]anonymize.Ratio, error) {
	bounds := make(map[string]anonymize.Ratio, len(r.Promises))
	for _, p := range r.Promises {
		if !slices.Contains(reported, p.Guarantee) {
			return nil, &CannotCheckError{Guarantee: p.Guarantee, Reason: "no checker knows it"}
		}
		if _, twice := bounds[p.Guarantee]; twice {
			return nil, fmt.Errorf("%s is promised twice", p.Guarantee)
		}
		if p.Bound.Den == 0 { // anything compares as equal to it
			return nil, fmt.Errorf("%s is promised without a bound", p.Guarantee)
		}
		bounds[p.Guarantee] = p.Bound
	}
	return bounds, nil
}

func (f figure) guarantee(promised map[string]anonymize.Ratio) anonymize.Guarantee {
	g := anonymize.Guarantee{Name: f.name, Achieved: f.worst.float(), WorstGroup: f.group, Detail: f.detail, Holds: true}
	if bound, ok := promised[f.name]; ok {
		g.Required, g.Holds = &bound, f.worst.compare(exact{ratio: bound}) <= 0
	}
	return g
}

// A CannotCheckError says that a promised guarantee cannot be recomputed from
// the release, and why. Such a release must not be published.
type CannotCheckError struct {
	Guarantee, Reason string
}

func (e *CannotCheckError) Error() string {
	return fmt.Sprintf("%s was promised and cannot be checked: %s", e.Guarantee, e.Reason)
}

// A BrokenError is a promise that the release does not keep.
type BrokenError struct {
	anonymize.Guarantee
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%s is %.6g in group %d, promised was at most %s: %s",
		e.Name, e.Achieved, e.WorstGroup, e.Required, e.Detail)
}

// FirstBroken returns a *[BrokenError] for the first guarantee that does not
// hold, or nil.
func FirstBroken(guarantees []anonymize.Guarantee) error {
	for _, g := range guarantees {
		if !g.Holds {
			return &BrokenError{g}
		}
	}
	return nil
}

// wellFormed asks what the checkers rely on beyond Release.Check: records,
// groups that are not empty, and cells inside their dictionaries.
func wellFormed(r *anonymize.Release) error {
	if err := r.Check(); err != nil {
		return err
	}
	if r.Rows == 0 {
		return errors.New("it has no records")
	}
	if g := slices.Index(r.GroupSizes, 0); g >= 0 {
		return fmt.Errorf("group %d has no records", g)
	}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			for i := range c.Cells {
				if err := checkCell(&c.Cells[i], len(c.Dictionary)); err != nil {
					return fmt.Errorf("fragment %s: column %s: cell %q %w", f.Name, c.Name, c.Cells[i].Label, err)
				}
			}
		}
	}
	return nil
}

func checkCell(c *anonymize.Cell, values int) error {
	if len(c.Members) == 0 {
		return errors.New("stands for no value")
	}
	if c.Weights != nil && len(c.Weights) != len(c.Members) {
		return fmt.Errorf("has %d weights for %d members", len(c.Weights), len(c.Members))
	}
	for i, m := range c.Members {
		if int(m) >= values {
			return fmt.Errorf("has member %d, beyond its %d values", m, values)
		}
		if i > 0 && c.Members[i-1] >= m {
			return errors.New("has members that are not ascending")
		}
	}
	return nil
}
