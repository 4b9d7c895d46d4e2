package upstream

import (
	"testing"

	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/source"
)

// TestWhatIsAskedUpstream: only questions that upstream and the engine answer alike.
func TestWhatIsAskedUpstream(t *testing.T) {
	var asked homes.Table[*column, []byte]
	for name, typ := range map[string]string{"i": "int(11)", "u": "bigint(20) unsigned", "d": "decimal(6,2)", "x": "double", "f": "float", "e": "enum('a','B')", "s": "set('a','b')",
		"v": "varchar(20)", "day": "date", "at": "datetime(3)", "ts": "timestamp", "y": "year(4)", "b": "varbinary(9)", "t": "time", "g": "point"} {
		c := &column{name: name, declared: typ}
		if name == "v" {
			c.collation = "utf8mb4_general_ci"
		}
		c.read(typ)
		asked.Columns = append(asked.Columns, c)
	}
	number := func(text string) source.Literal { return source.Literal{Text: text} }
	text := func(text string) source.Literal { return source.Literal{Class: source.TextClass, Text: text} }
	moment := source.Literal{Class: source.MomentClass, Text: "2020-01-01 00:00:00.000000"}
	for _, c := range []struct {
		column   string
		operator source.Operator
		literal  source.Literal
		ok       bool
	}{
		{"i", source.Less, number("5"), true}, {"i", source.Equal, number("5.5"), true}, {"i", source.Equal, text("5"), false}, {"i", source.Like, number("5"), false},
		{"u", source.In, number("5"), true}, {"d", source.Equal, number("0.10"), true}, {"x", source.Equal, number("1e-01"), true}, {"x", source.Equal, number("0.1"), false},
		{"x", source.Greater, number("3"), true}, {"f", source.Equal, number("3"), false}, {"y", source.Equal, number("2020"), false}, {"b", source.Equal, text("a"), false},
		{"e", source.Equal, text("B"), true}, {"e", source.Equal, text("b"), false}, {"e", source.Less, text("a"), false}, {"e", source.Like, text("a"), false}, {"s", source.Equal, text("a"), false},
		{"v", source.Equal, text("flu"), true}, {"v", source.In, text("flu"), true}, {"v", source.Like, text("fl%"), true}, {"v", source.Less, text("flu"), false},
		{"v", source.Equal, text("flü"), false}, {"v", source.Equal, text("flu "), false}, {"v", source.Equal, text(""), false}, {"v", source.Like, text(`fl\%`), false}, {"v", source.Equal, number("5"), false},
		{"day", source.Less, moment, true}, {"at", source.Equal, moment, true}, {"ts", source.Equal, moment, false}, {"t", source.Equal, moment, false}, {"day", source.Equal, text("2020-01-01"), false},
		{"g", source.Equal, number("5"), false}, {"nothing", source.Equal, number("5"), false},
	} {
		q := &source.Question{Aggregates: []source.Aggregate{{Function: "COUNT"}}, Where: []source.Condition{{Operator: c.operator, Column: c.column, Literals: []source.Literal{c.literal}}}}
		if _, ok := asked.Select(q); ok != c.ok {
			t.Errorf("%s %s %q is asked upstream: %v, want %v", c.column, c.operator, c.literal.Text, ok, c.ok)
		}
	}
	for column, sums := range map[string]bool{"i": true, "d": true, "x": true, "f": false, "y": false, "v": false, "day": false, "e": false, "ts": false} {
		q := &source.Question{Aggregates: []source.Aggregate{{Function: "SUM", Column: column}}}
		if _, ok := asked.Select(q); ok != sums {
			t.Errorf("SUM(%s) is asked upstream: %v, want %v", column, ok, sums)
		}
	}
	for column, groups := range map[string]bool{"i": true, "d": true, "x": false, "v": true, "e": true, "day": true, "ts": false, "b": false, "f": false} {
		q := &source.Question{Keys: []string{column}, Aggregates: []source.Aggregate{{Function: "COUNT"}}}
		if _, ok := asked.Select(q); ok != groups {
			t.Errorf("GROUP BY %s is asked upstream: %v, want %v", column, ok, groups)
		}
	}
}
