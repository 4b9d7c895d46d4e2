package slppa

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// Whether alpha, beta and delta can be met is decided exactly, before any group
// is made. The frequencies in a union of groups are means of those in the
// groups, so merging never raises the greatest one, nor the greatest distance
// to the table's. Hence some release meets the three thresholds if and only if
// the whole table, as a single group, does: beta >= H/n with H the count of the
// most frequent value, alpha >= the greatest share of a sub-tuple in any table.
// Delta is then 0 and can always be met. Gamma has no such condition: its
// product can rise in a union.

// mostRows keeps places, counts and pairs of codes inside 32 bits.
const mostRows = 1 << 30

// checkSensitive refuses tables on which grouping protects nothing or beta
// cannot be met, and returns the records by sensitive value.
func checkSensitive(in *anonymize.Input, beta anonymize.Ratio) (*buckets, error) {
	if len(in.Sensitive) != 1 {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"slppa protects one sensitive attribute, %d are given", len(in.Sensitive))}
	}
	if in.Rows == 0 {
		return nil, &anonymize.DataError{Reason: "the table is empty"}
	}
	if in.Rows > mostRows {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"the table has %d records, slppa takes up to %d", in.Rows, mostRows)}
	}
	if in.Random == nil {
		return nil, &anonymize.DataError{Reason: "no source of randomness is given"}
	}
	b := newBuckets(in.Sensitive[0])
	code, H := b.column.mostFrequent()
	value := b.column.describe(code)
	if !beta.Admits(int(H), in.Rows) {
		return nil, &anonymize.InfeasibleError{Parameter: "beta", Given: beta,
			Smallest: anonymize.NewRatio(uint64(H), uint64(in.Rows)),
			Obstacle: fmt.Sprintf("%s is %d of %d records", value, H, in.Rows)}
	}
	if int(H) == in.Rows {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf(
			"%s is all %d records: there is nothing that groups could hide", value, H)}
	}
	return b, nil
}

// checkAlpha names the sub-tuple of the greatest frequency in any table when
// alpha cannot be met.
func checkAlpha(projections []*projection, alpha anonymize.Ratio, rows int) error {
	table, id, greatest := 0, 0, uint32(0)
	for t, p := range projections {
		if i, n := p.mostFrequent(); n > greatest {
			table, id, greatest = t, i, n
		}
	}
	if alpha.Admits(int(greatest), rows) {
		return nil
	}
	return &anonymize.InfeasibleError{Parameter: "alpha", Given: alpha,
		Smallest: anonymize.NewRatio(uint64(greatest), uint64(rows)),
		Obstacle: fmt.Sprintf("in table %s, %s is %d of %d records",
			tableName(table), projections[table].describe(id), greatest, rows)}
}

// tableName is the published name of the t-th QI table, t from 0.
func tableName(t int) string { return fmt.Sprintf("qi%d", t+1) }
