package answer

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize/interval"
)

// A release publishes the weights of a survey in classes, so sums over them differ from the table's even if one relation answers the question. Intervals
// allow for this.

// weighs reports whether an aggregate adds up inexact weights. A count of records adds up none.
func (e *Estimate) weighs(a Aggregate) bool {
	w, x := e.View.Record().Weight, a.Argument
	return w != nil && w.Deviation+w.Shared > 0 && x != nil && !a.IsCount() && !isTruth(x) && slices.Contains(ViewColumns(x), w.Column)
}

// isCoarse reports whether some aggregate adds up inexact weights.
func (e *Estimate) isCoarse() bool { return slices.ContainsFunc(e.Aggregates, e.weighs) }

// isAroundWeights reports whether an output is an interval around inexact weights that one relation adds up. Only completed tables have it.
func (e *Estimate) isAroundWeights(o Output) bool {
	interval := o.Kind == IntervalLowOutput || o.Kind == IntervalHighOutput
	return interval && e.Aggregates[o.Index].exact && e.weighs(e.Aggregates[o.Index])
}

// coarsely adds the error of weights to the misfit. Questions to one relation have no other misfit.
func (e *Estimate) coarsely(m interval.Misfit) interval.Misfit {
	if !e.isCoarse() {
		return m
	}
	if _, exact := e.Touched(); exact {
		m = interval.Unmeasured(0)
	}
	w := e.View.Record().Weight
	return interval.Coarse{Misfit: m, Column: w.Column, Deviation: w.Deviation, Shared: w.Shared}
}

// CheckQuotient refuses an interval around a quotient with inexact weights in only one of its sums: the known error of weights is relative to the
// distances of records from the quotient.
func (e *Estimate) CheckQuotient(q Quotient) error {
	if e.weighs(e.Aggregates[q.Numerator]) == e.weighs(e.Aggregates[q.Denominator]) {
		return nil
	}
	return Refuse("an interval around a quotient with the weight %s in one of its sums is not known: a weighted mean has it in both, as SUM(%[1]s * x) / SUM(%[1]s), "+
		"and the mean weight is AVG(%[1]s)", e.View.Record().Weight.Column)
}

// selectsByWeight reports whether records are selected or grouped by their weight: then the table's weights are taken by the release's classes.
func (e *Estimate) selectsByWeight() bool {
	weight := e.View.Record().Weight.Name()
	return weight != "" && slices.ContainsFunc(slices.Concat(e.Where, e.Keys), func(x sql.Expression) bool { return slices.Contains(ViewColumns(x), weight) })
}

// ofClasses is the part of the note that explains weights, "" if the answer reads none.
func (e *Estimate) ofClasses() string {
	weight := e.View.Record().Weight.Name()
	if weight == "" || !e.Reads(weight) {
		return ""
	}
	return weight + " is the mean of a class of weights"
}
