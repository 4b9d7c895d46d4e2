package anonymize

import (
	"errors"
	"math/rand/v2"
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

// Values at most a threshold apart are of one class or of two neighbours, never of
// three: so l-diversity of the classes with twice the l bounds the share of any
// values that are so close to each other by 1/l.
func TestCloseValuesAreOfTwoClasses(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		var dictionary []Value
		for at := int64(0); len(dictionary) < 30; at += int64(1 + random.IntN(6)) {
			dictionary = append(dictionary, IntegerValue(at))
		}
		threshold := int64(1 + random.IntN(12))
		classes, err := ThresholdClasses("s", dictionary, NewRatio(uint64(threshold), 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range dictionary {
			for j, y := range dictionary[i:] {
				if close, same := y.Int-x.Int <= threshold, classes[i] == classes[i+j]; same && !close || close && classes[i+j] > classes[i]+1 {
					t.Fatalf("threshold %d: %v and %v are of classes %d and %d", threshold, x, y, classes[i], classes[i+j])
				}
			}
		}
	}
}
