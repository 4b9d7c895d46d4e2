package contingency

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

func TestCategories(t *testing.T) {
	number := func(n int) anonymize.Value { return anonymize.IntegerValue(int64(n)) }
	text := func(n int) anonymize.Value { return anonymize.TextValue(fmt.Sprintf("v%04d", n)) }
	constant := func(int) int { return 10 }
	for _, c := range []struct {
		name   string
		value  func(int) anonymize.Value
		weight func(int) int
		values int
		null   bool
		want   int // categories
	}{
		{"numbers that are their own bins", number, constant, 16, false, 16},
		{"numbers in quantiles", number, constant, 17, false, 16},
		{"many numbers", number, constant, 1000, false, 16},
		{"one number that half of the records have", number, func(n int) int { return 10 + 10000*(n/999) }, 1000, false, 16},
		{"NULL apart", number, constant, 1000, true, 17},
		{"texts", text, constant, 64, false, 64},
		{"texts and NULL", text, constant, 64, true, 65},
		{"many texts", text, constant, 1000, false, 64},
		{"one value", text, constant, 1, false, 1},
		{"nothing but NULL", text, constant, 0, true, 1},
		{"values that nobody has", number, func(n int) int { return 10 * (n % 2) }, 20, false, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			column := &anonymize.FragmentColumn{}
			var weight []int
			if c.null {
				column.Dictionary, weight = append(column.Dictionary, anonymize.NullValue), append(weight, 7)
			}
			for n := range c.values {
				column.Dictionary, weight = append(column.Dictionary, c.value(n)), append(weight, c.weight(n))
			}
			category, got := Finest.Categories(column.Dictionary, weight)
			if got != c.want {
				t.Fatalf("%d categories, want %d", got, c.want)
			}
			records := make([]int, got)
			for code, w := range weight {
				if w > 0 {
					records[category[code]] += w
				}
			}
			if slices.Contains(records, 0) {
				t.Errorf("a category has no record: %v", records)
			}
		})
	}
}

// Quantile bins follow the order of the numbers, and no bin of equally frequent ones is
// more than twice as large as another.
func TestQuantiles(t *testing.T) {
	codes, weight := make([]int, 100), make([]int, 100)
	for i := range codes {
		codes[i], weight[i] = i, 3
	}
	category := make([]uint16, 100)
	if bins := quantiles(category, codes, weight, 16); bins != 16 || !slices.IsSorted(category) {
		t.Fatalf("%d bins: %v", bins, category)
	}
	records := make([]int, 16)
	for code, bin := range category {
		records[bin] += weight[code]
	}
	if slices.Max(records) > 2*slices.Min(records) {
		t.Errorf("records of the bins: %v", records)
	}
}

// The most frequent of many texts are categories of their own.
func TestFrequentTexts(t *testing.T) {
	column := &anonymize.FragmentColumn{}
	var weight []int
	for n := range 500 {
		column.Dictionary = append(column.Dictionary, anonymize.TextValue(fmt.Sprintf("v%03d", n)))
		weight = append(weight, 1+n%100)
	}
	category, n := Finest.Categories(column.Dictionary, weight)
	members := make([]int, n)
	for _, c := range category {
		members[c]++
	}
	alone := 0
	for code, c := range category {
		if members[c] == 1 {
			alone++
			if weight[code] < 90 {
				t.Errorf("value %d, of %d records, has a category of its own", code, weight[code])
			}
		}
	}
	if alone != 48 {
		t.Errorf("%d values have categories of their own, want 48", alone)
	}
}
