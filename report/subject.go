package report

import (
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// A Subject is a release, with everything that its reader may know of it.
type Subject struct {
	// Name is the release's. Required.
	Name string
	// Title stands at the top of the page. Defaults to Name.
	Title string
	// Owner says that the reader may read the raw table: then the page tells how
	// to go on as its owner.
	Owner bool
	// Source is the raw table; "" when the reader may not know it.
	Source string
	// Status is "public", "private", ...
	Status    string
	Version   int
	Published time.Time
	// Made is when the page is made.
	Made time.Time
	// Seconds is how long the publication took; nil when the reader may not know.
	Seconds    *float64
	Method     anonymize.Method
	Parameters map[string]string // resolved, without the seed
	// Statement is the CALL that made it; "" when the reader may not know it.
	Statement string

	QuasiIdentifiers, Sensitive []string

	// Tables is the number of completed tables, 0 for none; Imputed says that the reader
	// may SELECT their rows. Estimator answers by default, "imputed" or "independent".
	Tables    int
	Imputed   bool
	Estimator string

	// Release is the fragments. Required.
	Release *anonymize.Release
	// Relations are the names of the fragments that the reader may SELECT from.
	Relations []string
	// Guarantees are the rows of ANON_PRIVACY, Sequence those among them that are
	// about all versions together.
	Guarantees, Sequence []anonymize.Guarantee
	// Loss is what was measured at publication, or what the release tells by itself;
	// nil for none. Calibration is nil when the reader may not know it.
	Loss        *utility.LossReport
	Calibration *utility.Calibration
	// Widths are those of intervals; nil where there are none.
	Widths *interval.Widths
	// Evaluations are the measured errors in the order in which they are to be
	// shown, one of every aggregate, band and estimator, as in ANON_UTILITY. Workloads
	// are all, for a comparison: one of every aggregate, band, estimator, number of
	// queries and seed. Of a band the default estimator comes first.
	Evaluations, Workloads []Evaluation
	Facts                  []anonymize.Fact
	// Versions are those that are kept, oldest first; empty when there is one.
	Versions []Version
	// Bare tells whether a name stands in SQL as it is. Defaults to never: names
	// are quoted.
	Bare func(name string) bool
}

// An Evaluation is the measured relative error on one band of a workload.
type Evaluation struct {
	Aggregate         string // COUNT(*) or SUM(column)
	Low, High         int    // quasi-identifiers per query
	Queries           int
	Answered          int // queries whose actual answer is not 0, which the errors are of
	Estimates         int // answers that Coverage is of: those that are not exact; 0 where it was not counted
	Seed              uint64
	Estimator         string // "imputed" or "independent"
	Mean, Median, P95 float64
	// Coverage of the 95 percent interval, and its mean half width by the actual answer;
	// nil when not measured.
	Coverage, Width *float64
}

// imputed is the estimator of completed tables.
const imputed = "imputed"

// estimatorText names an estimator.
func estimatorText(name string) string {
	if name == imputed {
		return "imputed"
	}
	return "independent fragments"
}

// workload says which evaluations asked the same questions, of whichever estimator.
type workload struct {
	aggregate          string
	low, high, queries int
	seed               uint64
}

func (e Evaluation) workload() workload {
	return workload{e.Aggregate, e.Low, e.High, e.Queries, e.Seed}
}

// A Version is one of several of a release.
type Version struct {
	Name         string
	Version      int
	Rows, Groups int
	Forged       int
	At           time.Time
	Shown        bool // the one that the page is about
}
