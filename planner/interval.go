package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// defaultLevel is that of an interval without one.
const defaultLevel = 0.95

// isInterval reports whether the output is an end of a calibrated interval.
func (k outputKind) isInterval() bool { return k == intervalLowOutput || k == intervalHighOutput }

// intervalLevel reads the level of ANON_INTERVAL_LOW and _HIGH, a constant, and
// refuses releases without a calibration.
func (b *scopeBuilder) intervalLevel(name string, arguments []sql.Expression) (float64, error) {
	if c, err := utility.DecodeCalibration(b.estimate.view.Record().Calibration); err != nil || c == nil {
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
	return level.(float64), utility.CheckLevel(level.(float64))
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

// An intervals computes calibrated intervals for the rows of one answer.
type intervals struct {
	calibration *utility.Calibration
	question    *estimate.Question
}

// ends returns the interval of a figure at a level, within its hard bounds.
// NULL where the figure is, or where no like of it was measured.
func (i *intervals) ends(aggregate int, level float64, figure, deviation anonymize.Value, bound estimate.Bound) (low, high any) {
	if figure.IsNull() || deviation.IsNull() {
		return nil, nil
	}
	half, ok := i.calibration.Width(i.question.Aggregates[aggregate].Kind, utility.FragmentsTouched(i.question, aggregate), figure.Float, deviation.Float, level)
	if !ok {
		return nil, nil
	}
	return max(figure.Float-half, bound.Low.Float), min(figure.Float+half, bound.High.Float)
}
