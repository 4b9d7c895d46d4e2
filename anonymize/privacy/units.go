package privacy

import (
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// counted returns the name of what a release counts: records, or units ([anonymize.Release.PerUnit]).
func counted(r *anonymize.Release) string {
	if r.Units != nil {
		return "units"
	}
	return "records"
}

// hasOneTuple reports whether every unit has one tuple of the fragment, so that a group's tuple
// counts add up to its units. It is true if records are units.
func hasOneTuple(r *anonymize.Release, f *anonymize.Fragment) bool {
	if r.Units == nil {
		return true
	}
	for g, units := range r.GroupSizes {
		sum := uint32(0)
		for _, n := range f.Count[f.GroupStart[g]:f.GroupStart[g+1]] {
			sum += n
		}
		if sum != units {
			return false
		}
	}
	return true
}

// haveOneValue reports whether every unit has only one value of each sensitive attribute.
func haveOneValue(r *anonymize.Release) bool {
	for _, f := range r.Fragments {
		if f.Role != anonymize.QuasiIdentifying && !hasOneTuple(r, f) {
			return false
		}
	}
	return true
}

// ofOneValue omits figures that need shares which sum to 1, if they do not.
func ofOneValue(check func(*anonymize.Release) ([]figure, error)) func(*anonymize.Release) ([]figure, error) {
	return func(r *anonymize.Release) ([]figure, error) {
		if !haveOneValue(r) {
			return nil, errors.New("a unit has several sensitive values: their shares of a group sum to more than 1, and a group may span what each of its units spans")
		}
		return check(r)
	}
}

// linksUnits refuses fragments that allow no conclusion about units: a value with several
// cells, or with several other values, is counted once with each.
func linksUnits(r *anonymize.Release, f *anonymize.Fragment) error {
	if f.Role == anonymize.QuasiIdentifying || f.Role == anonymize.Sensitive && len(f.Columns) == 1 || hasOneTuple(r, f) {
		return nil
	}
	return fmt.Errorf("fragment %s shows several tuples of a unit, and a sensitive value in more than one of them", f.Name)
}
