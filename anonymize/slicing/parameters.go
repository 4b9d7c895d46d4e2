package slicing

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// parameters are the arguments of one run, checked.
type parameters struct {
	l         int
	tables    int // column groups without the sensitive attribute's
	grouped   bool
	global    bool
	split     string
	threshold anonymize.Ratio
	phi       association.Options
}

const (
	alone, grouped = "alone", "grouped"
	local, global  = "local", "global"
	nearest, every = "nearest", "any"
	widest         = "widest"
	raw, corrected = "raw", "corrected"
	auto           = "auto"
)

func declared() []anonymize.Parameter {
	return []anonymize.Parameter{
		{Name: "l", Form: anonymize.WholeForm(2, bucketization.MaxRows), Positional: true,
			Doc: "no sensitive value has more than one in l of the records of a bucket, a whole number from 2"},
		{Name: "tables", Form: anonymize.WholeForm(1, 1<<30, auto), Default: auto, Positional: true,
			Doc: "number of column groups beside the sensitive attribute's, 1 to the number of quasi-identifiers; auto is 2, or 1 for a single quasi-identifier"},
		{Name: "sa_column", Default: alone, Choices: []string{alone, grouped},
			Doc: "the sensitive attribute is a column group of its own, or takes part in the clustering and shares its group with the quasi-identifiers that it goes with"},
		{Name: "split", Default: nearest, Choices: []string{nearest, every, widest},
			Doc: "where the median of the widest quasi-identifier cannot split a bucket: try the medians of the others and then the most even cut there is, or the medians of the others only, or nothing"},
		{Name: "check", Default: local, Choices: []string{local, global},
			Doc: "count every bucket, or compute p(t, s) of every record over all buckets that match it, as printed, splitting at medians only: the buckets of split=any or widest, slowly"},
		{Name: "threshold", Form: anonymize.Number(0), Default: "0",
			Doc: "diversity is that of classes of numeric sensitive values, each from its least value to so far above it; " +
				"values of neighbouring classes may be closer; 0: of the values"},
		{Name: "bins", Form: anonymize.WholeForm(0, 1<<16), Default: fmt.Sprint(association.DefaultBins),
			Doc: "for phi^2, numeric attributes of more values are cut into at most so many bins; 0 is never"},
		{Name: "phi", Default: raw, Choices: []string{raw, corrected},
			Doc: "phi^2 as printed, or less the bias of many values"},
	}
}

// maxGlobalRows is the largest table for check=global: each attempted split
// costs a comparison of every different record with every bucket.
const maxGlobalRows = 50_000

// readParameters checks the arguments against the declaration and the table.
func readParameters(m anonymize.Method, in *anonymize.Input, given anonymize.Arguments) (p parameters, err error) {
	arguments, err := m.Resolve(given)
	if err != nil {
		return p, err
	}
	if p.l, err = arguments.Integer("l", 2, bucketization.MaxRows); err != nil {
		return p, err
	}
	if p.tables, err = readTables(arguments, len(in.QuasiIdentifiers)); err != nil {
		return p, err
	}
	if p.threshold, err = anonymize.ParseRatio(arguments["threshold"]); err != nil {
		return p, &anonymize.ParameterError{Parameter: "threshold", Value: "'" + arguments["threshold"] + "'",
			Rule: "must be a number such as 500 or 0.5, at least 0"}
	}
	if p.phi.Bins, err = arguments.Integer("bins", 0, 1<<16); err != nil {
		return p, err
	}
	if p.phi.Bins == 1 {
		return p, &anonymize.ParameterError{Parameter: "bins", Value: "1", Rule: "must be 0 (never) or at least 2"}
	}
	p.grouped = arguments["sa_column"] == grouped
	p.split = arguments["split"]
	p.phi.Corrected = arguments["phi"] == corrected
	p.global = arguments["check"] == global
	if p.global && in.Rows > maxGlobalRows {
		return p, &anonymize.ParameterError{Parameter: "check", Value: "'global'",
			Rule: fmt.Sprintf("compares every record with every bucket at each split and takes up to %d records; the table has %d", maxGlobalRows, in.Rows)}
	}
	return p, nil
}

func readTables(arguments anonymize.Arguments, quasiIdentifiers int) (int, error) {
	if arguments["tables"] == auto {
		return min(2, quasiIdentifiers), nil
	}
	tables, err := arguments.Integer("tables", 1, 1<<30)
	if err == nil && tables > quasiIdentifiers {
		err = &anonymize.ParameterError{Parameter: "tables", Value: fmt.Sprint(tables),
			Rule: fmt.Sprintf("must be at most %d, the number of quasi-identifiers", quasiIdentifiers)}
	}
	return tables, err
}
