package answer

import (
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A Quotient is Scale times a COUNT or SUM by another: a share, a weighted mean. If Inverted, it is Scale by the quotient, as for 1/AVG.
type Quotient struct {
	estimate.Quotient
	Scale    float64
	Inverted bool
}

// AddQuotient adds a quotient whose interval is requested and returns its index. The interval of a COUNT by a SUM, or by a part of
// it, has the reciprocals of the ends around the average.
func (e *Estimate) AddQuotient(q Quotient) int {
	if over, under := e.Aggregates[q.Numerator], e.Aggregates[q.Denominator]; over.Kind == estimate.Count && under.Argument != nil {
		q.Numerator, q.Denominator, q.Inverted = q.Denominator, q.Numerator, true
	}
	e.Quotients = append(e.Quotients, q)
	return len(e.Quotients) - 1
}

// quotients are the estimator's part of the quotients.
func (e *Estimate) quotients() (asked []estimate.Quotient) {
	for _, q := range e.Quotients {
		asked = append(asked, q.Quotient)
	}
	return asked
}

// asksQuotients reports whether an output is an interval around a quotient.
func (e *Estimate) asksQuotients() bool { return e.asks(QuotientLowOutput, QuotientHighOutput) }

// quotientEnd is an end of the interval around a quotient, inside the hard bounds of its parts; the figure itself if that is exact; NULL without an
// interval, also if the denominator may be 0. If an inverted quotient has no records but a sum other than 0, it is 0, although the average does not
// exist.
func (e *Estimate) quotientEnd(a *answered, row int, o Output) any {
	q := e.Quotients[o.Index]
	if sum, _ := a.Rows[row].Figures[q.Numerator].Number(); q.Inverted && sum != 0 && a.isNone(row, q.Denominator) {
		return 0.0
	}
	low, high, ok := a.quotientInterval(row, o, e.weighs(e.Aggregates[q.Numerator]))
	if !ok {
		return nil
	}
	if q.Inverted {
		if low <= 0 && high >= 0 {
			return nil
		}
		low, high = 1/high, 1/low
	}
	low, high = low*q.Scale, high*q.Scale
	if (o.Kind == QuotientLowOutput) == (q.Scale >= 0) {
		return low
	}
	return high
}

// isNone reports whether a COUNT is surely 0.
func (a *answered) isNone(row, aggregate int) bool {
	if count, ok := a.Rows[row].Figures[aggregate].Number(); a.Exact && ok && count == 0 {
		return true
	}
	if a.spread == nil || a.spread.Bounds == nil {
		return false
	}
	most, ok := a.spread.Bounds[row][aggregate].High.Number()
	return ok && most == 0
}

// quotientInterval is the interval before it is scaled or inverted. coarse: both parts add up inexact weights, whose bounds are for the published ones.
func (a *answered) quotientInterval(row int, o Output, coarse bool) (low, high float64, ok bool) {
	q := a.quotients[o.Index]
	if figures := a.Rows[row].Figures; figures[q.Numerator].IsNull() || figures[q.Denominator].IsNull() {
		return 0, 0, false
	}
	if a.Exact && !coarse {
		numerator, known := a.Rows[row].Figures[q.Numerator].Number()
		denominator, other := a.Rows[row].Figures[q.Denominator].Number()
		return numerator / denominator, numerator / denominator, known && other && denominator != 0
	}
	if low, high, ok = a.spread.QuotientInterval(row, o.Index, o.Level); !ok {
		return 0, 0, false
	}
	over, under := a.spread.Bounds[row][q.Numerator], a.spread.Bounds[row][q.Denominator]
	if known := !over.Low.IsNull() && !under.Low.IsNull(); known && !coarse && over.Low.Float >= 0 && under.Low.Float >= 0 && under.High.Float > 0 {
		low = max(low, over.Low.Float/under.High.Float)
		if over.High.Float == 0 {
			high = 0
		} else {
			high = min(high, over.High.Float/under.Low.Float)
		}
	}
	return low, high, true
}
