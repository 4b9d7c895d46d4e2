package publication

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// delta returns the greatest difference between a sensitive value's share of a group and of the
// relation, Eq. (8) of Yao et al. 2021, including values that a group lacks. Shares are grouped
// by count and group size: for equal count and size, the value with the fewest or the most
// records deviates most. The answer has one row per count and size. records is the relation's
// number of records.
func (a *Attempt) delta(ctx context.Context, promised anonymize.Promise, records int64) (anonymize.Guarantee, error) {
	g := anonymize.Guarantee{Name: "delta", Required: &promised.Bound, WorstGroup: -1}
	sensitive := a.Fragments[len(a.Fragments)-1]
	value := a.engine.Dialect.Name(sensitive.Columns[0].Name)
	sized := fmt.Sprintf(
		"SELECT gid, %s AS value, %s AS here, sum(%s) OVER (PARTITION BY gid) AS size FROM %s",
		value,
		a.count(),
		a.count(),
		a.relation(sensitive),
	)
	counted := fmt.Sprintf("SELECT value, here, size, count(*) AS groups, min(gid) AS gid FROM (%s) AS sized GROUP BY value, here, size", sized)
	totals := fmt.Sprintf(
		"SELECT here, size, gid, sum(here * groups) OVER (PARTITION BY value) AS total, sum(groups) OVER (PARTITION BY value) AS present FROM (%s) AS counted",
		counted,
	)
	holds := true
	see := func(d deviation, group int64, detail string) {
		if is := d.float(); is > g.Achieved || g.Detail == "" {
			g.Achieved, g.WorstGroup, g.Detail = is, int(group), fmt.Sprintf(detail, d.here, d.size, d.total, d.records)
		}
		holds = holds && d.atMost(promised.Bound)
	}
	err := a.engine.Conn.Query(
		ctx,
		fmt.Sprintf(
			"SELECT here, size, min(total), min_by(gid, total), max(total), max_by(gid, total), coalesce(max(CASE WHEN present < %d THEN total END), 0) FROM (%s) AS totals "+
				"GROUP BY here, size ORDER BY here, size",
			a.Groups,
			totals,
		),
		func(row []any) error {
			var n [7]int64
			for i := range n {
				var err error
				if n[i], err = readCount(row[i]); err != nil {
					return err
				}
			}
			for _, total := range [][2]int64{{n[2], n[3]}, {n[4], n[5]}} {
				see(deviates(n[0], n[1], total[0], records), total[1], "a value is %d of %d records, %d of %d in the release")
			}
			if n[6] > 0 {
				see(deviates(0, n[1], n[6], records), -1, "a value is %d of %d records of a group that does not have it, %d of %d in the release")
			}
			return nil
		},
	)
	g.Holds = g.Detail != "" && holds
	return g, err
}
