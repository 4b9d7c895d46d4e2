package upstream

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/source"
)

var _ source.Answering = (*table)(nil)

// An aggregation is a question as a SELECT of upstream's, while it is written.
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

// Aggregate implements source.Answering: one SELECT, whose rows are the answer. What upstream and the engine compare or add in
// different ways is not answered: FLOAT, TIMESTAMP, the order of texts, texts beyond ASCII, literals of another class.
func (t *table) Aggregate(ctx *sql.Context, q *source.Question) ([]source.Group, bool, error) {
	a := &aggregation{from: path(t.schema, t.Name()), columns: t.columns}
	text, ok := a.write(q)
	if !ok {
		return nil, false, nil
	}
	var groups []source.Group
	err := t.home.Asker.Query(ctx, text, func(values [][]byte) error {
		if len(values) != len(a.selected) {
			return fmt.Errorf("a row of an answer about %s has %d values, must have %d", t.Name(), len(values), len(a.selected))
		}
		g, err := a.group(ctx, values)
		groups = append(groups, g)
		return err
	})
	return groups, true, told(err)
}

func (a *aggregation) write(q *source.Question) (string, bool) {
	var by []string
	for _, name := range q.Keys {
		c, ok := a.column(name)
		if !ok || !c.isKey() {
			return "", false
		}
		a.keys, a.selected, by = append(a.keys, c), append(a.selected, c.ask), append(by, quoted(c.name))
	}
	for _, asked := range q.Aggregates {
		if !a.aggregate(asked) {
			return "", false
		}
	}
	text := "SELECT " + strings.Join(a.selected, ", ") + " FROM " + a.from
	if len(q.Where) > 0 {
		where, ok := a.conditions(q.Where, source.And)
		if !ok {
			return "", false
		}
		text += " WHERE " + where
	}
	if len(by) > 0 {
		text += " GROUP BY " + strings.Join(by, ", ")
	}
	return text, true
}

func (a *aggregation) column(name string) (*column, bool) {
	at := slices.IndexFunc(a.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
	if at < 0 || a.columns[at].refused != "" {
		return nil, false
	}
	return &a.columns[at], true
}

// aggregate adds one to what is selected. An average is a sum and a count: upstream would round it.
func (a *aggregation) aggregate(asked source.Aggregate) bool {
	f := figure{at: len(a.selected)}
	if asked.Column == "" {
		a.selected = append(a.selected, "COUNT(*)")
		a.figures = append(a.figures, f)
		return asked.Function == "COUNT"
	}
	c, ok := a.column(asked.Column)
	if !ok {
		return false
	}
	name := quoted(c.name)
	switch {
	case asked.Function == "COUNT":
		a.selected = append(a.selected, "COUNT("+name+")")
	case asked.Function == "SUM" && c.isNumber():
		a.selected = append(a.selected, "SUM("+name+")")
	case asked.Function == "AVG" && c.isNumber():
		f.averages = true
		a.selected = append(a.selected, "SUM("+name+")", "COUNT("+name+")")
	case (asked.Function == "MIN" || asked.Function == "MAX") && c.isNumber():
		f.of = c
		a.selected = append(a.selected, asked.Function+"("+name+")")
	default:
		return false
	}
	a.figures = append(a.figures, f)
	return true
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
		text, ok := a.conditions(asked.Of, source.And)
		return "(NOT " + text + ")", ok && len(asked.Of) == 1
	}
	c, ok := a.column(asked.Column)
	if !ok {
		return "", false
	}
	if asked.Operator == source.IsNull {
		return "(" + quoted(c.name) + " IS NULL)", true
	}
	literals := make([]string, len(asked.Literals))
	for i, l := range asked.Literals {
		if literals[i], ok = c.literal(l, asked.Operator); !ok {
			return "", false
		}
	}
	left := "(" + quoted(c.name) + " " + string(asked.Operator) + " "
	switch n := len(literals); {
	case asked.Operator == source.In && n > 0:
		return left + "(" + strings.Join(literals, ", ") + "))", true
	case asked.Operator == source.Between && n == 2:
		return left + literals[0] + " AND " + literals[1] + ")", true
	case n == 1:
		return left + literals[0] + ")", true
	}
	return "", false
}

// literal writes a literal of the column's own class, false for others.
func (c *column) literal(l source.Literal, operator source.Operator) (string, bool) {
	equality := operator == source.Equal || operator == source.In
	switch {
	case l.Class == source.NumberClass && coding.KindOf(c.typ) == coding.KindFloat64 && strings.Contains(l.Text, ".") && !strings.Contains(l.Text, "e"):
		return "", false // a DECIMAL
	case l.Class == source.NumberClass:
		return l.Text, c.isNumber() && operator != source.Like
	case l.Class == source.MomentClass:
		return literal(l.Text), c.isDate() && operator != source.Like
	case !isPlain(l.Text):
		return "", false
	case operator == source.Like:
		return literal(l.Text), c.text
	case c.isEnum():
		return literal(l.Text), equality && slices.Contains(c.typ.(sql.EnumType).Values(), l.Text)
	}
	return literal(l.Text), c.text && equality
}

// isPlain tells texts that every collation compares alike: of ASCII, without padding and escapes.
func isPlain(text string) bool {
	for _, b := range []byte(text) {
		if b < ' ' || b > '~' || b == '\\' {
			return false
		}
	}
	return text != "" && !strings.HasSuffix(text, " ")
}

// isNumber tells whole numbers, decimals and DOUBLE.
func (c *column) isNumber() bool {
	switch kind := coding.KindOf(c.typ); kind {
	case coding.KindSigned, coding.KindUnsigned:
		base := c.typ.Type()
		return !isMembers(c.typ) && base != query.Type_YEAR && base != query.Type_BIT
	default:
		return kind == coding.KindDecimal || kind == coding.KindFloat64
	}
}

func (c *column) isDate() bool { return coding.KindOf(c.typ) == coding.KindInstant && !c.moment }

func (c *column) isEnum() bool {
	_, ok := c.typ.(sql.EnumType)
	return ok
}

// isKey tells columns whose groups are the same upstream.
func (c *column) isKey() bool {
	return c.text || c.isEnum() || c.isDate() || c.isNumber() && coding.KindOf(c.typ) != coding.KindFloat64
}

// group reads a row of the answer.
func (a *aggregation) group(ctx *sql.Context, values [][]byte) (g source.Group, err error) {
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
func (f figure) number(values [][]byte) (anonymize.Value, error) {
	if values[f.at] == nil {
		return anonymize.NullValue, nil
	}
	x, err := strconv.ParseFloat(string(values[f.at]), 64)
	if err == nil && f.averages {
		var n float64
		if n, err = strconv.ParseFloat(string(values[f.at+1]), 64); n == 0 {
			return anonymize.NullValue, err
		}
		x /= n
	}
	return anonymize.RealValue(x), err
}

// Stamp implements source.Answering: when the table was made and changed last, unless that was this second, or the session has a
// transaction open, whose changes have no time yet. A server that does not say whether one is open, MySQL, has no stamps.
func (t *table) Stamp(ctx *sql.Context) (stamp string, err error) {
	query := fmt.Sprintf(
		"SELECT UNIX_TIMESTAMP(CREATE_TIME), UNIX_TIMESTAMP(UPDATE_TIME), UNIX_TIMESTAMP(UPDATE_TIME) < UNIX_TIMESTAMP() - 1 /*M! , @@in_transaction */ "+
			"FROM information_schema.TABLES WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s",
		literal(t.schema),
		literal(t.Name()),
	)
	err = t.home.Asker.Query(ctx, query, func(v [][]byte) error {
		if len(v) == 4 && v[0] != nil && v[1] != nil && string(v[2]) == "1" && string(v[3]) == "0" {
			stamp = string(v[0]) + " " + string(v[1])
		}
		return nil
	})
	return stamp, told(err)
}
