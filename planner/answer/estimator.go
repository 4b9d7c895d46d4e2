package answer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/catalog"
)

// There are two estimators (package estimate): one answers from completed tables, if a release has some, the other from the fragments.
const (
	estimatorVariable = "anon_estimator" // of the session
	ownEstimator      = "default"        // leaves the choice to the release; the other values are catalog.Imputed and catalog.Independent
)

// A choice is the estimator, and the reason if it is not the requested one.
type choice struct {
	tables *estimate.Completed // nil: the estimator of independent fragments
	misfit interval.Misfit     // of the tables
	reason string              // what the note says of the choice; "" if it is the requested one
	alone  bool                // the other estimator is not available
}

// choose chooses the estimator.
func (e *Estimate) choose(ctx *sql.Context) (choice, error) {
	record := e.View.Record()
	wanted := estimatorFor(ctx, record)
	if wanted == catalog.Independent {
		return choice{alone: record.Completion == nil}, nil
	}
	tables, err := e.View.Completed(ctx)
	if err != nil {
		return choice{}, err
	}
	if tables == nil {
		return choice{reason: fmt.Sprintf("it has no completed tables: CALL fit_release('%s') makes them", e.Release())}, nil
	}
	misfit, invented, err := e.misfit()
	c := choice{tables: tables, misfit: misfit}
	if invented && WantedEstimator(ctx) == ownEstimator {
		ofWeights := slices.ContainsFunc(e.Outputs, e.isAroundWeights)
		c.leaveTables(e.asksQuotients() || ofWeights || len(record.Calibration) == 0 && e.asks(IntervalLowOutput, IntervalHighOutput))
	}
	return c, err
}

// leaveTables chooses the fragments for a question whose association the tables invent, unless they alone have the intervals that it asks for.
func (c *choice) leaveTables(alone bool) {
	if alone {
		c.reason = "; the choice of groups makes them associate what this question combines, and only they have its intervals"
	} else {
		*c = choice{reason: "the choice of groups makes tables associate what this question combines; anon_estimator = 'imputed' asks them"}
	}
}

// estimatorFor is the requested estimator for a release: the session's choice, otherwise
// the release's default.
func estimatorFor(ctx *sql.Context, record *catalog.ReleaseRecord) string {
	if wanted := WantedEstimator(ctx); wanted != ownEstimator {
		return wanted
	}
	return record.Estimator()
}

// HasIntervals reports whether estimates of a release have intervals: those from
// completed tables do, others if a calibration chose a width.
func HasIntervals(ctx *sql.Context, record *catalog.ReleaseRecord) bool {
	if record.Completion != nil && estimatorFor(ctx, record) == catalog.Imputed {
		return true
	}
	w, err := interval.Decode(record.Calibration)
	return err == nil && w != nil
}

// misfit returns how wrong the completed tables are, and whether the method invented most of
// their answer to the question.
func (e *Estimate) misfit() (m interval.Misfit, invented bool, err error) {
	measured, err := e.View.Misfit()
	if err != nil || measured == nil {
		return interval.Unmeasured(catalog.UnmeasuredMisfit), false, err
	}
	var columns []string
	for _, x := range e.Expressions() {
		columns = append(columns, ViewColumns(x)...)
	}
	return measured, measured.Independent(columns), nil
}

// Imputes returns the number of completed tables that answer; 0 if the other estimator does.
func (e *Estimate) Imputes(ctx *sql.Context) (tables int, err error) {
	c, err := e.choose(ctx)
	if err != nil || c.tables == nil {
		return 0, err
	}
	return c.tables.Tables(), nil
}

// Imputed returns the number of completed tables that answer questions about a view in this session; 0 if the other estimator does.
func Imputed(ctx *sql.Context, view *catalog.PublishedView) int {
	record := view.Record()
	if record.Completion == nil || estimatorFor(ctx, record) != catalog.Imputed {
		return 0
	}
	return record.Completion.Tables
}

// WantedEstimator is the session's choice: "default", "imputed" or "independent".
func WantedEstimator(ctx *sql.Context) string {
	return cmp.Or(chosenText(ctx, estimatorVariable), ownEstimator)
}

// String describes the estimator, after "estimated", in EXPLAIN and the note; "" if there is no choice.
func (c choice) String() string {
	switch {
	case c.tables != nil:
		return fmt.Sprintf(" (imputed: the mean of %d completed tables%s)", c.tables.Tables(), c.reason)
	case c.reason != "":
		return " (independent fragments: " + c.reason + ")"
	case c.alone:
		return ""
	}
	return " (independent fragments)"
}
