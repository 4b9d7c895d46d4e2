package plainsql

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/planner/answer"
	"github.com/anonsql/anonsql/tree"
)

// maxTabled is the greatest number of values of a column for which an expression may become a table.
const maxTabled = 100

// valueTable writes an expression over one column of the view as the table of its results, computed by the server:
// CASE WHEN column IN (...) THEN ... END. It serves expressions that the dialects do not share: REGEXP, DATE_FORMAT,
// patterns. canonical maps texts that are equal under e's collation to one text.
func (w *writer) valueTable(e sql.Expression, canonical bool) (string, bool) {
	if w.estimate == nil || !tabled(e) {
		return "", false
	}
	names := answer.ViewColumns(e)
	if len(names) != 1 {
		return "", false
	}
	fragment, position, ok := w.estimate.release.Locate(names[0])
	if !ok {
		return "", false
	}
	column := w.estimate.release.Fragments[fragment].Columns[position]
	typ, err := coding.ParseType(column.Type)
	if err != nil || len(column.Dictionary) > maxTabled || classOf(typ) == otherClass {
		return "", false
	}
	t := &valueTabler{inputs: make(map[string][]string), byHash: make(map[uint64]string), canonical: make(map[uint64]any)}
	if t.over, err = overFields(e); err != nil {
		return "", false
	}
	if text, ok := e.Type().(sql.StringType); ok && canonical {
		t.collation = text.Collation()
	}
	clock, err := coding.ClockOf(w.ctx)
	if err != nil {
		return "", false
	}
	for _, v := range column.Dictionary {
		value, err := clock.SQLValue(typ, v)
		if err != nil || !t.add(w.ctx, value, typ) {
			return "", false
		}
	}
	if canonical { // canonical expressions are keys or arguments, outside the join
		name := w.estimate.computed.text(answer.NewViewColumn(&sql.Column{Name: names[0]}))
		return t.text(name), name != ""
	}
	return t.text(w.estimate.columns[names[0]]), true
}

// A valueTabler collects the results of an expression, and the values with each result.
type valueTabler struct {
	over    sql.Expression
	results []string
	inputs  map[string][]string
	// byHash has the result for each hash of a value under its collation. The server compares by collation, SQLite by
	// spelling, so equal values must have one result.
	byHash map[uint64]string
	// collation decides which results are equal; canonical has one text for each.
	collation sql.CollationID
	canonical map[uint64]any
}

// add computes the result of a value; false if it has no plain form.
func (t *valueTabler) add(ctx *sql.Context, value any, typ sql.Type) bool {
	input, err := literal(value, typ)
	if err != nil {
		return false
	}
	computed, err := t.over.Eval(ctx, sql.Row{value})
	if err != nil {
		return false
	}
	if computed, err = t.canonicalOf(computed); err != nil {
		return false
	}
	result, err := literal(computed, t.over.Type())
	if err != nil {
		return false
	}
	if text, ok := value.(string); ok && foldsCase(typ) {
		hash, err := typ.(sql.StringType).Collation().HashToUint(text)
		if err != nil {
			return false
		}
		if other, met := t.byHash[hash]; met && other != result {
			return false
		}
		t.byHash[hash] = result
	}
	if _, met := t.inputs[result]; !met {
		t.results = append(t.results, result)
	}
	t.inputs[result] = append(t.inputs[result], input)
	return true
}

// canonicalOf returns one text for all equal ones.
func (t *valueTabler) canonicalOf(computed any) (any, error) {
	text, ok := computed.(string)
	if !ok || t.collation == sql.Collation_Unspecified {
		return computed, nil
	}
	hash, err := t.collation.HashToUint(text)
	if err != nil {
		return nil, err
	}
	if _, met := t.canonical[hash]; !met {
		t.canonical[hash] = text
	}
	return t.canonical[hash], nil
}

// tabled reports whether e depends on view columns only.
func tabled(e sql.Expression) bool {
	return !countsInstants(e) && !transform.InspectExpr(e, func(e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *plan.Subquery, *plan.ExistsSubquery, *expression.BindVar:
			return true
		}
		return tree.Acts(e)
	})
}

// overFields returns e with fields instead of view columns. All fields refer to the first column of a row.
func overFields(e sql.Expression) (sql.Expression, error) {
	over, _, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if c, ok := e.(*answer.ViewColumn); ok {
			return expression.NewGetField(0, c.Type(), c.Name(), c.IsNullable()), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	return over, err
}

// text writes the table.
func (t *valueTabler) text(column string) string {
	if len(t.results) == 0 {
		return "NULL"
	}
	text := "CASE"
	for _, result := range t.results {
		var conditions, listed []string
		for _, input := range t.inputs[result] {
			if input == "NULL" {
				conditions = append(conditions, column+" IS NULL")
			} else {
				listed = append(listed, input)
			}
		}
		if len(listed) > 0 {
			conditions = append(conditions, fmt.Sprintf("%s IN (%s)", column, strings.Join(listed, ", ")))
		}
		text += fmt.Sprintf(" WHEN %s THEN %s", strings.Join(conditions, " OR "), result)
	}
	return "(" + text + " END)"
}
