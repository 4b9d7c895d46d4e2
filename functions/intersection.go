package functions

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/functions/texts"
)

const (
	// intersectionSample records are looked up in all releases, fewer when they
	// have many tuples: a record costs a look at every tuple.
	intersectionSample  = 1000
	intersectionAtLeast = 50
	intersectionLooks   = 200_000_000
)

// intersect measures what the release tells together with the table's other
// public releases, when allow_composition=true let it stand beside them; the
// figures join its guarantees. Releases that were dropped are not known any more.
func (p *publication) intersect(ctx *sql.Context) error {
	if p.Record.Private || !p.AllowComposition || p.attacks == "false" {
		return nil
	}
	beside, err := p.environment.Releases.PublicBeside(ctx, &p.Publication)
	if err != nil || len(beside) == 0 {
		return err
	}
	releases := []*anonymize.Release{p.release}
	for _, other := range beside {
		release, err := other.Release(ctx)
		if err != nil {
			return err
		}
		releases = append(releases, release)
	}
	records := intersectionRecords(releases, p.input.Rows)
	for _, sensitive := range p.input.Sensitive {
		one, mean, err := privacy.Intersection(ctx, releases, p.input.QuasiIdentifiers, sensitive, records)
		if err != nil {
			return err
		}
		about := fmt.Sprintf(
			"%s: an attacker who knows a person's quasi-identifiers and reads the table's %d public releases, measured on %d records",
			sensitive.Name,
			len(releases),
			len(records),
		)
		p.Record.Guarantees = append(
			p.Record.Guarantees,
			anonymize.Guarantee{
				Name:       "intersection_one",
				Achieved:   texts.Thousandths(one),
				WorstGroup: -1,
				Holds:      true,
				Detail:     about + ": share of records left with one candidate value",
			},
			anonymize.Guarantee{
				Name:       "intersection_candidates",
				Achieved:   texts.Thousandths(mean),
				WorstGroup: -1,
				Holds:      true,
				Detail:     about + ": mean number of candidate values",
			},
		)
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
