package dynamic

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Start makes the private side of a new release. keys has the permanent number of every
// record's row; gidOf its gid, or Waiting if the record is left out. The columns unit identify
// the unit of every record; without them, each record is a unit. The result shares the columns.
func Start(in *anonymize.Input, gidOf []uint32, keys []int64, unit ...*anonymize.Column) (*anonymize.Live, error) {
	if len(in.Sensitive) != 1 {
		return nil, &anonymize.DataError{
			Reason: fmt.Sprintf("a release that follows its table protects one sensitive attribute, %d are given", len(in.Sensitive)),
		}
	}
	if len(gidOf) != in.Rows || len(keys) != in.Rows {
		return nil, fmt.Errorf("%d records have %d gids and %d keys", in.Rows, len(gidOf), len(keys))
	}
	live := &anonymize.Live{
		Columns: slices.Concat(unit, in.QuasiIdentifiers, in.Sensitive), UnitColumns: len(unit),
		Key: slices.Clone(keys), Group: slices.Clone(gidOf), Kind: make([]anonymize.RecordKind, in.Rows),
	}
	seen := make(map[int64]bool, len(keys))
	for record, key := range keys {
		if seen[key] {
			return nil, fmt.Errorf("two records have the key %d", key)
		}
		seen[key] = true
		if g := gidOf[record]; (g != anonymize.Waiting || len(unit) == 0) && int(g) >= in.Rows {
			return nil, fmt.Errorf("record %d of %d is in group %d", record, in.Rows, gidOf[record])
		}
	}
	return live, nil
}

// CanFollow requires that a release publishes the sensitive attribute separately, as values:
// new groups are published beside old ones, and versions are compared by the values of groups.
func CanFollow(r *anonymize.Release, sensitive string) error {
	fragment, column, ok := r.Locate(sensitive)
	why := ""
	switch f := r.Fragments[fragment]; {
	case !ok:
		return fmt.Errorf("the release has no column %s", sensitive)
	case len(f.Columns) > 1:
		why = "beside other attributes"
	case !f.Columns[column].IsPoint():
		why = "generalized or randomized"
	default:
		return nil
	}
	return &anonymize.DataError{Reason: fmt.Sprintf("a release that follows its table publishes the sensitive values of a group by themselves, and this one has "+
		"%s %s: say updates=none, or another way of publishing it", sensitive, why)}
}

// PrintedMethods are the methods of [Printed].
var PrintedMethods = []string{"drasl", "dpp"}

// Obstacle says why no release of a method can follow its table, as the end of a sentence about the method; "" if some can ([CanFollow]).
func Obstacle(method string) string {
	switch method {
	case "nonhomogeneous":
		return "publishes a set of sensitive values with every record, and versions are compared by the values of a group"
	case "modeled":
		return "publishes one model of the whole table, and no groups that new ones could stand beside"
	}
	return ""
}
