package answer

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/tree"
)

// An OutputKind is the source of an output column.
type OutputKind uint8

const (
	KeyOutput           OutputKind = iota // Keys[Index]
	FigureOutput                          // the estimate of Aggregates[Index]
	ActualOutput                          // the actual value of Aggregates[Index]
	RelativeErrorOutput                   // |actual - estimate| / |actual|
	DeviationOutput                       // the standard deviation under the model
	LowOutput                             // the least value over all agreeing tables
	HighOutput                            // the greatest
	IntervalLowOutput                     // the lower end of the calibrated interval at a level
	IntervalHighOutput                    // the upper end
	QuotientLowOutput                     // the lower end of the interval around Quotients[Index]
	QuotientHighOutput                    // the upper end
)

// ReadsRawTable reports whether the output reads the raw table, for which the account needs SELECT.
func (k OutputKind) ReadsRawTable() bool { return k == ActualOutput || k == RelativeErrorOutput }

// An Output is one column of an Estimate.
type Output struct {
	Kind OutputKind
	// Index is the index of the output's key, aggregate or quotient.
	Index int
	// Level is the level of an interval, between 0 and 1.
	Level float64
	// ID is the id by which nodes above refer to the column.
	ID     sql.ColumnId
	Column *sql.Column
}

// Field is a reference to the output.
func (o Output) Field() sql.Expression {
	return tree.Field(o.ID, o.Column.Type, o.Column.Source, o.Column.Name, o.Column.Nullable)
}

// IsInterval reports whether the output is an end of a calibrated interval.
func (k OutputKind) IsInterval() bool { return k == IntervalLowOutput || k == IntervalHighOutput }

// OfQuotient is the same end around a quotient.
func (k OutputKind) OfQuotient() OutputKind {
	if k == IntervalLowOutput {
		return QuotientLowOutput
	}
	return QuotientHighOutput
}
