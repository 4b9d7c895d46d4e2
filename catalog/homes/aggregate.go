package homes

import (
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Column is a column of a home's table. V is a value as the home returns it.
type Column[V any] interface {
	Named
	// Kept is the SQL expression for values to keep, Compared the one to compare and count.
	Kept() string
	Compared() string
	// Group returns the GROUP BY term of the column that is selected at a place, from 1; false if the home forms other groups.
	Group(place int) (string, bool)
	// Sum returns the SQL expression of the exact sum; false for none. Ranks reports whether MIN and MAX agree with MySQL's.
	Sum() (string, bool)
	Ranks() bool
	// Literal returns a literal for a comparison with the column; false if the home compares differently.
	Literal(l source.Literal, operator source.Operator) (string, bool)
	// Value converts a home's value to the kept one.
	Value(ctx *sql.Context, v V) (anonymize.Value, error)
}

// A Table is a home's table that answers questions.
type Table[C Column[V], V any] struct {
	Name    string // in messages
	From    string // in SQL
	Columns []C
	Query   func(ctx context.Context, text string, row func(values []V) error) error
	// Number parses a count or a sum; known is false for NULL.
	Number func(v V) (x float64, known bool, err error)
}

// Aggregate answers a question by one SELECT, whose rows are the answer. asked is false for a question that it cannot ask.
func (t *Table[C, V]) Aggregate(ctx *sql.Context, q *source.Question) (groups []source.Group, asked bool, err error) {
	s := &selection[C, V]{Table: t}
	text, ok := s.write(q)
	if !ok {
		return nil, false, nil
	}
	err = t.Query(ctx, text, func(values []V) error {
		if len(values) != len(s.selected) {
			return fmt.Errorf("a row of an answer about %s has %d values, must have %d", t.Name, len(values), len(s.selected))
		}
		g, err := s.group(ctx, values)
		groups = append(groups, g)
		return err
	})
	return groups, true, err
}

// Select returns the SELECT of a question; false if there is none.
func (t *Table[C, V]) Select(q *source.Question) (string, bool) {
	return (&selection[C, V]{Table: t}).write(q)
}

// A selection is a SELECT under construction.
type selection[C Column[V], V any] struct {
	*Table[C, V]
	selected []string
	keys     []C
	figures  []figure[C]
}

// A figure says where a row of the answer has an aggregate.
type figure[C any] struct {
	extremeOf *C // of MIN and MAX, nil for numbers
	at        int
	averages  bool // the sum is at at, the count after it
}

func (s *selection[C, V]) write(q *source.Question) (string, bool) {
	var by []string
	for _, name := range q.Keys {
		c, ok := s.column(name)
		if !ok {
			return "", false
		}
		s.keys, s.selected = append(s.keys, c), append(s.selected, c.Kept())
		group, ok := c.Group(len(s.selected))
		if !ok {
			return "", false
		}
		by = append(by, group)
	}
	for _, asked := range q.Aggregates {
		if !s.aggregate(asked) {
			return "", false
		}
	}
	text := "SELECT " + strings.Join(s.selected, ", ") + " FROM " + s.From
	if len(q.Where) > 0 {
		where, ok := s.conditions(q.Where, source.And)
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

func (s *selection[C, V]) column(name string) (c C, ok bool) {
	c, ok = find(s.Columns, name)
	return c, ok && c.Refused() == ""
}

// aggregate adds an aggregate to the selection. An average is selected as sum and count, because the home would round it.
func (s *selection[C, V]) aggregate(asked source.Aggregate) bool {
	f := figure[C]{at: len(s.selected)}
	if asked.Column == "" {
		s.selected, s.figures = append(s.selected, "count(*)"), append(s.figures, f)
		return asked.Function == "COUNT"
	}
	c, ok := s.column(asked.Column)
	if !ok {
		return false
	}
	count := "count(" + c.Compared() + ")"
	sum, adds := c.Sum()
	switch {
	case asked.Function == "COUNT":
		s.selected = append(s.selected, count)
	case asked.Function == source.CountDistinct:
		s.selected = append(s.selected, "count(DISTINCT "+c.Compared()+")")
	case asked.Function == "SUM" && adds:
		s.selected = append(s.selected, sum)
	case asked.Function == "AVG" && adds:
		f.averages = true
		s.selected = append(s.selected, sum, count)
	case (asked.Function == "MIN" || asked.Function == "MAX") && c.Ranks():
		f.extremeOf = &c
		s.selected = append(s.selected, strings.ToLower(asked.Function)+"("+c.Compared()+")")
	default:
		return false
	}
	s.figures = append(s.figures, f)
	return true
}

// conditions writes conditions joined by an operator.
func (s *selection[C, V]) conditions(list []source.Condition, operator source.Operator) (string, bool) {
	texts := make([]string, len(list))
	for i, c := range list {
		var ok bool
		if texts[i], ok = s.condition(c); !ok {
			return "", false
		}
	}
	return "(" + strings.Join(texts, " "+string(operator)+" ") + ")", len(texts) > 0
}

func (s *selection[C, V]) condition(asked source.Condition) (string, bool) {
	switch asked.Operator {
	case source.And, source.Or:
		return s.conditions(asked.Of, asked.Operator)
	case source.Not:
		negated, ok := s.conditions(asked.Of, source.And)
		return "(NOT " + negated + ")", ok && len(asked.Of) == 1
	}
	c, ok := s.column(asked.Column)
	if !ok {
		return "", false
	}
	if asked.Operator == source.IsNull {
		return "(" + c.Compared() + " IS NULL)", true
	}
	literals := make([]string, len(asked.Literals))
	for i, l := range asked.Literals {
		if literals[i], ok = c.Literal(l, asked.Operator); !ok {
			return "", false
		}
	}
	left := "(" + c.Compared() + " " + string(asked.Operator) + " "
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

// group converts a row of the answer.
func (s *selection[C, V]) group(ctx *sql.Context, values []V) (g source.Group, err error) {
	for i, c := range s.keys {
		v, err := c.Value(ctx, values[i])
		if err != nil {
			return g, err
		}
		g.Keys = append(g.Keys, v)
	}
	for _, f := range s.figures {
		var v anonymize.Value
		if f.extremeOf != nil {
			v, err = (*f.extremeOf).Value(ctx, values[f.at])
		} else {
			v, err = s.number(f, values)
		}
		if err != nil {
			return g, err
		}
		g.Figures = append(g.Figures, v)
	}
	return g, nil
}

// number converts a count, a sum or an average.
func (s *selection[C, V]) number(f figure[C], values []V) (anonymize.Value, error) {
	x, known, err := s.Number(values[f.at])
	if err == nil && known && f.averages {
		var n float64
		n, known, err = s.Number(values[f.at+1])
		known = known && n != 0
		x /= n
	}
	if err != nil || !known {
		return anonymize.NullValue, err
	}
	return anonymize.RealValue(x), nil
}
