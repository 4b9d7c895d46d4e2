package pertable

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/tree"
)

// A Kind says how the values of a column in matched rows are combined.
type Kind uint8

// The kinds. A table that lacks a row counts 0 in a Count or a Sum and nothing elsewhere.
const (
	// Key columns match rows: they are the same in all tables.
	Key Kind = iota
	// Count is the mean.
	Count
	// Sum is the mean; NULLs count 0, and NULL in all tables is NULL.
	Sum
	// Mean is the mean of what is not NULL.
	Mean
	// Average is the sum by the count, of all tables together.
	Average
	// Variance is a variance, or its root, of all tables together.
	Variance
	// Place is the mean of positions among rows, such as ROW_NUMBER.
	Place
	// Extreme is the median, of two the lower one, of what is not NULL: always a value of
	// some table.
	Extreme
	// Value is the value of the first table that has the row.
	Value
)

// numeric reports whether the combined value is always a number.
func (k Kind) numeric() bool { return k >= Count && k <= Place }

// A Column of the answer.
type Column struct {
	Kind Kind
	// ID is the column's id in the plan, by which nodes above refer to it.
	ID sql.ColumnId
	// Column describes it: a combined number is a DOUBLE, or a BIGINT if Rounded.
	*sql.Column
	// Label is the name in texts, if it differs from the column's.
	Label string
	// Rounded: the number is rounded to an integer.
	Rounded bool
	// Everywhere: the number is unknown unless every table has the row.
	Everywhere bool
	// An Average is a SUM in the tables, and a Variance a VAR_POP; Counts is the column with the
	// COUNT, and Sums that with the SUM of a Variance, both behind it.
	Sums, Counts int
	// Sample and Root say what a Variance is; Hidden columns only serve others.
	Sample, Root, Hidden bool
	of                   sql.Type // in the tables
}

// NewColumn describes a column of the answer; of is the plan's column.
func NewColumn(kind Kind, id sql.ColumnId, of *sql.Column, rounded bool) Column {
	column := *of
	column.Default = nil
	if kind != Key {
		column.Nullable = kind != Count
	}
	switch {
	case rounded:
		column.Type = types.Int64
	case kind.numeric():
		column.Type = types.Float64
	}
	return Column{Kind: kind, ID: id, Column: &column, Rounded: rounded, of: of.Type}
}

// A Query answers a plan from every completed table.
type Query struct {
	tree.Leaf
	// Plan is bound, reads published views and no outer query, and has the Columns.
	Plan    sql.Node
	Columns []Column
	// Grouped: the plan aggregates, so a row of some tables is a row of the answer.
	// Otherwise all tables must have the same rows, except for figures.
	Grouped bool
	// Tables is how often the plan runs.
	Tables int

	views  []*catalog.PublishedView
	engine *analyzer.Analyzer
	flags  *sql.QueryFlags
	note   *atomic.Uint64
}

var (
	_ sql.ExecSourceRel      = (*Query)(nil)
	_ sql.Projector          = (*Query)(nil)
	_ sql.CollationCoercible = (*Query)(nil)
)

// New is a Query over views, one of each release, by the engine that analyzes the plan,
// with the flags that the binder gave the statement.
func New(planned sql.Node, views []*catalog.PublishedView, engine *analyzer.Analyzer, flags *sql.QueryFlags) *Query {
	q := &Query{Plan: planned, views: views, engine: engine, note: new(atomic.Uint64)}
	if flags != nil {
		q.flags = &sql.QueryFlags{Flags: flags.Flags.Copy()}
	}
	for _, v := range views {
		if c := v.Record().Completion; c != nil {
			q.Tables = max(q.Tables, c.Tables)
		}
	}
	return q
}

// Releases are the names of the releases that are read.
func (q *Query) Releases() []string {
	names := make([]string, len(q.views))
	for i, v := range q.views {
		names[i] = v.Record().Name
	}
	return names
}

// WithChildren accepts no children.
func (q *Query) WithChildren(children ...sql.Node) (sql.Node, error) {
	return tree.WithoutChildren(q, children)
}

// Schema describes the output columns.
func (q *Query) Schema() sql.Schema {
	schema := make(sql.Schema, len(q.Columns))
	for i, c := range q.Columns {
		schema[i] = c.Column
	}
	return schema
}

// CollationCoercibility returns a table's coercibility.
func (q *Query) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_Default, 2
}

// ProjectedExprs carries the ids under which the nodes above refer to the output columns.
func (q *Query) ProjectedExprs() []sql.Expression {
	expressions := make([]sql.Expression, len(q.Columns))
	for i := range q.Columns {
		expressions[i] = q.Columns[i].Field()
	}
	return expressions
}

// Field refers to the column.
func (c *Column) Field() sql.Expression {
	return tree.Field(c.ID, c.Type, c.Source, c.Name, c.Nullable)
}

// label is the name of the column in texts.
func (c *Column) label() string {
	if c.Label != "" {
		return c.Label
	}
	return c.Name
}

// String returns what EXPLAIN shows.
func (q *Query) String() string {
	lines := []string{
		"releases: " + strings.Join(q.Releases(), ", "),
		fmt.Sprintf("answer: estimated (imputed: runs on each of %d completed tables)", q.Tables),
	}
	for _, part := range []struct {
		title string
		kinds []Kind
	}{{"matched by", []Kind{Key}}, {"averaged", []Kind{Count, Sum, Mean, Average, Variance, Place}}, {"median", []Kind{Extreme}}, {"of the first table", []Kind{Value}}} {
		if names := q.named(part.kinds...); len(names) > 0 {
			lines = append(lines, part.title+": "+strings.Join(names, ", "))
		}
	}
	lines = append(lines, q.Plan.String())
	printer := sql.NewTreePrinter()
	_ = printer.WriteNode("PerTable")
	_ = printer.WriteChildren(lines...)
	return printer.String()
}

// named lists the columns of some kinds.
func (q *Query) named(kinds ...Kind) []string {
	var names []string
	for _, c := range q.Columns {
		for _, kind := range kinds {
			if c.Kind == kind && !c.Hidden {
				names = append(names, c.label())
			}
		}
	}
	return names
}
