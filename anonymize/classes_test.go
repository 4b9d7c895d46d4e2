package anonymize

import (
	"errors"
	"slices"
	"testing"
)

func TestThresholdClasses(t *testing.T) {
	decimals := func(texts ...string) []Value {
		var values []Value
		for _, text := range texts {
			values = append(values, DecimalValue(text))
		}
		return values
	}
	for _, c := range []struct {
		name       string
		dictionary []Value
		threshold  string
		want       Classes
	}{
		{"no threshold", []Value{IntegerValue(1), IntegerValue(2)}, "0", nil},
		{"integers", []Value{IntegerValue(1), IntegerValue(3), IntegerValue(6), IntegerValue(7), IntegerValue(20)}, "5", Classes{0, 0, 0, 1, 2}},
		{"NULL is a class", []Value{NullValue, IntegerValue(1), IntegerValue(2)}, "1", Classes{0, 1, 1}},
		{"0.1 + 0.2 is 0.3", decimals("0.1", "0.3", "0.30001"), "0.2", Classes{0, 0, 1}},
		{"reals", []Value{RealValue(-1.5), RealValue(-1), RealValue(0)}, "1/2", Classes{0, 0, 1}},
		{"only NULL", []Value{NullValue}, "1", Classes{0}},
	} {
		got, err := ThresholdClasses("s", c.dictionary, MustRatio(c.threshold))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		if got != nil && got.Count(len(c.dictionary)) != int(slices.Max(c.want))+1 {
			t.Errorf("%s: %d classes", c.name, got.Count(len(c.dictionary)))
		}
	}
	var data *DataError
	if _, err := ThresholdClasses("s", []Value{TextValue("a")}, MustRatio("1")); !errors.As(err, &data) {
		t.Errorf("a text: %v", err)
	}
}
