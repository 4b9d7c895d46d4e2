package dynamic

import (
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/anonymize/drasl"
)

// Options are those of one update.
type Options struct {
	// Method is "drasl" or "dpp". Required.
	Method string
	// Arguments are the method's parameters, those of the first release. Required.
	Arguments anonymize.Arguments
	// Domains are those of the first release: cells keep their labels only under
	// the same taxonomies and orders. Columns without one have what follows from
	// their values.
	Domains map[string]*anonymize.Domain
	// Random is the source of all choices. Required.
	Random rand.Source
	// Before is the version before, Asked what was promised of it beside the method's own:
	// of releases by units alone. Before is required there.
	Before *anonymize.Release
	Asked  []anonymize.Promise
	// Of the units that wait, by their numbers ([anonymize.Live.Units]), those that are
	// listed together make a group, and those that are held wait on. Closed: so do all
	// others.
	Together [][]int64
	Held     map[int64]bool
	Closed   bool
	// Progress is told of finished work; nil when nobody listens.
	Progress func(phase string, done, total int)
}

// An Outcome is what an update makes.
type Outcome struct {
	Live    *anonymize.Live
	Release *anonymize.Release
	// From has, by gid of Release, the gid that the group had before; -1 for a new
	// group.
	From []int
	// Of the records that were touched. One that came and went is Unchanged.
	Inserted, Deleted, Modified, Unchanged int
	// Waiting persons are in the table and not in the release.
	Waiting int
	// Forged are the published counterfeits by anonymize.RecordKind.
	Forged [4]int
}

// settings are options that have been read.
type settings struct {
	Options
	method       anonymize.Method
	k            int
	weights      clustering.Weights
	joint, exact bool
	improve      bool
	unlinked     bool // no synonyms in a new group
}

func (o Options) read() (*settings, error) {
	s := &settings{Options: o}
	method, weights := clustering.DPP(), clustering.WeightsOf
	switch o.Method {
	case "drasl":
		method, weights = drasl.Method(), drasl.WeightsOf
	case "dpp":
	default:
		return nil, &anonymize.ParameterError{Parameter: "method", Value: "'" + o.Method + "'", Rule: "releases of drasl and dpp can follow their table"}
	}
	if o.Random == nil {
		return nil, &anonymize.DataError{Reason: "no source of randomness is given"}
	}
	given, err := method.Resolve(o.Arguments)
	if err != nil {
		return nil, err
	}
	s.method = method
	s.k, s.weights = clustering.Size.Read(given), weights(given)
	s.joint, s.exact = clustering.IsJoint(given), clustering.IsExact(given)
	s.improve, s.unlinked = drasl.Improve.Read(given), drasl.IsLinkFree(given)
	return s, nil
}

// GroupSize is the k of both methods.
func GroupSize(s anonymize.Settings) int { return clustering.Size.Read(s) }

// counterfeits tells the owner how many there are.
func (o *Outcome) facts() []anonymize.Fact {
	return []anonymize.Fact{
		{Name: "counterfeits", Value: fmt.Sprintf("%d of %d records: %d by insertions, %d by deletions, %d by modifications", o.Release.Forged, o.Release.Rows,
			o.Forged[anonymize.ForgedByInsertion], o.Forged[anonymize.ForgedByDeletion], o.Forged[anonymize.ForgedByModification])},
		{Name: "waiting", Value: fmt.Sprintf("%d records for a group", o.Waiting)},
	}
}
