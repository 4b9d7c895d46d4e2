package answer

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/tree"
)

// An Estimate is the plan node that answers the aggregates of one SELECT from a release. It has no children, so nothing below it can be executed row
// by row. Its expressions read ViewColumns; references to other columns belong to an outer query, whose row RowIter gets.
type Estimate struct {
	tree.Leaf
	// View is required.
	View *catalog.PublishedView
	// Where is a conjunction; empty: every record.
	Where []sql.Expression
	// Keys are the keys of GROUP BY. Without keys there is one row over all records.
	Keys       []sql.Expression
	Aggregates []Aggregate
	// Quotients are those with requested intervals.
	Quotients []Quotient
	// Outputs are the columns, each of a key, an aggregate or a quotient.
	Outputs []Output
	// MaxKeys is the number of rows beyond which the answer is refused; 0: no limit.
	MaxKeys int
	// Weighs: the rows stand for the view in a join. Rounds: the aggregates over that join round to integers.
	Weighs, Rounds bool
	// path is the path of estimation, for EXPLAIN only.
	path string
	// chosen is the estimator, in a frozen copy and in an explained node.
	chosen choice
	// note is the statement that already has its note. Copies of the node share it.
	note *atomic.Uint64
}

// New returns an empty Estimate over a view.
func New(view *catalog.PublishedView) *Estimate {
	return &Estimate{View: view, note: new(atomic.Uint64)}
}

var (
	_ sql.ExecSourceRel      = (*Estimate)(nil)
	_ sql.Projector          = (*Estimate)(nil)
	_ sql.Expressioner       = (*Estimate)(nil)
	_ sql.CollationCoercible = (*Estimate)(nil)
)

// Figure returns the output with that id when it is an estimated figure.
func (e *Estimate) Figure(id sql.ColumnId) *Output {
	for i := range e.Outputs {
		if o := &e.Outputs[i]; o.ID == id && o.Kind == FigureOutput {
			return o
		}
	}
	return nil
}

// AddKey adds a key, unless it is one already, and returns its index.
func (e *Estimate) AddKey(key sql.Expression) int {
	if i := e.KeyOf(key); i >= 0 {
		return i
	}
	e.Keys = append(e.Keys, key)
	return len(e.Keys) - 1
}

// KeyOf returns the index of the key that equals an expression over view columns, or -1.
func (e *Estimate) KeyOf(x sql.Expression) int {
	return slices.IndexFunc(e.Keys, func(key sql.Expression) bool { return tree.Same(key, x) })
}

// AddAggregate adds a figure to estimate and returns its position.
func (e *Estimate) AddAggregate(a Aggregate) int {
	e.Aggregates = append(e.Aggregates, a)
	return len(e.Aggregates) - 1
}

// AddOutput adds an output column; index is the index of its key, aggregate or quotient. The pointer is valid until the next output is added.
func (e *Estimate) AddOutput(kind OutputKind, index int, id sql.ColumnId, column *sql.Column) *Output {
	e.Outputs = append(e.Outputs, Output{Kind: kind, Index: index, ID: id, Column: column})
	return &e.Outputs[len(e.Outputs)-1]
}

// WithChildren accepts no children.
func (e *Estimate) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(e, children)
}

// Schema describes the output columns.
func (e *Estimate) Schema() sql.Schema {
	schema := make(sql.Schema, len(e.Outputs))
	for i, o := range e.Outputs {
		schema[i] = o.Column
	}
	return schema
}

// CollationCoercibility returns a table's coercibility.
func (e *Estimate) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}

// ProjectedExprs carries the ids under which the nodes above refer to the output columns.
func (e *Estimate) ProjectedExprs() []sql.Expression {
	expressions := make([]sql.Expression, len(e.Outputs))
	for i, o := range e.Outputs {
		expressions[i] = o.Field()
	}
	return expressions
}

// Expressions lists conditions, keys and arguments, so that the engine can prepare the subqueries and outer references in them.
func (e *Estimate) Expressions() []sql.Expression {
	expressions := append(append([]sql.Expression(nil), e.Where...), e.Keys...)
	for _, a := range e.Aggregates {
		if a.Argument != nil {
			expressions = append(expressions, a.Argument)
		}
	}
	return expressions
}

// WithExpressions replaces them.
func (e *Estimate) WithExpressions(expressions ...sql.Expression) (sql.Node, error) {
	if want := len(e.Expressions()); len(expressions) != want {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(expressions), want)
	}
	c := *e
	c.Where, expressions = expressions[:len(e.Where)], expressions[len(e.Where):]
	c.Keys, expressions = expressions[:len(e.Keys)], expressions[len(e.Keys):]
	c.Aggregates = append([]Aggregate(nil), e.Aggregates...)
	for i := range c.Aggregates {
		if c.Aggregates[i].Argument != nil {
			c.Aggregates[i].Argument, expressions = expressions[0], expressions[1:]
		}
	}
	c.retypeOutputs(e)
	return &c, nil
}

// FollowsExpression reports whether an output has the type of its expression: a key, a MIN or a MAX.
func (e *Estimate) FollowsExpression(o Output) bool {
	switch o.Kind {
	case KeyOutput:
		return true
	case FigureOutput, ActualOutput:
		return e.Aggregates[o.Index].IsExtreme()
	}
	return false
}

// expressionOf is the expression of such an output.
func (e *Estimate) expressionOf(o Output) sql.Expression {
	if o.Kind == KeyOutput {
		return e.Keys[o.Index]
	}
	return e.Aggregates[o.Index].Argument
}

// retypeOutputs updates the types of outputs whose expressions have changed their types.
func (e *Estimate) retypeOutputs(before *Estimate) {
	e.Outputs = slices.Clone(e.Outputs)
	for i, o := range e.Outputs {
		if !e.FollowsExpression(o) {
			continue
		}
		was, is := before.expressionOf(o).Type(), e.expressionOf(o).Type()
		if was.Equals(is) || !o.Column.Type.Equals(was) {
			continue
		}
		column := *o.Column
		column.Type = is
		e.Outputs[i].Column = &column
	}
}

// RowIter asks the estimator. row is the row of an outer query, or empty.
func (e *Estimate) RowIter(ctx *sql.Context, row sql.Row) (sql.RowIter, error) {
	rows, err := e.answer(ctx, row)
	if err != nil {
		return nil, err
	}
	return sql.RowsToRowIter(rows...), nil
}

// asks reports whether an output has one of the kinds.
func (e *Estimate) asks(kinds ...OutputKind) bool {
	return slices.ContainsFunc(e.Outputs, func(o Output) bool { return slices.Contains(kinds, o.Kind) })
}

// makesWhole reports whether estimated figures are rounded to integers.
func (e *Estimate) makesWhole() bool {
	return e.Rounds || slices.ContainsFunc(e.Aggregates, func(a Aggregate) bool { return a.Rounded })
}

// correction is the part of the note about counterfeits, "" without any.
func (e *Estimate) correction() string {
	if forged := e.View.Record().Forged; forged > 0 {
		return fmt.Sprintf("corrected for %d counterfeits among %d records as if these were spread evenly; "+
			"whichever they are, intervals and bounds hold", forged, e.View.Record().Rows)
	}
	return ""
}

// synthetic is the part of the note about a model without groups, and about noise, which has no hard bounds.
func (e *Estimate) synthetic() string {
	model := e.View.Record().Model
	switch _, exact := e.Touched(); {
	case model == nil || !model.Alone || exact:
		return ""
	case model.Hides(model.Sensitive) && e.Reads(model.Sensitive):
		return fmt.Sprintf("synthetic: from a model with noise of %s; no hard bounds", model.Loss())
	}
	return "synthetic: from a model, without groups"
}

// Touched returns the fragments that the answer reads, and whether it is exact: at most
// one fragment, with point cells only, no counterfeits and no noise.
func (e *Estimate) Touched() (names []string, exact bool) {
	seen := make(map[string]bool)
	exact = true
	for _, f := range e.View.Record().Fragments {
		for _, column := range f.Columns {
			if e.Reads(column.Name) {
				if !seen[f.Name] {
					seen[f.Name] = true
					names = append(names, f.Name)
				}
				exact = exact && column.Point && !e.View.Record().Model.Hides(column.Name)
			}
		}
	}
	several := slices.ContainsFunc(e.Aggregates, func(a Aggregate) bool { return a.Units != nil }) // a unit may have several tuples
	forged := e.View.Record().Forged > 0
	return names, exact && (len(names) == 0 && !(forged && several) || len(names) == 1 && !forged && !several)
}

// Reads reports whether the answer reads a column of the view.
func (e *Estimate) Reads(column string) bool {
	for _, expression := range e.Expressions() {
		for _, name := range ViewColumns(expression) {
			if name == column {
				return true
			}
		}
	}
	return false
}

// Release is the name of the release.
func (e *Estimate) Release() string { return e.View.Record().Name }
