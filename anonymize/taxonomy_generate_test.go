package anonymize

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func integers(numbers ...int64) *Column {
	var values []Value
	for _, n := range numbers {
		values = append(values, IntegerValue(n))
	}
	return NewColumn("x", "INT", values)
}

func days(texts ...string) *Column {
	var values []Value
	for _, text := range texts {
		at, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			at, _ = time.Parse("2006-01-02", text)
		}
		values = append(values, InstantValue(at.UnixMicro()))
	}
	return NewColumn("x", "DATE", values)
}

func texts(all ...string) *Column {
	var values []Value
	for _, text := range all {
		values = append(values, TextValue(text))
	}
	return NewColumn("x", "TEXT", values)
}

func TestGeneratedPaths(t *testing.T) {
	widths := []string{"5", "10", "20"}
	fractions := NewColumn("x", "DECIMAL(4,1)", []Value{DecimalValue("0.3"), DecimalValue("-0.1"), DecimalValue("1.0")})
	for _, c := range []struct {
		make func() ([][]string, error)
		want string
	}{
		{func() ([][]string, error) { return IntervalPaths(integers(17, 90), widths, "0", Value.String) }, "24 [20-24] [20-29] [20-39] *"},
		{func() ([][]string, error) { return IntervalPaths(integers(17, 90), widths, "1", Value.String) }, "20 [16-20] [11-20] [1-20] *"},
		{func() ([][]string, error) { return IntervalPaths(integers(-7, 3), widths[:1], "0", Value.String) }, "-6 [-10 to -6] *"},
		{func() ([][]string, error) {
			return IntervalPaths(fractions, []string{"0.1", "0.5"}, "0", Value.String)
		}, "0.3 [0.3,0.4) [0,0.5) *"},
		{func() ([][]string, error) {
			return IntervalPaths(fractions, []string{"0.1", "0.5"}, "0", Value.String)
		}, "-0.1 [-0.1,0) [-0.5,0) *"},
		{func() ([][]string, error) {
			return EqualFrequencyPaths(integers(1, 1, 1, 1, 5, 6, 7, 9), []int{2, 4}, Value.String)
		}, "3 [1-4] [1-4] *"},
		{func() ([][]string, error) {
			return EqualFrequencyPaths(integers(1, 1, 1, 1, 5, 6, 7, 9), []int{4, 2}, Value.String)
		}, "8 [7-9] [5-9] *"},
		{func() ([][]string, error) {
			return EqualFrequencyPaths(days("2020-01-01", "2020-01-03"), []int{2}, Value.String)
		}, "2020-01-02 [2020-01-01 to 2020-01-02] *"},
		{func() ([][]string, error) {
			return PrefixPaths(texts("11100", "11200", "2"), []int{1, 3}, Value.String)
		}, "11200 112** 1**** *"},
		{func() ([][]string, error) {
			return PrefixPaths(texts("11100", "11200", "2"), []int{1, 3}, Value.String)
		}, "2 2** 2**** *"},
		{func() ([][]string, error) {
			return DatePaths(days("1999-12-31", "2000-05-01"), []string{"year", "Month", "decade", "quarter"}, Value.String)
		}, "2000-04-30 2000-04 2000-Q2 2000 [2000-2009] *"},
		{func() ([][]string, error) {
			return DatePaths(days("1969-12-31 23:59", "1970-01-01 00:00"), []string{"day"}, Value.String)
		}, "1969-12-31 23:59:00 1969-12-31 *"},
	} {
		paths, err := c.make()
		if err != nil || !slices.ContainsFunc(paths, func(path []string) bool { return strings.Join(path, " ") == c.want }) {
			t.Errorf("no path %s in %v, %v", c.want, paths, err)
		}
	}
}

// Intervals of equal width, and the most frequent values.
func TestGeneratedPathsOfWidthAndFrequency(t *testing.T) {
	fractions := NewColumn("x", "DECIMAL(4,1)", []Value{DecimalValue("0.3"), DecimalValue("-0.1"), DecimalValue("1.0")})
	for _, c := range []struct {
		make func() ([][]string, error)
		want string
	}{
		{func() ([][]string, error) {
			return EqualWidthPaths(integers(17, 40, 90, 96), []int{2, 4}, Value.String)
		}, "40 [37-56] [17-56] *"},
		{func() ([][]string, error) {
			return EqualWidthPaths(fractions, []int{2}, Value.String)
		}, "0.3 [-0.1 to 0.4] *"},
		{func() ([][]string, error) {
			return EqualWidthPaths(days("2020-01-01", "2020-01-05"), []int{4}, Value.String)
		}, "2020-01-05 [2020-01-04 to 2020-01-05] *"},
		{func() ([][]string, error) {
			return EqualWidthPaths(integers(7, 7), []int{2}, Value.String)
		}, "7 7 *"},
		{func() ([][]string, error) {
			return FrequentPaths(texts("a", "b", "b", "c", "c", "c", "d"), []int{1, 2}, Value.String)
		}, "b b (others) *"},
		{func() ([][]string, error) {
			return FrequentPaths(texts("(others)", "b", "b", "b"), []int{1}, Value.String)
		}, "(others) ((others)) *"},
		{func() ([][]string, error) { return FrequentPaths(texts("a", "b"), nil, Value.String) }, "a *"},
	} {
		paths, err := c.make()
		if err != nil || !slices.ContainsFunc(paths, func(path []string) bool { return strings.Join(path, " ") == c.want }) {
			t.Errorf("no path %s in %v, %v", c.want, paths, err)
		}
	}
}

// Whatever the column, the paths are a tree with a leaf for every whole number
// from the least to the greatest.
func TestGeneratedPathsAreTrees(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 200 {
		numbers := make([]int64, 1+random.IntN(60))
		for i := range numbers {
			numbers[i] = random.Int64N(100) - 50
		}
		c := integers(numbers...)
		for _, make := range []func() ([][]string, error){
			func() ([][]string, error) {
				return IntervalPaths(c, []string{"3", "6", "24"}, fmt.Sprint(random.IntN(9)-4), Value.String)
			},
			func() ([][]string, error) { return EqualFrequencyPaths(c, []int{2, 6, 12}, Value.String) },
			func() ([][]string, error) { return EqualWidthPaths(c, []int{2, 6, 12}, Value.String) },
			func() ([][]string, error) {
				widths, err := RoundWidths(c)
				if err != nil {
					return nil, err
				}
				return IntervalPaths(c, widths, "0", Value.String)
			},
		} {
			paths, err := make()
			if err != nil {
				t.Fatal(err)
			}
			tree, err := TaxonomyOfPaths(paths, readInteger)
			if err == nil {
				err = tree.Check(c)
			}
			if err != nil {
				t.Fatalf("trial %d: %v", trial, err)
			}
			if got, want := len(tree.Leaves()), int(slices.Max(numbers)-slices.Min(numbers))+1; got != want {
				t.Errorf("trial %d: %d leaves, want %d", trial, got, want)
			}
		}
	}
}

// Numbers that span too much for a list have points of their intervals for leaves, both ends
// among them; so many intervals that they cannot be listed either are refused.
func TestGeneratedLeavesOfWideNumbers(t *testing.T) {
	for _, c := range []struct {
		column *Column
		width  string
		want   string // leaves of the first interval
		leaves int
	}{
		{integers(3, 250_001), "1000", "0 100 200 300 400 500 600 700 800 900 999", 251 * 11},
		{integers(3, 250_001), "2", "", 0},
		{integers(3, 150_001), "5", "0 2 4", 30_001 * 3},
		{NewColumn("x", "", []Value{DecimalValue("51.300015"), DecimalValue("51.999999")}), "0.1",
			"51.300000 51.310000 51.320000 51.330000 51.340000 51.350000 51.360000 51.370000 51.380000 51.390000 51.399999", 7 * 11},
		{NewColumn("x", "", []Value{DecimalValue("-700.25"), DecimalValue("800.00")}), "1.03", "-700.40 -700.29 -700.19 -700.09 -699.98 -699.88 -699.78 -699.67 -699.57 -699.47 -699.38", 1457 * 11},
		{NewColumn("x", "", []Value{RealValue(0.3), RealValue(0.95)}), "0.1", "0.3 0.31 0.32 0.33 0.34 0.35 0.36 0.37 0.38 0.39 0.39999999999999997", 7 * 11},
	} {
		paths, err := IntervalPaths(c.column, []string{c.width}, "0", Value.String)
		var got []string
		for _, path := range paths {
			if path[1] == paths[0][1] {
				got = append(got, path[0])
			}
		}
		if refused := c.leaves == 0 && err != nil; !refused && (err != nil || strings.Join(got, " ") != c.want || len(paths) != c.leaves) {
			t.Errorf("%s by %s: %d leaves, %v, %v; want %d, %s", c.column.Dictionary[0], c.width, len(paths), got, err, c.leaves, c.want)
		}
	}
	_, err := IntervalPaths(integers(-1<<63, 0, 1<<63-1), []string{"1000"}, "0", Value.String)
	if err == nil || !strings.Contains(err.Error(), "Begin with a wider interval") {
		t.Errorf("got %v", err)
	}
}

func TestNothingToGenerate(t *testing.T) {
	empty, words := NewColumn("x", "INT", []Value{NullValue}), texts("a", "b")
	for want, make := range map[string]func() ([][]string, error){
		"intervals is '5', must be a multiple of 5":        func() ([][]string, error) { return IntervalPaths(integers(1), []string{"5", "5"}, "0", Value.String) },
		"intervals is '-5', must be a width above 0":       func() ([][]string, error) { return IntervalPaths(integers(1), []string{"-5"}, "0", Value.String) },
		"intervals is '1/3', must be a width":              func() ([][]string, error) { return IntervalPaths(integers(1), []string{"1/3"}, "0", Value.String) },
		"intervals is '1e99999', must be a width":          func() ([][]string, error) { return IntervalPaths(integers(1), []string{"1e99999"}, "0", Value.String) },
		"origin is 'x', must be a number":                  func() ([][]string, error) { return IntervalPaths(integers(1), []string{"5"}, "x", Value.String) },
		"column x is not numeric: intervals need numbers":  func() ([][]string, error) { return IntervalPaths(words, []string{"5"}, "0", Value.String) },
		"column x has no values":                           func() ([][]string, error) { return IntervalPaths(empty, []string{"5"}, "0", Value.String) },
		"equal_frequency is 1, must be":                    func() ([][]string, error) { return EqualFrequencyPaths(integers(1), []int{4, 1}, Value.String) },
		"equal_frequency is '', must be":                   func() ([][]string, error) { return EqualFrequencyPaths(integers(1), nil, Value.String) },
		"groups of equal frequency need numbers":           func() ([][]string, error) { return EqualFrequencyPaths(words, []int{2}, Value.String) },
		"equal_width is 3, must be":                        func() ([][]string, error) { return EqualWidthPaths(integers(1), []int{4, 3}, Value.String) },
		"intervals of equal width need numbers":            func() ([][]string, error) { return EqualWidthPaths(words, []int{2}, Value.String) },
		"frequent is 2, must be numbers of values to keep": func() ([][]string, error) { return FrequentPaths(words, []int{2}, Value.String) },
		"prefix is 1, must be numbers of characters":       func() ([][]string, error) { return PrefixPaths(words, []int{1}, Value.String) },
		"date is 'hour', must be parts of a date":          func() ([][]string, error) { return DatePaths(days("2020-01-01"), []string{"hour"}, Value.String) },
		"date is 'year', must be parts of a date, each": func() ([][]string, error) {
			return DatePaths(days("2020-01-01"), []string{"year", "year"}, Value.String)
		},
		"column x has no dates: a is none": func() ([][]string, error) { return DatePaths(words, []string{"year"}, Value.String) },
	} {
		_, err := make()
		var data *DataError
		if !errors.As(err, &data) && !errors.As(err, new(*ParameterError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// What values call for.
func TestSuggestedTaxonomies(t *testing.T) {
	reals := NewColumn("x", "DOUBLE", []Value{RealValue(0.25), RealValue(1.25)})
	var words []string
	for i := range 20 {
		words = append(words, strings.Repeat("w", i+1))
	}
	for want, c := range map[string]*Column{
		"{date month,quarter,year}":               days("2020-01-01", "2024-01-01"),
		"{intervals 5,10,50}":                     integers(17, 90),
		"{intervals 5}":                           integers(0, 1),
		"{intervals 50000,100000,500000,1000000}": integers(-200_000, 1_000_000),
		"{intervals 0.05,0.1,0.5}":                reals,
		"{prefix 1,2,3,4}":                        texts("10115", "80331"),
		"{prefix 1,2}":                            texts("W1A", "EC2"),
		"{frequent }":                             texts("F", "M", "F"),
		"{frequent 4,16}":                         texts(words...),
	} {
		got, err := SuggestTaxonomy(c)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%v, %v, want %s", got, err, want)
		}
	}
	if _, err := SuggestTaxonomy(NewColumn("x", "INT", []Value{NullValue})); err == nil {
		t.Error("nothing has a taxonomy")
	}
	if _, err := RoundWidths(texts("a")); err == nil {
		t.Error("texts have widths")
	}
}
