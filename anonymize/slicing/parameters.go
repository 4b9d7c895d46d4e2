package slicing

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// parameters are the checked arguments of one run.
type parameters struct {
	l       int
	tables  int // column groups without that of the sensitive attribute
	grouped bool
	global  bool
	split   string
	phi     association.Options
}

const (
	alone, grouped = "alone", "grouped"
	local, global  = "local", "global"
	nearest, every = "nearest", "any"
	widest         = "widest"
)

var (
	paramL = anonymize.Int("l", 2, bucketization.MaxRows,
		"no sensitive value has more than one in l of the records of a bucket, a whole number from 2").Positional()
	paramTables   = bucketization.Tables("number of column groups, not counting the sensitive attribute's")
	paramSAColumn = anonymize.Choice("sa_column", []string{alone, grouped},
		"alone: the sensitive attribute is a column group of its own; grouped: it takes part in the clustering and shares a group with the "+
			"quasi-identifiers that it goes with")
	paramSplit = anonymize.Choice("split", []string{nearest, every, widest},
		"what to try if the median of the widest quasi-identifier cannot split a bucket: nearest, the medians of the others and then the most even cut "+
			"there is; any, only the medians of the others; widest, nothing")
	paramCheck = anonymize.Choice("check", []string{local, global},
		"local: count every bucket; global: as printed, compute p(t, s) of every record over all buckets that match it, and split only at medians; "+
			"this is slow, and makes the same buckets as split=any or widest")
)

// maxGlobalRows is the greatest number of records for check=global: each attempted split
// compares every distinct record with every bucket.
const maxGlobalRows = 50_000

// readParameters checks the settings against the table.
func readParameters(in *anonymize.Input, s anonymize.Settings) (p parameters, err error) {
	p = parameters{
		l:       paramL.Read(s),
		grouped: paramSAColumn.Read(s) == grouped,
		global:  paramCheck.Read(s) == global,
		split:   paramSplit.Read(s),
		phi:     association.OptionsOf(s),
	}
	if p.tables, err = bucketization.TablesOf(paramTables, in, s); err != nil {
		return p, err
	}
	if p.global && in.Rows > maxGlobalRows {
		return p, &anonymize.ParameterError{Parameter: "check", Value: "'global'",
			Rule: fmt.Sprintf("compares every record with every bucket at each split and takes up to %d records; the table has %d", maxGlobalRows, in.Rows)}
	}
	return p, nil
}
