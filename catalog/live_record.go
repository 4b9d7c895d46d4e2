package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// A LiveRecord describes how a release follows its raw table. It is for
// accounts that may read the table: who knows when which numbers changed knows
// something about single records.
type LiveRecord struct {
	// Lineage is what [Releases.Follow] returned: one number for all versions.
	Lineage int64
	// Updates is "sealed" or "paper".
	Updates string
	// AutoRefresh is the number of changed rows after which the server
	// refreshes by itself; 0 for never.
	AutoRefresh int `json:",omitempty"`
	K           int
	// EachRow says that the owner has called every row a person of its own.
	EachRow bool `json:",omitempty"`
	// Earlier versions are kept for the owner under <name>_v<version>.
	Earlier bool `json:",omitempty"`
	// Waiting is the number of records that are in no group yet. It and the
	// counterfeits by kind are counted when the version is stored.
	Waiting              int
	ForgedByInsertion    int `json:",omitempty"`
	ForgedByDeletion     int `json:",omitempty"`
	ForgedByModification int `json:",omitempty"`
	// Uncalibrated is the number of changed records since the calibration.
	Uncalibrated int `json:",omitempty"`
	// Refreshed is when this version took the place of the one before; zero for
	// the first.
	Refreshed time.Time
}

// Forged returns the number of counterfeits of all kinds.
func (l *LiveRecord) Forged() int {
	return l.ForgedByInsertion + l.ForgedByDeletion + l.ForgedByModification
}

// count fills in what the private side says.
func (l *LiveRecord) count(live *anonymize.Live) {
	l.Waiting, l.ForgedByInsertion, l.ForgedByDeletion, l.ForgedByModification = 0, 0, 0, 0
	for i, kind := range live.Kind {
		switch kind {
		case anonymize.ForgedByInsertion:
			l.ForgedByInsertion++
		case anonymize.ForgedByDeletion:
			l.ForgedByDeletion++
		case anonymize.ForgedByModification:
			l.ForgedByModification++
		default:
			if live.Group[i] == anonymize.Waiting {
				l.Waiting++
			}
		}
	}
}

// Follows reports whether the release is the newest version of one that follows
// its raw table.
func (r *ReleaseRecord) Follows() bool { return r.Live != nil && !r.Live.Earlier }

// longestLiveName leaves room for the number of a version, and for the names of
// relations behind it.
const longestLiveName = 48

// versionName is the name of an earlier version.
func versionName(name string, version int) string { return fmt.Sprintf("%s_v%d", name, version) }

var versionSuffix = regexp.MustCompile(`^_v[0-9]+(_|$)`)

// keptName reports whether a relation has a name that is kept for earlier
// versions of the release.
func keptName(release, relation string) bool {
	return len(relation) > len(release) && strings.EqualFold(relation[:len(release)], release) &&
		versionSuffix.MatchString(strings.ToLower(relation[len(release):]))
}
