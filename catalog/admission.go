package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// releaseName is what a release may be called: the name begins the names of
// its relations, which must fit MySQL's 64 characters.
var releaseName = regexp.MustCompile(`^[0-9A-Za-z_$]{1,56}$`)

// Admit decides whether a release may be stored, and which releases it
// replaces. The rule: at most one public grouping of a table at a time, since
// independent groupings of one table expose it: a record's sensitive value is in
// the intersection of what its groups have, and that is often one value.
// Fragments need not be known yet.
func (r *Releases) Admit(ctx *sql.Context, p *Publication) (replaced []*Published, err error) {
	if !releaseName.MatchString(p.Record.Name) {
		return nil, &anonymize.ParameterError{Parameter: "publish", Value: p.Record.Name,
			Rule: "must have 1 to 56 letters, digits, _ or $"}
	}
	snapshot := r.current.Load()
	var public []*Published
	var named *Published // the release whose name the publication takes over
	for _, other := range snapshot.releases {
		same, err := r.sameSource(ctx, other.record.source(), p.Record.source())
		if err != nil {
			return nil, err
		}
		if same && !other.record.Private {
			public = append(public, other)
		}
		if strings.EqualFold(other.record.Name, p.Record.Name) {
			if err := p.admitName(other, same); err != nil {
				return nil, err
			}
			named = other
		}
	}
	if named != nil {
		replaced = append(replaced, named)
	}
	if err := p.admitPublic(public, replaced); err != nil {
		return nil, err
	}
	if err := r.admitPast(ctx, p, replaced); err != nil {
		return nil, err
	}
	if len(replaced) > 0 {
		replaced = append(replaced, snapshot.versions(replaced[0])...)
	}
	return replaced, snapshot.namesFree(p, replaced)
}

// admitName decides whether the publication may take the place of the release
// that has its name.
func (p *Publication) admitName(other *Published, sameSource bool) error {
	switch {
	case !sameSource:
		return &anonymize.DataError{
			Reason: fmt.Sprintf("the name %q belongs to the release of another table: choose another one with publish=name", p.Record.Name),
		}
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

// admitPublic applies the rule of one public grouping.
func (p *Publication) admitPublic(public, replaced []*Published) error {
	if p.Record.Private {
		return nil
	}
	p.Record.Composed = false
	for _, other := range public {
		if len(replaced) > 0 && replaced[0] == other {
			continue
		}
		if !p.AllowComposition {
			return p.alreadyReleased(other)
		}
		p.Record.Composed = true
	}
	return nil
}

// alreadyReleased refuses. replace=true takes the place of the release of its name, and of no other.
func (p *Publication) alreadyReleased(other *Published) error {
	state, replace := "public", "replace=true"
	if other.record.Private {
		state = "private"
	}
	if !strings.EqualFold(other.record.Name, p.Record.Name) {
		replace += " with publish=" + other.record.Name
	}
	return &anonymize.DataError{Reason: fmt.Sprintf(
		"table %s.%s already has the %s release %q, and two independent releases of one table expose it. "+
			"Say %s to publish in its place, private=true with another publish=name for a release that only you can read, "+
			"or allow_composition=true with another publish=name to accept the risk",
		other.record.Database, other.record.Table, state, other.record.Name, replace)}
}

// namesFree checks that no relation of the new release has the name of one
// that stays, or one that is kept for earlier versions of a release that stays.
func (s *releaseSnapshot) namesFree(p *Publication, replaced []*Published) error {
	record := p.Record
	if p.Release != nil {
		record.Fragments = fragmentRecords(p.Release)
	}
	for _, name := range record.RelationNames() {
		// Whose it is stays unsaid: it may be a private release.
		taken, ok := s.tables[strings.ToLower(name)]
		if ok && !slices.Contains(replaced, taken.of) || s.kept(name, replaced) {
			return &anonymize.DataError{Reason: fmt.Sprintf("the name published.%s is taken by another release: choose another one with publish=name", name)}
		}
	}
	if record.Live == nil {
		return nil
	}
	if len(record.Name) > longestLiveName {
		return &anonymize.ParameterError{Parameter: "publish", Value: record.Name,
			Rule: fmt.Sprintf(
				"must have at most %d characters, since earlier versions of a release that follows its table get names behind it",
				longestLiveName,
			)}
	}
	for name, taken := range s.tables {
		if keptName(record.Name, name) && !slices.Contains(replaced, taken.of) {
			return &anonymize.DataError{Reason: fmt.Sprintf(
				"the names published.%s_v1 and so on, which earlier versions would get, are taken in part by another release: "+
					"choose another name with publish=name", record.Name)}
		}
	}
	return nil
}

// kept reports whether a name is kept for the earlier versions of a release
// that stays.
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
