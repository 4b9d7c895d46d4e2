package units_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
)

// tableOfUnits has a record for each row of values (a, b, c); d is the unit itself, so that it bounds no group.
func tableOfUnits(unit []uint32, values [][3]int) *anonymize.Input {
	var columns [4][]anonymize.Value
	for i, row := range values {
		for j, v := range row {
			columns[j] = append(columns[j], anonymize.IntegerValue(int64(v)))
		}
		columns[3] = append(columns[3], anonymize.IntegerValue(int64(unit[i])))
	}
	in := &anonymize.Input{Rows: len(values), Units: unit, Random: rand.NewPCG(uint64(len(values)), 1)}
	for j, name := range []string{"a", "b", "c"} {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(name, "int", columns[j]))
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("d", "int", columns[3])}
	return in
}

func runUnits(t *testing.T, method string, in *anonymize.Input, arguments anonymize.Arguments, leftOut string) (*units.Result, error) {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	return units.Run(t.Context(), m, in, arguments, anonymize.MustRatio(leftOut))
}

// In units of one record a goes with b, in those of two with c. One division is published of both, and it keeps what is promised of it.
func TestStrataShareRelations(t *testing.T) {
	for _, run := range []struct {
		method    string
		arguments anonymize.Arguments
	}{
		{"slppa", anonymize.Arguments{"beta": "0.25", "alpha": "0.6", "tables": "2"}},
		{"slicing", anonymize.Arguments{"l": "3", "tables": "2"}},
	} {
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(seed, 6))
			var unit []uint32
			var values [][3]int
			for u := range uint32(120) {
				x, y := random.IntN(8), random.IntN(2)
				if u < 70 {
					unit, values = append(unit, u), append(values, [3]int{x, x, y})
				} else {
					unit, values = append(unit, u, u), append(values, [3]int{x % 4, y, x % 4}, [3]int{x % 4, y, x % 4})
				}
			}
			result, err := runUnits(t, run.method, tableOfUnits(unit, values), run.arguments, "0")
			if err != nil {
				t.Fatalf("%s %v: %v", run.method, run.arguments, err)
			}
			if _, err := privacy.Keeps(result.Release); err != nil {
				t.Errorf("%s %v, seed %d: %v", run.method, run.arguments, seed, err)
			}
		}
	}
}

// Three units of two records cannot keep gamma by themselves. They lose a record each, as left_out= allows.
func TestUnitsAreLeftOutForGamma(t *testing.T) {
	var unit []uint32
	var values [][3]int
	for u := range uint32(63) {
		row := [3]int{int(u) % 8, int(u) / 8 % 8, 0}
		if u >= 60 {
			row = [3]int{1, 1, 0}
			unit, values = append(unit, u), append(values, row)
		}
		unit, values = append(unit, u), append(values, row)
	}
	in := tableOfUnits(unit, values)
	in.QuasiIdentifiers = in.QuasiIdentifiers[:2]
	result, err := runUnits(t, "slppa", in, anonymize.Arguments{"beta": "0.5", "gamma": "0.1"}, "1/2")
	if err != nil || result.Release.Rows != 63 {
		t.Fatalf("%+v, %v", result, err)
	}
}

// Units of five, four and three records lose some until all have one. The release tells how many units that are, each once.
func TestTrimmedUnitsAreToldOnce(t *testing.T) {
	var unit []uint32
	var values [][3]int
	for u := range uint32(23) {
		records := 1
		if u < 3 {
			records = 5 - int(u)
		}
		for range records {
			unit, values = append(unit, u), append(values, [3]int{int(u) % 7, 0, 0})
		}
	}
	result, err := runUnits(t, "anatomy", tableOfUnits(unit, values), anonymize.Arguments{"l": "4"}, "1/2")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Release.Facts {
		if f.Name == "warning" && strings.HasPrefix(f.Value, "9 of 32 records (28.12 %) are left out, of 3 units:") {
			return
		}
	}
	t.Errorf("3 units are told otherwise: %v", result.Release.Facts)
}
