package datapackage

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// A Package is a release with what analysts are told of it.
type Package struct {
	Name    string // of the release
	Version int
	// Release has the fragments; Method, Rows and Forged belong to it.
	Release          *anonymize.Release
	QuasiIdentifiers []string
	Sensitive        []string
	// Unit names the columns that told units apart, where the release has units; they are not in it.
	Unit []string
	// Weight is the quasi-identifier that says how many persons of the population a record stands for, "" for none.
	Weight string
	// WeightDeviation is what intervals allow a weight to be off by, relatively, and WeightShared a sum of many.
	WeightDeviation, WeightShared float64
	// Columns are the attributes in the order of the raw table.
	Columns    []string
	Parameters map[string]string
	// MovedDays is by how many days dates are moved at most.
	MovedDays int
	// Partial says that some of the table's records may have been left out.
	Partial bool
	// Composed says that the table had another public release.
	Composed bool
	// Guarantees are those of the fragments, and figures that were measured at
	// publication.
	Guarantees []anonymize.Guarantee
	Published  time.Time
	// Completion has the completed tables; nil for none. It is written as far as
	// WriteOptions say, for those who analyse completed tables elsewhere, and never
	// read: whoever has the release can draw the tables again.
	Completion *anonymize.Completion
	// Answers are those of readers where the package was made; nil where it does not say.
	Answers *Answers
	// Calibration means nothing here; package interval knows it.
	Calibration json.RawMessage
}

// Answers say how readers of a release are answered, so that another server answers them likewise.
type Answers struct {
	// Completed says that there are completed tables, Misfit that how wrong they are is measured.
	Completed bool `json:"completed"`
	Misfit    bool `json:"misfit"`
	// Estimator answers where nobody asks for another one.
	Estimator string `json:"estimator"`
}

// promised is the release with its promises, ready for the verifier.
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

// A Format is how tables are written.
type Format string

// The formats, by what the option of CALL export_release says.
const (
	CSV     Format = "csv"
	Parquet Format = "parquet"
)

// Formats lists them, the default first.
func Formats() []Format { return []Format{CSV, Parquet} }

func (f Format) mediatype() string {
	if f == Parquet {
		return "application/vnd.apache.parquet"
	}
	return "text/csv"
}

// Limits bound what Read takes memory for.
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
	// descriptorBytes bounds datapackage.json: calibrations take some kilobytes.
	descriptorBytes = 16 << 20
	// listedMembers bounds the values of cells that are lists of their own, not
	// intervals of the domain, which take no memory.
	listedMembers = 1 << 25
	// allMembers bounds the values of all cells: verifying visits each.
	allMembers = 1 << 32
)

// errBadPackage says what is wrong with a package.
func errBadPackage(format string, arguments ...any) error {
	return &anonymize.DataError{Reason: fmt.Sprintf(format, arguments...)}
}

// wrapPlace puts the place of an error before it.
func wrapPlace(place string, err error) error {
	if data, ok := err.(*anonymize.DataError); ok {
		return &anonymize.DataError{Reason: place + ": " + data.Reason}
	}
	return err
}
