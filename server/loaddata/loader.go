package loaddata

import (
	"errors"
	"io"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// A loader completes rows and writes them, on the statement's goroutine.
type loader struct {
	layout   *layout
	checks   sql.CheckConstraints
	to       sink
	ignore   bool
	steps    []step // compute columns, in this order
	required []int  // columns that must not be NULL
	serial   int    // the AUTO_INCREMENT column, or -1
	counts   counts
	shown    shown
}

// prepare finds the steps for each row after its fields. Constant defaults come first, because SET reads them. SET, the AUTO_INCREMENT number,
// other defaults and generated columns follow.
func (l *loader) prepare(ctx *sql.Context, insert *plan.InsertInto) error {
	var sets, serial, defaults, generated []step
	l.serial = -1
	for i, c := range l.layout.schema {
		if !c.Nullable {
			l.required = append(l.required, i)
		}
		switch {
		case c.AutoIncrement:
			table, err := plan.GetInsertable(insert.Destination)
			if err != nil {
				return err
			}
			next, err := expression.NewAutoIncrement(ctx, sql.GetUnderlyingTable(table), expression.NewGetField(i, c.Type, c.Name, true))
			if err != nil {
				return err
			}
			serial, l.serial = append(serial, step{column: i, value: next}), i
		case l.layout.filled[i]:
		case c.Generated != nil:
			generated = append(generated, step{column: i, value: c.Generated})
		case c.Default != nil && c.Default.IsLiteral():
			l.steps = append(l.steps, step{column: i, value: c.Default})
		case c.Default != nil && !l.layout.listed[i]:
			defaults = append(defaults, step{column: i, value: c.Default})
		case c.Default == nil && !c.Nullable && l.layout.listed[i]:
			l.steps = append(l.steps, step{column: i, value: expression.NewLiteral(c.Type.Zero(), c.Type)})
		case c.Default == nil && !c.Nullable:
			return newError(numberNoDefault, "Field '"+c.Name+"' doesn't have a default value, and LOAD DATA gives it none")
		}
	}
	for _, s := range l.layout.sets {
		if isDefault(s.value) {
			s.value = expression.NewLiteral(nil, types.Null)
			if value := l.layout.schema[s.column].Default; value != nil {
				s.value = value
			}
		}
		sets = append(sets, s)
	}
	l.steps = slices.Concat(l.steps, sets, serial, byDependence(defaults), byDependence(generated))
	return nil
}

// isDefault recognises DEFAULT, also in the wrapper that the engine puts around it.
func isDefault(e sql.Expression) bool {
	if w, ok := e.(*expression.Wrapper); ok {
		e = w.Unwrap()
	}
	_, ok := e.(*expression.DefaultColumn)
	return ok
}

// load writes all batches.
func (l *loader) load(ctx *sql.Context, from *parsing) error {
	for {
		var b *batch
		select {
		case b = <-from.out:
		case <-ctx.Done():
			return ctx.Err()
		}
		l.shown.reportRows(ctx, l.counts.inserted+l.counts.skipped)
		for i, row := range b.rows {
			where := position{b.first + int64(i), b.lines[i]}
			if len(b.variables) > 0 {
				if err := l.setVariables(ctx, b.variables[i]); err != nil {
					return err
				}
			}
			if err := l.complete(ctx, row, where); err != nil {
				return err
			}
			if err := l.write(ctx, row, where); err != nil {
				return err
			}
		}
		if b.err == io.EOF {
			return ctx.Err()
		}
		if b.err != nil {
			return b.err
		}
	}
}

func (l *loader) setVariables(ctx *sql.Context, values []any) error {
	for i, name := range l.layout.variables {
		if err := ctx.SetUserVariable(ctx, name, values[i], types.LongText); err != nil {
			return err
		}
	}
	return nil
}

// complete computes SET, defaults and generated columns, and then checks the row.
func (l *loader) complete(ctx *sql.Context, row sql.Row, where position) error {
	for _, s := range l.steps {
		if err := l.compute(ctx, row, s.column, s.value, where); err != nil {
			return err
		}
	}
	for _, i := range l.required {
		if row[i] == nil {
			return newError(numberNullToNotNull, "NULL supplied to NOT NULL column '"+l.layout.schema[i].Name+"' at "+where.String())
		}
	}
	for _, c := range l.checks {
		if !c.Enforced {
			continue
		}
		ok, err := sql.EvaluateCondition(ctx, c.Expr, row)
		if err != nil {
			return err
		}
		if sql.IsFalse(ok) {
			return newError(numberCheckViolated, "Check constraint '"+c.Name+"' is violated at "+where.String())
		}
	}
	return nil
}

// compute sets column i to the value of e.
func (l *loader) compute(ctx *sql.Context, row sql.Row, i int, e sql.Expression, where position) error {
	given := row[i]
	v, err := e.Eval(ctx, row)
	if refused, ok := errors.AsType[*mysql.SQLError](err); ok {
		return placed(refused, where, true)
	}
	if err != nil {
		return err
	}
	row[i] = v
	if i == l.serial && l.counts.insertID == 0 && (given == nil || given == l.layout.schema[i].Type.Zero()) {
		l.counts.insertID = serialNumber(v)
		ctx.SetLastQueryInfoInt(sql.LastInsertId, l.counts.insertID)
	}
	if v == nil {
		return nil
	}
	var in sql.ConvertInRange
	row[i], in, err = l.layout.schema[i].Type.Convert(ctx, v)
	if err != nil || !bool(in) {
		shown, _, _ := types.LongText.Convert(ctx, v)
		text, _ := shown.(string)
		number := numberTruncated
		if err == nil {
			number = numberOutOfRange
		}
		return (&problem{number: number}).errorAt(l.layout.schema[i].Name, []byte(text), where)
	}
	return nil
}

func serialNumber(v any) int64 {
	n, _, err := types.Int64.Convert(sql.NewEmptyContext(), v)
	if err != nil {
		return 0
	}
	return n.(int64)
}

// maxWarnings is MySQL's max_error_count.
const maxWarnings = 1024

// write passes a row to the sink. With IGNORE, it skips a row with a duplicate key.
func (l *loader) write(ctx *sql.Context, row sql.Row, where position) error {
	deleted, err := l.to.write(ctx, row)
	l.counts.deleted += int64(deleted)
	if err == nil {
		l.counts.inserted++
		return nil
	}
	if l.ignore && isDuplicate(err) {
		l.counts.skipped++
		if l.counts.warnings < maxWarnings {
			l.counts.warnings++
			ctx.Warn(numberDuplicate, "%s, at %s", err.Error(), where)
		}
		return nil
	}
	_, exact := l.to.(*editor)
	return placed(err, where, exact)
}
