package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/interval"
)

// defaultLevel is that of an interval without one.
const defaultLevel = 0.95

// isInterval reports whether the output is an end of a calibrated interval.
func (k outputKind) isInterval() bool { return k == intervalLowOutput || k == intervalHighOutput }

// intervalLevel reads the level of ANON_INTERVAL_LOW and _HIGH, a constant, and
// refuses releases without a calibration.
func (b *scopeBuilder) intervalLevel(name string, arguments []sql.Expression) (float64, error) {
	if w, err := interval.Decode(b.estimate.view.Record().Calibration); err != nil || w == nil {
		return 0, refuse("%s needs the calibration that CALL anonymize(..., 'calibrate=true') measures, and release %s was published without; ANON_LOW and ANON_HIGH are bounds that always hold", name, b.estimate.view.Name())
	}
	if len(arguments) == 0 {
		return defaultLevel, nil
	}
	if _, parameter := arguments[0].(*expression.BindVar); parameter {
		return defaultLevel, nil // at PREPARE, where only types are asked for
	}
	if !isConstant(arguments[0]) {
		return 0, refuse("the level of %s must be a number such as 0.95, not %s", name, arguments[0])
	}
	value, err := arguments[0].Eval(b.planner.ctx, nil)
	if err != nil {
		return 0, err
	}
	level, _, err := types.Float64.Convert(b.planner.ctx, value)
	if err != nil || level == nil {
		return 0, refuse("the level of %s must be a number such as 0.95, not %s", name, arguments[0])
	}
	return level.(float64), interval.CheckLevel(level.(float64))
}

// isConstant reports whether e has the same value for every row.
func isConstant(e sql.Expression) bool {
	if literal, ok := e.(*expression.Literal); ok {
		return literal != nil
	}
	children := e.Children()
	for _, child := range children {
		if !isConstant(child) {
			return false
		}
	}
	return len(children) > 0
}

// interval returns the ends of an output; NULL where there is none.
func (a *answered) interval(row int, o output) (low, high any) {
	lowest, highest, ok := a.spread.Interval(a.widths, row, o.index, o.level)
	if !ok {
		return nil, nil
	}
	return lowest, highest
}
