package functions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/functions/texts"
)

const (
	// intersectionSample is the number of records that are looked up in all releases, fewer if these have many tuples: each is compared with every tuple.
	intersectionSample  = 1000
	intersectionAtLeast = 50
	intersectionLooks   = 200_000_000
)

// intersect measures what the release reveals together with the table's other public releases: those that it stands beside
// (allow_composition=true) and those that it replaces, which their readers keep. The figures join its guarantees. Dropped releases are unknown.
func (p *publication) intersect(ctx *sql.Context) error {
	if p.Record.Private || !p.AllowComposition && !p.Replace {
		return nil
	}
	if err := p.admission.Check(ctx); err != nil {
		return p.refuse(err)
	}
	beside, before := p.admission.OtherReleases()
	if p.attacks == "false" {
		if len(beside)+len(before) > 0 {
			ctx.Warn(mysql.ERUnknownError, "not measured: what this release reveals together with the table's other public releases (attacks=false, which model_epsilon= implies)")
		}
		return nil
	}
	large := func(other *catalog.Published) bool {
		if other.IsLarge() {
			ctx.Warn(mysql.ERUnknownError, "not measured: what this release reveals together with release %s, which an engine keeps and which is too large to be read", other.Record().Name)
		}
		return other.IsLarge()
	}
	beside, before = slices.DeleteFunc(beside, large), slices.DeleteFunc(before, large)
	if len(beside)+len(before) == 0 {
		return nil
	}
	releases, records := []*anonymize.Release{p.release}, []*catalog.ReleaseRecord{&p.Record}
	for _, other := range append(beside, before...) {
		for _, name := range slices.Concat(other.Record().QuasiIdentifiers, other.Record().Sensitive) {
			if !slices.ContainsFunc(p.table.Schema(), func(c *sql.Column) bool { return c.Name == name }) {
				ctx.Warn(mysql.ERUnknownError, "not measured: what this release tells together with release %s, which publishes a column %s that the table no longer has. "+
					"If the column was renamed, give it that name again, and a dry run measures", other.Record().Name, name)
				return nil
			}
		}
		release, err := other.Release(ctx)
		if err != nil {
			return err
		}
		releases, records = append(releases, release), append(records, other.Record())
	}
	// Attributes that differ between releases identify no person across them: dates that one of them moved, and weights, whose classes depend on the promises.
	known := slices.DeleteFunc(slices.Clone(p.roles.QuasiIdentifiers), func(name string) bool {
		at := p.table.Schema().IndexOfColName(name)
		return slices.ContainsFunc(records, func(r *catalog.ReleaseRecord) bool {
			return strings.EqualFold(r.Weight.Name(), name) || r.MovedDays > 0 && at >= 0 && coding.IsDates(p.table.Schema()[at].Type.String())
		})
	})
	sample, replaced, ofRecords := intersectionRecords(releases, p.input.Rows), "", victim{release: p.release}.ofRecords()
	if len(before) > 0 {
		replaced = fmt.Sprintf(" (%d of them replaced by this one)", len(before))
	}
	for _, sensitive := range p.input.Sensitive {
		quasi, err := p.microdata.Select(known...)
		if err != nil {
			return err
		}
		one, mean, err := privacy.Intersection(ctx, releases, quasi, sensitive, sample)
		if err != nil {
			return err
		}
		alone, _, err := privacy.Intersection(ctx, releases[:1], quasi, sensitive, sample)
		if err != nil {
			return err
		}
		if len(before) > 0 && one > alone {
			p.replacedTell = append(p.replacedTell, fmt.Sprintf(
				"readers of the release that this one replaces may have kept it: who knows a person's quasi-identifiers and compares the two "+
					"is left with one value of %s for %.3g %% of the records, with this one alone for %.3g %% (measured on %d records%s). "+
					"Private versions (private=true) tell nobody, and versions that CALL refresh_release makes of a release with updates=sealed tell no more than one of them",
				sensitive.Name, 100*one, 100*alone, len(sample), ofRecords))
		}
		about := fmt.Sprintf("%s: an attacker who knows a person's quasi-identifiers and reads the table's %d public releases%s, measured on %d records",
			sensitive.Name, len(releases), replaced, len(sample))
		p.Record.Guarantees = append(p.Record.Guarantees,
			fact("intersection_one", texts.Thousandths(one), about+": share of records left with one candidate value"+ofRecords),
			fact("intersection_candidates", texts.Thousandths(mean), about+": mean number of candidate values"+ofRecords))
	}
	return nil
}

// intersectionRecords spreads a sample over the table.
func intersectionRecords(releases []*anonymize.Release, rows int) []int {
	tuples := 1
	for _, r := range releases {
		for _, f := range r.Fragments {
			tuples += f.Tuples()
		}
	}
	sample := min(rows, intersectionSample, max(intersectionAtLeast, intersectionLooks/tuples))
	records := make([]int, sample)
	for i := range records {
		records[i] = i * rows / sample
	}
	return records
}
