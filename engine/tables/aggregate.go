package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
)

var _ source.Answering = (*Table)(nil)

// An aggregation is a question as a SELECT of the engine's, while it is written.
type aggregation struct {
	from     string
	columns  []column
	selected []string
	keys     []*column
	figures  []figure
}

// A figure is where an aggregate stands in a row of the answer.
type figure struct {
	of       *column // of MIN and MAX, nil for numbers
	at       int
	averages bool // the sum is at, the count behind it
}

// Aggregate implements source.Answering: one SELECT, whose rows are the answer. What the engine and the product compare or add in different
// ways is not answered: REAL, sums of DOUBLE, whose last digits change with their order, and literals of another class.
func (t *Table) Aggregate(ctx *sql.Context, q *source.Question) ([]source.Group, bool, error) {
	a := &aggregation{from: t.Path(), columns: t.columns}
	query, ok := a.write(q)
	if !ok {
		return nil, false, nil
	}
	var groups []source.Group
	err := t.home.Asker.Query(ctx, query, func(values []any) error {
		if len(values) != len(a.selected) {
			return fmt.Errorf("a row of an answer about %s has %d values, must have %d", t, len(values), len(a.selected))
		}
		g, err := a.group(ctx, values)
		groups = append(groups, g)
		return err
	})
	if says(err, "NUMERIC_VALUE_OUT_OF_RANGE", "INVALID_CAST_ARGUMENT", "TYPE_MISMATCH") {
		return nil, false, nil // a literal or a sum that the engine's types cannot hold
	}
	return groups, true, err
}

func (a *aggregation) write(q *source.Question) (string, bool) {
	var by []string
	for _, name := range q.Keys {
		c, ok := a.column(name)
		if !ok || !c.isKey() {
			return "", false
		}
		a.keys, a.selected = append(a.keys, c), append(a.selected, c.ask)
		by = append(by, fmt.Sprint(len(a.selected)))
	}
	for _, asked := range q.Aggregates {
		if !a.aggregate(asked) {
			return "", false
		}
	}
	query := "SELECT " + strings.Join(a.selected, ", ") + " FROM " + a.from
	if len(q.Where) > 0 {
		where, ok := a.conditions(q.Where, source.And)
		if !ok {
			return "", false
		}
		query += " WHERE " + where
	}
	if len(by) > 0 {
		query += " GROUP BY " + strings.Join(by, ", ")
	}
	return query, true
}

func (a *aggregation) column(name string) (*column, bool) {
	at := slices.IndexFunc(a.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
	if at < 0 || a.columns[at].refused != "" {
		return nil, false
	}
	return &a.columns[at], true
}

// aggregate adds one to what is selected. An average is a sum and a count: the engine would round it.
func (a *aggregation) aggregate(asked source.Aggregate) bool {
	f := figure{at: len(a.selected)}
	if asked.Column == "" {
		a.selected, a.figures = append(a.selected, "count(*)"), append(a.figures, f)
		return asked.Function == "COUNT"
	}
	c, ok := a.column(asked.Column)
	if !ok {
		return false
	}
	adds := c.class == number && c.isExact()
	switch {
	case asked.Function == "COUNT":
		a.selected = append(a.selected, "count("+c.ask+")")
	case asked.Function == "SUM" && adds:
		a.selected = append(a.selected, c.sum())
	case asked.Function == "AVG" && adds:
		f.averages = true
		a.selected = append(a.selected, c.sum(), "count("+c.ask+")")
	case (asked.Function == "MIN" || asked.Function == "MAX") && c.class == number && !c.isFloat():
		f.of = c
		a.selected = append(a.selected, strings.ToLower(asked.Function)+"("+c.ask+")")
	default:
		return false
	}
	a.figures = append(a.figures, f)
	return true
}

// sum has all digits: sums of whole numbers are BIGINT in the engine, and may be too large for it.
func (c *column) sum() string {
	if coding.KindOf(c.typ) == coding.KindDecimal {
		return "sum(" + c.ask + ")"
	}
	return "sum(" + of.CastDecimal(c.ask, 38, 0) + ")"
}

// conditions writes conditions that are joined by an operator.
func (a *aggregation) conditions(list []source.Condition, operator source.Operator) (string, bool) {
	texts := make([]string, len(list))
	for i, c := range list {
		var ok bool
		if texts[i], ok = a.condition(c); !ok {
			return "", false
		}
	}
	return "(" + strings.Join(texts, " "+string(operator)+" ") + ")", len(texts) > 0
}

func (a *aggregation) condition(asked source.Condition) (string, bool) {
	switch asked.Operator {
	case source.And, source.Or:
		return a.conditions(asked.Of, asked.Operator)
	case source.Not:
		negated, ok := a.conditions(asked.Of, source.And)
		return "(NOT " + negated + ")", ok && len(asked.Of) == 1
	}
	c, ok := a.column(asked.Column)
	if !ok {
		return "", false
	}
	if asked.Operator == source.IsNull {
		return "(" + c.ask + " IS NULL)", true
	}
	literals := make([]string, len(asked.Literals))
	for i, l := range asked.Literals {
		if literals[i], ok = c.literal(l, asked.Operator); !ok {
			return "", false
		}
	}
	left := "(" + c.ask + " " + string(asked.Operator) + " "
	switch n := len(literals); {
	case asked.Operator == source.In && n > 0:
		return left + "(" + strings.Join(literals, ", ") + "))", true
	case asked.Operator == source.Between && n == 2:
		return left + literals[0] + " AND " + literals[1] + ")", true
	case n == 1 && asked.Operator != source.In && asked.Operator != source.Between:
		return left + literals[0] + ")", true
	}
	return "", false
}

// literal writes a literal of the column's own class, false for others.
func (c *column) literal(l source.Literal, operator source.Operator) (string, bool) {
	switch {
	case l.Class == source.TextClass && c.class == text:
		// LIKE has an escape in MySQL and none in the engine.
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

// isKey tells columns whose groups are the same in the engine.
func (c *column) isKey() bool { return c.class != number || c.isExact() }

// group reads a row of the answer.
func (a *aggregation) group(ctx *sql.Context, values []any) (g source.Group, err error) {
	for i, c := range a.keys {
		v, err := c.value(ctx, values[i])
		if err != nil {
			return g, err
		}
		g.Keys = append(g.Keys, v)
	}
	for _, f := range a.figures {
		var v anonymize.Value
		if f.of != nil {
			v, err = f.of.value(ctx, values[f.at])
		} else {
			v, err = f.number(values)
		}
		if err != nil {
			return g, err
		}
		g.Figures = append(g.Figures, v)
	}
	return g, nil
}

// number reads a count, a sum or an average.
func (f figure) number(values []any) (anonymize.Value, error) {
	if values[f.at] == nil {
		return anonymize.NullValue, nil
	}
	x, err := strconv.ParseFloat(fmt.Sprint(values[f.at]), 64)
	if err == nil && f.averages {
		n, ok := values[f.at+1].(int64)
		if !ok || n == 0 {
			return anonymize.NullValue, nil
		}
		x /= float64(n)
	}
	return anonymize.RealValue(x), err
}

// AsSpelled implements source.Answering: texts are equal when they are the same.
func (t *Table) AsSpelled(_ *sql.Context, c, _ *anonymize.Column) (*anonymize.Column, error) {
	return c, nil
}
