package answer

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// The columns of a unit are in the view, and can only be counted: COUNT(DISTINCT patient) is the number of patients; package planner refuses
// other uses. The estimator computes COUNT(*), whose rows have the same keys, and the numbers of units for these rows.

// UnitsOf returns the names of a unit's columns if an aggregate counts units, otherwise nil. arguments are the aggregate's, over the view's columns.
func UnitsOf(e sql.Aggregation, arguments []sql.Expression, unit []string) []string {
	if _, ok := e.(*aggregation.CountDistinct); !ok || len(unit) == 0 {
		return nil
	}
	var names []string
	for _, x := range arguments {
		if marked, ok := x.(*expression.DistinctExpression); ok {
			x = marked.Child
		}
		c, ok := x.(*ViewColumn)
		if !ok || !isUnit(c.name, unit) {
			return nil
		}
		names = append(names, c.name)
	}
	for _, name := range unit {
		if !isUnit(name, names) {
			return nil
		}
	}
	return names
}

func isUnit(name string, unit []string) bool {
	return slices.ContainsFunc(unit, func(one string) bool { return strings.EqualFold(one, name) })
}

// A unitEstimator estimates numbers of units: [estimate.Prepared] or [estimate.Completed].
type unitEstimator interface {
	Units(ctx context.Context, q *estimate.Question, rows []estimate.AnswerRow) (*estimate.UnitFigures, error)
}

// putUnits replaces numbers of records by numbers of units in aggregates that count units.
func (e *Estimate) putUnits(ctx context.Context, by unitEstimator, q *estimate.Question, a *answered) error {
	var counted *estimate.UnitFigures
	for i, asked := range e.Aggregates {
		if asked.Units == nil {
			continue
		}
		if counted == nil {
			var err error
			if counted, err = by.Units(ctx, q, a.Rows); err != nil {
				return err
			}
		}
		if a.spread != nil {
			a.spread.PutUnits(i, counted)
			continue
		}
		for row := range a.Rows {
			a.Rows[row].Figures[i] = anonymize.RealValue(counted.Figures[row])
		}
	}
	return nil
}

// unitsOfTable is COUNT(DISTINCT ...) of the unit's columns of the raw table; false for a release, which lacks them.
func (q *questioner) unitsOfTable(a Aggregate) (asked estimate.Aggregate, ok bool) {
	argument := estimate.Expression{Combine: textOfValues}
	for _, name := range a.Units {
		fragment, column, ok := q.release.Locate(name)
		if !ok {
			return asked, false
		}
		q.question.Leaves = append(q.question.Leaves, estimate.ValueOf(fragment, column))
		argument.Leaves = append(argument.Leaves, len(q.question.Leaves)-1)
	}
	return estimate.Aggregate{Kind: estimate.Distinct, Argument: &argument}, len(a.Units) > 0
}

// textOfValues is a unique text of values, NULL if one of them is.
func textOfValues(values []anonymize.Value) (anonymize.Value, error) {
	var text strings.Builder
	for _, v := range values {
		if v.IsNull() {
			return v, nil
		}
		text.WriteString(strconv.Quote(v.String()))
	}
	return anonymize.TextValue(text.String()), nil
}
