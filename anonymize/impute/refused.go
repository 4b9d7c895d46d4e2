package impute

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// A RefusedError says why a release cannot have completed tables.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the release cannot be completed: " + e.Reason }

// widestGroup is the size of the largest group whose places fit into two bytes.
const widestGroup = 1 << 16

// Refuse returns a RefusedError if Complete cannot complete the release, else nil. Cost:
// O(groups).
func Refuse(r *anonymize.Release) error {
	if len(r.Fragments) < 2 {
		return &RefusedError{"it has one fragment, which says all of every record"}
	}
	if r.Forged > 0 {
		return &RefusedError{fmt.Sprintf("%d of its records are counterfeits, and nobody knows which", r.Forged)}
	}
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			if !c.IsPoint() {
				return &RefusedError{fmt.Sprintf("column %s has cells that stand for several values", c.Name)}
			}
		}
	}
	for g, size := range r.GroupSizes {
		if size > widestGroup {
			return &RefusedError{fmt.Sprintf("group %d has %d records, more than %d", g, size, widestGroup)}
		}
	}
	return nil
}
