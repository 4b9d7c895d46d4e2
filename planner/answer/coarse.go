package answer

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize/interval"
)

// A release publishes the weights of a survey in classes, so that sums over them are off from the table's even where one relation has all that is asked.
// Intervals allow for it.

// weighs reports whether an aggregate adds up weights that are off: one that counts records adds up none.
func (e *Estimate) weighs(a Aggregate) bool {
	w, x := e.View.Record().Weight, a.Argument
	return w != nil && w.Deviation+w.Shared > 0 && x != nil && !a.IsCount() && !isTruth(x) && slices.Contains(ViewColumns(x), w.Column)
}

// isCoarse reports whether some aggregate does.
func (e *Estimate) isCoarse() bool { return slices.ContainsFunc(e.Aggregates, e.weighs) }

// coarsely is the misfit with what weights are off by. What one relation tells has no other.
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

// CheckQuotient refuses an interval around a quotient with weights that are off in one of its sums alone: what they are off by is by how far records
// are from the quotient.
func (e *Estimate) CheckQuotient(q Quotient) error {
	if e.weighs(e.Aggregates[q.Numerator]) == e.weighs(e.Aggregates[q.Denominator]) {
		return nil
	}
	return Refuse("an interval around a quotient with the weight %s in one of its sums is not known: a weighted mean has it in both, as SUM(%[1]s * x) / SUM(%[1]s), "+
		"and the mean weight is AVG(%[1]s)", e.View.Record().Weight.Column)
}

// selectsByWeight reports whether records are selected or grouped by their weight: then the table's are in the classes of the release.
func (e *Estimate) selectsByWeight() bool {
	weight := e.View.Record().Weight.Name()
	return weight != "" && slices.ContainsFunc(slices.Concat(e.Where, e.Keys), func(x sql.Expression) bool { return slices.Contains(ViewColumns(x), weight) })
}

// ofClasses says of an answer that reads weights what these are.
func (e *Estimate) ofClasses() string {
	weight := e.View.Record().Weight.Name()
	if weight == "" || !e.Reads(weight) {
		return ""
	}
	return weight + " is the mean of a class of weights"
}
