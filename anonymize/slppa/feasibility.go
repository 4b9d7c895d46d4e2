package slppa

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Whether alpha, beta and delta can be met is decided exactly, before any group
// is made. The frequencies in a union of groups are means of those in the
// groups, so merging never raises the greatest one, nor the greatest distance
// to the table's. Hence some release meets the three thresholds if and only if
// the whole table, as a single group, does: beta >= H/n with H the count of the
// most frequent value, alpha >= the greatest share of a sub-tuple in any table.
// Delta is then 0 and can always be met. Gamma has no such condition: its
// product can rise in a union.

// checkSensitive refuses tables on which grouping protects nothing or beta
// cannot be met, and returns the records by sensitive value.
func checkSensitive(in *anonymize.Input, beta anonymize.Ratio) (*bucketization.Buckets, error) {
	if err := bucketization.CheckInput("slppa", in); err != nil {
		return nil, err
	}
	b := bucketization.NewBuckets(in.Sensitive[0], nil)
	if err := b.CheckShare("beta", beta); err != nil {
		return nil, err
	}
	return b, b.CheckVariety()
}

// checkAlpha names the sub-tuple of the greatest frequency in any table when
// alpha cannot be met.
func checkAlpha(projections []*bucketization.Projection, alpha anonymize.Ratio, rows int) error {
	table, id, greatest := 0, 0, uint32(0)
	for t, p := range projections {
		if i, n := p.MostFrequent(); n > greatest {
			table, id, greatest = t, i, n
		}
	}
	if alpha.Admits(int(greatest), rows) {
		return nil
	}
	return &anonymize.InfeasibleError{Parameter: "alpha", Given: alpha,
		Smallest: anonymize.NewRatio(uint64(greatest), uint64(rows)),
		Obstacle: fmt.Sprintf("in table %s, %s is %d of %d records",
			tableName(table), projections[table].Describe(id), greatest, rows)}
}

// tableName is the published name of the t-th QI table, t from 0.
func tableName(t int) string { return fmt.Sprintf("qi%d", t+1) }
