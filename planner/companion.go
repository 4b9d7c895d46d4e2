package planner

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/planner/answer"
)

// defaultLevel is the default level of an interval.
const defaultLevel = 0.95

// intervalLevel reads the level of ANON_INTERVAL_LOW and _HIGH, a constant, and
// refuses releases whose estimates have no intervals.
func (b *scopeBuilder) intervalLevel(name string, arguments []sql.Expression) (float64, error) {
	if !answer.HasIntervals(b.planner.ctx, b.estimate.View.Record()) {
		return 0, answer.Refuse("%s needs the calibration that CALL anonymize(..., 'calibrate=true') measures, "+
			"and release %s was published without; ANON_LOW and ANON_HIGH are bounds that always hold", name, b.estimate.View.Name())
	}
	if len(arguments) == 0 {
		return defaultLevel, nil
	}
	if _, parameter := arguments[0].(*expression.BindVar); parameter {
		return defaultLevel, nil // at PREPARE, when only types matter
	}
	if !isConstant(arguments[0]) {
		return 0, answer.Refuse("the level of %s must be a number such as 0.95, not %s", name, arguments[0])
	}
	value, err := arguments[0].Eval(b.planner.ctx, nil)
	if err != nil {
		return 0, err
	}
	level, _, err := types.Float64.Convert(b.planner.ctx, value)
	if err != nil || level == nil {
		return 0, answer.Refuse("the level of %s must be a number such as 0.95, not %s", name, arguments[0])
	}
	return level.(float64), interval.CheckLevel(level.(float64))
}

// isConstant reports whether e has the same value for every row.
func isConstant(e sql.Expression) bool {
	if _, ok := e.(*expression.Literal); ok {
		return true
	}
	children := e.Children()
	for _, child := range children {
		if !isConstant(child) {
			return false
		}
	}
	return len(children) > 0
}

// companions are the functions around an aggregate that return more about its figure.
// Package functions declares them; the planner knows them by name.
var companions = map[string]answer.OutputKind{
	"anon_actual":         answer.ActualOutput,
	"anon_relative_error": answer.RelativeErrorOutput,
	"anon_stderr":         answer.DeviationOutput,
	"anon_low":            answer.LowOutput,
	"anon_high":           answer.HighOutput,
	"anon_interval_low":   answer.IntervalLowOutput,
	"anon_interval_high":  answer.IntervalHighOutput,
}

// companion handles ANON_ACTUAL(agg) and its like, whose argument must be an
// aggregate of this SELECT.
func (b *scopeBuilder) companion(name string, kind answer.OutputKind, e sql.Expression) (sql.Expression, error) {
	name = strings.ToUpper(name)
	children := e.Children()
	if field, ok := children[0].(*expression.GetField); ok {
		if o := b.estimate.Figure(field.Id()); o != nil {
			if err := b.checkCompanion(name, kind, b.estimate.Aggregates[o.Index]); err != nil {
				return nil, err
			}
			column := &sql.Column{Name: e.String(), Type: b.estimate.Aggregates[o.Index].CompanionType(kind), Nullable: true}
			added := b.estimate.AddOutput(kind, o.Index, b.planner.freshId(), column)
			var err error
			if kind.IsInterval() {
				added.Level, err = b.intervalLevel(name, children[1:])
			}
			return added.Field(), err
		}
	}
	if kind.IsInterval() {
		if quotient, ok := b.quotient(children[0]); ok {
			return b.quotientInterval(name, kind, e, quotient)
		}
		return nil, answer.Refuse("%s takes one aggregate of the same SELECT, such as %s(COUNT(*)), "+
			"or a SUM or COUNT by another, such as %s(SUM(w * x) / SUM(w))", name, name, name)
	}
	return nil, answer.Refuse("%s takes one aggregate of the same SELECT, such as %s(COUNT(*))", name, name)
}

// checkCompanion refuses a companion that the aggregate does not support, or that the
// account may not use.
func (b *scopeBuilder) checkCompanion(name string, kind answer.OutputKind, of answer.Aggregate) error {
	if !kind.ReadsRawTable() {
		if !of.Kind.HasSpread() {
			return answer.Refuse("%s is known for COUNT, SUM and AVG, not for %s", name, of)
		}
		return nil
	}
	if !types.IsNumber(of.SQLType) {
		return answer.Refuse("%s compares numbers, and %s is a %s", name, of, of.SQLType)
	}
	return b.estimate.View.CheckSourceAccess(b.planner.ctx)
}
