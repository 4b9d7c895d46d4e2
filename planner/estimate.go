package planner

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
)

// An outputKind says where an output column comes from.
type outputKind uint8

const (
	keyOutput           outputKind = iota // keys[index]
	figureOutput                          // the estimate of aggregates[index]
	actualOutput                          // the actual value of aggregates[index]
	relativeErrorOutput                   // |actual - estimate| / |actual|
	deviationOutput                       // the standard deviation under the model
	lowOutput                             // the least value over all agreeing tables
	highOutput                            // the greatest
	intervalLowOutput                     // the lower end of the calibrated interval at a level
	intervalHighOutput                    // the upper end
)

// readsRawTable reports whether the output is for who may read the raw table.
func (k outputKind) readsRawTable() bool { return k == actualOutput || k == relativeErrorOutput }

// An output is one column of an Estimate.
type output struct {
	kind   outputKind
	index  int
	level  float64 // of intervals
	id     sql.ColumnId
	column *sql.Column
}

// field is a reference to the output.
func (o output) field() sql.Expression {
	return getField(o.id, o.column.Type, o.column.Source, o.column.Name, o.column.Nullable)
}

// An Estimate is the plan node that answers one SELECT's aggregates from a
// release. It has no children: nothing below it can be executed row by row.
// Its expressions are over viewColumns; references to other columns are to an
// outer query and are bound to the row that RowIter gets.
type Estimate struct {
	view       *catalog.PublishedView
	where      []sql.Expression // conjunction
	keys       []sql.Expression
	aggregates []aggregate
	outputs    []output
	// maxKeys is the number of rows beyond which the answer is refused; 0: no
	// limit.
	maxKeys int
	// weighs says that the rows stand for the view in a join, rounds that the
	// aggregates over that join make whole numbers.
	weighs, rounds bool
	// path is the way on which it is answered, for EXPLAIN; else empty.
	path string
	// note remembers the statement that has its note; a node is copied while
	// it is prepared and executed, the statement stays.
	note *atomic.Uint64
}

func newEstimate(view *catalog.PublishedView) *Estimate {
	return &Estimate{view: view, note: new(atomic.Uint64)}
}

var (
	_ sql.ExecSourceRel      = (*Estimate)(nil)
	_ sql.Projector          = (*Estimate)(nil)
	_ sql.Expressioner       = (*Estimate)(nil)
	_ sql.CollationCoercible = (*Estimate)(nil)
)

// figure returns the output with that id when it is an estimated figure.
func (e *Estimate) figure(id sql.ColumnId) *output {
	for i := range e.outputs {
		if o := &e.outputs[i]; o.id == id && o.kind == figureOutput {
			return o
		}
	}
	return nil
}

// Resolved is always true: the planner builds it from bound expressions.
func (e *Estimate) Resolved() bool { return true }

// IsReadOnly is always true.
func (e *Estimate) IsReadOnly() bool { return true }

// Children is always empty.
func (e *Estimate) Children() []sql.Node { return nil }

// WithChildren accepts no children.
func (e *Estimate) WithChildren(children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(e, len(children), 0)
	}
	return e, nil
}

// Schema describes the output columns.
func (e *Estimate) Schema() sql.Schema {
	schema := make(sql.Schema, len(e.outputs))
	for i, o := range e.outputs {
		schema[i] = o.column
	}
	return schema
}

// CollationCoercibility is that of a table.
func (e *Estimate) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}

// ProjectedExprs carries the ids under which the nodes above refer to the
// output columns.
func (e *Estimate) ProjectedExprs() []sql.Expression {
	expressions := make([]sql.Expression, len(e.outputs))
	for i, o := range e.outputs {
		expressions[i] = o.field()
	}
	return expressions
}

// Expressions lists conditions, keys and arguments, so that the engine can
// prepare the subqueries and outer references in them.
func (e *Estimate) Expressions() []sql.Expression {
	expressions := append(append([]sql.Expression(nil), e.where...), e.keys...)
	for _, a := range e.aggregates {
		if a.argument != nil {
			expressions = append(expressions, a.argument)
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
	c.where, expressions = expressions[:len(e.where)], expressions[len(e.where):]
	c.keys, expressions = expressions[:len(e.keys)], expressions[len(e.keys):]
	c.aggregates = append([]aggregate(nil), e.aggregates...)
	for i := range c.aggregates {
		if c.aggregates[i].argument != nil {
			c.aggregates[i].argument, expressions = expressions[0], expressions[1:]
		}
	}
	return &c, nil
}

// RowIter asks the estimator. row is the row of an outer query, or empty.
func (e *Estimate) RowIter(ctx *sql.Context, row sql.Row) (sql.RowIter, error) {
	rows, err := e.answer(ctx, row)
	if err != nil {
		return nil, err
	}
	e.addNote(ctx)
	return sql.RowsToRowIter(rows...), nil
}

// String is what EXPLAIN shows.
func (e *Estimate) String() string {
	record := e.view.Record()
	lines := []string{
		fmt.Sprintf("release: %s (method %s, version %d, %d groups)", record.Name, record.Method, record.Version, record.Groups),
	}
	touched, exact := e.touched()
	names := "none"
	if len(touched) > 0 {
		names = strings.Join(touched, ", ")
	}
	lines = append(lines, "fragments: "+names)
	if exact {
		lines = append(lines, "answer: exact")
	} else {
		lines = append(lines, "answer: "+e.estimatedText())
	}
	if correction := e.correction(); correction != "" {
		lines = append(lines, "counterfeits: "+correction)
	}
	if e.path != "" {
		lines = append(lines, "path: "+e.path)
	}
	if e.weighs {
		lines = append(lines, "weighted rows over a join")
	}
	for _, part := range []struct {
		title string
		texts []string
	}{{"aggregates", texts(e.aggregates)}, {"where", texts(e.where)}, {"group by", texts(e.keys)}, {"compared with the raw table", e.compared()}} {
		if len(part.texts) > 0 {
			lines = append(lines, part.title+": "+strings.Join(part.texts, ", "))
		}
	}
	printer := sql.NewTreePrinter()
	_ = printer.WriteNode("Estimate")
	_ = printer.WriteChildren(lines...)
	return printer.String()
}

func texts[T fmt.Stringer](items []T) []string {
	list := make([]string, len(items))
	for i, item := range items {
		list[i] = item.String()
	}
	return list
}

// compared lists the outputs that read the raw table.
func (e *Estimate) compared() []string {
	var list []string
	for _, o := range e.outputs {
		if o.kind.readsRawTable() {
			list = append(list, o.column.Name)
		}
	}
	return list
}

// asks reports whether one of the outputs is of one of the kinds.
func (e *Estimate) asks(kinds ...outputKind) bool {
	return slices.ContainsFunc(e.outputs, func(o output) bool { return slices.Contains(kinds, o.kind) })
}

// estimatedText says that the answer is estimated, and what of it is exact.
func (e *Estimate) estimatedText() string {
	var exact []string
	for _, a := range e.aggregates {
		if a.exact {
			exact = append(exact, a.String())
		}
	}
	if len(exact) == 0 {
		return "estimated"
	}
	return "estimated, of it exact: " + strings.Join(exact, ", ")
}

// makesWhole reports whether estimated figures are rounded to whole numbers.
func (e *Estimate) makesWhole() bool {
	return e.rounds || slices.ContainsFunc(e.aggregates, func(a aggregate) bool { return a.rounded })
}

// correction says what is done about counterfeits; nothing without any.
func (e *Estimate) correction() string {
	if forged := e.view.Record().Forged; forged > 0 {
		return fmt.Sprintf("corrected for %d counterfeits among %d records as if these were spread evenly; whichever they are, intervals and bounds hold", forged, e.view.Record().Rows)
	}
	return ""
}

// touched names the fragments that the answer reads, and says whether it is
// exact: at most one fragment, with point cells only and no counterfeits.
func (e *Estimate) touched() (names []string, exact bool) {
	seen := make(map[string]bool)
	exact = true
	for _, f := range e.view.Record().Fragments {
		for _, column := range f.Columns {
			if e.reads(column.Name) {
				if !seen[f.Name] {
					seen[f.Name] = true
					names = append(names, f.Name)
				}
				exact = exact && column.Point
			}
		}
	}
	return names, exact && (len(names) == 0 || len(names) == 1 && e.view.Record().Forged == 0)
}

func (e *Estimate) reads(column string) bool {
	for _, expression := range e.Expressions() {
		for _, name := range viewColumnsOf(expression) {
			if name == column {
				return true
			}
		}
	}
	return false
}
