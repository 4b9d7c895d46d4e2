package sample

import (
	"bytes"
	"encoding/csv"
	"math"
	"strings"
	"testing"
)

const seed = 1

func people(n int) []Person {
	all := make([]Person, 0, n)
	for p := range Generate(n, seed) {
		all = append(all, p)
	}
	return all
}

// TestSameSeedSameBytes: a seed is a data set, another seed is another, and
// fewer rows are the beginning of more.
func TestSameSeedSameBytes(t *testing.T) {
	text := func(rows int, seed uint64) string {
		var b bytes.Buffer
		if err := WriteCSV(&b, rows, seed); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	long := text(2000, seed)
	if long != text(2000, seed) {
		t.Error("the same seed gave other bytes")
	}
	if !strings.HasPrefix(long, text(100, seed)) {
		t.Error("fewer rows are not the beginning of more")
	}
	if long == text(2000, seed+1) {
		t.Error("another seed gave the same bytes")
	}
}

// TestCSVHoldsPeople reads the CSV back: header, width, identifiers in order.
func TestCSVHoldsPeople(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCSV(&b, 500, seed); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range Columns() {
		if records[0][i] != c.Name {
			t.Errorf("column %d is %q, want %q", i, records[0][i], c.Name)
		}
	}
	for i, p := range people(500) {
		if got, want := strings.Join(records[i+1], "|"), strings.Join(p.Fields(), "|"); got != want {
			t.Fatalf("row %d: got %q, want %q", i+1, got, want)
		}
		if p.ID != i+1 || p.Age < 18 || p.Age > 94 || len(p.Zip) != 5 || p.Income <= 0 || p.HoursPerWeek < 0 {
			t.Fatalf("row %d is out of range: %+v", i+1, p)
		}
	}
}

// share is the proportion of the people that are.
func share(all []Person, of, are func(Person) bool) float64 {
	n, k := 0, 0
	for _, p := range all {
		if of(p) {
			n++
			if are(p) {
				k++
			}
		}
	}
	return float64(k) / float64(n)
}

func everyone(Person) bool { return true }

// TestDisease: 14 values, none above 18 percent, none negligible, so that a
// bound of 0.2 on the frequency of a value can be met. The standard error of a
// share of 50,000 is at most 0.17 percent.
func TestDisease(t *testing.T) {
	all := people(Rows)
	count := map[string]int{}
	for _, p := range all {
		count[p.Disease]++
	}
	if len(count) != 14 {
		t.Errorf("%d diseases, want 14", len(count))
	}
	for d, n := range count {
		s := float64(n) / Rows
		t.Logf("%-18s %5.2f %%", d, 100*s)
		if s > 0.18 || s < 0.01 {
			t.Errorf("%s has %.1f percent, want 1 to 18", d, 100*s)
		}
	}
}

// TestCorrelations are associations that anonymization should keep: each pair of shares differs by far more than
// sampling explains.
func TestCorrelations(t *testing.T) {
	all := people(Rows)
	old := func(p Person) bool { return p.Age >= 68 }
	young := func(p Person) bool { return p.Age < 26 }
	women := func(p Person) bool { return p.Sex == female }
	men := func(p Person) bool { return p.Sex == male }
	graduates := func(p Person) bool { return schooling[p.Education] >= 16 && works(p) }
	others := func(p Person) bool { return schooling[p.Education] < 12 && works(p) }
	has := func(d string) func(Person) bool { return func(p Person) bool { return p.Disease == d } }
	for _, c := range []struct {
		name  string
		more  func(Person) bool
		less  func(Person) bool
		are   func(Person) bool
		times float64 // at least this many times more probable
	}{
		{"heart disease, old to young", old, young, has("Heart-disease"), 10},
		{"allergy, young to old", young, old, has("Allergy"), 4},
		{"migraine, women to men", women, men, has("Migraine"), 2},
		{"thyroid, women to men", women, men, has("Thyroid-disorder"), 2.5},
		{"HIV, men to women", men, women, has("HIV"), 2},
		{"widowed, old to young", old, young, func(p Person) bool { return p.MaritalStatus == "Widowed" }, 50},
		{"retired, old to young", old, everyone, func(p Person) bool { return p.Workclass == retired }, 3},
		{"construction, men to women", men, women, func(p Person) bool { return p.Occupation == "Construction" }, 8},
		{"income above 50,000, graduates to others", graduates, others, func(p Person) bool { return p.Income > 50000 }, 3},
		{"part-time, women to men", women, men, func(p Person) bool { return works(p) && p.HoursPerWeek < 32 }, 2},
	} {
		a, b := share(all, c.more, c.are), share(all, c.less, c.are)
		t.Logf("%-42s %6.2f %% against %6.2f %%", c.name, 100*a, 100*b)
		if a < c.times*b {
			t.Errorf("%s: %.2f percent against %.2f, want %g times", c.name, 100*a, 100*b, c.times)
		}
	}
}

// TestSkew: the frequencies of quasi-identifiers are uneven, and the columns
// are about as wide as a table of people is.
func TestSkew(t *testing.T) {
	all := people(Rows)
	for _, c := range []struct {
		name   string
		of     func(Person) string
		values [2]int     // fewest, most
		top    [2]float64 // share of the most frequent value
	}{
		{"sex", func(p Person) string { return p.Sex }, [2]int{2, 2}, [2]float64{0.50, 0.54}},
		{"education", func(p Person) string { return p.Education }, [2]int{8, 8}, [2]float64{0.2, 0.35}},
		{"marital_status", func(p Person) string { return p.MaritalStatus }, [2]int{5, 5}, [2]float64{0.4, 0.6}},
		{"workclass", func(p Person) string { return p.Workclass }, [2]int{7, 7}, [2]float64{0.35, 0.6}},
		{"occupation", func(p Person) string { return p.Occupation }, [2]int{15, 15}, [2]float64{0.15, 0.45}},
		{"region", func(p Person) string { return p.Region }, [2]int{9, 9}, [2]float64{0.21, 0.23}},
		{"zip", func(p Person) string { return p.Zip }, [2]int{200, 400}, [2]float64{0.01, 0.05}},
		{"name", func(p Person) string { return p.Name }, [2]int{5000, 6400}, [2]float64{0, 0.001}},
	} {
		count, top := map[string]int{}, 0
		for _, p := range all {
			count[c.of(p)]++
			top = max(top, count[c.of(p)])
		}
		s := float64(top) / Rows
		t.Logf("%-15s %5d values, most frequent %5.2f %%", c.name, len(count), 100*s)
		if len(count) < c.values[0] || len(count) > c.values[1] || s < c.top[0] || s > c.top[1] {
			t.Errorf("%s: %d values (want %v), most frequent %.3f (want %v)", c.name, len(count), c.values, s, c.top)
		}
	}
	mean, square := 0.0, 0.0
	for _, p := range all {
		mean += float64(p.Age) / Rows
		square += float64(p.Age) * float64(p.Age) / Rows
	}
	if deviation := math.Sqrt(square - mean*mean); mean < 40 || mean > 50 || deviation < 14 || deviation > 22 {
		t.Errorf("age has mean %.1f and standard deviation %.1f", mean, deviation)
	}
}
