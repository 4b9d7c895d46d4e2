package upstream

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/quoting"
)

var _ source.Answering = (*table)(nil)

// Aggregate implements source.Answering by one SELECT, whose rows are the answer. It refuses what upstream and the
// engine compare or add differently: FLOAT, TIMESTAMP, the order of texts, non-ASCII texts, literals of another class.
func (t *table) Aggregate(ctx *sql.Context, q *source.Question) ([]source.Group, bool, error) {
	from := quoting.Name(t.schema, t.Name())
	asked := homes.Table[*column, []byte]{Name: t.Name(), From: from, Columns: t.columns, Query: t.home.Asker.Query, Number: readNumber}
	groups, ok, err := asked.Aggregate(ctx, q)
	return groups, ok, clientError(err)
}

func readNumber(v []byte) (x float64, known bool, err error) {
	if v == nil {
		return 0, false, nil
	}
	x, err = strconv.ParseFloat(string(v), 64)
	return x, true, err
}

// Name, Refused, Kept, Compared, Group, Sum, Ranks, Literal and Value implement homes.Column.
func (c *column) Name() string     { return c.name }
func (c *column) Refused() string  { return c.refused }
func (c *column) Kept() string     { return c.ask }
func (c *column) Compared() string { return quoting.Name(c.name) }

// Group is by the column, whose collation says what is equal, and not by what is kept of it.
func (c *column) Group(int) (string, bool) {
	return quoting.Name(c.name), c.text || c.isEnum() || c.isDate() || c.isNumber() && coding.KindOf(c.typ) != coding.KindFloat64
}

func (c *column) Sum() (string, bool) { return "sum(" + quoting.Name(c.name) + ")", c.isNumber() }
func (c *column) Ranks() bool         { return c.isNumber() }

// Literal writes a literal of the column's own class, false for others.
func (c *column) Literal(l source.Literal, operator source.Operator) (string, bool) {
	equality := operator == source.Equal || operator == source.In
	switch {
	case l.Class == source.NumberClass && coding.KindOf(c.typ) == coding.KindFloat64 && strings.Contains(l.Text, ".") && !strings.Contains(l.Text, "e"):
		return "", false // a DECIMAL
	case l.Class == source.NumberClass:
		return l.Text, c.isNumber() && operator != source.Like
	case l.Class == source.MomentClass:
		return quoting.Hex(l.Text), c.isDate() && operator != source.Like
	case !isPlain(l.Text):
		return "", false
	case operator == source.Like:
		return quoting.Hex(l.Text), c.text
	case c.isEnum():
		return quoting.Hex(l.Text), equality && slices.Contains(c.typ.(sql.EnumType).Values(), l.Text)
	}
	return quoting.Hex(l.Text), c.text && equality
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

// Stamp implements source.Answering: the times of the table's creation and last change; "" if that was within about a second, or if the
// session has an open transaction, whose changes have no time yet. MySQL does not say whether one is open, so it has no stamps.
func (t *table) Stamp(ctx *sql.Context) (stamp string, err error) {
	query := "SELECT UNIX_TIMESTAMP(CREATE_TIME), UNIX_TIMESTAMP(UPDATE_TIME), UNIX_TIMESTAMP(UPDATE_TIME) < UNIX_TIMESTAMP() - 1 /*M! , @@in_transaction */ " + t.listed()
	err = t.home.Asker.Query(ctx, query, func(v [][]byte) error {
		if len(v) == 4 && v[0] != nil && v[1] != nil && string(v[2]) == "1" && string(v[3]) == "0" {
			stamp = string(v[0]) + " " + string(v[1])
		}
		return nil
	})
	return stamp, clientError(err)
}
