package anonymize

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A model comes back from JSON as it was: with pooled cells, NULL, and texts that are no UTF-8.
func TestModelInJSON(t *testing.T) {
	m := &Model{Sensitive: "disease", Least: 10, Base: 5, Epsilon: NewRatio(1, 3), Scale: 20.5,
		Categories: []Category{{NullValue, NullValue, 3}, {TextValue("a\xff"), TextValue("b"), 9007199254740993}},
		Tables: []TwoWay{{Attribute: "age", Categories: []Category{{IntegerValue(-1 << 62), IntegerValue(1<<62 + 1), 7}, {RealValue(0.1), RealValue(1e300), 1}},
			Weight: Weights{Pooled, -4, 1 << 61, 0}}}}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	again := &Model{}
	if err := json.Unmarshal(text, again); err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("%v\n%+v\n%+v\n%s", err, m, again, text)
	}
}

// A value comes back from JSON as it was; earlier builds wrote all fields, and no bytes.
func TestValueInJSON(t *testing.T) {
	for _, v := range []Value{NullValue, IntegerValue(-3), RealValue(0.1), DecimalValue("12.50"), InstantValue(5), TextValue("a"), TextValue("\xff\x01"), TextValue("\xfe\x02")} {
		again := Value{}
		if text, err := json.Marshal(v); err != nil || json.Unmarshal(text, &again) != nil || again != v {
			t.Errorf("%q is %s (%v) and %q again", v, text, err, again)
		}
	}
	old := Value{}
	if err := json.Unmarshal([]byte(`{"Kind":3,"Int":0,"Float":12.5,"Text":"12.50"}`), &old); err != nil || old != DecimalValue("12.50") {
		t.Errorf("%q, %v", old, err)
	}
}

// Values of a range belong to it but for those that have a category of their own.
func TestCategorizeRanges(t *testing.T) {
	number := func(n int64) Value { return IntegerValue(n) }
	categories := []Category{{Low: number(1), High: number(9)}, {Low: number(12), High: number(20)}, {Low: number(5), High: number(5)}, {}}
	dictionary := []Value{NullValue, number(1), number(5), number(7), number(12), number(19)}
	if got, want := Categorize(categories, dictionary), []uint16{3, 0, 2, 0, 1, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
