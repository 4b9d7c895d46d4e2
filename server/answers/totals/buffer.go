package totals

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/planner/arithmetic"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// An adder adds the values of an expression. Exact sums have a fixed number of places.
type adder struct {
	average  bool
	argument sql.Expression
	typ      sql.Type // of the argument
	places   int32    // of the argument
	isExact  bool
}

func (t *Total) adder() (adder, bool, error) {
	given, distinct := t.argument()
	argument, err := transform.Clone(given)
	if err != nil {
		return adder{}, false, err
	}
	a := adder{average: t.average, argument: argument, typ: argument.Type()}
	if _, a.isExact = t.Places(); a.isExact {
		places, _ := arithmetic.OfRows(argument).Scale()
		a.places = int32(places)
	}
	return a, distinct, nil
}

// A state is the running total of some rows.
type state struct {
	rows   int64
	exact  exact
	double float64
}

// add adds a value that is not NULL.
func (a *adder) add(ctx *sql.Context, s *state, v any) error {
	s.rows++
	if !a.isExact {
		f, ok := v.(float64)
		if !ok {
			var err error
			if f, err = coercion.Float(ctx, v, a.typ); err != nil {
				return err
			}
		}
		s.double += f
		return nil
	}
	if n, ok := wholeNumber(v); ok && a.places == 0 {
		s.exact.addWhole(n, 0)
		return nil
	}
	d, ok := v.(decimal.Decimal)
	if !ok {
		var err error
		if d, err = coercion.Exact(ctx, v, a.typ); err != nil {
			return err
		}
	}
	s.exact.add(d, a.places)
	return nil
}

// total returns the sum or average of a state, NULL for no rows.
func (a *adder) total(s *state) any {
	switch {
	case s.rows == 0:
		return nil
	case !a.isExact && a.average:
		return s.double / float64(s.rows)
	case !a.isExact:
		return s.double
	}
	total := s.exact.sum(a.places)
	if a.average {
		return arithmetic.Quotient(total, decimal.NewFromInt(s.rows))
	}
	return total
}

// NewBuffer implements sql.Aggregation.
func (t *Total) NewBuffer() (sql.AggregationBuffer, error) {
	a, distinct, err := t.adder()
	if err != nil || !distinct {
		return &buffer{adder: a}, err
	}
	return &distinctBuffer{buffer: buffer{adder: a}, units: map[int64]struct{}{}, others: map[any]struct{}{}}, nil
}

// A buffer is the total of a group.
type buffer struct {
	adder
	state
}

// Update implements sql.AggregationBuffer.
func (b *buffer) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.argument.Eval(ctx, row)
	if v == nil || err != nil {
		return err
	}
	return b.add(ctx, &b.state, v)
}

// Eval implements sql.AggregationBuffer.
func (b *buffer) Eval(*sql.Context) (any, error) { return b.total(&b.state), nil }

// Dispose implements sql.Disposable.
func (b *buffer) Dispose() { expression.Dispose(b.argument) }

// A distinctBuffer adds each number once.
type distinctBuffer struct {
	buffer
	units  map[int64]struct{}
	others map[any]struct{} // DOUBLEs, and texts of decimals
}

// Update implements sql.AggregationBuffer.
func (b *distinctBuffer) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.argument.Eval(ctx, row)
	if v == nil || err != nil {
		return err
	}
	isNew, err := b.isNew(ctx, v)
	if !isNew || err != nil {
		return err
	}
	return b.add(ctx, &b.state, v)
}

// isNew remembers a number, and reports whether no equal one came before.
func (b *distinctBuffer) isNew(ctx *sql.Context, v any) (bool, error) {
	before := len(b.units) + len(b.others)
	if n, ok := wholeNumber(v); ok && b.isExact && b.places == 0 {
		b.units[n] = struct{}{}
	} else if !b.isExact {
		f, err := coercion.Float(ctx, v, b.typ)
		if err != nil {
			return false, err
		}
		b.others[f] = struct{}{}
	} else {
		d, err := coercion.Exact(ctx, v, b.typ)
		if err != nil {
			return false, err
		}
		if inUnits := d.Round(b.places); d.Exponent() != -b.places && inUnits.Equal(d) {
			d = inUnits
		}
		if n, ok := unitsOf(d, b.places); ok {
			b.units[n] = struct{}{}
		} else {
			b.others[d.String()] = struct{}{} // without trailing zeros
		}
	}
	return len(b.units)+len(b.others) > before, nil
}

// Dispose implements sql.Disposable.
func (b *distinctBuffer) Dispose() {
	clear(b.units)
	clear(b.others)
	b.buffer.Dispose()
}
