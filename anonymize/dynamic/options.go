package dynamic

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Options of one update.
type Options struct {
	// Method is the release's method. Required.
	Method anonymize.Method
	// Arguments are the method's parameters in the first release. Required.
	Arguments anonymize.Arguments
	// Domains are the owner's current declarations, used for new cells. Other columns have the
	// domain that follows from their values.
	Domains map[string]*anonymize.Domain
	// Random is the source of all choices. Required.
	Random rand.Source
	// Before is the previous version. Required by Sealed.
	Before *anonymize.Release
	// Promises are those of the release: the method's own and the additional ones in Asked. A method
	// may look for groups that keep the latter. NotSensitive are the values that they do not cover.
	Promises, Asked []anonymize.Promise
	NotSensitive    []string
	// Held are waiting units, by number ([anonymize.Live.Units]), that keep waiting. If Closed,
	// so do all units in no group of Kept, which an earlier attempt at the same update made.
	Kept   []*Batch
	Held   map[int64]bool
	Closed bool
	// Why, if not nil, is what the groups of an earlier attempt broke; then all units keep waiting.
	Why error
	// Progress, if not nil, receives finished work.
	Progress func(phase string, done, total int)
}

// An Outcome is the result of an update.
type Outcome struct {
	Live    *anonymize.Live
	Release *anonymize.Release
	// New has the new groups as a separate release; anyone with the previous version can
	// identify them. It is nil if there are none, and for printed updates.
	New *anonymize.Release
	// From has, by gid of Release, the group's previous gid; -1 for a new group.
	From []int
	// Numbers of touched records. A record that was inserted and deleted, or only moved to another row, is Unchanged.
	Inserted, Deleted, Modified, Unchanged int
	// Rewritten maps the previous key of a record to its key in Live: see [Sealed].
	Rewritten Keys
	// Waiting persons are in the table and not in the release. Why is the reason, from the method if it found no groups, else from the options.
	Waiting int
	Why     error
	// Forged has the published counterfeits by anonymize.RecordKind.
	Forged [4]int

	batches []*Batch
	unitOf  []int64 // by record of the update; nil if every record is a unit
}

// GroupSize returns the least number of units of a group under the promises, at least 1. It
// allows groups that small also if a promise covers records across groups (breach).
func GroupSize(promises []anonymize.Promise) int {
	size := 1
	for _, p := range promises {
		switch base, _, _ := anonymize.SplitAbout(p.Guarantee); {
		case base == "breach":
			return 1
		case p.NotSensitive != nil: // groups with only those values may have any size
		case slices.Contains([]string{"k", "size", "l", "l_threshold", "l_sets", "distinct"}, base):
			size = max(size, ceiling(p.Bound.Num, p.Bound.Den))
		case base == "beta" && p.Bound.Num > 0:
			size = max(size, ceiling(p.Bound.Den, p.Bound.Num))
		}
	}
	return size
}

func ceiling(num, den uint64) int { return int((num + den - 1) / den) }

// spansGroups reports whether records of other groups protect a record, too. Then no group may go before all do.
func spansGroups(promises []anonymize.Promise) bool {
	for _, p := range promises {
		if p.Guarantee == "breach" {
			return true
		}
	}
	return false
}

// facts informs the owner of counterfeits and waiting records.
func (o *Outcome) facts() []anonymize.Fact {
	waiting := fmt.Sprintf("%d records for a group", o.Waiting)
	if o.Why != nil {
		waiting += ": " + o.Why.Error()
	}
	return []anonymize.Fact{
		{Name: "counterfeits", Value: fmt.Sprintf("%d of %d records: %d by insertions, %d by deletions, %d by modifications", o.Release.Forged, o.Release.Rows,
			o.Forged[anonymize.ForgedByInsertion], o.Forged[anonymize.ForgedByDeletion], o.Forged[anonymize.ForgedByModification])},
		{Name: "waiting", Value: waiting},
	}
}
