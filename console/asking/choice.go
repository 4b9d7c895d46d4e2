package asking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anonsql/anonsql/quoting"
)

// A Column is a release's column. Kind is Number, Date or Text, Type its MySQL type without a length; Role is the owner's, in words.
type Column struct{ Name, Kind, Type, Role string }

// The kinds of columns.
const (
	Number = "number"
	Date   = "date"
	Text   = "text"
)

// KindOf returns the kind of a MySQL type.
func KindOf(dataType string) string {
	switch strings.ToLower(dataType) {
	case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "year":
		return Number
	case "date", "datetime", "timestamp":
		return Date
	}
	return Text
}

// Measures are the possible measures, by name and in words.
var Measures = [][2]string{{"count", "Number"}, {"avg", "Average"}, {"sum", "Sum"}}

// Operators are the operators of a condition, by name and in words.
var Operators = [][2]string{{"=", "is"}, {"<>", "is not"}, {">=", "is at least"}, {"<=", "is at most"}, {"IN", "is one of a, b"}, {"LIKE", "contains"}}

// A Choice is a question in terms of the form's fields. By has names of columns, with an optional step after a colon: age:10, seen:month.
type Choice struct {
	Release, Measure, Of string
	By                   []string
	Where                []Condition
}

// A Condition is a column, an operator and a value.
type Condition struct{ Column, Operator, Value string }

// Steps returns the ways to group by a column, as entries of By and in words.
func (c Column) Steps() [][2]string {
	steps := [][2]string{{c.Name, c.Name}}
	switch c.Kind {
	case Number:
		steps = append(steps, [2]string{c.Name + ":10", c.Name + ", in tens"})
	case Date:
		steps = append(steps, [2]string{c.Name + ":month", c.Name + ", by month"}, [2]string{c.Name + ":year", c.Name + ", by year"})
	}
	return steps
}

// Statement returns the question in SQL. It omits unknown columns, which come from the fields of another release.
func (c Choice) Statement(columns []Column) string {
	var names, orders []string
	list := ""
	ordered := true
	for _, by := range c.By {
		expression, name, kind := group(columns, by)
		if expression == "" || slices.Contains(names, name) {
			continue
		}
		if list += expression; expression != name {
			list += " AS " + name
		}
		list += ", "
		names, orders, ordered = append(names, name), append(orders, name), ordered && kind != Text
	}
	figure, name := c.figure(columns)
	text := "SELECT " + list + figure + " AS " + name + "\nFROM " + Name(c.Release)
	if conditions := c.conditions(columns); len(conditions) > 0 {
		text += "\nWHERE " + strings.Join(conditions, "\n  AND ")
	}
	if len(names) == 0 {
		return text
	}
	if len(names) == 1 && !ordered {
		orders = []string{name + " DESC"}
	}
	return text + "\nGROUP BY " + strings.Join(names, ", ") + "\nORDER BY " + strings.Join(orders, ", ")
}

// figure returns the measure's expression and name.
func (c Choice) figure(columns []Column) (expression, name string) {
	if of, ok := find(columns, c.Of); ok && of.Kind == Number {
		switch c.Measure {
		case "avg":
			return "AVG(" + Name(of.Name) + ")", alias(columns, "average_"+of.Name)
		case "sum":
			return "SUM(" + Name(of.Name) + ")", alias(columns, "sum_"+of.Name)
		}
	}
	return "COUNT(*)", alias(columns, "records")
}

// group returns a key's expression, and its name in the answer.
func group(columns []Column, by string) (expression, name, kind string) {
	column, ok := find(columns, by)
	step := ""
	if !ok {
		before, after, cut := cutLast(by)
		if column, ok = find(columns, before); !cut || !ok {
			return "", "", ""
		}
		step = after
	}
	name = Name(column.Name)
	switch n, err := strconv.Atoi(step); {
	case step == "":
		return name, name, column.Kind
	case column.Kind == Number && err == nil && n > 0:
		return fmt.Sprintf("FLOOR(%s / %d) * %[2]d", name, n), alias(columns, column.Name+"_from"), column.Kind
	case column.Kind == Date && step == "month":
		return "DATE_FORMAT(" + name + ", '%Y-%m')", alias(columns, column.Name+"_month"), column.Kind
	case column.Kind == Date && step == "year":
		return "YEAR(" + name + ")", alias(columns, column.Name+"_year"), column.Kind
	}
	return "", "", ""
}

// alias returns a name that no column has, because the server prefers the column.
func alias(columns []Column, name string) string {
	for slices.ContainsFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, name) }) {
		name += "_"
	}
	return Name(name)
}

// cutLast cuts at the last colon.
func cutLast(text string) (before, after string, cut bool) {
	at := strings.LastIndex(text, ":")
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

func (c Choice) conditions(columns []Column) (written []string) {
	for _, w := range c.Where {
		column, ok := find(columns, w.Column)
		if !ok {
			continue
		}
		name, value := Name(column.Name), strings.TrimSpace(w.Value)
		switch operator := cmp.Or(w.Operator, "="); {
		case value == "" && (column.Kind != Text || operator != "=" && operator != "<>"): // no condition
		case operator == "IN":
			if values := listed(value); len(values) > 0 {
				written = append(written, column.anyOf(values))
			}
		case operator == "LIKE":
			escaped := strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(value)
			written = append(written, name+" LIKE "+quoting.Text("%"+escaped+"%"))
		case slices.Contains([]string{"=", "<>", ">=", "<="}, operator):
			written = append(written, column.compared(operator, value))
		}
	}
	return written
}

// compared returns a comparison with a value. A day means the whole day, even if the column has times; MySQL would take its midnight.
func (c Column) compared(operator, value string) string {
	name := Name(c.Name)
	first, next, ok := c.day(value)
	switch {
	case ok && operator == "=":
		return name + " >= " + first + " AND " + name + " < " + next
	case ok && operator == "<>":
		return "(" + name + " < " + first + " OR " + name + " >= " + next + ")"
	case ok && operator == "<=":
		return name + " < " + next
	}
	return name + " " + operator + " " + literal(c.Kind, value)
}

// anyOf returns the condition that a column has one of the values.
func (c Column) anyOf(values []string) string {
	var literals, days []string
	for _, value := range values {
		if _, _, ok := c.day(value); ok {
			days = append(days, c.compared("=", value))
		} else {
			literals = append(literals, literal(c.Kind, value))
		}
	}
	if len(literals) > 0 {
		days = append(days, Name(c.Name)+" IN ("+strings.Join(literals, ", ")+")")
	}
	if len(days) == 1 {
		return days[0]
	}
	return "(" + strings.Join(days, " OR ") + ")"
}

// day returns the beginnings of a value's day and of the next, as SQL literals. ok says that the column has times and the value has none.
func (c Column) day(value string) (first, next string, ok bool) {
	at, err := time.Parse("2006-1-2", strings.TrimSpace(value))
	end := at.AddDate(0, 0, 1)
	if err != nil || end.Year() > 9999 || !strings.EqualFold(c.Type, "datetime") && !strings.EqualFold(c.Type, "timestamp") {
		return "", "", false
	}
	return quoting.Text(at.Format(time.DateOnly)), quoting.Text(end.Format(time.DateOnly)), true
}

// Doubt returns a message about a value that is no number although its column has numbers, "" for none.
func (c Choice) Doubt(columns []Column) string {
	for _, w := range c.Where {
		column, ok := find(columns, w.Column)
		if !ok || column.Kind != Number || w.Operator == "LIKE" {
			continue
		}
		values := []string{w.Value}
		if w.Operator == "IN" {
			values = listed(w.Value)
		}
		for _, value := range values {
			if value = strings.TrimSpace(value); value != "" && strings.HasPrefix(literal(Number, value), "'") {
				return fmt.Sprintf("%s has numbers, and %q is none: it is compared as far as it begins with one.", column.Name, value)
			}
		}
	}
	return ""
}

// listed splits a list into its values. It ignores one pair of enclosing brackets, and empty values.
func listed(list string) []string {
	list = strings.TrimSpace(list)
	if strings.HasPrefix(list, "(") && strings.HasSuffix(list, ")") && strings.Count(list, "(") == 1 && strings.Count(list, ")") == 1 {
		list = list[1 : len(list)-1]
	}
	return slices.DeleteFunc(strings.Split(list, ","), func(value string) bool { return strings.TrimSpace(value) == "" })
}

// literal returns a value as an SQL literal. A BOOLEAN is a number.
func literal(kind, value string) string {
	value = strings.TrimSpace(value)
	_, err := strconv.ParseFloat(value, 64)
	switch {
	case kind == Number && err == nil && strings.Trim(value, "+-.0123456789") == "":
		return value
	case kind == Number && (strings.EqualFold(value, "true") || strings.EqualFold(value, "false")):
		return strings.ToUpper(value)
	}
	return quoting.Text(value)
}

func find(columns []Column, name string) (Column, bool) {
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
	if at < 0 {
		return Column{}, false
	}
	return columns[at], true
}
