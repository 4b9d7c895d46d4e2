package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/values"
)

// null is SQL's NULL among arguments, and in what is wanted.
const null = "NULL"

// calls are functions of texts, with MySQL 8's answers: from its manual, from its own tests, or from its rules as its source has them.
var calls = []struct {
	function  string
	arguments []any
	want      string
}{
	// Paths.
	{"json_extract", []any{`[1,2,3]`, "$[last]"}, "3"},
	{"json_extract", []any{`[1,2,3]`, "$[last - 1]"}, "2"},
	{"json_extract", []any{`[1,2,3]`, "$[last-3]"}, null},
	{"json_extract", []any{`[1,2,3,4,5]`, "$[1 to 3]"}, "[2, 3, 4]"},
	{"json_extract", []any{`[1,2,3]`, "$[last-8 to last-2]"}, "[1]"},
	{"json_extract", []any{`[1,2,3]`, "$[5 to 6]"}, null},
	{"json_extract", []any{`{"a":{"b":1},"c":{"b":2}}`, "$**.b"}, "[1, 2]"},
	{"json_extract", []any{`{"a":[1,{"a":4}]}`, "$**.a"}, `[[1, {"a": 4}], 4]`},
	{"json_extract", []any{`[[[1]]]`, "$**[0]**[0]"}, "[[1], 1]"}, // each value once
	{"json_extract", []any{`[1,[2,3]]`, "$**[last]"}, "[[2, 3], 1, 3, 2]"},
	{"json_extract", []any{`{"a":{"x":0,"b":1},"b":2}`, "$**.b"}, "[2, 1]"}, // leg by leg
	{"json_extract", []any{`{"bb":2,"a":1,"c":[3]}`, "$.*"}, "[1, [3], 2]"},
	{"json_extract", []any{`{"a":[5,{"b":6}]}`, "$.a[*].b"}, "[6]"},
	{"json_extract", []any{`{"a fish":"shark"}`, `$."a fish"`}, `"shark"`},
	{"json_extract", []any{`{"a":1}`, " $ . a "}, "1"},
	{"json_extract", []any{`1`, "$[0]"}, "1"},
	{"json_extract", []any{`{"a":1}`, "$[0].a[last]"}, "1"},
	{"json_extract", []any{`{"a":1}`, "$[1]"}, null},
	{"json_extract", []any{`{"a":1}`, "$[*]"}, null},
	{"json_extract", []any{`1`, "$[0 to 0]"}, "[1]"},
	{"json_extract", []any{`{}`, "$[last to last]"}, "[{}]"},
	{"json_extract", []any{`{"a":null}`, "$.a"}, "null"},
	{"json_extract", []any{`{"a":null}`, "$.a[0]"}, "null"},
	{"json_extract", []any{`null`, "$.a"}, null},
	{"json_extract", []any{`{"a":1,"c":3}`, "$.c", "$.d"}, "[3]"},
	{"json_extract", []any{`{"a":1}`, "$.x", "$.y"}, null},
	{"json_extract", []any{`{"a":1}`, nil}, null},
	{"json_extract", []any{`{"a":1}`, "$.a", nil}, null},
	{"json_extract", []any{`{"a":1}`, ""}, "3143 Invalid JSON path expression. The error is around character position 0."},
	{"json_extract", []any{`{"a":1}`, "$a"}, "3143 Invalid JSON path expression. The error is around character position 1."},
	{"json_extract", []any{`{"a":1}`, "$[last-1 to last-2]"}, "3143"},
	{"json_extract", []any{`{"a":1}`, "$**"}, "3143"},
	{"json_extract", []any{`{"a":1}`, "$***.a"}, "3143"},
	{"json_extract", []any{`{"a":1}`, "$.1"}, "3143"},
	{"json_extract", []any{`{"a":1}`, "$[-1]"}, "3143"},
	{"json_extract", []any{`{"a":1`, "$.a"}, `3141 Invalid JSON text in argument 1 to function json_extract: "Invalid value." at position 6.`},
	{"json_extract", []any{``, "$.a"}, `3141 Invalid JSON text in argument 1 to function json_extract: "The document is empty." at position 0.`},
	{"json_extract", []any{`1 2`, "$"}, `3141 Invalid JSON text in argument 1 to function json_extract: "The document root must not be followed by other values." at position 2.`},
	{"json_extract", []any{5, "$"}, "3146 Invalid data type for JSON data in argument 1 to function json_extract; a JSON string or JSON type is required."},
	{"json_extract", []any{`{"n":9007199254740993,"u":18446744073709551615}`, "$.*"}, "[9007199254740993, 18446744073709551615]"},
	// JSON_VALUE.
	{"json_value", []any{`{"fname":"Joe"}`, "$.fname"}, "Joe"},
	{"json_value", []any{`{"data":123.45}`, "$.data"}, "123.45"},
	{"json_value", []any{`{"a":true}`, "$.a"}, "true"},
	{"json_value", []any{`{"a":null}`, "$.a"}, null},
	{"json_value", []any{`{"a":1}`, "$.b"}, null},
	{"json_value", []any{`[1,2]`, "$[*]"}, null},
	{"json_value", []any{`["abc"]`, "$[*]"}, "abc"},
	{"json_value", []any{`[1,2,3]`, "$"}, "[1, 2, 3]"},
	{"json_value", []any{`not json`, "$"}, null},
	{"json_value", []any{`{"a":1}`, nil}, null},
	// What documents are.
	{"json_length", []any{`[]`}, "0"},
	{"json_length", []any{`null`}, "1"},
	{"json_length", []any{`{"a":1,"b":{"c":30}}`, "$.b"}, "1"},
	{"json_length", []any{`{"a":1}`, "$.x"}, null},
	{"json_length", []any{`{"a":1}`, "$.*"}, "3149"},
	{"json_keys", []any{`{"bb":1,"a":{"b":30}}`}, `["a", "bb"]`},
	{"json_keys", []any{`{"a":1,"b":{"c":30}}`, "$.b[0]"}, `["c"]`},
	{"json_keys", []any{`[1]`}, null},
	{"json_depth", []any{`[10, {"a": 20}]`}, "3"},
	{"json_type", []any{`[1]`}, "ARRAY"},
	{"json_type", []any{`null`}, "NULL"},
	{"json_type", []any{nil}, null},
	{"json_type", []any{`1.5`}, "DOUBLE"},
	{"json_type", []any{types.JSONDocument{Val: decimal.New(314, -2)}}, "DECIMAL"},
	{"json_unquote", []any{"\"a\tb\""}, "3141"}, // a tab as it is
	{"json_unquote", []any{`"a\\tb"`}, `a\tb`},
	{"json_unquote", []any{`"\u4f60\u597d"`}, "你好"},
	{"json_unquote", []any{`"\u4f60\uf"`}, "3141"},
	{"json_unquote", []any{`abc`}, "abc"},
	{"json_unquote", []any{types.JSONDocument{Val: "x"}}, "x"},
	{"json_unquote", []any{types.JSONDocument{Val: nil}}, "null"},
	{"json_pretty", []any{`{"bb":1,"a":[1,18446744073709551615,"<é>\n",{}],"c":{"d":[],"e":null}}`},
		"{\n  \"a\": [\n    1,\n    18446744073709551615,\n    \"<é>\\n\",\n    {}\n  ],\n  \"c\": {\n    \"d\": [],\n    \"e\": null\n  },\n  \"bb\": 1\n}"},
	{"json_pretty", []any{`[]`}, "[]"},
	{"json_pretty", []any{types.JSONDocument{Val: "x"}}, `"x"`},
	{"json_pretty", []any{nil}, null},
	{"json_pretty", []any{`x`}, `3141 Invalid JSON text in argument 1 to function json_pretty: "Invalid value." at position 0.`},
	// Containment.
	{"json_contains", []any{`{"a":1,"c":{"d":4}}`, `1`, "$.a"}, "true"},
	{"json_contains", []any{`{"a":1,"c":{"d":4}}`, `{"d":4}`, "$.c"}, "true"},
	{"json_contains", []any{`{"a":1}`, `1`, nil}, null},
	{"json_contains", []any{`{"a":1}`, `1`, "$.x"}, null},
	{"json_contains", []any{`{"a":1}`, `1`, "$.a[0]"}, "true"},
	{"json_contains", []any{`{"a":1}`, `1`, "$.*"}, "3149"},
	{"json_contains", []any{types.JSONDocument{Val: []any{int64(1), decimal.New(25, -1)}}, `[1.0, 2.5]`}, "true"},
	{"json_contains", []any{`[1,[2,3]]`, `2`}, "true"},
	{"json_contains", []any{`[1,2]`, `[[1]]`}, "false"},
	{"json_contains", []any{`[1,{"a":[1,2]}]`, `{"a":[2]}`}, "true"},
	{"json_contains", []any{`9007199254740993`, `9007199254740992.0`}, "false"},
	{"json_contains_path", []any{`{"a":1,"b":2}`, "one", "$.a", "$.e"}, "true"},
	{"json_contains_path", []any{`{"a":1,"b":2}`, "ALL", "$.a", "$.e"}, "false"},
	{"json_contains_path", []any{`{"a":1}`, "one", "$.a", nil}, null},
	{"json_contains_path", []any{`{"a":{"b":[1]}}`, "all", "$**[0]"}, "true"},
	{"json_contains_path", []any{`1`, "all", "$[0]"}, "true"},
	{"json_contains_path", []any{`1`, "some", "$"}, "3154 The oneOrAll argument to json_contains_path may take these values: 'one' or 'all'."},
	{"json_overlaps", []any{`[1,3,5]`, `[2,5.0]`}, "true"},
	{"json_overlaps", []any{`[[1,2],[3]]`, `[1]`}, "false"},
	{"json_overlaps", []any{`{"a":1,"b":10}`, `{"a":5,"b":10}`}, "true"},
	{"json_overlaps", []any{`5`, `[4,5]`}, "true"},
	{"json_overlaps", []any{`5`, `"5"`}, "false"},
	{"json_search", []any{`["abc",[{"k":"10"},"def"],{"x":"abc"},{"y":"bcd"}]`, "one", "abc"}, `"$[0]"`},
	{"json_search", []any{`["abc",[{"k":"10"},"def"],{"x":"abc"},{"y":"bcd"}]`, "all", "abc"}, `["$[0]", "$[2].x"]`},
	{"json_search", []any{`["abc",[{"k":"10"},"def"],{"x":"abc"},{"y":"bcd"}]`, "all", "%b%", nil, "$[3]"}, `"$[3].y"`},
	{"json_search", []any{`["abc",[{"k":"10"},"def"]]`, "all", "10", nil, "$**.k"}, `"$[1][0].k"`},
	{"json_search", []any{`{"a b":"x%y"}`, "all", "x|%y", "|"}, `"$.\"a b\""`},
	{"json_search", []any{`"ABC"`, "all", "abc"}, null},
	// Changes.
	{"json_set", []any{`{"a":1,"b":[2,3]}`, "$.a", 10, "$.c", "[true]"}, `{"a": 10, "b": [2, 3], "c": "[true]"}`},
	{"json_insert", []any{`{"a":1,"b":[2,3]}`, "$.a", 10, "$.c", "x"}, `{"a": 1, "b": [2, 3], "c": "x"}`},
	{"json_replace", []any{`{"a":1,"b":[2,3]}`, "$.a", 10, "$.c", "x"}, `{"a": 10, "b": [2, 3]}`},
	{"json_set", []any{`{"a":1}`, "$.skills[1]", "k8s"}, `{"a": 1}`}, // there is nothing to add to
	{"json_set", []any{`{"a":1}`, "$.a[1]", 2}, `{"a": [1, 2]}`},
	{"json_set", []any{`{"a":1}`, "$.a[last-3]", 2}, `{"a": [2, 1]}`},
	{"json_set", []any{`{"a":1}`, "$.a[0]", 2}, `{"a": 2}`},
	{"json_set", []any{`[1]`, "$[7]", 2}, "[1, 2]"},
	{"json_set", []any{`{"a":1}`, "$.b", nil}, `{"a": 1, "b": null}`},
	{"json_set", []any{`{"a":1}`, nil, 1}, null},
	{"json_set", []any{types.JSONDocument{Val: map[string]any{"a": decimal.New(15, -1)}}, "$.b", 1}, `{"a": 1.5, "b": 1}`},
	{"json_set", []any{`{"a":1}`, "$[*]", 1}, "3149"},
	{"json_remove", []any{`["a",["b","c"],"d"]`, "$[1]"}, `["a", "d"]`},
	{"json_remove", []any{`{"a":1,"b":2}`, "$[0].a"}, `{"b": 2}`},
	{"json_remove", []any{`{"a":1,"b":2}`, "$.a[0]"}, `{"b": 2}`},
	{"json_remove", []any{`{"a":1}`, "$[0]"}, `{"a": 1}`},
	{"json_remove", []any{`{"a":1}`, "$"}, "3153"},
	{"json_array_append", []any{`["a",["b","c"],"d"]`, "$[1]", 1}, `["a", ["b", "c", 1], "d"]`},
	{"json_array_append", []any{`{"a":1}`, "$", "z"}, `[{"a": 1}, "z"]`},
	{"json_array_insert", []any{`["a",{"b":[1,2]},[3,4]]`, "$[1].b[0]", "x"}, `["a", {"b": ["x", 1, 2]}, [3, 4]]`},
	{"json_array_insert", []any{`["a"]`, "$[100]", "x"}, `["a", "x"]`},
	{"json_array_insert", []any{`["a"]`, "$.a", "x"}, "3165"},
	{"json_merge_preserve", []any{`{"a":1,"b":2}`, `{"a":3,"c":4}`, `{"a":5}`}, `{"a": [1, 3, 5], "b": 2, "c": 4}`},
	{"json_merge_preserve", []any{`1`, `true`}, "[1, true]"},
	{"json_merge_preserve", []any{`{}`, nil}, null},
	{"json_merge_patch", []any{`{"a":1,"b":2}`, `{"a":3,"c":4}`, `{"a":5,"d":6}`}, `{"a": 5, "b": 2, "c": 4, "d": 6}`},
	{"json_merge_patch", []any{`{}`, `{"a":{"b":null}}`}, `{"a": {}}`},
	{"json_merge_patch", []any{`[1,2]`, `{"a":"b","c":null}`}, `{"a": "b"}`},
	{"json_merge_patch", []any{nil, `[1,2]`}, "[1, 2]"},
	{"json_merge_patch", []any{`{"a":"b"}`, nil, `{"a":1}`}, null},
	{"json_merge_patch", []any{`{"a":"b"}`, nil, `[1]`, `{"c":null,"d":"e"}`}, `{"d": "e"}`},
	{"json_array", []any{1, "a", nil, true, types.JSONDocument{Val: []any{"b"}}}, `[1, "a", null, true, ["b"]]`},
	{"json_object", []any{"b", 1, "a", decimal.New(15, -1)}, `{"a": 1.5, "b": 1}`},
	{"json_object", []any{nil, 1}, "3158"},
	{"__anon_json", []any{`{"a":1,"a":2}`}, `{"a": 2}`},
}

func TestFunctions(t *testing.T) {
	variables.InitSystemVariables() // JSON_PRETTY asks for max_allowed_packet
	known := map[string]sql.Function{}
	for _, f := range Functions() {
		known[f.FunctionName()] = f
	}
	for _, c := range calls {
		got := answer(t, known[c.function], c.arguments)
		if got != c.want && !(len(c.want) == 4 && len(got) > 5 && got[:5] == c.want+" ") {
			t.Errorf("%s(%v) is %s, want %s", c.function, c.arguments, got, c.want)
		}
	}
}

// answer is the value of a call, or its error with the number.
func answer(t *testing.T, f sql.Function, arguments []any) string {
	ctx := sql.NewEmptyContext()
	given := make([]sql.Expression, len(arguments))
	for i, v := range arguments {
		given[i] = literal(v)
	}
	call, err := f.NewInstance(given)
	if err != nil {
		t.Fatal(err)
	}
	v, err := call.Eval(ctx, nil)
	var known *mysql.SQLError
	switch {
	case errors.As(err, &known):
		return fmt.Sprintf("%d %s", known.Num, known.Message)
	case err != nil:
		return err.Error()
	case v == nil:
		return null
	}
	return fmt.Sprint(v)
}

func literal(v any) sql.Expression {
	switch v := v.(type) {
	case nil:
		return expression.NewLiteral(nil, types.Null)
	case int:
		return expression.NewLiteral(int64(v), types.Int64)
	case bool:
		return expression.NewLiteral(v, types.Boolean)
	case decimal.Decimal:
		return expression.NewLiteral(v, types.MustCreateDecimalType(5, 1))
	case string:
		return expression.NewLiteral(v, types.LongText)
	}
	return expression.NewLiteral(v, types.JSON)
}

// JSON_SEARCH and JSON_EXTRACT stop at max_allowed_packet: a name of 1 KiB is part of every path below it.
func TestFoundPathsAreBounded(t *testing.T) {
	variables.InitSystemVariables()
	setMaxPacket(t, 1<<20)
	ctx := sql.NewEmptyContext()
	doc := map[string]any{strings.Repeat("n", 1<<10): slices.Repeat([]any{"x"}, 1<<16)}
	found, size, err := textsBelow(ctx, doc, []path{{}}, func(string) bool { return true }, true, 1<<20)
	if len(found) > 1<<10 || size <= 1<<20 || err != nil {
		t.Errorf("%d paths of %d bytes, %v", len(found), size, err)
	}
	known := map[string]sql.Function{}
	for _, f := range Functions() {
		known[f.FunctionName()] = f
	}
	if got := answer(t, known["json_search"], []any{types.JSONDocument{Val: doc}, "all", "x"}); got != null {
		t.Errorf("JSON_SEARCH has %d bytes", len(got))
	}
	if got := answer(t, known["json_extract"], append([]any{types.JSONDocument{Val: doc}}, slices.Repeat([]any{"$.*[*]"}, 6)...)); got != null {
		t.Errorf("JSON_EXTRACT has %d bytes", len(got))
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, _, err := textsBelow(ctx.WithContext(ended), doc, []path{{}}, func(string) bool { return true }, true, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("a statement that has ended searches on: %v", err)
	}
}

// setMaxPacket sets max_allowed_packet for the rest of a test.
func setMaxPacket(t *testing.T, most int64) {
	t.Helper()
	set := func(n int64) {
		if err := sql.SystemVariables.SetGlobal(sql.NewEmptyContext(), "max_allowed_packet", n); err != nil {
			t.Fatal(err)
		}
	}
	was := values.MaxPacket()
	t.Cleanup(func() { set(was) })
	set(most)
}

// ordered are values in MySQL's order; values on one line are equal.
var ordered = [][]string{
	{"null"},
	{"-1.5"},
	{"1", "1.0", "10e-1"},
	{"9007199254740992", "9007199254740992.0"},
	{"9007199254740993"},
	{"18446744073709551615"},
	{"1e300"},
	{`"A"`},
	{`"a"`},
	{`"ab"`},
	{`{"b":1}`},
	{`{"a":1,"b":2}`, `{"b":2.0,"a":1}`},
	{"[]"},
	{"[1]"},
	{"[1,0]"},
	{"[2]"},
	{"false"},
	{"true"},
}

func TestOrder(t *testing.T) {
	for i, smaller := range ordered {
		for j, larger := range ordered {
			for _, a := range smaller {
				for _, b := range larger {
					x, y := parsed(t, a), parsed(t, b)
					if got := order(x, y); got < 0 != (i < j) || got > 0 != (i > j) {
						t.Errorf("order(%s, %s) is %d", a, b, got)
					}
				}
			}
		}
	}
}

func parsed(t *testing.T, text string) any {
	v, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Functions that change a document do not modify their argument.
func TestChangesAreCopies(t *testing.T) {
	const text = `{"a":[1,{"b":2}],"c":{"d":3}}`
	doc := parsed(t, text)
	for _, way := range []string{"$.a[0]", "$.a[1].b", "$.c.d", "$.c.e", "$.a[9]", "$.a[1].b[1]"} {
		p, err := readPath(way)
		if err != nil {
			t.Fatal(err)
		}
		for name, made := range map[string]any{"change": p.change(doc, "x", true, true), "without": p.remove(doc)} {
			if name == "change" && order(made, doc) == 0 {
				t.Errorf("%s changes nothing at %s", name, way)
			}
			if order(doc, parsed(t, text)) != 0 {
				t.Fatalf("%s at %s changes what it was given: %v", name, way, doc)
			}
		}
	}
}

// Keys are ordered as documents are, whatever their types.
func TestOrderKeys(t *testing.T) {
	list := []any{nil, -1e300, int64(-9007199254740993), -9007199254740992.0, -0.5, 0.0, int64(0), decimal.RequireFromString("0.1"), 0.5, int64(7), 7.0, int64(9007199254740993), uint64(1 << 63), 1e300,
		"", "a", "a.", "aa", "b", map[string]any{"a": 1.0}, map[string]any{"b": 0.5}, map[string]any{"aa": 0.5}, map[string]any{"a": 1.0, "b": nil},
		[]any{}, []any{nil}, []any{1.0}, []any{1.0, 2.0}, []any{1.0, "x"}, []any{[]any{}}, []any{10.0}, false, true}
	keys := make([]string, len(list))
	for i, v := range list {
		var key strings.Builder
		writeOrderKey(&key, v)
		keys[i] = key.String()
	}
	for i := range list {
		for j := range list {
			if want := cmp.Compare(order(list[i], list[j]), 0); cmp.Compare(keys[i], keys[j]) != want {
				t.Errorf("%v and %v are ordered as %d, must be as %d", list[i], list[j], cmp.Compare(keys[i], keys[j]), want)
			}
		}
	}
}
