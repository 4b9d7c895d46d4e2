package functions

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// widths are the rows about the widths of intervals, which are public: of a calibration's measurements with the raw table, one of eight widths
// per aggregate. They belong to the estimator of independent fragments.
func (m *measures) widths(w *interval.Widths) {
	if w == nil {
		*m = append(*m, sql.Row{"interval_width", nil, "published without calibration: its estimates have no interval"})
		return
	}
	for _, x := range []struct {
		aggregate string
		kind      estimate.Kind
	}{{"COUNT", estimate.Count}, {"SUM", estimate.Sum}, {"AVG", estimate.Average}} {
		if width := w.Factor(x.kind); !math.IsInf(width, 1) {
			m.add("interval_width", width, "%s: 95 %% half width, in %s; one of eight", x.aggregate, interval.UnitName)
			continue
		}
		*m = append(*m, sql.Row{"interval_width", nil, x.aggregate + ": errors are too large, the interval is the hard bounds"})
	}
}
