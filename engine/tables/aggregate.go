package tables

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/source"
)

var _ source.Answering = (*Table)(nil)

// Aggregate implements source.Answering by one SELECT, whose rows are the answer. It refuses what the engine and the product
// compare or add differently: REAL, sums of DOUBLE, whose last digits depend on the order, and literals of another class.
func (t *Table) Aggregate(ctx *sql.Context, q *source.Question) ([]source.Group, bool, error) {
	asked := homes.Table[*column, any]{Name: t.String(), From: t.Path(), Columns: t.columns, Query: t.home.Asker.Query, Number: readNumber}
	groups, ok, err := asked.Aggregate(ctx, q)
	if isEngineError(err, "NUMERIC_VALUE_OUT_OF_RANGE", "INVALID_CAST_ARGUMENT", "TYPE_MISMATCH") {
		return nil, false, nil // a literal or a sum that the engine's types cannot hold
	}
	return groups, ok, err
}

func readNumber(v any) (x float64, known bool, err error) {
	if v == nil {
		return 0, false, nil
	}
	x, err = strconv.ParseFloat(fmt.Sprint(v), 64)
	return x, true, err
}

// Name, Refused, Kept, Compared, Group, Sum, Ranks, Literal and Value implement homes.Column.
func (c *column) Name() string     { return c.name }
func (c *column) Refused() string  { return c.refused }
func (c *column) Kept() string     { return c.ask }
func (c *column) Compared() string { return c.ask }

// Group returns false for DOUBLE and REAL.
func (c *column) Group(place int) (string, bool) {
	return strconv.Itoa(place), c.class != number || c.isExact()
}

// Sum keeps all digits: the engine's sums of integers are BIGINT, which may overflow.
func (c *column) Sum() (string, bool) {
	if coding.KindOf(c.typ) == coding.KindDecimal {
		return "sum(" + c.ask + ")", true
	}
	return "sum(" + of.CastDecimal(c.ask, 38, 0) + ")", c.class == number && c.isExact()
}

// Ranks returns false for REAL.
func (c *column) Ranks() bool { return c.class == number && !c.isFloat() }

// Literal writes a literal of the column's own class; false for others.
func (c *column) Literal(l source.Literal, operator source.Operator) (string, bool) {
	switch {
	case l.Class == source.TextClass && c.class == text:
		// LIKE has a default escape in MySQL and none in the engine.
		return of.Text(l.Text), operator != source.Like || !strings.Contains(l.Text, `\`)
	case operator == source.Like || l.Class == source.TextClass:
		return "", false
	case l.Class == source.MomentClass && c.class == moment:
		at, err := time.Parse("2006-01-02 15:04:05.000000", l.Text)
		return of.Timestamp(at), err == nil
	case l.Class != source.NumberClass || c.class != number && c.class != flag || c.isFloat():
		return "", false
	case !c.isExact() && strings.Contains(l.Text, ".") && !strings.ContainsAny(l.Text, "eE"):
		return "", false // a DECIMAL beside a DOUBLE
	}
	return of.Number(l.Text)
}

// AsSpelled implements source.Answering: only identical texts are equal here.
func (t *Table) AsSpelled(_ *sql.Context, c, _ *anonymize.Column) (*anonymize.Column, error) {
	return c, nil
}
