package catalog

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// A LiveRecord describes how a release follows its raw table. It is for accounts that may read
// the table: the times and sizes of changes reveal something about single records.
type LiveRecord struct {
	// Lineage is the result of [Releases.Follow], the same for all versions.
	Lineage int64
	// Updates is "sealed" or "paper".
	Updates string
	// AutoRefresh is the number of changed rows after which the server refreshes the release
	// automatically; 0 for never.
	AutoRefresh int `json:",omitempty"`
	K           int
	// EachRow says that the owner declared every row to be a person.
	EachRow bool `json:",omitempty"`
	// Earlier says that this is an earlier version, kept for the owner as <name>_v<version>.
	Earlier bool `json:",omitempty"`
	// Waiting is the number of records without a group. It and the counterfeits by kind are
	// counted when the version is stored.
	Waiting              int
	ForgedByInsertion    int `json:",omitempty"`
	ForgedByDeletion     int `json:",omitempty"`
	ForgedByModification int `json:",omitempty"`
	// MeasuredWhenAsked says that the owner published it with calibrate=false.
	MeasuredWhenAsked bool `json:",omitempty"`
	// Uncalibrated is the number of changed records since the calibration.
	Uncalibrated int `json:",omitempty"`
	// Refreshed is when this version replaced the previous one; zero for the first.
	Refreshed time.Time
}

// Forged returns the number of counterfeits of all kinds.
func (l *LiveRecord) Forged() int {
	return l.ForgedByInsertion + l.ForgedByDeletion + l.ForgedByModification
}

// count sets the numbers that the private side determines.
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

// Follows reports whether the release is the current version of one that follows its raw table.
func (r *ReleaseRecord) Follows() bool { return r.Live != nil && !r.Live.Earlier }

// longestLiveName leaves room for a version number and for the suffixes of relations.
const longestLiveName = 48

// versionName returns the name of an earlier version.
func versionName(name string, version int) string { return fmt.Sprintf("%s_v%d", name, version) }

var versionSuffix = regexp.MustCompile(`^_v[0-9]+(_|$)`)

// keptName reports whether the name of a relation is reserved for earlier versions of the
// release.
func keptName(release, relation string) bool {
	return len(relation) > len(release) && strings.EqualFold(relation[:len(release)], release) &&
		versionSuffix.MatchString(strings.ToLower(relation[len(release):]))
}
