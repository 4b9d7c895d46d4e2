package dynamic

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Options are those of one update.
type Options struct {
	// Method is that of the release. Required.
	Method anonymize.Method
	// Arguments are the method's parameters, those of the first release. Required.
	Arguments anonymize.Arguments
	// Domains are what the owner says of the columns now: new cells are made by them. Columns without one have what follows from
	// their values.
	Domains map[string]*anonymize.Domain
	// Random is the source of all choices. Required.
	Random rand.Source
	// Before is the version before. Required by Sealed.
	Before *anonymize.Release
	// Promises are those of the release, the method's own and what was asked beside: Asked. Of the latter a method may look for groups
	// that keep them. NotSensitive are the values that they are not about.
	Promises, Asked []anonymize.Promise
	NotSensitive    []string
	// Of the units that wait, by their numbers ([anonymize.Live.Units]), those that are held wait on. Closed: so do all that are in no
	// group of Kept, which an attempt at the same update made.
	Kept   []*Batch
	Held   map[int64]bool
	Closed bool
	// Why is what the groups of an attempt broke, after which all wait on; nil else.
	Why error
	// Progress is told of finished work; nil when nobody listens.
	Progress func(phase string, done, total int)
}

// An Outcome is what an update makes.
type Outcome struct {
	Live    *anonymize.Live
	Release *anonymize.Release
	// New are the new groups as a release of their own: whoever has the version before can tell them from the others. Nil where there
	// are none, and of printed updates.
	New *anonymize.Release
	// From has, by gid of Release, the gid that the group had before; -1 for a new
	// group.
	From []int
	// Of the records that were touched. One that came and went is Unchanged, and one that has another row now.
	Inserted, Deleted, Modified, Unchanged int
	// Rewritten has, by the key that a record had before, the one that it has in Live: see [Sealed].
	Rewritten Keys
	// Waiting persons are in the table and not in the release. Why is the method's reason where it found no groups of them, or that of the options.
	Waiting int
	Why     error
	// Forged are the published counterfeits by anonymize.RecordKind.
	Forged [4]int

	batches []*Batch
	unitOf  []int64 // by record of the update; nil where every record is one
}

// GroupSize is the least number of units that a group may have under the promises, at least 1. Where a promise is about records in several
// groups (breach), groups may be as small.
func GroupSize(promises []anonymize.Promise) int {
	size := 1
	for _, p := range promises {
		switch base, _, _ := anonymize.SplitAbout(p.Guarantee); {
		case base == "breach":
			return 1
		case p.NotSensitive != nil: // groups of those values alone may have any size
		case slices.Contains([]string{"k", "size", "l", "l_threshold", "l_sets", "distinct"}, base):
			size = max(size, ceiling(p.Bound.Num, p.Bound.Den))
		case base == "beta" && p.Bound.Num > 0:
			size = max(size, ceiling(p.Bound.Den, p.Bound.Num))
		}
	}
	return size
}

func ceiling(num, den uint64) int { return int((num + den - 1) / den) }

// spansGroups reports whether who is hidden by records of other groups, too: then no group may go before all do.
func spansGroups(promises []anonymize.Promise) bool {
	for _, p := range promises {
		if p.Guarantee == "breach" {
			return true
		}
	}
	return false
}

// facts tells the owner of counterfeits and of those who wait.
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
