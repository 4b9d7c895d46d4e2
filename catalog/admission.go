package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// releaseName matches valid names of releases. The name is a prefix of the names of the
// release's relations, which must fit MySQL's 64 characters.
var releaseName = regexp.MustCompile(`^[0-9A-Za-z_$]{1,56}$`)

// An Admission decides whether a publication may be stored beside the releases that are or were public. The rule: at most one public grouping of
// a table at a time. Independent groupings of one table expose it: a record's sensitive value is in the intersection of its groups' values, which
// is often a single value.
//
// [Releases.Admit] decides before the work, so that a refusal comes early. [Releases.Publish] checks again while nobody else publishes, so an
// outdated early decision has no effect.
type Admission struct {
	releases    *Releases
	publication *Publication
	records     *candidate // nil before CompareRecords

	// Replaced is the release whose name the publication takes over, followed by its earlier versions.
	Replaced []*Published
	// Beside are the other public releases of the raw table; they stay.
	Beside []*Published

	composed bool // readers can combine it with another release of the records
}

// Admit makes the admission of a publication. It returns it even with a refusal, because a dry
// run reports the rest. Fragments need not be known yet.
func (r *Releases) Admit(ctx *sql.Context, p *Publication) (*Admission, error) {
	a := &Admission{releases: r, publication: p}
	return a, a.Check(ctx)
}

// Check applies every rule to the current releases and sets what the publication replaces.
func (a *Admission) Check(ctx *sql.Context) error {
	a.Replaced, a.Beside, a.composed = nil, nil, false
	moment := a.releases.current.Load() // one snapshot for all rules: others may publish meanwhile
	for _, rule := range []func(*sql.Context, *releaseSnapshot) error{
		a.refuseName, a.takeName, a.refuseSecondGrouping, a.refuseAfterDropped, a.refuseTakenRelations, a.refuseCopy, a.refuseOverspent,
	} {
		if err := rule(ctx, moment); err != nil {
			return err
		}
	}
	return nil
}

// OtherReleases are the table's other public releases that readers may compare with the publication: those that stay, and those that it replaces.
func (a *Admission) OtherReleases() (beside, before []*Published) {
	return a.Beside, slices.DeleteFunc(slices.Clone(a.Replaced), func(old *Published) bool { return old.record.Private })
}

func (a *Admission) refuseName(*sql.Context, *releaseSnapshot) error {
	name := a.publication.Record.Name
	if releaseName.MatchString(name) {
		return nil
	}
	if a.publication.Record.Imported {
		name = fmt.Sprintf("'%.80s'", name)
	}
	return &anonymize.ParameterError{Parameter: "publish", Value: name, Rule: "must have 1 to 56 letters, digits, _ or $"}
}

// takeName takes over the name of a release if that is allowed, and finds the other public
// releases of the table.
func (a *Admission) takeName(ctx *sql.Context, s *releaseSnapshot) error {
	record := &a.publication.Record
	for _, other := range s.releases {
		same, err := a.releases.sameSource(ctx, other.record.source(), record.source())
		if err != nil {
			return err
		}
		if strings.EqualFold(other.record.Name, record.Name) {
			if err := a.publication.refuseToReplace(other, same); err != nil {
				return err
			}
			a.Replaced = append([]*Published{other}, s.versions(other)...)
		} else if same && !other.record.Private {
			a.Beside = append(a.Beside, other)
		}
	}
	return nil
}

// refuseToReplace refuses to replace the release with the publication's name.
func (p *Publication) refuseToReplace(other *Published, sameSource bool) error {
	name := p.Record.Name
	switch {
	case p.Record.Imported && !other.record.Imported:
		return &anonymize.DataError{Reason: fmt.Sprintf("the name %q belongs to the release of a table: choose another one with publish=name (--name)", name)}
	case p.Record.Imported && !p.Replace:
		return &anonymize.DataError{Reason: fmt.Sprintf("there is an imported release %q: say replace=true (--replace), or choose another name with publish=name (--name)", name)}
	case p.Record.Imported:
		return nil
	case !sameSource:
		return &anonymize.DataError{Reason: fmt.Sprintf("the name %q belongs to the release of another table: choose another one with publish=name", name)}
	case other.record.Live != nil && other.record.Live.Earlier:
		return &anonymize.DataError{Reason: fmt.Sprintf(
			"%q is an earlier version of a release: choose another name with publish=name, or CALL drop_release('%s') first",
			other.record.Name, other.record.Name)}
	case !p.Replace:
		return p.alreadyReleased(other)
	case p.Record.Private && !other.record.Private:
		return &anonymize.DataError{Reason: fmt.Sprintf(
			"release %q is public; private=true would take it away from its readers: "+
				"choose another name with publish=name, or CALL drop_release('%s') first", other.record.Name, other.record.Name)}
	}
	return nil
}

// refuseSecondGrouping refuses a second public release of the table.
func (a *Admission) refuseSecondGrouping(*sql.Context, *releaseSnapshot) error {
	if a.publication.Record.Private || len(a.Beside) == 0 {
		return nil
	}
	return a.compose(a.publication.alreadyReleased(a.Beside[0]))
}

// refuseAfterDropped refuses a public release of a table that had another one, which its readers still know. Replacing a public release is
// allowed: its readers expect that. Readers of a release with another name, or of one before the replaced one was composed, do not.
func (a *Admission) refuseAfterDropped(ctx *sql.Context, _ *releaseSnapshot) error {
	if a.publication.Record.Private {
		return nil
	}
	continues := slices.ContainsFunc(a.Replaced, func(old *Published) bool { return !old.record.Private && !old.record.Composed })
	past, err := a.releases.pastPublications(ctx)
	if err != nil {
		return err
	}
	for _, other := range past {
		if other.dropped == "" || continues && strings.EqualFold(other.releaseName, a.publication.Record.Name) {
			continue // it is in Beside, or replaced, now or before
		}
		same, err := a.releases.sameSource(ctx, other.source(), a.publication.Record.source())
		if err != nil {
			return err
		}
		if same {
			return a.compose(other.refusal(""))
		}
	}
	return nil
}

// compose refuses a release that readers can combine with another one, unless the owner accepts
// the risk.
func (a *Admission) compose(refusal error) error {
	if !a.publication.AllowComposition {
		return refusal
	}
	a.composed = true
	return nil
}

// alreadyReleased returns the refusal. replace=true replaces only the release with the same name.
func (p *Publication) alreadyReleased(other *Published) error {
	state, replace := "public", "replace=true"
	if other.record.Private {
		state = "private"
	}
	if !strings.EqualFold(other.record.Name, p.Record.Name) {
		replace += " with publish=" + other.record.Name
	}
	instead := "Say " + replace + " to publish in its place" + source.OfSealed(other.record.Database, " (with updates=sealed, and CALL refresh_release adds later records without a second grouping)")
	if other.record.Follows() {
		instead = fmt.Sprintf("CALL refresh_release('%s') publishes its next version. Else say %s to publish in its place", other.record.Name, replace)
	}
	return &anonymize.DataError{Reason: fmt.Sprintf(
		"table %s.%s already has the %s release %q, and two independent releases of one table expose it. "+
			"%s, private=true with another publish=name for a release that only you can read, "+
			"or allow_composition=true with another publish=name to accept the risk",
		other.record.Database, other.record.Table, state, other.record.Name, instead)}
}

// refuseTakenRelations refuses a release if one of its relations has a name that is in use, or
// reserved for earlier versions of a release that stays.
func (a *Admission) refuseTakenRelations(_ *sql.Context, s *releaseSnapshot) error {
	record := a.publication.Record
	if a.publication.Release != nil {
		record.describe(a.publication.Release)
	}
	for _, name := range record.RelationNames() {
		// Do not name the other release: it may be private.
		taken, ok := s.tables[strings.ToLower(name)]
		if ok && !slices.Contains(a.Replaced, taken.of) || s.kept(name, a.Replaced) {
			return &anonymize.DataError{Reason: fmt.Sprintf("the name published.%s is taken by another release: choose another one with publish=name", name)}
		}
	}
	if record.Live == nil {
		return nil
	}
	if len(record.Name) > longestLiveName {
		return &anonymize.ParameterError{Parameter: "publish", Value: record.Name,
			Rule: fmt.Sprintf("must have at most %d characters, since earlier versions of a release that follows its table get names behind it", longestLiveName)}
	}
	for name, taken := range s.tables {
		if keptName(record.Name, name) && !slices.Contains(a.Replaced, taken.of) {
			return &anonymize.DataError{Reason: fmt.Sprintf(
				"the names published.%s_v1 and so on, which earlier versions would get, are taken in part by another release: "+
					"choose another name with publish=name", record.Name)}
		}
	}
	return nil
}

// kept reports whether a name is reserved for the earlier versions of a release that stays.
func (s *releaseSnapshot) kept(name string, replaced []*Published) bool {
	return slices.ContainsFunc(s.releases, func(p *Published) bool {
		return p.record.Follows() && keptName(p.record.Name, name) && !slices.Contains(replaced, p)
	})
}

// versions returns the earlier versions of a release that follows its table.
func (s *releaseSnapshot) versions(of *Published) []*Published {
	if !of.record.Follows() {
		return nil
	}
	var found []*Published
	for _, p := range s.releases {
		if p != of && p.record.Live != nil && p.record.Live.Lineage == of.record.Live.Lineage {
			found = append(found, p)
		}
	}
	return found
}
