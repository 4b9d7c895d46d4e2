package answer

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/planner/arithmetic"
)

// A questioner turns the expressions of an Estimate into an estimate.Question
// for one release: the published one, or the raw table in the shape of one.
type questioner struct {
	ctx      *sql.Context
	clock    coding.Clock
	release  *anonymize.Release
	question estimate.Question
}

// newQuestion builds the question; its expressions must be frozen. keys are the conversions of the keys.
func newQuestion(ctx *sql.Context, release *anonymize.Release, e *Estimate, keys []conversion) (*estimate.Question, error) {
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	q := &questioner{ctx: ctx, clock: clock, release: release}
	q.question.MaxKeys = e.MaxKeys
	for _, condition := range e.Where {
		x, err := q.expression(condition, q.truth)
		if err != nil {
			return nil, err
		}
		q.question.Where = append(q.question.Where, x)
	}
	for i, key := range e.Keys {
		x, err := q.expression(key, keys[i])
		if err != nil {
			return nil, err
		}
		q.question.Keys = append(q.question.Keys, x)
	}
	for _, a := range e.Aggregates {
		asked, err := q.aggregate(a)
		if err != nil {
			return nil, err
		}
		q.question.Aggregates = append(q.question.Aggregates, asked)
	}
	return &q.question, nil
}

func (q *questioner) aggregate(a Aggregate) (estimate.Aggregate, error) {
	if asked, ok := q.unitsOfTable(a); ok {
		return asked, nil
	}
	asked := estimate.Aggregate{Kind: a.Kind}
	if a.Argument == nil {
		return asked, nil
	}
	asked.Truths = isTruth(a.Argument)
	convert := q.number
	switch {
	case a.Kind == estimate.Count:
		convert = presence
	case a.Kind == estimate.Distinct:
		convert = keyValue(a.Argument.Type())
	case a.IsExtreme():
		convert = plainValue
		asked.Compare = q.order(a.Argument.Type())
	}
	x, err := q.expression(a.Argument, convert)
	asked.Argument = &x
	return asked, err
}

// order compares values as the engine compares values of a type: texts by their collation.
func (q *questioner) order(typ sql.Type) func(a, b anonymize.Value) (int, error) {
	return func(a, b anonymize.Value) (int, error) {
		x, err := coding.SQLValue(typ, a)
		if err != nil {
			return 0, err
		}
		y, err := coding.SQLValue(typ, b)
		if err != nil {
			return 0, err
		}
		return typ.Compare(q.ctx, x, y)
	}
}

// A conversion turns the engine's result into a value for the estimator.
type conversion func(typ sql.Type, result any) (anonymize.Value, error)

// truth is the conversion of conditions: 1, 0 or NULL.
func (q *questioner) truth(_ sql.Type, result any) (anonymize.Value, error) {
	if result == nil {
		return anonymize.NullValue, nil
	}
	truth, err := sql.ConvertToBool(q.ctx, result)
	if err != nil {
		return anonymize.NullValue, err
	}
	if truth {
		return estimate.True, nil
	}
	return estimate.False, nil
}

// number is the conversion of the arguments of SUM, AVG and the variances.
func (q *questioner) number(_ sql.Type, result any) (anonymize.Value, error) {
	if result == nil {
		return anonymize.NullValue, nil
	}
	number, err := asNumber(q.ctx, result)
	if err != nil {
		return anonymize.NullValue, err
	}
	return anonymize.RealValue(*number), nil
}

// presence is the conversion of the argument of COUNT: only NULL matters.
func presence(_ sql.Type, result any) (anonymize.Value, error) {
	if result == nil {
		return anonymize.NullValue, nil
	}
	return estimate.True, nil
}

// keyValues are the conversions of keys. They remember spellings: questions whose answers are compared by key must share them.
func keyValues(keys []sql.Expression) []conversion {
	conversions := make([]conversion, len(keys))
	for i, key := range keys {
		conversions[i] = keyValue(key.Type())
	}
	return conversions
}

// keyValue is the conversion of a key. Texts that are equal under its collation become one key, with the first spelling.
func keyValue(typ sql.Type) conversion {
	canonical := make(map[uint64]anonymize.Value)
	collation := sql.Collation_binary
	if text, ok := typ.(sql.StringType); ok {
		collation = text.Collation()
	}
	return func(typ sql.Type, result any) (anonymize.Value, error) {
		value, err := plainValue(typ, result)
		if err != nil || value.Kind != anonymize.Text || collation == sql.Collation_binary || collation == sql.Collation_Default {
			return value, err
		}
		hash, err := collation.HashToUint(value.Text)
		if err != nil {
			return value, err
		}
		if first, ok := canonical[hash]; ok {
			return first, nil
		}
		canonical[hash] = value
		return value, nil
	}
}

// plainValue converts a result of the given type.
func plainValue(typ sql.Type, result any) (anonymize.Value, error) {
	if b, ok := result.(bool); ok {
		result = int8(0)
		if b {
			result = int8(1)
		}
	}
	return coding.ValueOf(typ, result)
}

// wholeValue converts a result for further calculation: a decimal keeps all its digits, also beyond its type.
func wholeValue(typ sql.Type, result any) (anonymize.Value, error) {
	d, ok := result.(decimal.Decimal)
	if t, decimals := typ.(sql.DecimalType); ok && decimals && -d.Exponent() > int32(t.Scale()) {
		return anonymize.DecimalValue(d.String()), nil
	}
	return plainValue(typ, result)
}

// expression splits e into leaves over one fragment each and a rest over leaves; where cells stand for several values, over one column each.
func (q *questioner) expression(e sql.Expression, convert conversion) (estimate.Expression, error) {
	fragments, err := q.fragmentsOf(e)
	if err != nil {
		return estimate.Expression{}, err
	}
	if len(fragments) == 1 && !q.mixesCells(e) {
		leaf, err := q.leaf(e, fragments[0], convert)
		return estimate.Expression{Leaves: []int{leaf}}, err
	}
	rest := &rest{questioner: q}
	over, err := rest.split(e, false)
	if err != nil {
		return estimate.Expression{}, err
	}
	row := make(sql.Row, len(rest.types))
	return estimate.Expression{Leaves: rest.leaves, Chosen: arithmetic.Chosen(over), Combine: func(values []anonymize.Value) (anonymize.Value, error) {
		for i, v := range values {
			var err error
			if row[i], err = coding.SQLValue(rest.types[i], v); err != nil {
				return anonymize.NullValue, err
			}
		}
		result, err := over.Eval(q.ctx, row)
		if err != nil {
			return anonymize.NullValue, err
		}
		return convert(over.Type(), result)
	}}, nil
}

// A rest is an expression across fragments whose parts inside one fragment have become fields of a row of leaf outcomes.
type rest struct {
	*questioner
	leaves []int
	types  []sql.Type
}

// split replaces the largest parts of e that read one fragment. digits: e keeps all digits of its quotients.
func (r *rest) split(e sql.Expression, digits bool) (sql.Expression, error) {
	fragments, err := r.fragmentsOf(e)
	if err != nil || len(fragments) == 0 {
		return e, err
	}
	if _, list := e.(expression.Tuple); len(fragments) == 1 && !r.mixesCells(e) && !list { // a list has no value
		value := e
		if digits {
			value = arithmetic.Figure(e)
		}
		leaf, err := r.leaf(value, fragments[0], wholeValue)
		if err != nil {
			return nil, err
		}
		r.leaves = append(r.leaves, leaf)
		r.types = append(r.types, e.Type())
		return collatedAs(r.ctx, expression.NewGetField(len(r.types)-1, e.Type(), e.String(), true), e), nil
	}
	switch e.(type) {
	case *arithmetic.Unrounded, *expression.InTuple, *expression.Arithmetic, *expression.Div:
		digits = true
	case expression.Tuple:
	default:
		digits = digits && arithmetic.Passes(e)
	}
	children := e.Children()
	over := make([]sql.Expression, len(children))
	for i, child := range children {
		if over[i], err = r.split(child, digits); err != nil {
			return nil, err
		}
	}
	return e.WithChildren(over...)
}

// leaf adds a leaf for an expression that reads one fragment.
func (q *questioner) leaf(e sql.Expression, fragment int, convert conversion) (int, error) {
	names := ViewColumns(e)
	leaf := estimate.Leaf{Fragment: fragment}
	columnTypes := make([]sql.Type, len(names))
	for i, name := range names {
		_, column, _ := q.release.Locate(name)
		leaf.Columns = append(leaf.Columns, column)
		var err error
		if columnTypes[i], err = coding.ParseType(q.release.Fragments[fragment].Columns[column].Type); err != nil {
			return 0, err
		}
	}
	over, _, err := transform.Expr(e, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		if c, ok := e.(*ViewColumn); ok {
			return expression.NewGetField(slices.Index(names, c.name), c.typ, c.name, c.null), transform.NewTree, nil
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return 0, err
	}
	row := make(sql.Row, len(names))
	evaluator := func(over sql.Expression, convert conversion) func(values []anonymize.Value) (anonymize.Value, error) {
		return func(values []anonymize.Value) (anonymize.Value, error) {
			for i, v := range values {
				var err error
				if row[i], err = q.clock.SQLValue(columnTypes[i], v); err != nil {
					return anonymize.NullValue, err
				}
			}
			result, err := over.Eval(q.ctx, row)
			if err != nil {
				return anonymize.NullValue, err
			}
			return convert(over.Type(), result)
		}
	}
	leaf.Eval = evaluator(over, convert)
	if parts, known := arithmetic.Parts(over); known && len(names) == 1 {
		leaf.Parts = []func([]anonymize.Value) (anonymize.Value, error){}
		for _, part := range parts {
			leaf.Parts = append(leaf.Parts, evaluator(part, wholeValue))
		}
	}
	q.question.Leaves = append(q.question.Leaves, leaf)
	return len(q.question.Leaves) - 1, nil
}

// mixesCells reports whether e reads several columns, one of them with cells that stand for several values. Such a column is independent of
// the others, so its parts of e can be evaluated separately, not once per combination of values.
func (q *questioner) mixesCells(e sql.Expression) bool {
	names := ViewColumns(e)
	return len(names) > 1 && slices.ContainsFunc(names, func(name string) bool {
		fragment, column, ok := q.release.Locate(name)
		return ok && !q.release.Fragments[fragment].Columns[column].IsPoint()
	})
}

// fragmentsOf lists the fragments that e reads.
func (q *questioner) fragmentsOf(e sql.Expression) ([]int, error) {
	var fragments []int
	for _, name := range ViewColumns(e) {
		fragment, _, ok := q.release.Locate(name)
		if !ok {
			return nil, Refuse("column %s is not part of the release", name)
		}
		if !slices.Contains(fragments, fragment) {
			fragments = append(fragments, fragment)
		}
	}
	return fragments, nil
}
