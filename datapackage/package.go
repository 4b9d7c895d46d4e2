package datapackage

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// A Package is a release with its description for analysts.
type Package struct {
	Name    string // of the release
	Version int
	// Release has the fragments; Method, Rows and Forged are set.
	Release          *anonymize.Release
	QuasiIdentifiers []string
	Sensitive        []string
	// Unit names the columns that identified units, if the release has units; the release lacks them.
	Unit []string
	// Weight is the quasi-identifier with the number of persons of the population that a record represents, "" for none.
	Weight string
	// WeightDeviation is the relative error of a weight that intervals allow for, WeightShared that of a sum of many.
	WeightDeviation, WeightShared float64
	// Columns are the attributes in the order of the raw table.
	Columns    []string
	Parameters map[string]string
	// MovedDays is the greatest number of days by which dates are moved.
	MovedDays int
	// Partial says that some of the table's records may be missing.
	Partial bool
	// Composed says that the table had another public release.
	Composed bool
	// Guarantees are those that follow from the fragments and the model. Read recomputes them.
	Guarantees []anonymize.Guarantee
	Published  time.Time
	// Completion has the completed tables; nil for none. Write writes some of them
	// (WriteOptions) for analyses elsewhere. Read ignores them, because the release suffices to
	// draw them again.
	Completion *anonymize.Completion
	// Answers describe readers' answers where the package was made; nil if unknown.
	Answers *Answers
	// Calibration is opaque here; package interval knows it.
	Calibration json.RawMessage
}

// Answers say how readers of a release are answered, so that another server can answer in the same way.
type Answers struct {
	// Completed says that there are completed tables, Misfit that their error was measured.
	Completed bool `json:"completed"`
	Misfit    bool `json:"misfit"`
	// Estimator is the default estimator.
	Estimator string `json:"estimator"`
}

// promised returns the release with its promises, for the verifier.
func (p *Package) promised() *anonymize.Release {
	promised := *p.Release
	promised.Promises = nil
	for _, g := range p.Guarantees {
		if promise, ok := g.Promise(); ok {
			promised.Promises = append(promised.Promises, promise)
		}
	}
	return &promised
}

// A Format is a file format of tables.
type Format string

// The formats, named as in the option of CALL export_release.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
)

// Formats lists the formats, the default first.
func Formats() []Format { return []Format{CSV, Parquet} }

func (f Format) mediatype() string {
	if f == Parquet {
		return "application/vnd.apache.parquet"
	}
	return "text/csv"
}

// Limits bound Read's memory.
type Limits struct {
	// Bytes of all files together. Defaults to 2 GiB.
	Bytes int64
	// Records of the release. Defaults to 33 million.
	Records int
}

func (l Limits) withDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = 2 << 30
	}
	if l.Records == 0 {
		l.Records = 1 << 25
	}
	return l
}

const (
	// descriptorBytes bounds datapackage.json: calibrations have some kilobytes.
	descriptorBytes = 16 << 20
	// listedMembers bounds the values of cells with separate lists. Intervals of the domain
	// take no memory.
	listedMembers = 1 << 25
	// allMembers bounds the values of all cells, because verification visits each.
	allMembers = 1 << 32
)

// errBadPackage returns an error about the package.
func errBadPackage(format string, arguments ...any) error {
	return &anonymize.DataError{Reason: fmt.Sprintf(format, arguments...)}
}

// wrapPlace prefixes an error with its place.
func wrapPlace(place string, err error) error {
	if data, ok := err.(*anonymize.DataError); ok {
		return &anonymize.DataError{Reason: place + ": " + data.Reason}
	}
	return err
}
