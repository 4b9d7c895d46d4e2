package report

import (
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// A Subject is a release with everything that its reader may know.
type Subject struct {
	// Name is the release's. Required.
	Name string
	// Title stands at the top of the page. Defaults to Name.
	Title string
	// Owner says that the reader may read the raw table: then the page shows the owner's next
	// steps.
	Owner bool
	// Source is the raw table; "" if the reader may not know it.
	Source string
	// Status is "public", "private", ...
	Status    string
	Version   int
	Published time.Time
	// Made is the time of the page.
	Made time.Time
	// Seconds is the duration of the publication; nil if the reader may not know it.
	Seconds    *float64
	Method     anonymize.Method
	Parameters map[string]string // resolved, without the seed
	// Statement is the CALL that made it; "" if the reader may not know it.
	Statement string

	QuasiIdentifiers, Sensitive []string

	// Tables is the number of completed tables, 0 for none; Imputed says that the reader may
	// SELECT their rows. Estimator is the default one, "imputed" or "independent".
	Tables    int
	Imputed   bool
	Estimator string

	// Release is the fragments. Required.
	Release *anonymize.Release
	// Relations are the fragments that the reader may SELECT from.
	Relations []string
	// Guarantees are the rows of ANON_PRIVACY, Sequence those of them that concern all versions
	// together.
	Guarantees, Sequence []anonymize.Guarantee
	// Loss was measured at publication or follows from the release; nil for none. Calibration
	// is nil if the reader may not know it.
	Loss        *utility.LossReport
	Calibration *utility.Calibration
	// Widths are of the intervals; nil for none.
	Widths *interval.Widths
	// Evaluations are the measured errors in display order, one per aggregate, band and
	// estimator, as in ANON_UTILITY. Workloads are all of them, for a comparison: one per
	// aggregate, band, estimator, number of queries and seed. In a band the default estimator
	// is first.
	Evaluations, Workloads []Evaluation
	Facts                  []anonymize.Fact
	// Versions are the kept ones, oldest first; empty if there is only one.
	Versions []Version
	// Bare reports whether a name needs no quotes in SQL. Defaults to never.
	Bare func(name string) bool
}

// An Evaluation is the measured relative error on one band of a workload.
type Evaluation struct {
	Aggregate         string // COUNT(*) or SUM(column)
	Low, High         int    // quasi-identifiers per query
	Queries           int
	Answered          int // queries with a nonzero actual answer: the errors are theirs
	Estimates         int // non-exact answers, the base of Coverage; 0 if they were not counted
	Seed              uint64
	Estimator         string // "imputed" or "independent"
	Mean, Median, P95 float64
	// Coverage of the 95 percent interval, and its mean half width relative to the actual
	// answer; nil if not measured.
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

// workload identifies evaluations that asked the same questions, with any estimator.
type workload struct {
	aggregate          string
	low, high, queries int
	seed               uint64
}

func (e Evaluation) workload() workload {
	return workload{e.Aggregate, e.Low, e.High, e.Queries, e.Seed}
}

// A Version is one of a release's versions.
type Version struct {
	Name         string
	Version      int
	Rows, Groups int
	Forged       int
	At           time.Time
	Shown        bool // the version that the page describes
}
