package tables

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/source"
)

// TestColumnTypes: how columns of the engine's types are kept and queried, and which are refused.
func TestColumnTypes(t *testing.T) {
	for _, c := range []struct{ declared, kept, ask, refused string }{
		{"boolean", "tinyint(1)", `CAST("c" AS TINYINT)`, ""},
		{"tinyint", "tinyint", `"c"`, ""},
		{"integer", "int", `"c"`, ""},
		{"bigint", "bigint", `"c"`, ""},
		{"real", "float", `"c"`, ""},
		{"double", "double", `"c"`, ""},
		{"decimal(38,10)", "decimal(38,10)", `"c"`, ""},
		{"date", "date", `"c"`, ""},
		{"timestamp(6)", "datetime(6)", `"c"`, ""},
		{"timestamp(0)", "datetime", `"c"`, ""},
		{"varchar", "longtext", `"c"`, ""},
		{"varchar(20)", "varchar(20)", `"c"`, ""},
		{"varchar(1000000)", "longtext", `"c"`, ""},
		{"char(5)", "varchar(5)", `trim(TRAILING ' ' FROM CAST("c" AS VARCHAR))`, ""},
		{"uuid", "varchar(36)", `CAST("c" AS VARCHAR)`, ""},
		{"timestamp(9)", "", "", "timestamp(9)"},
		{"timestamp(3) with time zone", "", "", "timestamp(3) with time zone"},
		{"time(3)", "", "", "time(3)"},
		{"array(varchar)", "", "", "array(varchar)"},
		{"map(varchar, integer)", "", "", "map(varchar, integer)"},
		{`row("a" integer)`, "", "", `row("a" integer)`},
		{"varbinary", "", "", "varbinary"},
		{"json", "", "", "json"},
	} {
		column := column{name: "c", declared: c.declared}
		column.read()
		kept := strings.ToLower(coding.TypeText(column.typ))
		if c.refused == "" && (!strings.HasPrefix(kept, c.kept) || column.ask != c.ask || column.refused != "") {
			t.Errorf("%s is kept as %s and asked for as %s (%s), want %s and %s", c.declared, kept, column.ask, column.refused, c.kept, c.ask)
		}
		if c.refused != "" && !strings.Contains(column.refused, "its type is "+c.refused+", which has no place in a release: cast it in a view") {
			t.Errorf("%s is refused with %q, want %q", c.declared, column.refused, c.refused)
		}
		if column.class == text && c.refused == "" && coding.CollationOf(column.typ) != "BINARY" {
			t.Errorf("texts of %s are compared by %s", c.declared, coding.CollationOf(column.typ))
		}
	}
}

// TestRowsAreSorted: rows are in the order of their codes, the first column's first, and stay whole.
func TestRowsAreSorted(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		columns, rows, want := make([]*anonymize.Column, random.IntN(4)), random.IntN(50), [][]uint32(nil)
		for i := range columns {
			columns[i] = &anonymize.Column{Dictionary: make([]anonymize.Value, 1+random.IntN(6))}
		}
		for range rows {
			var row []uint32
			for _, c := range columns {
				c.Codes = append(c.Codes, random.Uint32N(uint32(len(c.Dictionary))))
				row = append(row, c.Codes[len(c.Codes)-1])
			}
			want = append(want, row)
		}
		slices.SortFunc(want, slices.Compare)
		sortRows(columns, rows)
		for at, row := range want {
			for i, c := range columns {
				if c.Codes[at] != row[i] {
					t.Fatalf("row %d has %d in column %d, want %v", at, c.Codes[at], i, row)
				}
			}
		}
	}
}

// typed is a table with a column of every class, whose names are letters.
func typed() *homes.Table[*column, any] {
	a := &homes.Table[*column, any]{From: "t"}
	for name, typ := range map[string]string{"i": "integer", "n": "bigint", "d": "decimal(6,2)", "x": "double", "f": "real", "b": "boolean", "v": "varchar(20)", "k": "char(5)",
		"day": "date", "at": "timestamp(3)", "u": "uuid", "l": "array(integer)"} {
		c := &column{name: name, declared: typ}
		c.read()
		a.Columns = append(a.Columns, c)
	}
	return a
}

// TestConditions: which conditions go to the engine, and which do not.
func TestConditions(t *testing.T) {
	number := func(text string) source.Literal { return source.Literal{Text: text} }
	words := func(text string) source.Literal { return source.Literal{Class: source.TextClass, Text: text} }
	at := source.Literal{Class: source.MomentClass, Text: "2020-01-01 00:00:00.000000"}
	for _, c := range []struct {
		column   string
		operator source.Operator
		literal  source.Literal
		want     string // "" if it does not go to the engine
	}{
		{"i", source.Less, number("5"), `("i" < 5)`}, {"i", source.Equal, number("5.5"), `("i" = DECIMAL '5.5')`}, {"i", source.Equal, words("5"), ""}, {"i", source.Like, number("5"), ""},
		{"n", source.In, number("9223372036854775808"), `("n" IN (DECIMAL '9223372036854775808'))`}, {"d", source.Equal, number("0.10"), `("d" = DECIMAL '0.10')`},
		{"x", source.Equal, number("1e-01"), `("x" = 1E-01)`}, {"x", source.Equal, number("0.1"), ""}, {"x", source.Greater, number("3"), `("x" > 3)`}, {"f", source.Equal, number("3"), ""},
		{"b", source.Equal, number("1"), `(CAST("b" AS TINYINT) = 1)`}, {"b", source.Equal, words("1"), ""},
		{"v", source.Equal, words("it's ü "), `("v" = 'it''s ü ')`}, {"v", source.Less, words("b"), `("v" < 'b')`}, {"v", source.Like, words("a%_"), `("v" LIKE 'a%_')`},
		{"v", source.Like, words(`a\%`), ""}, {"v", source.Equal, number("5"), ""}, {"k", source.Equal, words("ab"), `(trim(TRAILING ' ' FROM CAST("k" AS VARCHAR)) = 'ab')`},
		{"day", source.Less, at, `("day" < TIMESTAMP '2020-01-01 00:00:00.000000')`}, {"at", source.Equal, at, `("at" = TIMESTAMP '2020-01-01 00:00:00.000000')`},
		{"day", source.Equal, words("2020-01-01"), ""}, {"u", source.Equal, words("a"), `(CAST("u" AS VARCHAR) = 'a')`}, {"l", source.Equal, number("5"), ""}, {"z", source.Equal, number("5"), ""},
		{"i", source.Between, number("5"), ""}, {"i", source.Equal, number("5; DROP TABLE t"), ""}, {"i", source.Equal, at, ""},
	} {
		q := &source.Question{Aggregates: []source.Aggregate{{Function: "COUNT"}}, Where: []source.Condition{{Operator: c.operator, Column: c.column, Literals: []source.Literal{c.literal}}}}
		got, ok := typed().Select(q)
		if want := "SELECT count(*) FROM t WHERE (" + c.want + ")"; ok != (c.want != "") || ok && got != want {
			t.Errorf("%s %s %q is asked as %s, %v, want %s", c.column, c.operator, c.literal.Text, got, ok, want)
		}
	}
}

// TestAggregates: sums are exact. Aggregates that the engine lacks are not sent to it.
func TestAggregates(t *testing.T) {
	for _, c := range []struct{ function, column, want string }{
		{"SUM", "i", `sum(CAST("i" AS DECIMAL(38,0)))`}, {"SUM", "d", `sum("d")`}, {"SUM", "x", ""}, {"SUM", "f", ""}, {"SUM", "b", ""}, {"SUM", "v", ""},
		{"AVG", "n", `sum(CAST("n" AS DECIMAL(38,0))), count("n")`}, {"AVG", "x", ""}, {"COUNT", "b", `count(CAST("b" AS TINYINT))`}, {"COUNT", "l", ""},
		{"MIN", "x", `min("x")`}, {"MAX", "d", `max("d")`}, {"MAX", "f", ""}, {"MAX", "v", ""}, {"MAX", "day", ""}, {"STDDEV", "i", ""},
	} {
		got, ok := typed().Select(&source.Question{Aggregates: []source.Aggregate{{Function: c.function, Column: c.column}}})
		if want := "SELECT " + c.want + " FROM t"; ok != (c.want != "") || ok && got != want {
			t.Errorf("%s(%s) is asked as %s, %v, want %s", c.function, c.column, got, ok, want)
		}
	}
	for column, groups := range map[string]bool{"i": true, "d": true, "x": false, "f": false, "b": true, "v": true, "k": true, "day": true, "at": true, "l": false} {
		if got, ok := typed().Select(&source.Question{Keys: []string{column}, Aggregates: []source.Aggregate{{Function: "COUNT"}}}); ok != groups {
			t.Errorf("GROUP BY %s is asked as %s, %v, want %v", column, got, ok, groups)
		}
	}
}
