package plainsql

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/answer"
)

// roundedText rounds as the server does: to integers if the session wants them, and exact averages to their decimals.
func roundedText(a answer.Aggregate, text string) string {
	switch decimal, ok := a.SQLType.(sql.DecimalType); {
	case a.Rounded:
		return "ROUND(" + text + ")"
	case ok && a.Kind == estimate.Average:
		return fmt.Sprintf("ROUND(%s, %d)", text, decimal.Scale())
	}
	return text
}

// weighted writes an aggregate of argument x over weighted rows.
func (w *writer) weighted(a answer.Aggregate, x, weight string, exact bool) (string, error) {
	class := classOf(a.Argument.Type())
	records := "SUM(CASE WHEN " + x + " IS NULL THEN NULL ELSE " + weight + " END)"
	sum := "SUM(" + weight + " * " + x + ")"
	switch {
	case a.Kind == estimate.Count:
		return "COALESCE(" + records + ", 0)", nil
	case a.Kind == estimate.Distinct:
		return w.countDistinct(a, x, exact)
	case a.IsExtreme():
		if class == textClass && w.folds(a.Argument) || class == otherClass {
			return "", refusePlain("%s: it follows the order of a collation or type", a)
		}
		if mixesIf(a.Argument) {
			return "", refuseMixedIf(a.Argument)
		}
		return map[bool]string{true: "MIN(", false: "MAX("}[a.Kind == estimate.Least] + x + ")", nil
	case class != numberClass && class != nullClass:
		return "", refusePlain("%s: its argument is %s, not a number", a, className(class))
	case a.Persons: // a COUNT, which is 0 over no records
		return "COALESCE(" + sum + ", 0)", nil
	case a.Kind == estimate.Sum:
		return sum, nil
	case a.Kind == estimate.Average:
		return "(" + sum + " / " + records + ")", nil
	}
	return variance(a.Kind, x, weight, records, sum), nil
}

// countDistinct writes COUNT(DISTINCT), which is exact over one fragment only.
func (w *writer) countDistinct(a answer.Aggregate, x string, exact bool) (string, error) {
	if !exact {
		return "", refusePlain("%s over several fragments: it is a sum of probabilities that no record has the value, a product over groups; "+
			"over one fragment it is counted", a)
	}
	if classOf(a.Argument.Type()) == textClass && w.folds(a.Argument) {
		var err error
		if x, err = w.folded(a.Argument, x); err != nil {
			return "", err
		}
	}
	return "COUNT(DISTINCT " + x + ")", nil
}

// variance is Q/N - (S/N)^2, for a sample times N/(N-1). N is records, S is sum, Q is the sum of squares. A deviation
// is the square root. SQLite has SQRT if it was built with its mathematical functions; its shell is.
func variance(kind estimate.Kind, x, weight, records, sum string) string {
	mean := "(" + sum + " / " + records + ")"
	text := fmt.Sprintf("ABS(SUM(%s * %s * %s) / %s - %s * %s)", weight, x, x, records, mean, mean) // rounding may make -0
	if kind == estimate.VarianceSample || kind == estimate.DeviationSample {
		text = fmt.Sprintf("CASE WHEN %s > 1.000000001 THEN (%s) * %s / (%s - 1) END", records, text, records, records)
	}
	if kind == estimate.DeviationPopulation || kind == estimate.DeviationSample {
		return "SQRT(" + text + ")"
	}
	return text
}

// mixesIf reports whether e has an IF over numbers of different types. The server shows such an IF in the type of its
// first number.
func mixesIf(e sql.Expression) bool {
	return transform.InspectExpr(e, func(e sql.Expression) bool {
		call, ok := e.(sql.FunctionExpression)
		if !ok || !strings.EqualFold(call.FunctionName(), "if") {
			return false
		}
		a, exact := decimalPlaces(e.Children()[1].Type())
		b, alike := decimalPlaces(e.Children()[2].Type())
		return a != b || exact != alike
	})
}

func refuseMixedIf(e sql.Expression) error {
	return refusePlain("%s, an IF over numbers of different types: write CASE, or cast one of them", e)
}
